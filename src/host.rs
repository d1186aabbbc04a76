//! What the engine needs from the system that runs it and that differs between targets: a clock,
//! large stacks, and pauses for a host with a single thread. On `wasm32-unknown-unknown` the host
//! provides two functions of the import module `brisance`: `now() -> f64`, milliseconds on a clock
//! that never goes back, and `pause(ms: f64)`.
//! Invariant: nothing else in the crate depends on the target, apart from SIMD kernels.

pub(crate) use target::{
    HAS_FILES, Instant, MAX_MEMORY, MAX_THREADS, on_stack, pause, split_paths, wait_while,
    with_helpers,
};

/// Why work on another thread has no result.
#[cfg_attr(target_family = "wasm", expect(dead_code))]
#[derive(Debug)]
pub enum StackError {
    /// The system refused.
    Refused(std::io::Error),
    /// The work panicked.
    Panicked,
}

#[cfg(not(target_family = "wasm"))]
mod target {
    use std::ffi::OsStr;
    use std::path::PathBuf;
    use std::thread::{self, Builder};
    use std::time::Duration;

    use parking_lot::{Condvar, Mutex};

    use super::StackError;

    pub(crate) use std::time::Instant;

    /// True if files can be read.
    pub const HAS_FILES: bool = true;
    /// Largest number of threads.
    pub const MAX_THREADS: usize = 1024;
    /// Largest block of memory in mebibytes.
    pub const MAX_MEMORY: usize = 1 << 20;

    /// The paths of a list such as `PATH`.
    pub fn split_paths(list: &OsStr) -> Vec<PathBuf> {
        std::env::split_paths(list).collect()
    }

    /// Lets a host with one thread handle its events, such as a `stop`, and return no sooner than
    /// after `_time`. Does nothing where events arrive on other threads.
    #[inline]
    pub fn pause(_time: Duration) {}

    /// Waits until `condition` is false; it is tested again whenever `changed` is notified.
    pub fn wait_while<T>(
        state: &Mutex<T>,
        changed: &Condvar,
        condition: impl FnMut(&mut T) -> bool,
    ) {
        changed.wait_while(&mut state.lock(), condition);
    }

    /// Runs `work` on a thread with a stack of `size` bytes, or on the calling thread where there
    /// are no threads.
    pub fn on_stack<T: Send>(
        name: &str,
        size: usize,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, StackError> {
        thread::scope(|scope| {
            Builder::new()
                .name(name.to_owned())
                .stack_size(size)
                .spawn_scoped(scope, work)
                .map_err(StackError::Refused)?
                .join()
                .map_err(|_| StackError::Panicked)
        })
    }

    /// Runs `work` while up to `count` other threads with stacks of `size` bytes, as far as the
    /// system has them, run `help`. Returns when all are done.
    pub fn with_helpers<T>(
        name: &str,
        size: usize,
        count: usize,
        help: impl Fn() + Sync,
        work: impl FnOnce() -> T,
    ) -> T {
        thread::scope(|scope| {
            for _ in 0..count {
                let builder = Builder::new().name(name.to_owned()).stack_size(size);
                if builder.spawn_scoped(scope, &help).is_err() {
                    break;
                }
            }
            work()
        })
    }
}

#[cfg(target_family = "wasm")]
mod target {
    use std::ffi::OsStr;
    use std::path::PathBuf;
    use std::time::Duration;

    use parking_lot::{Condvar, Mutex};

    use super::StackError;

    mod import {
        #[link(wasm_import_module = "brisance")]
        unsafe extern "C" {
            pub(super) safe fn now() -> f64;
            pub(super) safe fn pause(ms: f64);
        }
    }

    pub(crate) const HAS_FILES: bool = false;
    pub(crate) const MAX_THREADS: usize = 1;
    pub(crate) const MAX_MEMORY: usize = 1 << 10;

    /// A time on the clock of the host.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Instant(Duration);

    impl Instant {
        pub(crate) fn now() -> Instant {
            Instant(Duration::from_secs_f64(import::now().max(0.0) / 1000.0))
        }

        pub(crate) fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }
    }

    /// There is no separator of paths without a file system.
    pub(crate) fn split_paths(list: &OsStr) -> Vec<PathBuf> {
        vec![list.into()]
    }

    #[inline]
    pub(crate) fn pause(time: Duration) {
        import::pause(time.as_secs_f64() * 1000.0);
    }

    pub(crate) fn wait_while<T>(
        state: &Mutex<T>,
        _changed: &Condvar,
        mut condition: impl FnMut(&mut T) -> bool,
    ) {
        const INTERVAL: Duration = Duration::from_millis(5);
        let mut is_waiting = || {
            let mut guard = state.lock();
            condition(&mut guard)
        };
        while is_waiting() {
            pause(INTERVAL);
        }
    }

    pub(crate) fn with_helpers<T>(
        _name: &str,
        _size: usize,
        _count: usize,
        _help: impl Fn() + Sync,
        work: impl FnOnce() -> T,
    ) -> T {
        work()
    }

    pub(crate) fn on_stack<T: Send>(
        _name: &str,
        _size: usize,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, StackError> {
        Ok(work())
    }
}
