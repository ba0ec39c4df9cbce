//! How the files of a run take their names as one.
//!
//! ```text
//! OUT/.xray-new-ID/     files under their final names, written, synced           anything may happen: nothing has
//! OUT/.xray-decided/    the same folder, renamed: from here on the new            one rename: it happened or not
//!                       result counts
//! OUT/                  what the new result does not have is removed, the         repeated by whoever comes next,
//!                       files move up, the manifest and the record last           until the folder is empty
//! ```
//!
//! One rename decides, so there is no moment at which a process could be killed, a disk be full or the power fail that
//! leaves some files of one result and some of another for good: [`settle`] goes on where it ended. Every step of it can
//! be repeated: a file that has moved is no longer there to be moved, and the old record, which tells what is to be
//! removed, is replaced last.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk::{self, unless_gone};
use super::lock::{Lock, lock};
use super::record::{RECORD, Record};
use crate::error::{Error, Result};
use crate::shards::MANIFEST;

/// What the names of unfinished results begin with.
pub(super) const NEW: &str = ".xray-new-";

/// A result that counts, whose files have not all moved up yet.
const DECIDED: &str = ".xray-decided";

/// Where the result of an interrupted run goes, within the folder.
pub(super) const PARTIAL: &str = "partial";

/// How long a reader waits for a run that is moving its files.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes a complete folder of files the result of the folder that it is in.
pub(super) fn publish(folder: &Path, complete: &Path) -> Result<()> {
    disk::sync_folder(complete);
    // Without locks another run may have decided in the meantime.
    settle_now(folder)?;
    disk::rename(complete, &folder.join(DECIDED)).map_err(Error::io(folder, "write to"))?;
    disk::sync_folder(folder);
    settle_now(folder)
}

/// Gives the files of a decided result their names, if there is one.
fn settle_now(folder: &Path) -> Result<()> {
    let decided = folder.join(DECIDED);
    if !decided.is_dir() {
        return Ok(());
    }
    move_up(folder, &decided).map_err(|(path, error)| {
        Error::System(format!(
            "{}: {error}: a complete result waits in {} and takes its place when the folder is used next; mend \
             this and run again, or let xray transform read the folder",
            path.display(),
            decided.display()
        ))
    })
}

/// Everything after the decision.
fn move_up(folder: &Path, decided: &Path) -> Result<(), (PathBuf, io::Error)> {
    let about = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| (path.clone(), error)
    };
    let (old, new) = (Record::read(folder), Record::read(decided));
    let replaced = decided.join(RECORD).exists();
    for file in old.without(&new).into_iter().filter(|file| replaced && file.is_in(folder)) {
        let path = folder.join(&file.file);
        unless_gone(disk::remove_file(&path)).map_err(about(&path))?;
    }
    if replaced {
        remove_partial(folder, &new);
    }
    for name in names_in(decided).map_err(about(decided))? {
        let path = folder.join(&name);
        unless_gone(disk::rename(&decided.join(&name), &path)).map_err(about(&path))?;
    }
    disk::sync_folder(folder);
    unless_gone(disk::remove_folder(decided)).map_err(about(decided))
}

/// The files of a decided result in the order in which they move.
fn names_in(decided: &Path) -> io::Result<Vec<String>> {
    let entries = std::fs::read_dir(decided)?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_by_key(|name| (name == RECORD, name == MANIFEST, name.clone()));
    Ok(names)
}

/// What an interrupted run has left is of no use beside a complete result of the same kind. What cannot be removed
/// stays.
fn remove_partial(folder: &Path, new: &Record) {
    let partial = folder.join(PARTIAL);
    let Some((rest, removed)) = Record::read(&partial).without_latest_of(new) else { return };
    for file in removed.files.iter().filter(|file| file.is_in(&partial)) {
        let _ = disk::remove_file(&partial.join(&file.file));
    }
    if rest.is_empty() {
        let _ = disk::remove_file(&partial.join(RECORD));
        let _ = disk::remove_folder(&partial);
    }
}

/// Tidies up after killed runs, under the lock: a decided result is completed, unfinished ones are removed.
pub(super) fn settle(folder: &Path, lock: &Lock) -> Result<()> {
    settle_now(folder)?;
    // Without a lock it may be the result of a run that is not finished yet.
    if !lock.is_held() {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder, "read"))?;
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(NEW) {
            let path = entry.path();
            let _ = if path.is_dir() { disk::remove_tree(&path) } else { disk::remove_file(&path) };
        }
    }
    Ok(())
}

/// Reads from a folder what belongs to one result, completing it first where a killed run could not.
///
/// # Errors
/// What `read` returns; also if a run does not stop moving its files, or the folder cannot be written to and must be.
pub(crate) fn read_settled<T>(folder: &Path, read: impl Fn() -> Result<T>) -> Result<T> {
    let stamp = || std::fs::read(folder.join(RECORD)).unwrap_or_default();
    let decided = folder.join(DECIDED);
    let pause = Duration::from_millis(10);
    let mut waited = Duration::ZERO;
    while waited < PATIENCE {
        if decided.is_dir()
            && let Some(lock) = lock(folder).map_err(Error::io(folder, "open"))?
        {
            settle(folder, &lock)?;
        }
        let before = stamp();
        if !decided.is_dir() {
            let found = read();
            if !decided.is_dir() && stamp() == before {
                return found;
            }
        }
        std::thread::sleep(pause);
        waited += pause;
    }
    let what = "a run is moving its files there, and does not end; try again later";
    Err(Error::System(format!("{}: {what}", folder.display())))
}
