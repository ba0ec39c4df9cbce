//! `xray factorize`: anchors and weights of any nonnegative matrix.

use std::io::Write;
use std::path::{Path, PathBuf};

use xray_data::{Cells, Format, Model, Provenance, Table, write_table};
use xray_nmf::comm::{Communicator, Counted};
use xray_nmf::{Params, Termination};
use xray_pipeline::checkpoint::RunKey;
use xray_pipeline::report::{
    FactorizeParameters, FactorizeReport, anchor_columns, anchors_csv, anchors_table,
    factorize_model, json,
};
use xray_pipeline::shards::{ManifestHead, Part, ShardFile};
use xray_pipeline::{
    ColumnNames, Corpus, FactorizeOptions, Factorized, Folder, Frequent, Plan, Purpose,
    RefinedFactors, Work, factorize, gather_sizes,
};
use xray_report::number;

use crate::agree::{anywhere, check_checkpoint, rank_facts, together, with_checkpoints};
use crate::args::FactorizeArgs;
use crate::data::{about, find_column, noise_words, provenance, read_table};
use crate::documents::{own_ranges, write_model, write_npz, write_w_shard};
use crate::interrupt;
use crate::memory;
use crate::outcome::{Outcome, UsageError};
use crate::output::{Guarded, resumable};
use crate::session::Session;

/// What was asked to be written: one file, or a folder.
enum Target {
    File(PathBuf),
    Folder(Folder),
}

pub(crate) fn run(comm: &dyn Communicator, args: &FactorizeArgs) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut session = Session::on(comm, &args.common);
    let target = target(comm, &session, args)?;
    check_checkpoint(comm, &args.run)?;
    let mut corpus = read_table(comm, &mut session, &args.input)?;
    let reading = comm.traffic().bytes;
    let work = Work {
        rank: args.rank,
        refines: args.refine > 0,
        halves: args.stability,
        ..args.engine.work()
    };
    let cache = memory::cache(comm, &session, &args.common, &corpus, &work);
    let options = FactorizeOptions {
        params: frequent(comm, args, &corpus, together(comm, params(args, &corpus))?)?,
        refine: args.refine,
        stability: args.stability,
        refine_method: args.engine.refine_method.unwrap_or_default(),
        memory: about(&args.input, cache)?,
        ..FactorizeOptions::default()
    };
    let key = RunKey::of(&corpus.matrix, &options.params);
    let found = with_checkpoints(comm, &mut session, &args.run, key, |saved, progress| {
        factorize(comm, &mut corpus, &options, saved, progress)
    });
    let found = about(&args.input, found)?;
    let parameters = FactorizeParameters::new(&options, args.input.transpose);
    let (entries, name) = (corpus.matrix.n_entries(), |j: usize| corpus.word(j).into_owned());
    let refined = found.refined.as_ref();
    let mut report = FactorizeReport::new(&found.found, entries, name, refined, parameters);
    report.anchor_stability.clone_from(&found.stability);
    let output = target.map(|target| (target, provenance(&corpus, args.common.seed)));
    FoundFactors { corpus, found, report, cells: args.csv.cells() }
        .finish(comm, session, args, output, reading)
}

/// Opens what is to be written before anything is read; collective.
fn target(
    comm: &dyn Communicator,
    session: &Session,
    args: &FactorizeArgs,
) -> anyhow::Result<Option<Target>> {
    let shards = args.shards.shards;
    let guarded = Guarded::new(&args.input).and_checkpoint(&args.run);
    let guarded = guarded.and(args.engine.row_weights.clone());
    let problem = match &args.output {
        None if shards => "--shards needs a folder to write to: add -o FOLDER",
        None => {
            guarded.check(comm, Vec::new())?;
            return Ok(None);
        }
        Some(out) if out.extension().is_some_and(|extension| extension == "npz") => {
            if !shards {
                guarded.check_file(comm, out)?;
                return Ok(Some(Target::File(out.clone())));
            }
            "--shards writes several files: give -o a folder instead of a .npz file"
        }
        Some(out) => {
            let plan = Plan { shards, ..Plan::new(Purpose::Factors) };
            let folder = guarded.open(comm, session, out, plan)?;
            return Ok(Some(Target::Folder(folder)));
        }
    };
    together(comm, Err(UsageError(problem.into()).into()))
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
        ..args.engine.params(args.rank, corpus.matrix.suited_rule(), &args.common)?
    })
}

