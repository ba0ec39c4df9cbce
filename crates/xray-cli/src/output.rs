//! Output files: written aside and renamed, so that a killed run leaves no half file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use xray_data::AtomicFile;

/// A folder for the files of a run.
pub struct Folder {
    path: PathBuf,
    written: Vec<String>,
}

impl Folder {
    /// Makes the folder if it is not there.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(path).with_context(|| {
            format!("{}: cannot make the folder; choose another with -o", path.display())
        })?;
        Ok(Self { path: path.to_owned(), written: Vec::new() })
    }

    /// The path of a file in the folder, which the caller writes.
    pub fn file(&mut self, name: &str) -> PathBuf {
        self.written.push(name.to_owned());
        self.path.join(name)
    }

    /// Writes a file.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        write_file(&self.file(name), |out| out.write_all(bytes))
    }

    /// What was written, for people.
    pub fn summary(&self) -> String {
        format!("wrote {} to {}", self.written.join(", "), self.path.display())
    }
}

/// Writes a file; it appears complete or not at all.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file)
        .with_context(|| format!("{}: cannot write; is the disk full?", path.display()))?;
    Ok(file.commit()?)
}
