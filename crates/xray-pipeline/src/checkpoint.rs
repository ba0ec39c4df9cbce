//! Checkpoints: the state of a run in one small file, from which any number of ranks can go on.
//!
//! The newest state is kept in memory after every anchor, and written every so many anchors, every so many
//! seconds, and when the run is about to end before its time: [`CheckpointFile::save`] may be called from
//! another thread, such as the one that hears of signals, while a long step is under way. A file that
//! cannot be written is no reason to throw anchors away: the run goes on, and says so at its end.

use std::fs::File;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xray_data::AtomicFile;
use xray_nmf::comm::Communicator;
use xray_nmf::{Engine, Params, RunState, StopRequest};

use crate::agree::together;
use crate::corpus::DistributedMatrix;
use crate::error::{Error, Result};
use crate::watch::{Event, Progress};

const FORMAT: &str = "xray-checkpoint";
const VERSION: u32 = 2;

/// What the file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Checkpoint {
    format: String,
    version: u32,
    run: RunKey,
    state: RunState,
    /// Hash of all that comes before.
    check: String,
}

/// What anchors depend on, besides their number: a checkpoint belongs to this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunKey {
    rows: usize,
    columns: usize,
    entries: usize,
    /// Without what changes no anchor: their number, and how scores are kept.
    params: Params,
    /// Hash of the vector p, which is as long as X.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row_weights: Option<String>,
}

impl RunKey {
    /// The key of a run on a matrix of so many rows, columns and entries.
    pub fn new(rows: usize, columns: usize, entries: usize, params: &Params) -> Self {
        let hash = |p: &Vec<f64>| {
            let bytes: Vec<u8> = p.iter().flat_map(|v| v.to_le_bytes()).collect();
            blake3::hash(&bytes).to_hex().to_string()
        };
        let row_weights = params.row_weights.as_ref().map(hash);
        let (engine, rank) = (Engine::default(), 0);
        let params = Params { rank, engine, row_weights: None, ..params.clone() };
        Self { rows, columns, entries, params, row_weights }
    }

    /// The key of a run on a matrix of all ranks.
    pub fn of(matrix: &DistributedMatrix, params: &Params) -> Self {
        Self::new(matrix.n_rows(), matrix.n_columns(), matrix.n_entries(), params)
    }

    /// In what a saved run differs from this one: name, saved value, own value.
    fn difference(&self, saved: &RunKey) -> Option<(String, Value, Value)> {
        let (own, mut saved) = (self.fields(), saved.fields());
        let differs = own.into_iter().find(|(name, value)| saved.get(name) != Some(value))?;
        let (name, value) = differs;
        let other = saved.remove(&name).unwrap_or_default();
        Some((name, other, value))
    }

    /// All that is in it, by name.
    fn fields(&self) -> Map<String, Value> {
        let object = |value: serde_json::Result<Value>| match value {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let mut fields = object(serde_json::to_value(self));
        fields.remove("params");
        fields.extend(object(serde_json::to_value(&self.params)));
        fields
    }
}

impl Checkpoint {
    fn new(run: &RunKey, state: &RunState) -> Self {
        let unchecked = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            run: run.clone(),
            state: state.clone(),
            check: String::new(),
        };
        Self { check: unchecked.hash(), ..unchecked }
    }

    fn hash(&self) -> String {
        let unchecked = Self { check: String::new(), ..self.clone() };
        let bytes = serde_json::to_vec(&unchecked).unwrap_or_default();
        blake3::hash(&bytes).to_hex().to_string()
    }
}

/// Where a run is saved to, and when.
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    /// Written after so many anchors,
    every: usize,
    /// and after so much time.
    interval: Duration,
    run: RunKey,
    newest: Mutex<Newest>,
}

/// The newest state, and what became of it.
#[derive(Debug)]
struct Newest {
    state: RunState,
    n_saved: usize,
    saved_at: Instant,
    failed: Option<String>,
}

impl CheckpointFile {
    /// A file for the run with this key that goes on from `saved`; nothing is written yet.
    pub fn new(
        path: &Path,
        every: usize,
        interval: Duration,
        run: RunKey,
        saved: &RunState,
    ) -> Arc<Self> {
        let newest = Newest {
            state: saved.clone(),
            n_saved: saved.steps.len(),
            saved_at: Instant::now(),
            failed: None,
        };
        let newest = Mutex::new(newest);
        Arc::new(Self { path: path.to_owned(), every: every.max(1), interval, run, newest })
    }

    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a state, and writes it if that is due.
    fn keep(&self, state: &RunState) {
        let mut newest = self.newest();
        newest.state = state.clone();
        let due = state.steps.len().is_multiple_of(self.every)
            || newest.saved_at.elapsed() >= self.interval;
        if due {
            self.write(&mut newest);
        }
    }

