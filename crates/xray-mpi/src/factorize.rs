//! `xray-mpi factorize`: anchors and weights of a matrix that no rank holds as a whole.

use std::path::Path;

use anyhow::bail;
use serde_json::{Map, Value, json};
use xray_cli::args::{CommonArgs, FactorizeArgs};
use xray_cli::parts::{AboutInput, Answer, Folder, Outcome, Session, peak_memory};
use xray_data::LoadedMatrix;
use xray_data::text::position_names;
use xray_nmf::comm::Communicator;
use xray_nmf::{Factorization, Params, RunState, Step, Termination, fit_resumed};
use xray_topics::{Event, Stage};

use crate::agree::{same_everywhere, together};
use crate::args::{ClusterArgs, Factorize};
use crate::checkpoint::{Checkpointer, restore_everywhere};
use crate::ingest::{Shard, gather_sizes, read_matrix};
use crate::resources::{default_memory, default_threads, ranks_here};
use crate::shards::write_shards;
use crate::traffic::Counted;

/// H with more entries than this is written in shards unless asked otherwise: 600 MB.
const GATHERED: usize = 50_000_000;

/// Runs the verb on one rank; all ranks call it with the same arguments.
///
/// # Errors
/// If the data, the parameters or the files are wrong. Errors that every rank has are
/// [`Agreed`](crate::Agreed); after any other the job must be ended by force.
pub fn factorize(comm: &impl Communicator, verb: &Factorize) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut args = verb.args.clone();
    own_resources(comm, &mut args.common)?;
    let args = &args;
    together(comm, check_supported(args))?;
    let mut session = together(comm, Session::new(&args.common))?;
    let shard = session.stage("read", || read_matrix(comm, &args.input))?;
    let names = match &shard.column_names {
        Some(names) => names.clone(),
        None => position_names(shard.n_columns),
    };
    let named = shard.column_names.is_some();
    let params = together(comm, xray_cli::parts::params(args, &names, named))?;
    let after_reading = comm.traffic();
    let found = fit(comm, &mut session, &shard, &params, &verb.cluster)?;
    session.end();
    let fitting = comm.traffic().bytes - after_reading.bytes;
    let extra = about_ranks(comm, &shard, after_reading.bytes, fitting)?;
    let Shard { n_entries, dense, column_names, .. } = shard;
    let input = AboutInput { n_entries, dense, column_names };
    let weights = None;
    let answer = Answer { args, params, input, names, found, weights, refined: None, extra };
    finish(comm, session, answer, &verb.cluster)
}

/// Sets the threads and the memory of one of several ranks on this machine; only rank 0 speaks.
pub(crate) fn own_resources(
    comm: &impl Communicator,
    common: &mut CommonArgs,
) -> anyhow::Result<()> {
    let here = ranks_here(comm)?;
    let CommonArgs { threads, memory, quiet, verbose, .. } = common;
    *threads = Some(threads.unwrap_or(default_threads(here) as u64));
    *memory = Some(memory.unwrap_or(xray_cli::args::Bytes(default_memory(here))));
    if comm.rank() > 0 {
        (*quiet, *verbose) = (true, false);
    }
    Ok(())
}

fn check_supported(args: &FactorizeArgs) -> anyhow::Result<()> {
    if args.refine > 0 {
        bail!("--refine needs all of X in one place; refine the model with `xray` on one machine");
    }
    Ok(())
}

fn fit<K: Communicator>(
    comm: &K,
    session: &mut Session,
    shard: &Shard,
    params: &Params,
    cluster: &ClusterArgs,
) -> anyhow::Result<Factorization> {
    let about = depends_on(params, shard.matrix.n_rows(), shard.n_columns, shard.n_entries);
    same_everywhere(comm, "the parameters", format!("{} {about:?}", params.rank).as_bytes())?;
    let state = match (&cluster.checkpoint, cluster.resume) {
        (Some(path), true) => restore_everywhere(comm, path, &about)?,
        _ => RunState::default(),
    };
    if !state.steps.is_empty() {
        session.note(format!("resuming after {} anchors", state.steps.len()));
    }
    let plan = cluster.checkpoint.clone().map(|path| (path, cluster.checkpoint_every as usize));
    let _ = session.watch(Event::Begin(Stage::Anchors, params.rank));
    let watch = |step: &Step| session.watch(Event::Anchor(step));
    let mut observer = Checkpointer { plan, writes: comm.rank() == 0, about, watch, failed: None };
    let found = match &shard.matrix {
        LoadedMatrix::Sparse(x) => {
            fit_resumed(comm, shard.n_columns, x, None, params, &state, &mut observer)
        }
        LoadedMatrix::Dense(x) => {
            fit_resumed(comm, shard.n_columns, x, None, params, &state, &mut observer)
        }
    };
    let failed = observer.failed.map_or(Ok(()), Err);
    let found = found?;
    together(comm, failed)?;
    Ok(found)
}

