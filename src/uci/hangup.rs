//! Notices that the reader of standard output has gone away, even while nothing is written.
//! Invariant: the function returns only then; where the system cannot tell, it returns `None`.

#[cfg(unix)]
pub fn wait_for_hangup() -> Option<()> {
    use std::io;
    use std::os::fd::AsFd;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    let out = io::stdout();
    loop {
        // Errors and hang-ups are reported without being asked for.
        let mut watched = [PollFd::new(out.as_fd(), PollFlags::empty())];
        match poll(&mut watched, PollTimeout::NONE) {
            Ok(_) => {
                let found = watched[0].revents()?;
                if found.intersects(PollFlags::POLLERR | PollFlags::POLLHUP) {
                    return Some(());
                }
                if !found.is_empty() {
                    return None;
                }
            }
            Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
}

#[cfg(not(unix))]
pub fn wait_for_hangup() -> Option<()> {
    None
}
