//! `xray-mpi factorize`: anchors and weights of a matrix that no rank holds as a whole.

use std::ops::ControlFlow;
use std::path::Path;

use anyhow::bail;
use serde_json::{Map, Value, json};
use xray_cli::args::{CommonArgs, FactorizeArgs};
use xray_cli::parts::{Factorized, Folder, Outcome, Session, UsageError, about, peak_memory};
use xray_data::text::position_names;
use xray_nmf::comm::{Communicator, Counted};
use xray_nmf::machine::Machine;
use xray_nmf::{
    Factorization, Matrix, Params, Refined, Refinement, RunState, SharedMatrix, Step, Termination,
    fit_resumed, rank_columns, refine_distributed,
};
use xray_pipeline::checkpoint::{Checkpointer, check_writable, restore_everywhere};
use xray_pipeline::report::{
    FactorizeParameters, FactorizeReport, RankFacts, anchor_columns, anchors_csv,
    json as report_json,
};
use xray_pipeline::rows::{gather_rows, own_rows, start};
use xray_pipeline::shards::{remove_shards, write_shards};
use xray_pipeline::{Event, Shard, Stage, gather_sizes, provenance, read_matrix, same_everywhere};

use crate::agree::together;
use crate::args::{ClusterArgs, Factorize};

/// H with more entries than this is written in shards unless asked otherwise: 600 MB.
const GATHERED: usize = 50_000_000;

/// Runs the verb on one rank; all ranks call it with the same arguments.
///
/// # Errors
/// If the data, the parameters or the files are wrong. Errors that every rank has are
/// [agreed](xray_pipeline::Error::Agreed); after any other the job must be ended by force.
pub fn factorize(comm: &dyn Communicator, verb: &Factorize) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut args = verb.args.clone();
    own_resources(comm, &mut args.common)?;
    let args = &args;
    together(comm, check_supported(args, &verb.cluster))?;
    check_checkpoint(comm, &verb.cluster)?;
    let mut session = together(comm, Session::new(&args.common))?;
    let shard = session
        .stage("read", || read_matrix(comm, &args.input.data, &args.input.load_options()))?;
    check_nonnegative(comm, &shard, args)?;
    let names = match &shard.column_names {
        Some(names) => names.clone(),
        None => position_names(shard.n_columns),
    };
    let named = shard.column_names.is_some();
    let params = together(comm, xray_cli::parts::params(args, &names, named))?;
    let after_reading = comm.traffic();
    let found = fit(comm, &mut session, &shard, &params, &verb.cluster)?;
    let refined = refine(comm, &mut session, &shard, args, &found)?;
    session.end();
    let fitting = comm.traffic().bytes - after_reading.bytes;
    let ranks = Some(about_ranks(comm, &shard, after_reading.bytes, fitting)?);
    let Shard { n_entries, dense, column_names, .. } = shard;
    let parameters = FactorizeParameters::new(&params, args.refine, args.input.transpose);
    let objective = refined.as_ref().map(|refined| refined.objective.clone());
    let name = |j: usize| names[j].clone();
    let report = FactorizeReport {
        ranks,
        ..FactorizeReport::new(&found, n_entries, name, objective, parameters)
    };
    let found = Factorized { found, weights: None, refined, dense, column_names, report };
    finish(comm, session, found, args, &verb.cluster)
}

/// Sets the threads and the memory of one of several ranks on this machine; only rank 0 speaks.
pub(crate) fn own_resources(
    comm: &dyn Communicator,
    common: &mut CommonArgs,
) -> anyhow::Result<()> {
    let share = Machine::default().share(comm)?;
    let CommonArgs { threads, memory, quiet, verbose, .. } = common;
    *threads = Some(threads.unwrap_or(share.threads as u64));
    *memory = Some(memory.unwrap_or(xray_cli::args::Bytes(share.memory)));
    if comm.rank() > 0 {
        (*quiet, *verbose) = (true, false);
    }
    Ok(())
}