    /// Writes the newest state, unless it is written.
    pub fn save(&self) {
        let mut newest = self.newest();
        if newest.state.steps.len() > newest.n_saved {
            self.write(&mut newest);
        }
    }

    /// Why the last attempt to write failed, if it did.
    pub fn failure(&self) -> Option<String> {
        self.newest().failed.clone()
    }

    fn write(&self, newest: &mut Newest) {
        newest.saved_at = Instant::now();
        match save(&self.path, &self.run, &newest.state) {
            Ok(()) => (newest.n_saved, newest.failed) = (newest.state.steps.len(), None),
            Err(error) => newest.failed = Some(error.to_string()),
        }
    }
}

/// Writes a checkpoint; it appears complete or not at all.
fn save(path: &Path, run: &RunKey, state: &RunState) -> Result<()> {
    let unwritable = |error: &dyn std::fmt::Display| {
        Error::System(format!("{}: cannot write the checkpoint: {error}", path.display()))
    };
    let bytes = serde_json::to_vec(&Checkpoint::new(run, state))?;
    let mut file = AtomicFile::create(path).map_err(|error| unwritable(&error))?;
    file.write_all(&bytes).map_err(|error| unwritable(&error))?;
    file.commit().map_err(|error| unwritable(&error))
}

/// Checks that no other file is where a checkpoint is to be written; collective.
///
/// # Errors
/// The same on all ranks, if there is one.
pub fn check_replaceable(comm: &dyn Communicator, path: &Path) -> Result<()> {
    let beginning = format!("{{\"format\":\"{FORMAT}\"").into_bytes();
    let is_other = || {
        let mut found = Vec::new();
        let file = File::open(path).ok().filter(|_| path.is_file());
        let read = file.map(|file| file.take(beginning.len() as u64).read_to_end(&mut found));
        matches!(read, Some(Ok(1..))) && found != beginning
    };
    let checked = if comm.rank() == 0 && is_other() {
        Err(Error::Usage(format!(
            "{}: this file is no checkpoint, and would be written over; choose another for --checkpoint",
            path.display()
        )))
    } else {
        Ok(())
    };
    together(comm, checked)
}

/// Reads the checkpoint of a run with the same key; nothing if there is no such file.
///
/// # Errors
/// If it cannot be read, is damaged, of another version, or belongs to another run; the message says in
/// what it differs.
fn restore(path: &Path, run: &RunKey) -> Result<Option<RunState>> {
    #[derive(Deserialize)]
    struct Version {
        format: String,
        version: u32,
    }
    let refuse = |what: String| Err(Error::Mismatch(format!("{}: {what}", path.display())));
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return refuse(format!("cannot read the checkpoint: {error}; start without --resume"));
        }
    };
    match serde_json::from_slice::<Version>(&bytes) {
        Ok(known) if known.format == FORMAT && known.version != VERSION => {
            return refuse(format!(
                "a checkpoint of version {}, expected {VERSION}: another version of xray has written it; \
                 start without --resume",
                known.version
            ));
        }
        Ok(known) if known.format == FORMAT => {}
        _ => return refuse("not a checkpoint, or damaged; start without --resume".into()),
    }
    let saved = serde_json::from_slice::<Checkpoint>(&bytes).ok();
    let Some(saved) = saved.filter(|saved| saved.check == saved.hash()) else {
        return refuse("damaged; start without --resume".into());
    };
    if let Some((name, other, value)) = run.difference(&saved.run) {
        return refuse(format!(
            "the checkpoint has {name} = {other}, and this run {value}: it is of another run"
        ));
    }
    Ok(Some(saved.state))
}

/// The same state on all ranks, as rank 0 reads it; nothing if there is no such file; collective.
///
/// # Errors
/// The same on all ranks, if it cannot be read, is damaged, of another version, or belongs to another run;
/// the message says in what it differs.
pub fn restore_everywhere(
    comm: &dyn Communicator,
    path: &Path,
    run: &RunKey,
) -> Result<Option<RunState>> {
    let own = if comm.rank() == 0 { restore(path, run) } else { Ok(None) };
    let own = together(comm, own)?;
    if comm.size() == 1 {
        return Ok(own);
    }
    let mut message = match &own {
        Some(state) => serde_json::to_vec(state)?,
        None => Vec::new(),
    };
    comm.broadcast(0, &mut message)?;
    if message.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&message)?))
}

