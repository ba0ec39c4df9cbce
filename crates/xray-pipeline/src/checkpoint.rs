//! Checkpoints: the state of a run in one small file, from which any number of ranks can go on.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use xray_data::AtomicFile;
use xray_nmf::comm::Communicator;
use xray_nmf::{Params, RunState, Step};

use crate::agree::together;
use crate::corpus::DistributedMatrix;
use crate::error::{Error, Result};
use crate::watch::{Event, Progress};

const FORMAT: &str = "xray-checkpoint";
const VERSION: u32 = 1;

/// What the file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Saved {
    format: String,
    version: u32,
    /// What the run depends on: parameters, and the shape of the data.
    about: Map<String, Value>,
    steps: Vec<SavedStep>,
    settled: Vec<usize>,
    /// As text: JSON has no numbers of 128 bits.
    drawn: String,
    /// Hash of all that comes before.
    check: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedStep {
    anchor: usize,
    score: Option<f64>,
    margin: Option<f64>,
    exterior: Option<usize>,
    residual: f64,
    evaluations: u64,
    changed_columns: usize,
}

impl Saved {
    fn new(about: &Map<String, Value>, state: &RunState) -> Self {
        let step = |step: &Step| SavedStep {
            anchor: step.anchor,
            score: step.score,
            margin: step.margin,
            exterior: step.exterior,
            residual: step.residual,
            evaluations: step.evaluations,
            changed_columns: step.changed_columns,
        };
        let unchecked = Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            about: about.clone(),
            steps: state.steps.iter().map(step).collect(),
            settled: state.settled.clone(),
            drawn: state.drawn.to_string(),
            check: String::new(),
        };
        Self { check: unchecked.hash(), ..unchecked }
    }

    fn hash(&self) -> String {
        let unchecked = Self { check: String::new(), ..self.clone() };
        let bytes = serde_json::to_vec(&unchecked).unwrap_or_default();
        blake3::hash(&bytes).to_hex().to_string()
    }

    fn into_state(self) -> Result<RunState> {
        let step = |step: SavedStep| Step {
            anchor: step.anchor,
            score: step.score,
            margin: step.margin,
            exterior: step.exterior,
            residual: step.residual,
            held_out: None,
            evaluations: step.evaluations,
            changed_columns: step.changed_columns,
        };
        Ok(RunState {
            steps: self.steps.into_iter().map(step).collect(),
            settled: self.settled,
            drawn: self.drawn.parse().map_err(|_| Error::Mismatch("drawn is no number".into()))?,
        })
    }
}

/// What the anchors of a matrix depend on, besides their number: a checkpoint belongs to this.
pub fn depends_on(params: &Params, matrix: &DistributedMatrix) -> Map<String, Value> {
    let json = json!({
        "rows": matrix.n_rows(),
        "columns": matrix.n_columns(),
        "entries": matrix.n_entries(),
        "selection": params.selection.name(),
        "solver": params.solver.name(),
        "normalize": params.normalize.name(),
        "mean_ray": params.mean_ray,
        "tolerance": params.tolerance,
        "min_improvement": params.min_improvement,
        "fixed": params.fixed,
        "excluded": params.excluded,
        "candidates": params.candidates,
        "seed": params.seed,
    });
    json.as_object().cloned().unwrap_or_default()
}

/// Writes a checkpoint; it appears complete or not at all.
///
/// # Errors
/// If the file cannot be written.
pub fn save(path: &Path, about: &Map<String, Value>, state: &RunState) -> Result<()> {
    let bytes = serde_json::to_vec(&Saved::new(about, state))?;
    let mut file = AtomicFile::create(path).map_err(|error| unwritable(path, &error))?;
    file.write_all(&bytes).map_err(|error| unwritable(path, &error))?;
    file.commit().map_err(|error| unwritable(path, &error))
}

/// Checks that a checkpoint can be written, before there is anything to save.
///
/// # Errors
/// If it cannot.
pub fn check_writable(path: &Path) -> Result<()> {
    AtomicFile::create(path).map(drop).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &dyn std::error::Error) -> Error {
    Error::Mismatch(format!("{}: cannot write the checkpoint: {error}", path.display()))
}