fn check_supported(args: &FactorizeArgs, cluster: &ClusterArgs) -> anyhow::Result<()> {
    let to_file =
        args.output.as_ref().is_some_and(|out| out.extension().is_some_and(|e| e == "npz"));
    let problem = match cluster.shards {
        true if args.refine > 0 => {
            "--shards writes the sparse H of the anchors; leave out --refine"
        }
        true if args.output.is_none() => "--shards needs a folder to write to: add -o FOLDER",
        true if to_file => "--shards writes several files: give -o a folder instead of a .npz file",
        _ => return check_method(args.refine, args.engine.refine_method.unwrap_or_default()),
    };
    Err(UsageError(problem.into()).into())
}

/// The engine's own check, on all ranks and with the column's place among all.
fn check_nonnegative(
    comm: &dyn Communicator,
    shard: &Shard,
    args: &FactorizeArgs,
) -> anyhow::Result<()> {
    let first = shard.matrix.as_matrix().first_negative();
    let first = first.filter(|_| !args.engine.allow_negative);
    let own = rank_columns(shard.n_columns, comm.rank(), comm.size());
    let own = first.and_then(|e| {
        let column = own.ranges().into_iter().flatten().nth(e.column)?;
        Some(anyhow::anyhow!(
            "found {} at row {}, column {column}; negative values need --allow-negative",
            e.value,
            e.row
        ))
    });
    together(comm, about(&args.input, own.map_or(Ok(()), Err)))
}

/// Rank 0 tries whether it can write checkpoints.
pub(crate) fn check_checkpoint(
    comm: &dyn Communicator,
    cluster: &ClusterArgs,
) -> anyhow::Result<()> {
    let own = match &cluster.checkpoint {
        Some(path) if comm.rank() == 0 => Ok(check_writable(path)?),
        _ => Ok(()),
    };
    together(comm, own)
}

/// Kullback-Leibler divergence needs W and H in one place.
pub(crate) fn check_method(iterations: usize, method: Refinement) -> anyhow::Result<()> {
    if iterations > 0 && method == Refinement::KullbackLeibler {
        bail!("kullback-leibler needs one machine; use --refine-method hals or exact");
    }
    Ok(())
}

