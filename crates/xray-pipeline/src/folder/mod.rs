//! Where results go: opened before the run, so that a place that cannot be written to costs nothing.
//!
//! A folder is locked while it is open. Files are written aside, in a hidden folder within it, hashed as they pass, and
//! take their names as one in [`Folder::commit`] (`publish`); a record (`record`) tells which files are whose.

mod disk;
mod file;
mod lock;
mod publish;
mod record;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use xray_data::AtomicFile;
use xray_nmf::comm::Communicator;

use crate::agree::together;
use crate::error::{Error, Result};
use crate::shards::{MANIFEST, Manifest, ManifestHead, ShardFile};
pub use file::{OpenFile, WriteError};
use lock::Lock;
pub(crate) use publish::read_settled;
use publish::{NEW, PARTIAL};
pub use record::{InputMark, Purpose, replaceable};
use record::{RECORD, Record, Recorded, RecordedFile};

/// Numbers the folders that this process opens.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// What a folder is opened for.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What will be written.
    pub purpose: Purpose,
    /// Whether every rank is known to write.
    pub shards: bool,
    /// What it is made from.
    pub input: Option<InputMark>,
    /// Whether a result that was made from another input is to stay.
    pub only_same_input: bool,
}

impl Plan {
    /// Files of rank 0, from anything, over anything.
    pub fn new(purpose: Purpose) -> Self {
        Self { purpose, shards: false, input: None, only_same_input: false }
    }
}

/// An open folder for the results of a run. Dropped without a commit it leaves everything as it was.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    plan: Plan,
    /// Whether it was made for this run.
    made: bool,
    /// Where files are until they are complete.
    aside: PathBuf,
    /// Files of this rank that are complete.
    files: Vec<RecordedFile>,
    /// Kept by rank 0.
    lock: Option<Lock>,
    /// The folder that this one is within, which stays open.
    outer: Option<Box<Folder>>,
}

/// Checks that a file can be written, before there is anything to write; collective.
///
/// # Errors
/// The same on all ranks, if rank 0 cannot begin it.
pub fn check_writable(comm: &dyn Communicator, path: &Path) -> Result<()> {
    let tried = if comm.rank() == 0 { AtomicFile::check(path) } else { Ok(()) };
    together(comm, tried)
}

impl Folder {
    /// Makes the folder if it is not there, locks it, tidies up after killed runs, and tries to write into it: on rank 0,
    /// and on every rank if all are to write shards; collective.
    ///
    /// # Errors
    /// The same on all ranks, if one cannot write there, another run has it open, or it holds the result of another input
    /// that is to stay.
    ///
    /// # Examples
    /// ```
    /// use std::io::Write;
    /// use xray_nmf::comm::OneRank;
    /// use xray_pipeline::{Folder, Plan, Purpose};
    /// let place = tempfile::tempdir().expect("a temporary folder");
    /// let path = place.path().join("out");
    /// let mut folder = Folder::open(&OneRank, &path, Plan::new(Purpose::Topics))?;
    /// folder.write("topics.csv", |out| out.write_all(b"topic,anchor\n"))?;
    /// assert!(!path.join("topics.csv").exists());
    /// folder.commit(&OneRank, None)?;
    /// assert_eq!(std::fs::read(path.join("topics.csv")).expect("there"), b"topic,anchor\n");
    /// # Ok::<(), xray_pipeline::Error>(())
    /// ```
    pub fn open(comm: &dyn Communicator, path: &Path, plan: Plan) -> Result<Self> {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mut name = format!("{NEW}{}-{number}", std::process::id()).into_bytes();
        comm.broadcast(0, &mut name)?;
        let mut own = Self {
            path: path.to_owned(),
            made: false,
            aside: path.join(String::from_utf8_lossy(&name).as_ref()),
            files: Vec::new(),
            lock: None,
            plan,
            outer: None,
        };
        // Rank 0 makes the folder before others look for it.
        let tried = if comm.rank() == 0 { own.take() } else { Ok(()) };
        together(comm, tried)?;
        let writes = comm.rank() == 0 || own.plan.shards;
        let tried = if writes { own.try_to_write(comm.rank()) } else { Ok(()) };
        together(comm, tried)?;
        Ok(own)
    }