/// Without the columns that are too rare to be anchors, if that was asked for; collective.
fn frequent(
    comm: &dyn Communicator,
    args: &FactorizeArgs,
    corpus: &Corpus,
    params: Params,
) -> anyhow::Result<Params> {
    let asked = args.engine.anchor_min_df();
    let Some(frequent) = Frequent::of(comm, corpus, asked, Some(params.selection))? else {
        return Ok(params);
    };
    let mut columns = frequent.columns;
    if let Some(listed) = &params.candidates {
        columns.retain(|j| listed.contains(j));
    }
    Ok(Params { candidates: Some(columns), ..params })
}

/// Says which rule was chosen, if it was left to the data.
fn tell_rule(session: &Session, args: &FactorizeArgs, corpus: &Corpus) {
    if args.engine.selection.is_none() && !args.engine.robust {
        let kind = if corpus.matrix.is_dense() { "dense" } else { "sparse" };
        let rule = corpus.matrix.suited_rule();
        session.note(format!("rule {rule}: the data is {kind}; --selection chooses another"));
    }
}

/// What was found, with all that the files need.
struct FoundFactors {
    corpus: Corpus,
    found: Factorized,
    report: FactorizeReport,
    cells: Cells,
}

impl FoundFactors {
    /// Writes the files, prints the answer, and says how the run ended; collective. `reading` is the
    /// traffic of reading.
    fn finish(
        mut self,
        comm: &Counted<'_>,
        mut session: Session,
        args: &FactorizeArgs,
        output: Option<(Target, Provenance)>,
        reading: u64,
    ) -> anyhow::Result<Outcome> {
        let termination = self.found.found.termination();
        let stopped = termination == Termination::Stopped || interrupt::requested();
        let stopped = anywhere(comm, stopped)?;
        let written = match output {
            None => Ok(None),
            Some(output) => {
                session.stage("write", || self.write(comm, args, output, stopped)).map(Some)
            }
        };
        let entries = self.corpus.matrix.columns().n_entries();
        self.report.ranks = rank_facts(comm, &session, entries, reading)?;
        let told = if comm.rank() == 0 { self.tell(&session) } else { Ok(()) };
        // What could not be written is told all the same.
        let written = together(comm, written)?;
        together(comm, told)?;
        tell_rule(&session, args, &self.corpus);
        Ok(session.conclude(written, stopped))
    }

    /// Writes the result, or beside it what was found before an interruption; collective.
    fn write(
        &self,
        comm: &dyn Communicator,
        args: &FactorizeArgs,
        (target, origin): (Target, Provenance),
        stopped: bool,
    ) -> anyhow::Result<String> {
        let kept = match &target {
            Target::File(path) => path.clone(),
            Target::Folder(folder) => folder.path().to_owned(),
        };
        let target = match target {
            Target::File(path) if stopped => Target::File(path.with_extension("partial.npz")),
            Target::Folder(folder) if stopped => Target::Folder(folder.into_partial(comm)?),
            complete => complete,
        };
        let written = match target {
            Target::File(path) => self.write_file(comm, &path, origin)?,
            Target::Folder(folder) if args.shards.in_shards(comm, self.n_numbers(comm)?) => {
                self.write_shards(comm, folder, origin)?
            }
            Target::Folder(folder) => self.write_folder(comm, folder, origin)?,
        };
        let checkpoint = args.run.checkpoint.as_deref();
        Ok(if stopped { resumable(&written, &kept, checkpoint) } else { written })
    }

    /// Numbers of the larger factor: of H, or of the refined W.
    fn n_numbers(&self, comm: &dyn Communicator) -> xray_pipeline::Result<usize> {
        let sizes = gather_sizes(comm, [self.found.found.coefficients().n_nonzero()])?;
        Ok(match &self.found.refined {
            Some(refined) => refined.documents.own.n() * refined.documents.rank,
            None => sizes.iter().map(|size| size[0]).sum(),
        })
    }

    /// The model with both factors, on rank 0; collective.
    fn model(
        &self,
        comm: &dyn Communicator,
        provenance: Provenance,
    ) -> xray_pipeline::Result<Option<Model>> {
        let (rows, dense) = (&self.corpus.rows, self.corpus.matrix.is_dense());
        let parameters = &self.report.parameters;
        self.found.to_model(comm, rows, dense, parameters, self.names(), provenance)
    }

    fn names(&self) -> Option<Vec<String>> {
        match &self.corpus.names {
            ColumnNames::Given(names) => Some(names.clone()),
            ColumnNames::Words(_) | ColumnNames::Positions => None,
        }
    }

