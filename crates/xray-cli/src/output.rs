//! Where results go, decided before anything is read: nothing that a run reads, or saves itself to, is written over.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use xray_data::{FileIdentity, Input};
use xray_nmf::comm::Communicator;
use xray_pipeline::{Folder, InputMark, Plan, check_writable, replaceable};

use crate::agree::together;
use crate::args::{InputArgs, RunArgs, TextArgs};
use crate::outcome::UsageError;
use crate::session::Session;

/// The files that a run reads and those that it writes of its own accord.
pub(crate) struct Guarded {
    reads: Vec<PathBuf>,
    checkpoint: Option<PathBuf>,
    mark: InputMark,
}

impl Guarded {
    /// What the input stands for, with the files beside it.
    pub(crate) fn new(input: &InputArgs) -> Self {
        // What cannot be found is told when it is to be read.
        let inputs = input.inputs().ok();
        let parts = inputs.iter().flat_map(|inputs| inputs.parts()).filter_map(|part| match part {
            Input::Path(path) => Some(path.clone()),
            Input::Stdin => Some(PathBuf::from("/dev/stdin")),
            _ => None,
        });
        let reads = parts.chain(input.side_files()).collect();
        Self { reads, checkpoint: None, mark: InputMark::of(&input.name(), &input.data) }
    }

    /// A file that is read as it is.
    pub(crate) fn file(path: &Path) -> Self {
        let mark = InputMark::of(&path.display().to_string(), &[path.to_owned()]);
        Self { reads: vec![path.to_owned()], checkpoint: None, mark }
    }

    /// Another file that is read.
    pub(crate) fn and(mut self, more: impl IntoIterator<Item = PathBuf>) -> Self {
        self.reads.extend(more);
        self
    }

    /// The list of stop words, if it is a file.
    pub(crate) fn and_words(self, text: &TextArgs) -> Self {
        self.and([PathBuf::from(&text.stop_words)])
    }

    /// The checkpoint is read and written.
    pub(crate) fn and_checkpoint(mut self, run: &RunArgs) -> Self {
        self.checkpoint.clone_from(&run.checkpoint);
        self
    }

    /// Checks a file, and tries to write it; collective.
    pub(crate) fn check_file(&self, comm: &dyn Communicator, path: &Path) -> anyhow::Result<()> {
        self.check(comm, vec![path.to_owned()])?;
        Ok(check_writable(comm, path)?)
    }

    /// Opens a folder for a result of the input; collective.
    pub(crate) fn open(
        &self,
        comm: &dyn Communicator,
        session: &Session,
        path: &Path,
        plan: Plan,
    ) -> anyhow::Result<Folder> {
        self.check(comm, replaceable(path, plan.purpose))?;
        let folder = Folder::open(comm, path, Plan { input: Some(self.mark.clone()), ..plan })?;
        if !folder.is_locked() {
            let place = path.display();
            session
                .detail(format!("{place}: this disk has no locks; let no other run write there"));
        }
        Ok(folder)
    }

    /// Refuses to write what is read; collective, decided by rank 0.
    pub(crate) fn check(
        &self,
        comm: &dyn Communicator,
        writes: Vec<PathBuf>,
    ) -> anyhow::Result<()> {
        let fault = if comm.rank() == 0 { self.clash(writes) } else { None };
        let checked = fault.map_or(Ok(()), |fault| Err(UsageError(fault).into()));
        together(comm, checked)
    }

    fn clash(&self, mut writes: Vec<PathBuf>) -> Option<String> {
        let saved = self.checkpoint.as_ref().map(|path| (FileIdentity::of(path), path));
        if let Some((place, path)) = &saved
            && let Some(write) = writes.iter().find(|write| FileIdentity::of(write) == *place)
        {
            return Some(same(write, "the checkpoint", path));
        }
        writes.extend(self.checkpoint.clone());
        let (folders, files): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.reads.iter().partition(|read| read.is_dir());
        let files = files.into_iter().filter(|file| file.is_file());
        let files: HashMap<FileIdentity, &PathBuf> =
            files.map(|file| (FileIdentity::of(file), file)).collect();
        writes.iter().find_map(|write| {
            let within = |folder: &&&PathBuf| is_text_of(write, folder);
            let read = files.get(&FileIdentity::of(write)).copied();
            let read = read.or_else(|| folders.iter().find(within).copied())?;
            Some(same(write, "what is read", read))
        })
    }
}

fn same(write: &Path, what: &str, other: &Path) -> String {
    let (write, other) = (write.display(), other.display());
    format!("{write}: the output would take the place of {what} ({other}); choose another output")
}

/// Whether a file is one of the texts of a folder.
fn is_text_of(file: &Path, folder: &Path) -> bool {
    let (Ok(file), Ok(folder)) = (std::fs::canonicalize(file), std::fs::canonicalize(folder))
    else {
        return false;
    };
    file.is_file() && file.starts_with(&folder) && xray_data::is_text_of(&file, &folder)
}

/// What is said of a result that an interruption has cut short.
pub(crate) fn partial(written: &str, kept: &Path) -> String {
    format!("{written}: what was found so far; {} is as it was", kept.display())
}

/// The same of a run that can go on.
pub(crate) fn resumable(written: &str, kept: &Path, checkpoint: Option<&Path>) -> String {
    let go_on = match checkpoint {
        Some(file) => format!("go on with --checkpoint {} --resume", file.display()),
        None => "a run with --checkpoint FILE can go on with --resume".to_owned(),
    };
    format!("{}; {go_on}", partial(written, kept))
}
