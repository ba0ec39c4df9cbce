//! `xray factorize`: anchors and weights of any nonnegative matrix.

use std::path::{Path, PathBuf};

use xray_data::{LoadedMatrix, Model, Provenance};
use xray_nmf::{
    Factorization, Matrix, Params, Refined, Selection, Step, Termination, Weights, fit_observed,
    refine_observed,
};
use xray_pipeline::report::{
    FactorizeParameters, FactorizeReport, anchors_csv, anchors_table, factorize_model,
};
use xray_pipeline::{Event, Stage};
use xray_report::number;

use crate::args::FactorizeArgs;
use crate::data::{about, column_names, find_column, read_table};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::Folder;
use crate::session::Session;

pub(crate) fn run(args: &FactorizeArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let (table, origin) = read_table(&mut session, &args.input)?;
    let names = column_names(&table);
    let params = params(args, &names, table.column_names.is_some())?;
    let result = factorize(&mut session, table.matrix.as_matrix(), args, &params);
    session.end();
    let (found, refined) = about(&args.input, result)?;
    let parameters = FactorizeParameters::new(&params, args.refine, args.input.transpose);
    let objective = refined.as_ref().map(|refined| refined.objective.clone());
    let name = |j: usize| names[j].clone();
    let entries = table.matrix.n_entries();
    let report = FactorizeReport::new(&found, entries, name, objective, parameters);
    let output = args.output.clone().map(|path| (path, origin.provenance(args.common.seed)));
    let dense = matches!(table.matrix, LoadedMatrix::Dense(_));
    let found = Factorized {
        found,
        weights: None,
        refined,
        dense,
        column_names: table.column_names,
        report,
    };
    found.finish(session, output)
}

fn factorize(
    session: &mut Session,
    matrix: &dyn Matrix,
    args: &FactorizeArgs,
    params: &Params,
) -> anyhow::Result<(Factorization, Option<Refined>)> {
    let _ = session.watch(Event::Begin(Stage::Anchors, params.rank));
    let mut observer = |step: &Step| session.watch(Event::Anchor(step));
    let found = fit_observed(matrix, None, params, &mut observer)?;
    if args.refine == 0 || found.termination() == Termination::Stopped {
        return Ok((found, None));
    }
    let _ = session.watch(Event::Begin(Stage::Refinement, args.refine));
    let start = Refined::from_factorization(&found);
    let mut observer = |_, _| session.watch(Event::Advance);
    let method = args.engine.refine_method.unwrap_or_default();
    let refined =
        refine_observed(matrix, start, method, args.refine, params.threads, &mut observer)?;
    Ok((found, Some(refined.with_comparable_topics())))
}

/// The parameters of the fit; `named` says whether the columns have names of their own.
pub fn params(args: &FactorizeArgs, names: &[String], named: bool) -> anyhow::Result<Params> {
    let columns = |list: &[String]| -> anyhow::Result<Vec<usize>> {
        list.iter().map(|name| find_column(name, names, named)).collect()
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
pub struct Factorized {
    /// Anchors and how they were found.
    pub found: Factorization,
    /// All of H, if `found` has only a part of it.
    pub weights: Option<Weights>,
    /// W and H after refinement.
    pub refined: Option<Refined>,
    /// Whether X has every entry stored.
    pub dense: bool,
    /// Names of the columns, if they have any.
    pub column_names: Option<Vec<String>>,
    /// What people and programs are told.
    pub report: FactorizeReport,
}

impl Factorized {
    /// Writes the files, prints the answer, and says how the run ended.
    pub fn finish(
        self,
        mut session: Session,
        output: Option<(PathBuf, Provenance)>,
    ) -> anyhow::Result<Outcome> {
        let stopped = self.found.termination() == Termination::Stopped || interrupt::requested();
        let written = match output {
            Some((out, origin)) => Some(session.stage("write", || self.write(&out, origin))?),
            None => None,
        };
        self.tell(&session)?;
        Ok(session.conclude(written, stopped))
    }

    fn write(&self, out: &Path, provenance: Provenance) -> anyhow::Result<String> {
        let weights = self.weights.as_ref().unwrap_or(self.found.weights());
        let (refined, parameters) = (self.refined.as_ref(), &self.report.parameters);
        let model = Model {
            provenance,
            names: self.column_names.clone(),
            ..factorize_model(&self.found, weights, refined, self.dense, parameters)?
        };
        if out.extension().is_some_and(|extension| extension == "npz") {
            model.save(out)?;
            return Ok(format!("wrote {}", out.display()));
        }
        let mut folder = Folder::create(out)?;
        folder.write("anchors.csv", anchors_csv(&self.report).as_bytes())?;
        model.save(&folder.file("model.npz"))?;
        Ok(folder.summary())
    }

    /// Prints the anchors, for people or programs.
    pub fn tell(&self, session: &Session) -> anyhow::Result<()> {
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