    /// One file, which rank 0 writes; collective.
    fn write_file(
        &self,
        comm: &dyn Communicator,
        path: &Path,
        provenance: Provenance,
    ) -> anyhow::Result<String> {
        let model = self.model(comm, provenance)?;
        let saved = model.map_or(Ok(()), |model| model.save(path));
        xray_pipeline::together(comm, saved)?;
        Ok(format!("wrote {}", path.display()))
    }

    /// The model in one piece; collective.
    fn write_folder(
        &self,
        comm: &dyn Communicator,
        mut folder: Folder,
        provenance: Provenance,
    ) -> anyhow::Result<String> {
        let model = self.model(comm, provenance)?;
        let write = || -> xray_pipeline::Result<()> {
            if comm.rank() == 0 {
                let anchors = anchors_csv(&self.report, self.cells);
                folder.write("anchors.csv", |out| out.write_all(anchors.as_bytes()))?;
            }
            write_model(&mut folder, model)
        };
        xray_pipeline::together(comm, write())?;
        Ok(folder.commit(comm, None)?)
    }

    /// Every rank writes its columns of H, or its rows of the refined W, and rank 0 all else; collective.
    fn write_shards(
        &self,
        comm: &dyn Communicator,
        mut folder: Folder,
        provenance: Provenance,
    ) -> anyhow::Result<String> {
        let first = comm.rank() == 0;
        let mut small = || -> xray_pipeline::Result<()> {
            let (anchors, answer) = (anchors_csv(&self.report, self.cells), json(&self.report));
            folder.write("anchors.csv", |out| out.write_all(anchors.as_bytes()))?;
            folder.write("answer.json", |out| out.write_all(answer.as_bytes()))?;
            match &self.found.refined {
                Some(refined) => {
                    let (parameters, names) = (&self.report.parameters, self.names());
                    let (h, origin) = (refined.h_matrix()?, provenance.clone());
                    let model = factorize_model(&self.found.found, h, parameters, names, origin);
                    write_model(&mut folder, Some(model))
                }
                None => {
                    let dense = self.corpus.matrix.is_dense();
                    let w = Table::new(anchor_columns(&self.found.found, dense)?);
                    let npz = Format::from_name("npz")?;
                    folder.write("w.npz", |out| write_table(&w, out, npz))
                }
            }
        };
        xray_pipeline::together(comm, if first { small() } else { Ok(()) })?;
        let own = xray_pipeline::together(comm, self.write_own(comm, &mut folder))?;
        let head = ManifestHead::of_factors(&self.report, provenance);
        Ok(folder.commit(comm, Some((head, vec![own])))?)
    }

    fn write_own(
        &self,
        comm: &dyn Communicator,
        folder: &mut Folder,
    ) -> xray_pipeline::Result<ShardFile> {
        let (rank, size) = (comm.rank(), comm.size());
        if let Some(RefinedFactors { documents, .. }) = &self.found.refined {
            let ranges = own_ranges(documents);
            let shard = ShardFile::new(Part::W, rank, size, ranges, None);
            return write_w_shard(folder, shard, documents);
        }
        let found = &self.found.found;
        let ranges = found.own_columns().ranges();
        let names = self.names().map(|names| {
            ranges.iter().flat_map(|range| names[range.clone()].iter().cloned()).collect()
        });
        let ranges = ranges.into_iter().map(|range| [range.start, range.end]).collect();
        let shard = ShardFile::new(Part::H, rank, size, ranges, names);
        let h = found.coefficients().clone().into_matrix();
        folder.write_shard(shard, |out| write_npz(h, out))
    }

    /// Prints the anchors, for people or programs.
    fn tell(&self, session: &Session) -> anyhow::Result<()> {
        let report = &self.report;
        if session.json {
            return session.print_answer(report);
        }
        let refined = report.refined_by.map_or_else(String::new, |by| format!(", refined by {by}"));
        session.note(format!(
            "{} x {}, {} anchors in {} ({}{refined}); projections exact to {:.0e}\n",
            number::count(report.rows as u64),
            number::count(report.columns as u64),
            report.rank,
            number::duration(session.elapsed()),
            report.termination.name().replace('_', " "),
            report.kkt_violation,
        ));
        if let Some(noise) = report.noise {
            session.note(noise_words(noise, report.parameters.rank));
        }
        session.print_table(&anchors_table(report))
    }
}
