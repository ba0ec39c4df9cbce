//! Files that appear complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::aside::{create_aside, folder_of};
use crate::error::{Error, Result, io_error};

/// A file that is written aside, in the same folder, and takes its name only when it is complete.
///
/// Dropped before [`commit`](Self::commit), it leaves what was there before untouched. Names that
/// end in `.gz` or `.zst` are compressed. A target that is not a regular file, such as a pipe or
/// `/dev/null`, is written to directly, and so is an open file that is named by its descriptor
/// (`/dev/stdout`, `/dev/fd/3`): what is written follows what is there.
///
/// # Examples
/// ```
/// use std::io::Write;
/// use xray_data::AtomicFile;
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let path = folder.path().join("out.txt");
/// let mut file = AtomicFile::create(&path)?;
/// file.write_all(b"complete").expect("disk space");
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path).expect("there"), b"complete");
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    /// The final name, links resolved.
    target: PathBuf,
    /// The name while it is written; `None` once renamed, or if written directly.
    temporary: Option<PathBuf>,
    /// What is written waits here for more of it: compressors take as long for a byte as for many.
    out: Option<BufWriter<Packer>>,
}

enum Packer {
    Plain(File),
    Gzip(Box<flate2::write::GzEncoder<File>>),
    Zstandard(zstd::stream::write::Encoder<'static, File>),
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Packer::Plain(_) => "Plain",
            Packer::Gzip(_) => "Gzip",
            Packer::Zstandard(_) => "Zstandard",
        })
    }
}

impl AtomicFile {
    /// Begins to write a file.
    ///
    /// # Errors
    /// If the folder does not exist or cannot be written to.
    pub fn create(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if let Some(format) = ["xz", "bz2"].into_iter().find(|only_read| ending == Some(only_read))
        {
            let reason = "it is only read; write .gz or .zst".to_owned();
            return Err(Error::NotWritable { file: name, format, reason });
        }
        let fail = |e| io_error(&name, "create", e);
        let (target, way) = target_of(path).map_err(fail)?;
        let (file, temporary) = open(&target, way).map_err(fail)?;
        let packer = match ending {
            Some("gz") => {
                let encoder = flate2::GzBuilder::new().write(file, flate2::Compression::default());
                Packer::Gzip(Box::new(encoder))
            }
            Some("zst") => match zstd::stream::write::Encoder::new(file, 3) {
                Ok(encoder) => Packer::Zstandard(encoder),
                Err(e) => return Err(fail(e)),
            },
            _ => Packer::Plain(file),
        };
        Ok(Self { target, temporary, out: Some(BufWriter::with_capacity(1 << 17, packer)) })
    }

    /// Checks that a file can be written, before there is anything to write. Pipes and devices are not opened: whoever
    /// reads a pipe would take that for the end.
    ///
    /// # Errors
    /// If the folder does not exist or cannot be written to.
    pub fn check(path: &Path) -> Result<()> {
        let checked = target_of(path);
        match checked.map_err(|e| io_error(&path.display().to_string(), "create", e))? {
            (_, Way::Aside) => Self::create(path).map(drop),
            (_, Way::Directly | Way::Descriptor(_)) => Ok(()),
        }
    }

    /// Completes the file: flushes it to the disk and gives it its name.
    ///
    /// # Errors
    /// If the disk is full or the file cannot be renamed; what was there before is left as it was.
    pub fn commit(mut self) -> Result<()> {
        self.finish().map_err(|e| {
            let file = self.target.display().to_string();
            Error::Io { file, action: "write", source: e }
        })
    }

