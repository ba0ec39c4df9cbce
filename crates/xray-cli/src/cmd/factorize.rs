//! `xray factorize`: anchors and weights of any nonnegative matrix.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use xray_data::{LoadedMatrix, Model, ModelKind, Provenance, Table as DataTable};
use xray_nmf::{
    DenseMatrix, Factorization, Matrix, Params, Refined, Selection, SparseMatrix, Step,
    Termination, Weights, fit_observed, refine_observed,
};
use xray_pipeline::{Event, Stage};
use xray_report::{Cell, Column, Table, number};

use crate::args::FactorizeArgs;
use crate::data::{about, column_names, find_column, read_table};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::{Folder, output};
use crate::session::Session;

pub(crate) fn run(args: &FactorizeArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let table = read_table(&mut session, &args.input)?;
    let names = column_names(&table);
    let params = params(args, &names, table.column_names.is_some())?;
    let result = factorize(&mut session, table.matrix.as_matrix(), args, &params);
    session.end();
    let (found, refined) = about(&args.input, result)?;
    let input = AboutInput::of(table);
    let answer =
        Answer { args, params, input, names, found, weights: None, refined, extra: Map::new() };
    let output = output(args.output.as_deref(), &args.input.source(), args.common.seed)?;
    answer.finish(session, output)
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

/// What the answer tells of the input.
pub struct AboutInput {
    /// Number of stored entries.
    pub n_entries: usize,
    /// Whether every entry is stored.
    pub dense: bool,
    /// Names of the columns, if they have any.
    pub column_names: Option<Vec<String>>,
}

impl AboutInput {
    fn of(table: DataTable) -> Self {
        Self {
            n_entries: table.matrix.n_entries(),
            dense: matches!(table.matrix, LoadedMatrix::Dense(_)),
            column_names: table.column_names,
        }
    }
}

/// What was found, with all that the files need.
pub struct Answer<'a> {
    /// What the user typed.
    pub args: &'a FactorizeArgs,
    /// The parameters of the fit.
    pub params: Params,
    /// What is known of the input.
    pub input: AboutInput,
    /// Names of the columns, or their positions.
    pub names: Vec<String>,
    /// Anchors and how they were found.
    pub found: Factorization,
    /// All of H, if `found` has only a part of it.
    pub weights: Option<Weights>,
    /// W and H after refinement.
    pub refined: Option<Refined>,
    /// More for the JSON answer.
    pub extra: Map<String, Value>,
}

