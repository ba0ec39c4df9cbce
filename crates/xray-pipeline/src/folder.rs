//! Where results go: opened before the run, so that a place that cannot be written to costs nothing.
//!
//! Files are written aside, hashed as they pass, and take their names together in [`Folder::commit`]:
//!
//! 1. an old manifest goes first: a folder of shards without one is not complete;
//! 2. every rank renames its files;
//! 3. if there are shards, rank 0 looks at each of them (a disk that is not shared has only its own), and
//!    writes the manifest last;
//! 4. what an earlier run of another kind has left is removed, so that no folder holds two results.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use xray_data::AtomicFile;
use xray_nmf::comm::Communicator;

use crate::agree::together;
use crate::error::{Error, Result};
use crate::shards::{MANIFEST, Manifest, ManifestHead, ShardFile, is_shard_name};

/// An open folder for the results of a run. Dropped without a commit it leaves everything as it was.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Whether it was made for this run.
    made: bool,
    files: Vec<Pending>,
}

/// A file that is written, but has no name yet.
#[derive(Debug)]
struct Pending {
    name: String,
    file: AtomicFile,
    bytes: u64,
    blake3: String,
}

/// A file as it is being written: counted and hashed.
#[derive(Debug)]
pub struct OpenFile {
    name: String,
    path: PathBuf,
    file: AtomicFile,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl OpenFile {
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
}

impl Write for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Checks that a file can be written, before there is anything to write; collective.
///
/// # Errors
/// The same on all ranks, if rank 0 cannot begin it.
pub fn check_writable(comm: &dyn Communicator, path: &Path) -> Result<()> {
    let tried = if comm.rank() == 0 { AtomicFile::create(path).map(drop) } else { Ok(()) };
    together(comm, tried)
}

impl Folder {
    /// Makes the folder if it is not there, and tries to write into it: on rank 0, and on every rank if all
    /// are to write `shards`; collective.
    ///
    /// # Errors
    /// The same on all ranks, if one cannot write there.
    ///
    /// # Examples
    /// ```
    /// use std::io::Write;
    /// use xray_nmf::comm::OneRank;
    /// use xray_pipeline::Folder;
    /// let place = tempfile::tempdir().expect("a temporary folder");
    /// let path = place.path().join("out");
    /// let mut folder = Folder::open(&OneRank, &path, false)?;
    /// folder.write("topics.csv", |out| out.write_all(b"topic,anchor\n"))?;
    /// assert!(!path.join("topics.csv").exists());
    /// folder.commit(&OneRank, None)?;
    /// assert_eq!(std::fs::read(path.join("topics.csv")).expect("there"), b"topic,anchor\n");
    /// # Ok::<(), xray_pipeline::Error>(())
    /// ```
    pub fn open(comm: &dyn Communicator, path: &Path, shards: bool) -> Result<Self> {
        let own = Self { path: path.to_owned(), made: false, files: Vec::new() };
        let tried = if comm.rank() == 0 || shards { own.tried() } else { Ok(own) };
        together(comm, tried)
    }

    fn tried(mut self) -> Result<Self> {
        let place = self.path.display().to_string();
        if !self.path.is_dir() {
            std::fs::create_dir_all(&self.path).map_err(|error| {
                Error::System(format!(
                    "{place}: cannot make the folder: {error}; choose another with -o"
                ))
            })?;
            self.made = true;
        }
        AtomicFile::create(&self.path.join("model.npz")).map(drop).map_err(|error| {
            Error::System(format!("{place}: cannot write there: {error}; choose another with -o"))
        })?;
        Ok(self)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a file of this rank.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(&self, name: &str) -> Result<OpenFile> {
        let path = self.path.join(name);
        let file = AtomicFile::create(&path)?;
        let name = name.to_owned();
        Ok(OpenFile { name, path, file, hasher: blake3::Hasher::new(), bytes: 0 })
    }

    /// Takes in a file that is complete; it gets its name when the folder is committed.
    pub fn add(&mut self, file: OpenFile) {
        let OpenFile { name, file, hasher, bytes, .. } = file;
        let blake3 = hasher.finalize().to_hex().to_string();
        self.files.push(Pending { name, file, bytes, blake3 });
    }

    /// Writes a file of this rank.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write<E: Into<WriteError>>(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut OpenFile) -> std::result::Result<(), E>,
    ) -> Result<()> {
        let mut file = self.create(name)?;
        file.put(write)?;
        self.add(file);
        Ok(())
    }

