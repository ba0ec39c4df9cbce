//! Checkpoints: a file that was changed is refused, and a state that was never reached is found out.

use std::time::Duration;

use xray_nmf::comm::OneRank;
use xray_nmf::{DenseMatrix, Fit, Params, RunState, Selection};
use xray_pipeline::checkpoint::{CheckpointFile, RunKey, restore_everywhere};

const ROWS: usize = 4;
const COLUMNS: usize = 5;

/// The first byte tells whether a file follows, or a state, as after a check that went well.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let Some((&kind, content)) = bytes.split_first() else { return false };
    let state = match kind.is_multiple_of(2) {
        true => from_file(content),
        false => serde_json::from_slice(content).ok(),
    };
    let Some(state) = state else { return false };
    let x = matrix();
    let fit = Fit::of(&x).memory(Some(1 << 20));
    let Ok(found) = fit.resume(&state).run(&params()) else { return false };
    let anchors: Vec<usize> = state.steps.iter().map(|step| step.anchor).collect();
    assert!(found.anchors().starts_with(&anchors[..anchors.len().min(found.rank())]));
    true
}

/// What a file says, if it belongs to our run.
fn from_file(content: &[u8]) -> Option<RunState> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.json");
    std::fs::write(&path, content).expect("written");
    restore_everywhere(&OneRank, &path, &key()).ok().flatten()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.json");
    let state = state();
    let file = CheckpointFile::new(&path, 1, Duration::from_secs(60), key(), &RunState::default());
    let mut progress = xray_pipeline::checkpoint::Checkpointer {
        file: Some(file),
        writes: true,
        inner: &mut xray_pipeline::ignore,
    };
    xray_pipeline::Progress::state(&mut progress, &state);
    let file = std::fs::read(&path).expect("written");
    let state = serde_json::to_vec(&state).expect("numbers");
    vec![[&[0], &file[..]].concat(), [&[1], &state[..]].concat()]
}

/// Where our run stands after its two first anchors.
fn state() -> RunState {
    let found = xray_nmf::fit(&matrix(), &Params { rank: 2, ..params() }).expect("nonnegative");
    RunState { steps: found.steps().to_vec(), ..RunState::default() }
}

fn params() -> Params {
    Params { selection: Selection::Rand, seed: 7, ..Params::new(4) }
}

fn key() -> RunKey {
    RunKey::new(ROWS, COLUMNS, ROWS * COLUMNS, &params())
}

fn matrix() -> DenseMatrix<'static, f64> {
    let entries: Vec<f64> = (0..ROWS * COLUMNS).map(|place| ((place * 7) % 11) as f64).collect();
    DenseMatrix::from_row_major(ROWS, COLUMNS, entries).expect("as many as there are places")
}