impl Answer<'_> {
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
        if session.json {
            session.print_json(&session.finish_json(self.to_json()))?;
        } else {
            self.print(&session)?;
        }
        Ok(session.conclude(written, stopped))
    }

    fn write(&self, out: &Path, provenance: Provenance) -> anyhow::Result<String> {
        let model = self.model(provenance)?;
        if out.extension().is_some_and(|extension| extension == "npz") {
            model.save(out)?;
            return Ok(format!("wrote {}", out.display()));
        }
        let mut folder = Folder::create(out)?;
        folder.write("anchors.csv", self.steps_table().csv().as_bytes())?;
        model.save(&folder.file("model.npz"))?;
        Ok(folder.summary())
    }

    fn model(&self, provenance: Provenance) -> anyhow::Result<Model> {
        let found = &self.found;
        let (rank, m, n) = (found.rank(), found.n_rows(), found.n_columns());
        let (h, w): (LoadedMatrix, LoadedMatrix) = match &self.refined {
            Some(refined) => {
                let h = DenseMatrix::from_row_major(n, rank, refined.h.clone())?.transposed();
                (h.into(), DenseMatrix::from_row_major(m, rank, refined.w.clone())?.into())
            }
            None => {
                let weights = self.weights.as_ref().unwrap_or(found.weights());
                let (offsets, rows, values) = weights.csc();
                let (offsets, rows, values) = (offsets.to_vec(), rows.to_vec(), values.to_vec());
                let h = SparseMatrix::from_csc(rank, n, offsets, rows, values)?;
                (h.into(), self.anchor_columns()?)
            }
        };
        Ok(Model {
            parameters: self.parameters(),
            provenance,
            residual_norm: found.steps().iter().map(|step| step.residual).collect(),
            w: Some(w),
            names: self.input.column_names.clone(),
            ..Model::new(ModelKind::Factorize, found.anchors(), h)
        })
    }

    /// `X_A`, stored like X.
    pub fn anchor_columns(&self) -> anyhow::Result<LoadedMatrix> {
        let (m, columns) = (self.found.n_rows(), self.found.anchor_columns());
        Ok(match self.input.dense {
            false => {
                let mut entries = Vec::new();
                for (k, column) in columns.iter().enumerate() {
                    column.for_each(|d, v| entries.push((d, k, v)));
                }
                SparseMatrix::from_triplets(m, columns.len(), entries)?.into()
            }
            true => {
                let values: Vec<f64> =
                    columns.iter().flat_map(|column| column.to_dense(m)).collect();
                DenseMatrix::from_column_major(m, columns.len(), values)?.into()
            }
        })
    }

    /// What the model file remembers of the arguments.
    pub fn parameters(&self) -> Map<String, Value> {
        let p = &self.params;
        let json = json!({
            "rank": self.args.rank,
            "selection": p.selection.name(),
            "engine": p.engine.name(),
            "normalize": p.normalize.name(),
            "mean_ray": p.mean_ray,
            "allow_negative": p.allow_negative,
            "tolerance": p.tolerance,
            "min_improvement": p.min_improvement,
            "fixed": p.fixed,
            "excluded": p.excluded,
            "refine": self.args.refine,
            "transpose": self.args.input.transpose,
            "seed": p.seed,
        });
        json.as_object().cloned().unwrap_or_default()
    }

    /// The answer as JSON.
    pub fn to_json(&self) -> Map<String, Value> {
        let (found, steps) = (&self.found, self.found.steps());
        let names: Vec<&String> = steps.iter().map(|step| &self.names[step.anchor]).collect();
        let json = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "rows": found.n_rows(),
            "columns": found.n_columns(),
            "entries": self.input.n_entries,
            "rank": found.rank(),
            "anchors": found.anchors(),
            "anchor_names": names,
            "residual_norm": steps.iter().map(|step| step.residual).collect::<Vec<_>>(),
            "score": steps.iter().map(|step| step.score).collect::<Vec<_>>(),
            "margin": steps.iter().map(|step| step.margin).collect::<Vec<_>>(),
            "termination": found.termination().name(),
            "evaluations": steps.iter().map(|step| step.evaluations).collect::<Vec<_>>(),
            "kkt_violation": found.kkt_violation(),
            "refined_objective": self.refined.as_ref().map(|refined| &refined.objective),
            "parameters": self.parameters(),
        });
        let mut json = json.as_object().cloned().unwrap_or_default();
        json.extend(self.extra.clone());
        json
    }

    /// One row for each anchor.
    pub fn steps_table(&self) -> Table {
        let headers =
            ["order", "column", "name", "score", "margin", "residual_norm", "evaluations"];
        let mut table = Table::new(headers.map(Column::left));
        for (t, step) in self.found.steps().iter().enumerate() {
            let text = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
            table.row([
                (t + 1).to_string(),
                step.anchor.to_string(),
                self.names[step.anchor].clone(),
                text(step.score),
                text(step.margin),
                step.residual.to_string(),
                step.evaluations.to_string(),
            ]);
        }
        table
    }

    /// Prints the anchors, for people.
    pub fn print(&self, session: &Session) -> anyhow::Result<()> {
        let found = &self.found;
        session.note(format!(
            "{} x {}, {} anchors in {} ({}); projections exact to {:.0e}\n",
            number::count(found.n_rows() as u64),
            number::count(found.n_columns() as u64),
            found.rank(),
            number::duration(session.elapsed()),
            found.termination().name().replace('_', " "),
            found.kkt_violation(),
        ));
        let columns = [
            Column::right("order"),
            Column::right("column"),
            Column::left("name").max_width(30),
            Column::right("residual"),
            Column::right("margin"),
        ];
        let mut table = Table::new(columns);
        for (t, step) in found.steps().iter().enumerate() {
            table.row([
                Cell::from((t + 1).to_string()),
                Cell::from(step.anchor.to_string()),
                Cell::from(self.names[step.anchor].as_str()).bold(),
                Cell::fixed(step.residual, 5),
                step.margin.map_or_else(Cell::missing, |margin| Cell::fixed(margin, 4)),
            ]);
        }
        session.print_table(&table)
    }
}