    /// Writes a shard, and says what it holds for the manifest; the length and the hash are filled in.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_shard<E: Into<WriteError>>(
        &mut self,
        shard: ShardFile,
        write: impl FnOnce(&mut OpenFile) -> std::result::Result<(), E>,
    ) -> Result<ShardFile> {
        if !self.path.is_dir() {
            std::fs::create_dir_all(&self.path).map_err(Error::io(&self.path, "make"))?;
        }
        self.write(&shard.file, write)?;
        let written = self.files.last().map(|file| (file.bytes, file.blake3.clone()));
        let (bytes, blake3) = written.unwrap_or_default();
        Ok(ShardFile { bytes, blake3, ..shard })
    }

    /// Gives all files their names, and the folder a manifest if there are shards; collective. Says what was
    /// written, for people.
    ///
    /// # Errors
    /// The same on all ranks, if a file cannot be renamed, or rank 0 does not see another rank's shard.
    pub fn commit(
        mut self,
        comm: &dyn Communicator,
        shards: Option<(ManifestHead, Vec<ShardFile>)>,
    ) -> Result<String> {
        self.made = false;
        let first = comm.rank() == 0;
        let old = Manifest::read(&self.path).ok().flatten().filter(|_| first);
        let cleared = if old.is_some() { self.remove(MANIFEST) } else { Ok(()) };
        together(comm, cleared)?;
        let mut written: Vec<String> = self.files.iter().map(|file| file.name.clone()).collect();
        let pending = std::mem::take(&mut self.files);
        together(comm, pending.into_iter().try_for_each(|pending| pending.file.commit()))?;
        let mut kept: BTreeSet<String> = written.iter().cloned().collect();
        let sharded = shards.is_some();
        if let Some((head, own)) = shards {
            let all = gather_files(comm, &own)?;
            kept.extend(all.iter().map(|shard| shard.file.clone()));
            written.retain(|name| !is_shard_name(name));
            written.push(format!("{} shards and {MANIFEST}", all.len()));
            kept.insert(MANIFEST.to_owned());
            let manifest = Manifest { head, files: all };
            let own = if first { self.write_manifest(&manifest) } else { Ok(()) };
            together(comm, own)?;
        }
        let cleared =
            if first { self.remove_others(&kept, old.is_some(), sharded) } else { Ok(()) };
        together(comm, cleared)?;
        Ok(format!("wrote {} to {}", written.join(", "), self.path.display()))
    }

    /// Looks at every shard, then lists them.
    fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        for shard in &manifest.files {
            let path = self.path.join(&shard.file);
            let seen = std::fs::metadata(&path).map(|about| about.len()).ok();
            if seen != Some(shard.bytes) {
                let found = seen.map_or("is not there".to_owned(), |n| format!("has {n} bytes"));
                return Err(Error::System(format!(
                    "{}: a rank has written {} bytes, but for rank 0 it {found}: the disk is not shared \
                     by all ranks; choose a folder that is with -o",
                    path.display(),
                    shard.bytes
                )));
            }
        }
        let path = self.path.join(MANIFEST);
        let mut file = AtomicFile::create(&path)?;
        file.write_all(&serde_json::to_vec_pretty(manifest)?).map_err(Error::io(&path, "write"))?;
        Ok(file.commit()?)
    }

    /// Removes results that are not of this run: shards and what came with them, or a model and documents
    /// in one piece where there are shards now.
    fn remove_others(
        &self,
        kept: &BTreeSet<String>,
        had_shards: bool,
        sharded: bool,
    ) -> Result<()> {
        let entries = std::fs::read_dir(&self.path).map_err(Error::io(&self.path, "read"))?;
        let mut names: BTreeSet<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| is_shard_name(name))
            .collect();
        if had_shards {
            names.extend(["w.npz", "answer.json"].map(String::from));
        }
        if sharded {
            names.extend(["model.npz", "documents.csv"].map(String::from));
        }
        if kept.contains("topics.json") {
            names.insert("contingency.csv".to_owned());
        }
        names.difference(kept).try_for_each(|name| self.remove(name))
    }

    fn remove(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io(&path, "remove the old file")(error))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.files.clear();
        if self.made {
            // Only an empty folder can be removed.
            let _ = std::fs::remove_dir(&self.path);
        }
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