/// Reads the checkpoint of a run that depends on the same things.
///
/// # Errors
/// If it cannot be read, is damaged, or belongs to another run; the message says in what it differs.
pub fn restore(path: &Path, about: &Map<String, Value>) -> Result<RunState> {
    let name = path.display();
    let refuse =
        |problem: String| Error::Mismatch(format!("{name}: {problem}; start without --resume"));
    let bytes = std::fs::read(path)
        .map_err(|error| refuse(format!("cannot read the checkpoint: {error}")))?;
    let saved: Saved = serde_json::from_slice(&bytes)
        .map_err(|error| refuse(format!("not a checkpoint, or damaged: {error}")))?;
    if saved.format != FORMAT {
        return Err(refuse("not a checkpoint".into()));
    }
    if saved.version != VERSION {
        let version = saved.version;
        return Err(refuse(format!("a checkpoint of version {version}, expected {VERSION}")));
    }
    if saved.check != saved.hash() {
        return Err(refuse("damaged".into()));
    }
    let differs = about.iter().find(|(key, value)| saved.about.get(*key) != Some(value));
    if let Some((key, value)) = differs {
        let other = saved.about.get(key).cloned().unwrap_or_default();
        return Err(Error::Mismatch(format!(
            "{name}: the checkpoint has {key} = {other}, and this run {value}: it is of another run"
        )));
    }
    saved.into_state().map_err(|_| refuse("damaged".into()))
}

/// The same state on all ranks, as rank 0 reads it.
///
/// # Errors
/// As [`restore`], the same on all ranks.
pub fn restore_everywhere(
    comm: &dyn Communicator,
    path: &Path,
    about: &Map<String, Value>,
) -> Result<RunState> {
    let own = if comm.rank() == 0 { restore(path, about).map(Some) } else { Ok(None) };
    let own = together(comm, own)?;
    let mut message = match &own {
        Some(state) => serde_json::to_vec(&Saved::new(about, state))?,
        None => Vec::new(),
    };
    comm.broadcast(0, &mut message)?;
    serde_json::from_slice::<Saved>(&message)?.into_state()
}

/// Saves the state every so many anchors on rank 0, and passes everything on.
pub struct Checkpointer<'a> {
    /// Where to save, and after how many anchors each time; nothing is saved if absent.
    pub plan: Option<(PathBuf, usize)>,
    /// Whether this rank writes.
    pub writes: bool,
    /// What the run depends on.
    pub about: Map<String, Value>,
    /// Told of everything.
    pub inner: &'a mut dyn Progress,
    /// Why a checkpoint could not be written.
    pub failed: Option<Error>,
}

impl Progress for Checkpointer<'_> {
    fn tell(&mut self, event: Event<'_>) -> ControlFlow<()> {
        let wish = self.inner.tell(event);
        match event {
            Event::Anchor(_) if self.failed.is_some() => ControlFlow::Break(()),
            _ => wish,
        }
    }

    fn wants_state(&self, n_anchors: usize) -> bool {
        self.plan.as_ref().is_some_and(|(_, every)| n_anchors.is_multiple_of(*every))
    }

    fn state(&mut self, state: &RunState) {
        if let (Some((path, _)), true) = (&self.plan, self.writes)
            && let Err(error) = save(path, &self.about, state)
        {
            self.failed = Some(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> RunState {
        let step = |anchor: usize| Step {
            anchor,
            score: Some(0.1 + anchor as f64 / 3.0),
            margin: None,
            exterior: Some(4),
            residual: 1.0 / (3.0 + anchor as f64),
            held_out: None,
            evaluations: 17,
            changed_columns: 5,
        };
        RunState { steps: vec![step(3), step(9)], settled: vec![1, 8], drawn: u128::MAX / 3 }
    }

    fn about(seed: u64) -> Map<String, Value> {
        [("seed".to_owned(), Value::from(seed))].into_iter().collect()
    }

    #[test]
    fn states_survive_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        save(&path, &about(1), &state()).expect("written");
        assert_eq!(restore(&path, &about(1)).expect("read"), state());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.json");
        let message = |about: &Map<String, Value>| restore(&path, about).unwrap_err().to_string();
        assert!(message(&about(1)).contains("start without --resume"));
        save(&path, &about(1), &state()).expect("written");
        assert!(message(&about(2)).contains("seed = 1, and this run 2"));
        let text = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, text.replace("\"settled\":[1,8]", "\"settled\":[1,9]"))
            .expect("changed");
        assert!(message(&about(1)).contains("damaged"));
        std::fs::write(&path, &text[..50]).expect("cut");
        assert!(message(&about(1)).contains("damaged"));
    }
}
