//! Files on their way into a folder.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use super::disk;
use super::record::RecordedFile;
use crate::error::{Error, Result};

/// A file as it is being written: counted and hashed.
#[derive(Debug)]
pub struct OpenFile {
    name: String,
    path: PathBuf,
    out: BufWriter<Stepwise>,
    hasher: blake3::Hasher,
    bytes: u64,
}

/// A file whose writes are steps.
#[derive(Debug)]
struct Stepwise(File);

impl Write for Stepwise {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        disk::write(&self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl OpenFile {
    pub(super) fn new(name: &str, path: PathBuf, file: File) -> Self {
        let out = BufWriter::with_capacity(1 << 17, Stepwise(file));
        Self { name: name.to_owned(), path, out, hasher: blake3::Hasher::new(), bytes: 0 }
    }

    /// Writes more; what goes wrong names the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put<E: Into<WriteError>>(
        &mut self,
        write: impl FnOnce(&mut Self) -> std::result::Result<(), E>,
    ) -> Result<()> {
        write(self).map_err(|error| match error.into() {
            WriteError::Io(error) => Error::io(&self.path, "write")(error),
            WriteError::Other(error) => error,
        })
    }

    /// Brings it to the disk.
    pub(super) fn finish(mut self) -> Result<RecordedFile> {
        let written = self.out.flush().and_then(|()| disk::sync(&self.out.get_ref().0));
        written.map_err(Error::io(&self.path, "write"))?;
        let blake3 = self.hasher.finalize().to_hex().to_string();
        Ok(RecordedFile { file: self.name, bytes: self.bytes, blake3 })
    }
}

impl Write for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Why a file could not be written: the system refused, or what was to be written is wrong.
#[derive(Debug)]
pub enum WriteError {
    /// The system.
    Io(io::Error),
    /// What was to be written.
    Other(Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        WriteError::Other(error)
    }
}

impl From<xray_data::Error> for WriteError {
    fn from(error: xray_data::Error) -> Self {
        WriteError::Other(error.into())
    }
}
