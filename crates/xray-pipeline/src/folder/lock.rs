//! One writer at a time: the lock of a folder.
//!
//! The folder itself is locked, which leaves nothing behind. Where folders cannot be locked (NFS, Windows) a file in it
//! is, which goes when the lock is given back; where nothing can be locked the run goes on without.
//!
//! Whoever gets the lock looks whether what it has locked is still there by that name: the last owner may have removed
//! it in between.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::disk;

/// The file that is locked where folders cannot be.
pub(super) const LOCK: &str = ".xray.lock";

/// Attempts to lock something that stays.
const ATTEMPTS: usize = 100;

/// A lock that was taken, or could not be had on this disk; given back when dropped.
#[derive(Debug)]
pub(super) struct Lock {
    held: Option<File>,
    /// The file to remove at the end.
    file: Option<PathBuf>,
}

impl Lock {
    /// Whether others are kept out.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Removes what was locked instead of the folder. Whoever makes it anew does not have this lock, and the folder can
    /// be removed while it is held.
    pub(super) fn remove_file(&mut self) {
        if let Some(path) = self.file.take() {
            let _ = disk::remove_file(&path);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.remove_file();
        // A process that was forked just now has the same file open: closing ours would not do.
        if let Some(file) = &self.held {
            let _ = file.unlock();
        }
    }
}

/// What came of one attempt.
enum Attempt {
    Got(Lock),
    Busy,
    Again,
}

/// Locks a folder; none if another run has locked it.
pub(super) fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    for _ in 0..ATTEMPTS {
        let attempt = match File::open(folder) {
            Ok(file) => match attempt(file, folder, None)? {
                Some(attempt) => attempt,
                None => lock_file(folder)?,
            },
            Err(error) if cfg!(unix) => return Err(error),
            Err(_) => lock_file(folder)?,
        };
        match attempt {
            Attempt::Got(lock) => return Ok(Some(lock)),
            Attempt::Busy => return Ok(None),
            Attempt::Again => {}
        }
    }
    Ok(None)
}

/// Locks a file in the folder instead.
fn lock_file(folder: &Path) -> io::Result<Attempt> {
    let path = folder.join(LOCK);
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
    match attempt(opened, &path, Some(path.clone()))? {
        Some(attempt) => Ok(attempt),
        None => {
            let _ = disk::remove_file(&path);
            Ok(Attempt::Got(Lock { held: None, file: None }))
        }
    }
}

/// Tries to lock what is open; none if this disk has no locks.
fn attempt(opened: File, path: &Path, file: Option<PathBuf>) -> io::Result<Option<Attempt>> {
    match opened.try_lock() {
        Ok(()) if is_still_there(&opened, path)? => {
            Ok(Some(Attempt::Got(Lock { held: Some(opened), file })))
        }
        Ok(()) => Ok(Some(Attempt::Again)),
        Err(TryLockError::WouldBlock) => Ok(Some(Attempt::Busy)),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

#[cfg(unix)]
fn is_still_there(opened: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = opened.metadata()?;
    Ok(std::fs::metadata(path)
        .is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())))
}

#[cfg(not(unix))]
fn is_still_there(_: &File, path: &Path) -> io::Result<bool> {
    Ok(path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_gets_the_lock_and_nothing_is_left() {
        let place = tempfile::tempdir().expect("a folder");
        let first = lock(place.path()).expect("a folder").expect("free");
        assert!(first.is_held());
        assert!(lock(place.path()).expect("a folder").is_none());
        drop(first);
        assert!(lock(place.path()).expect("a folder").is_some());
        assert_eq!(std::fs::read_dir(place.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_file_is_locked_where_folders_cannot_be() {
        let place = tempfile::tempdir().expect("a folder");
        let Attempt::Got(first) = lock_file(place.path()).expect("a file") else { panic!("busy") };
        assert!(place.path().join(LOCK).exists());
        assert!(matches!(lock_file(place.path()), Ok(Attempt::Busy)));
        drop(first);
        assert_eq!(std::fs::read_dir(place.path()).expect("a folder").count(), 0);
        // What a killed process has left does not keep anybody out.
        std::fs::write(place.path().join(LOCK), "").expect("written");
        assert!(matches!(lock_file(place.path()), Ok(Attempt::Got(_))));
        assert_eq!(std::fs::read_dir(place.path()).expect("a folder").count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_on_what_is_gone_does_not_count() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("out");
        std::fs::create_dir(&path).expect("made");
        let gone = File::open(&path).expect("there");
        std::fs::remove_dir(&path).expect("empty");
        std::fs::create_dir(&path).expect("made again");
        assert!(matches!(attempt(gone, &path, None), Ok(Some(Attempt::Again))));
    }
}
