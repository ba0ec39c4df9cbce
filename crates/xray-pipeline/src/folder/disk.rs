//! What is done to the disk, one step at a time: a process may be killed between any two steps, and any of them
//! may fail. The tests try every one (`faults`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    step()?;
    fs::create_dir(path)
}

pub(super) fn make_folders(path: &Path) -> io::Result<()> {
    step()?;
    fs::create_dir_all(path)
}

pub(super) fn create(path: &Path) -> io::Result<File> {
    step()?;
    OpenOptions::new().write(true).create_new(true).open(path)
}

pub(super) fn write(mut file: &File, bytes: &[u8]) -> io::Result<usize> {
    step()?;
    file.write(bytes)
}

pub(super) fn sync(file: &File) -> io::Result<()> {
    step()?;
    file.sync_all()
}

/// Makes the names in a folder durable; not every system can.
pub(super) fn sync_folder(path: &Path) {
    if step().is_ok() {
        let _ = File::open(path).and_then(|folder| folder.sync_all());
    }
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::rename(from, to)
}

pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    free_step()?;
    fs::remove_file(path)
}

/// Removes a folder that is empty.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    free_step()?;
    fs::remove_dir(path)
}

/// Removes a folder with all that is in it.
pub(super) fn remove_tree(path: &Path) -> io::Result<()> {
    free_step()?;
    fs::remove_dir_all(path)
}

/// What is not there need not be removed, and what has moved need not be moved.
pub(super) fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(not(test))]
#[inline]
fn step() -> io::Result<()> {
    Ok(())
}

/// A step that needs no space.
#[cfg(not(test))]
#[inline]
fn free_step() -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use faults::{free_step, step};

/// Faults on purpose, in the thread that asks for them.
#[cfg(test)]
pub(super) mod faults {
    use std::cell::Cell;
    use std::io;

    /// What happens at a step.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The disk is full, for this step alone, if it needs space.
        Full,
        /// The process is killed: this step and all others are not done.
        Kill,
    }

    thread_local! {
        static PLANNED: Cell<Option<(Fault, usize)>> = const { Cell::new(None) };
        static TAKEN: Cell<usize> = const { Cell::new(0) };
    }

    /// Works with a fault at step `at`, counted from 0; whether it came to that.
    pub(crate) fn with_fault<T>(fault: Fault, at: usize, work: impl FnOnce() -> T) -> (T, bool) {
        PLANNED.set(Some((fault, at)));
        TAKEN.set(0);
        let result = work();
        PLANNED.set(None);
        (result, TAKEN.get() > at)
    }

    pub(super) fn step() -> io::Result<()> {
        fault(true)
    }

    pub(super) fn free_step() -> io::Result<()> {
        fault(false)
    }

    fn fault(needs_space: bool) -> io::Result<()> {
        let Some((fault, at)) = PLANNED.get() else { return Ok(()) };
        let taken = TAKEN.get();
        TAKEN.set(taken + 1);
        match fault {
            Fault::Full if taken == at && needs_space => Err(io::ErrorKind::StorageFull.into()),
            Fault::Kill if taken >= at => Err(io::Error::other("killed")),
            _ => Ok(()),
        }
    }
}