    fn finish(&mut self) -> io::Result<()> {
        let Some(out) = self.out.take() else { return Ok(()) };
        let file = match out.into_inner().map_err(io::IntoInnerError::into_error)? {
            Packer::Plain(file) => file,
            Packer::Gzip(encoder) => encoder.finish()?,
            Packer::Zstandard(encoder) => encoder.finish()?,
        };
        let Some(temporary) = &self.temporary else { return Ok(()) };
        file.sync_all()?;
        drop(file);
        fs::rename(temporary, &self.target)?;
        self.temporary = None;
        // The name is safe once the folder is; not every system can sync a folder.
        let _ = File::open(folder_of(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// How a target is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// In a file beside it.
    Aside,
    /// It is no regular file.
    Directly,
    /// It is what this process has open under this number.
    Descriptor(u32),
}

/// What is really written to, and how: a link is followed, so that its target is replaced and not the link.
fn target_of(path: &Path) -> io::Result<(PathBuf, Way)> {
    if let Some(number) = descriptor_of(path) {
        return Ok((path.to_owned(), Way::Descriptor(number)));
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok((target, Way::Directly)),
        Ok(_) | Err(_) => Ok((target, Way::Aside)),
    }
}

/// The number of the descriptor that a path, or what it is a link to, is another name of. Links are followed one by
/// one: the last step would lead to the file behind the descriptor.
fn descriptor_of(path: &Path) -> Option<u32> {
    const MOST_LINKS: usize = 40;
    if !cfg!(unix) {
        return None;
    }
    let folders = ["/proc/self/fd", "/dev/fd"].map(|folder| fs::canonicalize(folder).ok());
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = fs::canonicalize(folder_of(&path)).ok()?;
        if folders.iter().flatten().any(|known| *known == folder) {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = folder.join(fs::read_link(&path).ok()?);
    }
    None
}

/// What is written to, and its name if that is not the target's.
fn open(target: &Path, way: Way) -> io::Result<(File, Option<PathBuf>)> {
    match way {
        Way::Directly => Ok((OpenOptions::new().write(true).open(target)?, None)),
        Way::Descriptor(number) => Ok((open_descriptor(target, number)?, None)),
        Way::Aside => {
            let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
            let (file, temporary) = create_aside(target, create)?;
            if let Ok(replaced) = fs::metadata(target) {
                // What was private stays private.
                let _ = file.set_permissions(replaced.permissions());
            }
            Ok((file, Some(temporary)))
        }
    }
}

/// A descriptor of this process. Opened by name, a file would be written from its start on again; so standard output
/// and standard error are shared, and of others the end is written to.
fn open_descriptor(path: &Path, number: u32) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        match number {
            1 => {
                io::stdout().flush()?;
                return Ok(io::stdout().as_fd().try_clone_to_owned()?.into());
            }
            2 => return Ok(io::stderr().as_fd().try_clone_to_owned()?.into()),
            _ => {}
        }
    }
    let _ = number;
    OpenOptions::new().append(true).open(path)
}

impl Write for Packer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packer::Plain(file) => file.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstandard(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packer::Plain(file) => file.flush(),
            Packer::Gzip(encoder) => encoder.flush(),
            Packer::Zstandard(encoder) => encoder.flush(),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Some(out) => out.write(bytes),
            None => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changes_before_commit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("x.txt");
        fs::write(&path, "old").expect("written");
        let mut file = AtomicFile::create(&path).expect("created");
        file.write_all(b"new").expect("written");
        drop(file);
        assert_eq!(fs::read(&path).expect("there"), b"old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn what_is_to_be_packed_is_gathered_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["x.txt", "x.txt.gz", "x.txt.zst"] {
            let mut file = AtomicFile::create(&folder.path().join(name)).expect("created");
            (0..1000).for_each(|k| writeln!(file, "{k:03}").expect("written"));
            let gathered = file.out.as_ref().expect("not committed").buffer();
            assert_eq!(gathered.len(), 4000, "{name}");
        }
    }

    #[test]
    fn missing_folders_and_folders_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let missing = AtomicFile::create(&folder.path().join("no/x.txt")).unwrap_err();
        assert!(missing.to_string().contains("check the name and the folder"), "{missing}");
        assert!(AtomicFile::create(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept_and_devices_written_to() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").expect("written");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        let mut file = AtomicFile::create(&link).expect("created");
        file.write_all(b"new").expect("written");
        file.commit().expect("renamed");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).expect("there"), b"new");
        use std::os::unix::fs::PermissionsExt;
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&real, private.clone()).expect("changed");
        AtomicFile::create(&real).expect("created").commit().expect("renamed");
        let mode = fs::metadata(&real).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, private.mode());
        for (name, number) in [("/dev/stdout", 1), ("/dev/stderr", 2), ("/dev/fd/1", 1)] {
            assert_eq!(descriptor_of(Path::new(name)), Some(number), "{name}");
        }
        let link = folder.path().join("out");
        std::os::unix::fs::symlink("/dev/stdout", &link).expect("linked");
        assert_eq!(target_of(&link).expect("there").1, Way::Descriptor(1));
        assert_eq!(descriptor_of(&real), None);
        assert_eq!(descriptor_of(Path::new("/dev/null")), None);
        let null = AtomicFile::create(Path::new("/dev/null")).expect("opened");
        null.commit().expect("written");
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
    }
}