/// A watcher for refinement: ranks hear of an interrupt at different times, but must stop at the same.
pub(crate) fn stop_together(comm: &dyn Communicator, own: ControlFlow<()>) -> ControlFlow<()> {
    let all = comm.all_gather(&[u8::from(own.is_break())]);
    match all.map_or(true, |all| all.iter().any(|stop| stop[0] == 1)) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// W and H after refinement: both whole on rank 0, W of the own rows on the others.
fn refine(
    comm: &dyn Communicator,
    session: &mut Session,
    shard: &Shard,
    args: &FactorizeArgs,
    found: &Factorization,
) -> anyhow::Result<Option<Refined>> {
    if args.refine == 0 || found.termination() == Termination::Stopped {
        return Ok(None);
    }
    let _ = session.watch(Event::Begin(Stage::Refinement, args.refine));
    let rows = own_rows(comm, shard.matrix.as_matrix(), shard.n_columns)?;
    let start = start(comm, rows.n_rows(), found)?;
    let method = args.engine.refine_method.unwrap_or_default();
    let mut observer = |_, _| stop_together(comm, session.watch(Event::Advance));
    let (threads, n_columns) = (args.common.threads.map(|n| n as usize), shard.n_columns);
    let matrix = SharedMatrix { columns: shard.matrix.as_matrix(), rows: &rows, n_columns };
    let mut refined =
        refine_distributed(comm, matrix, start, method, args.refine, threads, &mut observer)?;
    if let Some(w) = gather_rows(comm, &refined.w, shard.matrix.n_rows(), refined.rank)? {
        refined.w = w;
    }
    Ok(Some(refined.with_comparable_topics()))
}

fn fit(
    comm: &dyn Communicator,
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
    let own = shard.matrix.as_matrix();
    let found = fit_resumed(comm, shard.n_columns, own, None, params, &state, &mut observer);
    let failed = observer.failed.map_or(Ok(()), Err);
    let found = found?;
    xray_pipeline::together(comm, failed)?;
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

/// What the JSON answer tells of the ranks.
fn about_ranks(
    comm: &dyn Communicator,
    shard: &Shard,
    reading: u64,
    fitting: u64,
) -> anyhow::Result<RankFacts> {
    let memory = peak_memory().unwrap_or(0) as usize;
    let own = [shard.matrix.n_entries(), memory, reading as usize, fitting as usize];
    let all = gather_sizes(comm, own)?;
    let bytes = |q: usize| all.iter().map(|sizes| sizes[q] as u64).collect();
    Ok(RankFacts {
        number: comm.size(),
        entries: all.iter().map(|sizes| sizes[0]).collect(),
        peak_memory_bytes: bytes(1),
        received_bytes: all.iter().map(|sizes| (sizes[2] + sizes[3]) as u64).collect(),
        received_reading_bytes: bytes(2),
        received_fitting_bytes: bytes(3),
    })
}

/// Writes and prints the answer; only rank 0 speaks.
fn finish(
    comm: &dyn Communicator,
    mut session: Session,
    mut answer: Factorized,
    args: &FactorizeArgs,
    cluster: &ClusterArgs,
) -> anyhow::Result<Outcome> {
    let stopped = answer.found.termination() == Termination::Stopped;
    let entries = gather_sizes(comm, [answer.found.weights().n_nonzero()])?;
    let n_nonzero: usize = entries.iter().map(|size| size[0]).sum();
    let large = n_nonzero > GATHERED && !cluster.gather && answer.refined.is_none();
    let sharded = cluster.shards || large;
    let folder = args.output.clone();
    if let (true, Some(folder)) = (sharded, &folder) {
        return write_in_shards(comm, session, &answer, folder);
    }
    if folder.is_some() && answer.refined.is_none() {
        answer.weights = answer.found.weights().gathered(comm, 0)?;
    }
    let output = match folder {
        Some(folder) => {
            let origin = provenance(comm, &args.input.data, args.common.seed)?;
            let cleared = if comm.rank() == 0 { remove_shards(&folder) } else { Ok(()) };
            xray_pipeline::together(comm, cleared)?;
            Some((folder, origin))
        }
        None => None,
    };
    let outcome = match comm.rank() {
        0 => answer.finish(session, output),
        _ => {
            session.end();
            Ok(if stopped { Outcome::Interrupted } else { Outcome::Done })
        }
    };
    together(comm, outcome)
}

/// Every rank writes its columns of H, rank 0 all else.
fn write_in_shards(
    comm: &dyn Communicator,
    mut session: Session,
    answer: &Factorized,
    folder: &Path,
) -> anyhow::Result<Outcome> {
    let write_small = || -> anyhow::Result<()> {
        let mut files = Folder::create(folder)?;
        if comm.rank() == 0 {
            remove_shards(folder)?;
            files.write("anchors.csv", anchors_csv(&answer.report).as_bytes())?;
            let columns = answer.found.anchor_columns();
            let w = anchor_columns(columns, answer.found.n_rows(), answer.dense)?;
            xray_data::save(&xray_data::Table::new(w), &files.file("w.npz"), None)?;
            files.write("answer.json", report_json(&answer.report).as_bytes())?;
        }
        Ok(())
    };
    together(comm, session.stage("write", write_small))?;
    session.stage("write", || write_shards(comm, folder, &answer.found))?;
    if comm.rank() == 0 {
        answer.tell(&session)?;
        session.note(format!("wrote H in {} shards to {}", comm.size(), folder.display()));
    }
    let stopped = answer.found.termination() == Termination::Stopped;
    Ok(if stopped { Outcome::Interrupted } else { Outcome::Done })
}
