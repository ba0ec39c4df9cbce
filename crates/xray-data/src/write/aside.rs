//! Names beside a target for what is not complete yet: `.NAME.PROCESS.NUMBER.part`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Result, io_error};

/// Numbers what this process writes.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Creates a file or folder beside `target` under a name that nothing else uses.
pub(super) fn create_aside<T>(
    target: &Path,
    create: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, PathBuf)> {
    let start = hidden_start(target)?;
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!("{start}{}.{number}.part", std::process::id()));
        match create(&path) {
            Ok(created) => return Ok((created, path)),
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
pub(super) struct AtomicFolder {
    target: PathBuf,
    /// The folder while it is filled; `None` once renamed.
    temporary: Option<PathBuf>,
}

impl AtomicFolder {
    /// Begins to fill a folder; one that is there already must be empty.
    pub fn create(target: &Path) -> Result<Self> {
        let fail = |e| io_error(&target.display().to_string(), "create", e);
        match fs::read_dir(target).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) => return Err(fail(io::ErrorKind::DirectoryNotEmpty.into())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(fail(e)),
        }
        let ((), temporary) = create_aside(target, |path| fs::create_dir(path)).map_err(fail)?;
        Ok(Self { target: target.to_owned(), temporary: Some(temporary) })
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, content: &[&[u8]]) -> Result<()> {
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
    pub fn commit(mut self) -> Result<()> {
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
