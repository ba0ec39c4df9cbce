//! `xray factorize`: anchors and weights of any nonnegative matrix.

use std::path::{Path, PathBuf};

use xray_data::{Model, Provenance, Table, save};
use xray_nmf::comm::{Communicator, Counted};
use xray_nmf::{Factors, Params, Selection, Termination, Weights};
use xray_pipeline::checkpoint::depends_on;
use xray_pipeline::report::{
    FactorizeParameters, FactorizeReport, anchor_columns, anchors_csv, anchors_table,
    factorize_model, json,
};
use xray_pipeline::shards::{remove_shards, write_shards};
use xray_pipeline::{
    ColumnNames, Corpus, FactorizeOptions, Factorized, RefinedFactors, factorize, gather_sizes,
};
use xray_report::number;

use crate::agree::{check_checkpoint, rank_facts, together, with_checkpoints};
use crate::args::FactorizeArgs;
use crate::data::{about, find_column, provenance, read_table};
use crate::interrupt;
use crate::outcome::{Outcome, UsageError};
use crate::output::Folder;
use crate::session::Session;

/// H with more entries than this is written in shards unless asked otherwise: 600 MB.
const GATHERED: usize = 50_000_000;

pub(crate) fn run(comm: &dyn Communicator, args: &FactorizeArgs) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut session = Session::on(comm, &args.common)?;
    together(comm, check_shards(args))?;
    check_checkpoint(comm, &args.run)?;
    let mut corpus = read_table(comm, &mut session, &args.input)?;
    let reading = comm.traffic().bytes;
    let options = FactorizeOptions {
        params: together(comm, params(args, &corpus))?,
        refine: args.refine,
        method: args.engine.refine_method.unwrap_or_default(),
    };
    let depends = depends_on(&options.params, &corpus.matrix);
    let found = with_checkpoints(comm, &mut session, &args.run, depends, |saved, progress| {
        factorize(comm, &mut corpus, &options, saved, progress)
    });
    let found = about(&args.input, found)?;
    let parameters = FactorizeParameters::new(&options.params, args.refine, args.input.transpose);
    let objective = found.refined.as_ref().map(|refined| refined.objective.clone());
    let (entries, name) = (corpus.matrix.n_entries(), |j: usize| corpus.word(j).into_owned());
    let report = FactorizeReport::new(&found.found, entries, name, objective, parameters);
    FoundFactors { corpus, found, report }.finish(comm, session, args, reading)
}

fn check_shards(args: &FactorizeArgs) -> anyhow::Result<()> {
    let is_file = |out: &PathBuf| out.extension().is_some_and(|extension| extension == "npz");
    let problem = match &args.output {
        _ if !args.shards.shards => return Ok(()),
        _ if args.refine > 0 => "--shards writes the sparse H of the anchors; leave out --refine",
        None => "--shards needs a folder to write to: add -o FOLDER",
        Some(out) if is_file(out) => {
            "--shards writes several files: give -o a folder instead of a .npz file"
        }
        Some(_) => return Ok(()),
    };
    Err(UsageError(problem.into()).into())
}

/// The parameters of the fit.
fn params(args: &FactorizeArgs, corpus: &Corpus) -> anyhow::Result<Params> {
    let columns = |list: &[String]| -> anyhow::Result<Vec<usize>> {
        list.iter().map(|name| find_column(name, corpus)).collect()
    };
    let candidates = &args.anchors.candidates;
    Ok(Params {
        fixed: columns(&args.anchors.fixed)?,
        excluded: columns(&args.anchors.excluded)?,
        candidates: if candidates.is_empty() { None } else { Some(columns(candidates)?) },
        ..args.engine.params(args.rank, Selection::Max, &args.common)
    })
}

/// What was found, with all that the files need.
struct FoundFactors {
    corpus: Corpus,
    found: Factorized,
    report: FactorizeReport,
}

impl FoundFactors {
    /// Writes the files, prints the answer, and says how the run ended; collective. `reading` is the
    /// traffic of reading.
    fn finish(
        mut self,
        comm: &Counted<'_>,
        mut session: Session,
        args: &FactorizeArgs,
        reading: u64,
    ) -> anyhow::Result<Outcome> {
        let termination = self.found.found.termination();
        let stopped = termination == Termination::Stopped || interrupt::requested();
        let written = match &args.output {
            None => None,
            Some(out) if self.in_shards(comm, args)? => {
                Some(session.stage("write", || self.write_shards(comm, out))?)
            }
            Some(out) => {
                let origin = provenance(&self.corpus, args.common.seed);
                Some(session.stage("write", || self.write(comm, out, origin))?)
            }
        };
        let entries = self.corpus.matrix.columns().n_entries();
        self.report.ranks = rank_facts(comm, &session, entries, reading)?;
        let told = if comm.rank() == 0 { self.tell(&session) } else { Ok(()) };
        together(comm, told)?;
        Ok(session.conclude(written, stopped))
    }

