//! Names beside a target for what is not complete yet: `.NAME.PROCESS.NUMBER.part`.
//!
//! A killed process cannot remove its part. Whoever writes the same target next does: a part is
//! stale if its process no longer runs here and nobody holds the lock that its writer takes. The
//! lock guards parts of processes that cannot be seen from here, in another container for instance.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Result, io_error};

/// Numbers what this process writes.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Creates a file or folder beside `target` under a name that nothing else uses, and locks it.
/// Removes what killed processes left of the same target.
pub(super) fn create_aside(
    target: &Path,
    create: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(File, PathBuf)> {
    let start = hidden_start(target)?;
    if cfg!(target_os = "linux") {
        remove_stale(folder_of(target), &start);
    }
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!("{start}{}.{number}.part", std::process::id()));
        match create(&path) {
            Ok(created) => {
                if cfg!(target_os = "linux") {
                    // Not every file system has locks; then nobody gets one to call this stale.
                    let _ = created.try_lock();
                }
                return Ok((created, path));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}

/// What the names of all parts of a target begin with.
fn hidden_start(target: &Path) -> io::Result<String> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
    // Long names leave no room for an addition.
    let start: String = name.chars().take(40).collect();
    Ok(format!(".{start}."))
}

/// Removes parts of killed processes whose names begin with `start`; what cannot be removed stays.
fn remove_stale(folder: &Path, start: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| process_of(name, start));
        // Links are not followed: they were not made here.
        let kind = entry.file_type().ok().filter(|kind| kind.is_file() || kind.is_dir());
        let (Some(process), Some(kind)) = (process, kind) else { continue };
        if runs(process) {
            continue;
        }
        let path = entry.path();
        // The lock is kept while the part is removed.
        let Ok(part) = File::open(&path) else { continue };
        if part.try_lock().is_ok() {
            let _ = if kind.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// The process that a part belongs to; `None` if it is no part of this target.
fn process_of(name: &str, start: &str) -> Option<u32> {
    let (process, number) = name.strip_prefix(start)?.strip_suffix(".part")?.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(process) && digits(number)).then(|| process.parse().ok())?
}

/// Whether a process runs, as far as the system tells; if it does not tell, it does.
fn runs(process: u32) -> bool {
    let known = Path::new("/proc/self").exists();
    !known || Path::new(&format!("/proc/{process}")).exists()
}

/// The folder that a file is in.
pub(super) fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A folder that is filled aside and takes its name only when it is complete; dropped before that,
/// it is removed.
#[derive(Debug)]
pub(crate) struct AtomicFolder {
    target: PathBuf,
    /// The folder while it is filled; `None` once renamed.
    temporary: Option<PathBuf>,
    /// Holds the lock.
    _lock: File,
}

impl AtomicFolder {
    /// Begins to fill a folder; one that is there already must be empty.
    pub(crate) fn create(target: &Path) -> Result<Self> {
        let fail = |e| io_error(&target.display().to_string(), "create", e);
        match fs::read_dir(target).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) => return Err(fail(io::ErrorKind::DirectoryNotEmpty.into())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(fail(e)),
        }
        let create = |path: &Path| fs::create_dir(path).and_then(|()| File::open(path));
        let (lock, temporary) = create_aside(target, create).map_err(fail)?;
        Ok(Self { target: target.to_owned(), temporary: Some(temporary), _lock: lock })
    }

    /// Writes a file of the folder.
    pub(crate) fn write(&self, name: &str, content: &[&[u8]]) -> Result<()> {
        let path = match &self.temporary {
            Some(folder) => folder.join(name),
            None => self.target.join(name),
        };
        let write = || {
            fs::create_dir_all(folder_of(&path))?;
            fs::write(&path, content.concat())
        };
        write().map_err(|e| io_error(&self.target.join(name).display().to_string(), "write", e))
    }

    /// Gives the folder its name.
    pub(crate) fn commit(mut self) -> Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        // Not every system replaces an empty folder.
        let _ = fs::remove_dir(&self.target);
        match fs::rename(temporary, &self.target) {
            Ok(()) => {
                self.temporary = None;
                Ok(())
            }
            Err(e) => Err(io_error(&self.target.display().to_string(), "create", e)),
        }
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_dir_all(temporary);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::write::AtomicFile;

    /// A process that no longer runs.
    fn ended() -> u32 {
        let mut child = std::process::Command::new("true").spawn().expect("a program");
        child.wait().expect("it ends");
        child.id()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.flatten().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn parts_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = |name: &str| folder.path().join(name);
        let (ended, own) = (ended(), std::process::id());
        fs::write(place(&format!(".x.npz.{ended}.0.part")), "half").expect("written");
        fs::create_dir(place(&format!(".x.npz.{ended}.1.part"))).expect("created");
        fs::write(place(&format!(".x.npz.{ended}.1.part/1.txt")), "half").expect("written");
        let kept = [
            format!(".x.npz.{own}.77777.part"),
            format!(".y.npz.{ended}.0.part"),
            format!(".x.npz.5.{ended}.0.part"),
            format!(".x.npz.{ended}.part"),
            format!(".x.npz.{ended}.0.party"),
            ".x.npz.99999999999.0.part".to_owned(),
        ];
        kept.iter().for_each(|name| fs::write(place(name), "other").expect("written"));
        std::os::unix::fs::symlink(place(&kept[0]), place(&format!(".x.npz.{ended}.2.part")))
            .expect("linked");
        let file = AtomicFile::create(&place("x.npz")).expect("created");
        file.commit().expect("renamed");
        let mut expected = kept.to_vec();
        expected.extend([format!(".x.npz.{ended}.2.part"), "x.npz".to_owned()]);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn locked_parts_are_left() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let part = folder.path().join(format!(".x.{}.0.part", ended()));
        let writer = File::create(&part).expect("created");
        writer.lock().expect("locked");
        drop(AtomicFile::create(&folder.path().join("x")).expect("created"));
        assert!(part.exists());
        // Dropping it would not do while another test has just started a process.
        writer.unlock().expect("unlocked");
        drop(AtomicFile::create(&folder.path().join("x")).expect("created"));
        assert!(!part.exists());
    }

    #[test]
    fn parts_are_locked_while_they_are_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = AtomicFile::create(&folder.path().join("x")).expect("created");
        let filled = AtomicFolder::create(&folder.path().join("y")).expect("created");
        for name in names(folder.path()) {
            let part = File::open(folder.path().join(&name)).expect("there");
            assert!(part.try_lock().is_err(), "{name}");
        }
        drop((file, filled));
        assert!(names(folder.path()).is_empty());
    }
}