/// What the anchors depend on, besides their number: a checkpoint belongs to this.
pub(crate) fn depends_on(
    params: &Params,
    n_rows: usize,
    n_columns: usize,
    n_entries: usize,
) -> Map<String, Value> {
    let json = json!({
        "rows": n_rows,
        "columns": n_columns,
        "entries": n_entries,
        "selection": params.selection.name(),
        "solver": format!("{:?}", params.solver),
        "normalize": format!("{:?}", params.normalize),
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

/// What the JSON answer tells of the ranks.
fn about_ranks(
    comm: &impl Communicator,
    shard: &Shard,
    reading: u64,
    fitting: u64,
) -> anyhow::Result<Map<String, Value>> {
    let memory = peak_memory().unwrap_or(0) as usize;
    let own = [shard.matrix.n_entries(), memory, reading as usize, fitting as usize];
    let all = gather_sizes(comm, own)?;
    let list = |q: usize| all.iter().map(|sizes| sizes[q]).collect::<Vec<_>>();
    let json = json!({ "ranks": {
        "number": comm.size(),
        "entries": list(0),
        "peak_memory_bytes": list(1),
        "received_reading_bytes": list(2),
        "received_fitting_bytes": list(3),
    }});
    Ok(json.as_object().cloned().unwrap_or_default())
}

/// Writes and prints the answer; only rank 0 speaks.
fn finish(
    comm: &impl Communicator,
    mut session: Session,
    mut answer: Answer<'_>,
    cluster: &ClusterArgs,
) -> anyhow::Result<Outcome> {
    let stopped = answer.found.termination() == Termination::Stopped;
    let entries = gather_sizes(comm, [answer.found.weights().n_nonzero()])?;
    let n_nonzero: usize = entries.iter().map(|size| size[0]).sum();
    let sharded = cluster.shards || (n_nonzero > GATHERED && !cluster.gather);
    let folder = answer.args.output.clone();
    if let (true, Some(folder)) = (sharded, &folder) {
        return write_in_shards(comm, session, &answer, folder);
    }
    if folder.is_some() {
        answer.weights = answer.found.weights().gathered(comm, 0)?;
    }
    let outcome = match comm.rank() {
        0 => answer.finish(session),
        _ => {
            session.end();
            Ok(if stopped { Outcome::Interrupted } else { Outcome::Done })
        }
    };
    together(comm, outcome)
}

/// Every rank writes its columns of H, rank 0 all else.
fn write_in_shards(
    comm: &impl Communicator,
    mut session: Session,
    answer: &Answer<'_>,
    folder: &Path,
) -> anyhow::Result<Outcome> {
    let write_small = || -> anyhow::Result<()> {
        let mut files = Folder::create(folder)?;
        if comm.rank() == 0 {
            files.write("anchors.csv", answer.steps_table().csv().as_bytes())?;
            let w = xray_data::Table::new(answer.anchor_columns()?);
            xray_data::save(&w, &files.file("w.npz"), None)?;
            let json = serde_json::to_vec_pretty(&answer.to_json())?;
            files.write("answer.json", &json)?;
        }
        Ok(())
    };
    together(comm, session.stage("write", write_small))?;
    session.stage("write", || write_shards(comm, folder, &answer.found))?;
    if comm.rank() == 0 {
        if session.json {
            session.print_json(&session.finish_json(answer.to_json()))?;
        } else {
            answer.print(&session)?;
        }
        session.note(format!("wrote H in {} shards to {}", comm.size(), folder.display()));
    }
    let stopped = answer.found.termination() == Termination::Stopped;
    Ok(if stopped { Outcome::Interrupted } else { Outcome::Done })
}