/// Passes everything on, and keeps the state of the search if there is a file for it; all ranks must agree
/// on whether there is.
pub struct Checkpointer<'a> {
    /// Where the state goes.
    pub file: Option<Arc<CheckpointFile>>,
    /// Whether this rank writes.
    pub writes: bool,
    /// Told of everything.
    pub inner: &'a mut dyn Progress,
}

impl std::fmt::Debug for Checkpointer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, writes, .. } = self;
        f.debug_struct("Checkpointer")
            .field("file", file)
            .field("writes", writes)
            .finish_non_exhaustive()
    }
}

impl Progress for Checkpointer<'_> {
    fn tell(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self.inner.tell(event)
    }

    fn stop(&self) -> StopRequest {
        self.inner.stop()
    }

    fn wants_state(&self) -> bool {
        self.file.is_some()
    }

    fn state(&mut self, state: &RunState) {
        if let (Some(file), true) = (&self.file, self.writes) {
            file.keep(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use xray_nmf::Step;
    use xray_nmf::comm::OneRank;

    use super::*;

    fn state() -> RunState {
        let step = |anchor: usize| Step {
            anchor,
            score: Some(0.1 + anchor as f64 / 3.0),
            margin: None,
            runner_up: None,
            exterior: Some(4),
            residual: 1.0 / (3.0 + anchor as f64),
            held_out: None,
            evaluations: 17,
            changed_columns: 5,
        };
        RunState { steps: vec![step(3), step(9)], settled: vec![1, 8], drawn: u128::MAX / 3 }
    }

    fn run(seed: u64) -> RunKey {
        RunKey::new(40, 30, 200, &Params { seed, ..Params::new(7) })
    }

    fn read(path: &Path, seed: u64) -> Result<Option<RunState>> {
        restore_everywhere(&OneRank, path, &run(seed))
    }

    #[test]
    fn states_survive_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        assert_eq!(read(&path, 1).expect("no file"), None);
        save(&path, &run(1), &state()).expect("written");
        assert_eq!(read(&path, 1).expect("read"), Some(state()));
        // Rank and engine do not change anchors.
        let more = Params { engine: xray_nmf::Engine::Direct, seed: 1, ..Params::new(9) };
        let more = RunKey::new(40, 30, 200, &more);
        assert_eq!(restore(&path, &more).expect("read"), Some(state()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        let message = |seed: u64| read(&path, seed).unwrap_err().to_string();
        save(&path, &run(1), &state()).expect("written");
        assert!(message(2).contains("seed = 1, and this run 2"));
        let text = std::fs::read_to_string(&path).expect("read");
        let change = |from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            std::fs::write(&path, text.replace(from, to)).expect("changed");
        };
        change("\"settled\":[1,8]", "\"settled\":[1,9]");
        assert!(message(1).contains("damaged"));
        change("\"version\":2", "\"version\":1");
        assert!(message(1).contains("version 1, expected 2"), "{}", message(1));
        std::fs::write(&path, &text[..50]).expect("cut");
        assert!(message(1).contains("damaged"));
    }

    #[test]
    fn states_are_written_by_count_by_time_and_on_request() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        let long = Duration::from_secs(3600);
        let file = |every, interval| {
            let _ = std::fs::remove_file(&path);
            CheckpointFile::new(&path, every, interval, run(1), &RunState::default())
        };
        let by_count = file(2, long);
        by_count.keep(&state());
        assert!(path.exists());
        let by_time = file(100, Duration::ZERO);
        by_time.keep(&state());
        assert!(path.exists());
        let on_request = file(100, long);
        on_request.keep(&state());
        assert!(!path.exists());
        on_request.save();
        assert_eq!(read(&path, 1).expect("read"), Some(state()));
        assert_eq!(on_request.failure(), None);
        let nowhere = folder.path().join("no/c.json");
        let refused = CheckpointFile::new(&nowhere, 2, long, run(1), &RunState::default());
        refused.keep(&state());
        assert!(refused.failure().expect("no folder").contains("cannot write the checkpoint"));
    }
}