    /// Whether every rank is to write its own columns of H.
    fn in_shards(&self, comm: &dyn Communicator, args: &FactorizeArgs) -> anyhow::Result<bool> {
        let sizes = gather_sizes(comm, [self.found.found.weights().n_nonzero()])?;
        let n_nonzero: usize = sizes.iter().map(|size| size[0]).sum();
        let large = comm.size() > 1 && n_nonzero > GATHERED && self.found.refined.is_none();
        Ok(args.shards.shards || (large && !args.shards.gather))
    }

    /// One model, which rank 0 writes; collective.
    fn write(
        &self,
        comm: &dyn Communicator,
        out: &Path,
        provenance: Provenance,
    ) -> anyhow::Result<String> {
        let weights = match self.found.refined {
            None => self.found.found.weights().gathered(comm, 0)?,
            Some(_) => None,
        };
        let refined = match &self.found.refined {
            Some(refined) => Some(gathered(comm, &self.corpus, refined)?),
            None => None,
        };
        let write = || -> anyhow::Result<String> {
            if comm.rank() > 0 {
                return Ok(String::new());
            }
            self.write_model(weights.as_ref(), refined.as_ref(), out, provenance)
        };
        together(comm, write())
    }

    fn write_model(
        &self,
        weights: Option<&Weights>,
        refined: Option<&Factors>,
        out: &Path,
        provenance: Provenance,
    ) -> anyhow::Result<String> {
        let (found, parameters) = (&self.found.found, &self.report.parameters);
        let weights = weights.unwrap_or(found.weights());
        let names = match &self.corpus.names {
            ColumnNames::Given(names) => Some(names.clone()),
            ColumnNames::Words(_) | ColumnNames::Positions => None,
        };
        let dense = self.corpus.matrix.is_dense();
        let model = factorize_model(found, weights, refined, dense, parameters)?;
        let model = Model { provenance, names, ..model };
        if out.extension().is_some_and(|extension| extension == "npz") {
            model.save(out)?;
            return Ok(format!("wrote {}", out.display()));
        }
        remove_shards(out)?;
        let mut folder = Folder::create(out)?;
        folder.write("anchors.csv", anchors_csv(&self.report).as_bytes())?;
        model.save(&folder.file("model.npz"))?;
        Ok(folder.summary())
    }

    /// Every rank writes its columns of H, rank 0 all else; collective.
    fn write_shards(&self, comm: &dyn Communicator, out: &Path) -> anyhow::Result<String> {
        let found = &self.found.found;
        let small = || -> anyhow::Result<()> {
            let mut folder = Folder::create(out)?;
            if comm.rank() == 0 {
                remove_shards(out)?;
                folder.write("anchors.csv", anchors_csv(&self.report).as_bytes())?;
                let dense = self.corpus.matrix.is_dense();
                let w = anchor_columns(found.anchor_columns(), found.n_rows(), dense)?;
                save(&Table::new(w), &folder.file("w.npz"), None)?;
                folder.write("answer.json", json(&self.report).as_bytes())?;
            }
            Ok(())
        };
        together(comm, small())?;
        write_shards(comm, out, found)?;
        Ok(format!("wrote H in {} shards to {}", comm.size(), out.display()))
    }

    /// Prints the anchors, for people or programs.
    fn tell(&self, session: &Session) -> anyhow::Result<()> {
        let report = &self.report;
        if session.json {
            return session.print_answer(report);
        }
        session.note(format!(
            "{} x {}, {} anchors in {} ({}); projections exact to {:.0e}\n",
            number::count(report.rows as u64),
            number::count(report.columns as u64),
            report.rank,
            number::duration(session.elapsed()),
            report.termination.name().replace('_', " "),
            report.kkt_violation,
        ));
        session.print_table(&anchors_table(report))
    }
}

/// All of W on rank 0, and nothing of it on the others; collective.
fn gathered(
    comm: &dyn Communicator,
    corpus: &Corpus,
    refined: &RefinedFactors,
) -> anyhow::Result<Factors> {
    let RefinedFactors { documents, h, objective } = refined;
    let mut w = Vec::new();
    documents.for_each_block(comm, &corpus.rows, |block| {
        w.extend_from_slice(block.weights);
        Ok(())
    })?;
    Ok(Factors { rank: documents.rank, w, h: h.clone(), objective: objective.clone() })
}
