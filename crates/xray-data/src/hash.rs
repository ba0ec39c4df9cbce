//! Hashes of what was read: BLAKE3 of the bytes as they are stored, taken as they pass.
//!
//! Of several files it is the hash of a list with their names and hashes, one a line, in order: ranks that
//! have each read some of the files can put it together.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// The BLAKE3 hash of some content, shown as `blake3:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Of files in order; of one alone its own.
    ///
    /// ```
    /// use xray_data::{ContentHash, FileHash};
    /// let file = |name: &str| FileHash { name: name.into(), hash: ContentHash::of(b"x") };
    /// let (one, two) = ([file("a")], [file("a"), file("b")]);
    /// assert_eq!(ContentHash::of_files(&one), ContentHash::of(b"x"));
    /// assert_ne!(ContentHash::of_files(&two), ContentHash::of(b"x"));
    /// ```
    pub fn of_files(files: &[FileHash]) -> Self {
        match files {
            [file] => file.hash,
            files => {
                let mut hasher = blake3::Hasher::new();
                for FileHash { name, hash } in files {
                    hasher.update(format!("{name} {hash}\n").as_bytes());
                }
                Self::from(hasher)
            }
        }
    }
}

impl From<blake3::Hasher> for ContentHash {
    fn from(hasher: blake3::Hasher) -> Self {
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// A file that was read, and the hash of its bytes as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// The name of the file; of a text in a folder its path within it.
    pub name: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
}

/// The stored bytes of an input, which are hashed as they are read; clones share them.
#[derive(Clone)]
pub(crate) struct Stored(Arc<Mutex<Passing>>);

/// Where stored bytes come from.
pub(crate) enum Bytes {
    File(File),
    Stdin(io::Stdin),
    Memory(Cursor<Vec<u8>>),
}

struct Passing {
    bytes: Bytes,
    /// What has passed; none after bytes were taken out of order.
    hasher: Option<blake3::Hasher>,
}

impl Stored {
    pub(crate) fn new(bytes: Bytes) -> Self {
        Self(Arc::new(Mutex::new(Passing { bytes, hasher: Some(blake3::Hasher::new()) })))
    }

    fn lock(&self) -> MutexGuard<'_, Passing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file itself, from its start, for reading in any order; none if it is no file. Its bytes are
    /// hashed in the end, through the same handle.
    pub(crate) fn file(&self) -> io::Result<Option<File>> {
        let mut passing = self.lock();
        let Bytes::File(file) = &mut passing.bytes else { return Ok(None) };
        file.rewind()?;
        let file = file.try_clone()?;
        passing.hasher = None;
        Ok(Some(file))
    }

    /// The hash of all bytes; those that nobody has asked for are read now.
    pub(crate) fn hash(&self) -> io::Result<ContentHash> {
        if self.lock().hasher.is_none() {
            let mut passing = self.lock();
            match &mut passing.bytes {
                Bytes::File(file) => file.rewind()?,
                Bytes::Memory(bytes) => bytes.set_position(0),
                Bytes::Stdin(_) => {}
            }
            passing.hasher = Some(blake3::Hasher::new());
        }
        io::copy(&mut self.clone(), &mut io::sink())?;
        Ok(self.lock().hasher.clone().unwrap_or_default().into())
    }
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut passing = self.lock();
        let n = match &mut passing.bytes {
            Bytes::File(file) => file.read(buffer),
            Bytes::Stdin(stdin) => stdin.read(buffer),
            Bytes::Memory(bytes) => bytes.read(buffer),
        }?;
        if let Some(hasher) = &mut passing.hasher {
            hasher.update(&buffer[..n]);
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_hash_is_of_all_bytes_however_they_were_read() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|k| (k % 251) as u8).collect();
        let expected = ContentHash::of(&bytes);
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&bytes).expect("written");
        let opened = || Bytes::File(File::open(file.path()).expect("there"));
        let memory = || Bytes::Memory(Cursor::new(bytes.clone()));
        for stored in [Stored::new(opened()), Stored::new(memory())] {
            let mut half = vec![0; 70_000];
            stored.clone().read_exact(&mut half).expect("long enough");
            assert_eq!(stored.hash().expect("read"), expected);
            assert_eq!(stored.hash().expect("read"), expected);
        }
        // In any order, and after the name is gone.
        let stored = Stored::new(opened());
        let mut seekable = stored.file().expect("a handle").expect("a file");
        drop(file);
        seekable.seek(io::SeekFrom::Start(199_999)).expect("inside");
        assert_eq!(stored.hash().expect("read"), expected);
    }

    #[test]
    fn hashes_are_shown_as_published() {
        let empty = "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(ContentHash::of(b"").to_string(), empty);
    }
}
