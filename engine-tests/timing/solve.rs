//! An interrupted `brisance solve` reports what it has found so far.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serial_test::serial;

#[test]
#[serial]
fn an_interrupt_reports_the_state() {
    let child = Command::new(env!("CARGO_BIN_EXE_brisance"))
        .args(["solve", "--time", "60s"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    sleep(Duration::from_millis(700));
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for part in ["UNKNOWN", "interrupted", "positions in"] {
        assert!(text.contains(part), "{text}");
    }
}