    /// A folder within this one for what an interrupted run has found: it does not take the place of a complete result.
    /// The next complete one removes it; collective.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn into_partial(self, comm: &dyn Communicator) -> Result<Self> {
        let plan = Plan { only_same_input: false, ..self.plan.clone() };
        let mut inner = Self::open(comm, &self.path.join(PARTIAL), plan)?;
        inner.outer = Some(Box::new(self));
        Ok(inner)
    }

    /// Makes and locks it, and looks at what is there.
    fn take(&mut self) -> Result<()> {
        let lock = self.make_and_lock()?;
        publish::settle(&self.path, &lock)?;
        self.lock = Some(lock);
        for name in self.plan.purpose.names() {
            let path = self.path.join(name);
            if path.is_dir() {
                let path = path.display();
                return Err(Error::System(format!(
                    "{path}: a folder is where a file is to be; choose another place with -o"
                )));
            }
        }
        let record = Record::read(&self.path);
        self.check_foreign(&record)?;
        self.check_input(&record)
    }

    fn make_and_lock(&mut self) -> Result<Lock> {
        loop {
            self.make()?;
            match lock::lock(&self.path) {
                Ok(Some(lock)) => return Ok(lock),
                Ok(None) => break,
                // A run that failed has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !self.path.exists() => {}
                Err(error) => return Err(self.unusable(&error)),
            }
        }
        // It is the other run's now.
        self.made = false;
        Err(Error::System(format!(
            "{}: another run is writing there; wait until it ends, or choose another folder with -o",
            self.path.display()
        )))
    }

    /// Leaves files alone that are called like ours, and are somebody's own or of another kind of result.
    fn check_foreign(&self, record: &Record) -> Result<()> {
        let Some((name, other)) = record.foreign(&self.path, self.plan.purpose) else {
            return Ok(());
        };
        let whose = match other {
            Some(kind) => format!("the result of `{kind}` has this file"),
            None => "no run has written this file".to_owned(),
        };
        Err(Error::Usage(format!(
            "{}: {whose}, and this one might write over it; move it, or choose another folder with -o",
            self.path.join(name).display()
        )))
    }

    /// Leaves results of other inputs alone, if that is wanted.
    fn check_input(&self, record: &Record) -> Result<()> {
        let there = record.of(self.plan.purpose).and_then(|result| result.input.as_ref());
        let is_own =
            |there: &InputMark| self.plan.input.as_ref().is_some_and(|own| own.is_same(there));
        match there {
            Some(there) if self.plan.only_same_input && !is_own(there) => {
                Err(Error::Usage(format!(
                    "{}: it has the result of another input ({}); choose a folder with -o",
                    self.path.display(),
                    there.name
                )))
            }
            _ => Ok(()),
        }
    }

    fn make(&mut self) -> Result<()> {
        if !self.path.is_dir() {
            let place = self.path.display();
            disk::make_folders(&self.path).map_err(|error| {
                Error::System(format!(
                    "{place}: cannot make the folder: {error}; choose another with -o"
                ))
            })?;
            self.made = true;
        }
        Ok(())
    }

    /// Begins a file and removes it again.
    fn try_to_write(&mut self, rank: usize) -> Result<()> {
        self.make()?;
        let path = PathBuf::from(format!("{}.{rank}", self.aside.display()));
        let tried = disk::create(&path).map(drop).and_then(|()| disk::remove_file(&path));
        tried.map_err(|error| self.unusable(&error))
    }

    fn unusable(&self, error: &io::Error) -> Error {
        let place = self.path.display();
        Error::System(format!("{place}: cannot write there: {error}; choose another with -o"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether other runs are kept out, as far as this rank knows; not every disk has locks.
    pub fn is_locked(&self) -> bool {
        self.lock.as_ref().is_none_or(Lock::is_held)
    }

    /// Begins a file of this rank.
    ///
    /// # Errors
    /// If it cannot be made.
    ///
    /// # Panics
    /// If such runs do not write such files.
    pub fn create(&mut self, name: &str) -> Result<OpenFile> {
        assert!(self.plan.purpose.writes(name), "{name} is no file of {:?}", self.plan.purpose);
        self.begin(name)
    }

    fn begin(&mut self, name: &str) -> Result<OpenFile> {
        let path = self.path.join(name);
        self.make()?;
        let fail = Error::io(&path, "create");
        match disk::make_folder(&self.aside) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(fail(error)),
            _ => {}
        }
        let file = disk::create(&self.aside.join(name)).map_err(fail)?;
        if let Ok(replaced) = std::fs::metadata(&path) {
            // What was private stays private.
            let _ = file.set_permissions(replaced.permissions());
        }
        Ok(OpenFile::new(name, path, file))
    }

    /// Takes in a file that is complete; it gets its name when the folder is committed.
    ///
    /// # Errors
    /// If the rest of it cannot be written.
    pub fn add(&mut self, file: OpenFile) -> Result<()> {
        self.files.push(file.finish()?);
        Ok(())
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
        self.add(file)
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
        let mut file = self.create(&shard.file)?;
        file.put(write)?;
        let RecordedFile { bytes, blake3, .. } = file.finish()?;
        Ok(ShardFile { bytes, blake3, ..shard })
    }

    /// Gives all files their names, and the folder a manifest if there are shards; collective. Says what was
    /// written, for people.
    ///
    /// # Errors
    /// The same on all ranks, if the files cannot take their names, or rank 0 does not see another rank's shard.
    pub fn commit(
        mut self,
        comm: &dyn Communicator,
        shards: Option<(ManifestHead, Vec<ShardFile>)>,
    ) -> Result<String> {
        let shards = match shards {
            Some((head, own)) => Some(Manifest { head, files: gather_files(comm, &own)? }),
            None => None,
        };
        let mut written: Vec<String> = self.files.iter().map(|file| file.file.clone()).collect();
        if let Some(manifest) = &shards {
            written.push(format!("{} shards and {MANIFEST}", manifest.files.len()));
        }
        let published = if comm.rank() == 0 { self.publish(shards) } else { Ok(()) };
        together(comm, published)?;
        Ok(format!("wrote {} to {}", written.join(", "), self.path.display()))
    }

    /// Completes what is aside, and makes it the result.
    fn publish(&mut self, shards: Option<Manifest>) -> Result<()> {
        if let Some(manifest) = shards {
            self.check_shards(&manifest)?;
            self.write(MANIFEST, |out| {
                serde_json::to_writer_pretty(out, &manifest).map_err(Error::from)
            })?;
            self.files.extend(manifest.files.into_iter().map(|shard| {
                let ShardFile { file, bytes, blake3, .. } = shard;
                RecordedFile { file, bytes, blake3 }
            }));
        }
        let (purpose, input) = (self.plan.purpose, self.plan.input.clone());
        let result = Recorded { input, files: std::mem::take(&mut self.files) };
        if let Some(record) = Record::read(&self.path).with(purpose, result) {
            let mut file = self.begin(RECORD)?;
            file.put(|out| serde_json::to_writer_pretty(out, &record).map_err(Error::from))?;
            file.finish()?;
        }
        publish::publish(&self.path, &self.aside)
    }

    /// Looks at every shard: a disk that is not shared has only those of its own ranks.
    fn check_shards(&self, manifest: &Manifest) -> Result<()> {
        for shard in &manifest.files {
            let seen =
                std::fs::metadata(self.aside.join(&shard.file)).map(|about| about.len()).ok();
            if seen != Some(shard.bytes) {
                let found = seen.map_or("is not there".to_owned(), |n| format!("has {n} bytes"));
                return Err(Error::System(format!(
                    "{}: a rank has written {} bytes, but for rank 0 it {found}: the disk is not shared \
                     by all ranks; choose a folder that is with -o",
                    self.path.join(&shard.file).display(),
                    shard.bytes
                )));
            }
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.aside.is_dir() {
            let _ = disk::remove_tree(&self.aside);
        }
        if let Some(lock) = &mut self.lock {
            lock.remove_file();
        }
        if self.made {
            // Only an empty folder can be removed; still locked, so that nobody else takes it meanwhile.
            let _ = disk::remove_folder(&self.path);
        }
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