/// The shards of all ranks, rank after rank, on rank 0.
fn gather_files(comm: &dyn Communicator, own: &[ShardFile]) -> Result<Vec<ShardFile>> {
    let mut messages = vec![Vec::new(); comm.size()];
    messages[0] = serde_json::to_vec(own)?;
    let mut all = Vec::new();
    for message in comm.all_to_all(messages)?.iter().filter(|message| !message.is_empty()) {
        all.extend(serde_json::from_slice::<Vec<ShardFile>>(message)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use xray_nmf::comm::{OneRank, run_local_ranks};

    use super::*;
    use crate::shards::Part;

    fn names(path: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(path).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn plain(path: &Path, files: &[&str]) -> Result<String> {
        let mut folder = Folder::open(&OneRank, path, false)?;
        for file in files {
            folder.write(file, |out| out.write_all(b"x"))?;
        }
        folder.commit(&OneRank, None)
    }

    /// Shards of several ranks; rank `lost` loses its own before the commit.
    fn shards(path: &Path, lost: Option<usize>) -> Vec<Result<String>> {
        run_local_ranks(3, |comm| {
            let mut folder = Folder::open(comm, path, true)?;
            let shard = ShardFile::new(Part::H, comm.rank(), comm.size(), vec![[0, 1]], None);
            let own = folder.write_shard(shard, |out| out.write_all(b"numbers"))?;
            if lost == Some(comm.rank()) {
                folder.files.clear();
            }
            folder.commit(comm, Some((ManifestHead::default(), vec![own])))
        })
    }

    #[test]
    fn folders_are_tried_before_anything_is_done() {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::write(place.path().join("file"), "x").expect("written");
        let error = Folder::open(&OneRank, &place.path().join("file/out"), false).unwrap_err();
        assert!(error.to_string().contains("choose another with -o"), "{error}");
        let made = Folder::open(&OneRank, &place.path().join("new"), false).expect("made");
        assert_eq!(names(place.path()), ["file", "new"]);
        drop(made);
        assert_eq!(names(place.path()), ["file"], "a folder without results is left");
    }

    #[test]
    fn a_folder_holds_one_result() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join("out");
        plain(&path, &["anchors.csv", "model.npz"]).expect("written");
        std::fs::write(path.join("mine.npz"), "x").expect("written");
        shards(&path, None).into_iter().for_each(|said| drop(said.expect("written")));
        let parts = ["h-00000-of-00003.npz", "h-00001-of-00003.npz", "h-00002-of-00003.npz"];
        let expected = [&["anchors.csv"], &parts[..], &["manifest.json", "mine.npz"]].concat();
        assert_eq!(names(&path), expected);
        plain(&path, &["anchors.csv", "model.npz"]).expect("written");
        assert_eq!(names(&path), ["anchors.csv", "mine.npz", "model.npz"]);
        // Files of others by such names stay where there never were shards.
        std::fs::write(path.join("w.npz"), "x").expect("written");
        std::fs::write(path.join(MANIFEST), "{}").expect("written");
        plain(&path, &["model.npz"]).expect("written");
        assert_eq!(names(&path), ["anchors.csv", MANIFEST, "mine.npz", "model.npz", "w.npz"]);
    }

    #[test]
    fn a_shard_that_rank_0_does_not_see_is_an_error_on_all_ranks() {
        let place = tempfile::tempdir().expect("a folder");
        for said in shards(place.path(), Some(1)) {
            let message = said.unwrap_err().to_string();
            assert!(message.contains("h-00001-of-00003.npz"), "{message}");
            assert!(message.contains("the disk is not shared"), "{message}");
        }
        assert!(!place.path().join(MANIFEST).exists());
    }
}
