//! Fits and their results.

use std::ops::ControlFlow;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use xray_nmf::comm::OneRank;
use xray_nmf::{Factors, Fit, Next, Observer, Ownership, Params, Refine, Result, Step};
use xray_pipeline::report::{FactorizeParameters, json};
use xray_pipeline::{
    DistributedMatrix, FactorizeOptions, Factorized, NumberSuggestion, RefinedFactors, RowNames,
    Stoppable, anchor_stability,
};

use crate::doorway::{self, Watch};
use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::model::{Model, origin};
use crate::number::suggestion_json;
use crate::request::read;
use crate::topics::reporter;

/// Anchors among the columns of a matrix with every column's weights, and better factors if it was refined.
#[pyclass(frozen, module = "xray_nmf._xray_nmf")]
pub(crate) struct Factorization {
    factors: Arc<Factorized>,
    /// Whether the matrix is dense: so are its anchors then.
    dense: bool,
}

/// Finds anchors; `params` are JSON, and `row_weights` the vector p. `progress` is called with the number of
/// anchors and the relative residual.
#[pyfunction]
#[pyo3(signature = (matrix, params, threads, memory = None, row_weights = None, progress = None))]
pub(crate) fn fit(
    py: Python<'_>,
    matrix: &Bound<'_, Matrix>,
    params: &str,
    threads: usize,
    memory: Option<usize>,
    row_weights: Option<PyReadonlyArray1<'_, f64>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Factorization> {
    let row_weights = row_weights.map(|p| p.as_array().to_vec());
    let params = Params { row_weights, ..read(params)? };
    params.check_fixed().map_err(Failure::into_exception)?;
    let borrowed = Arc::clone(&matrix.get().0);
    let dense = borrowed.storage.is_dense();
    let work = move |watch: &Watch| {
        let mut reporter = Reporter { watch, found: 0, planned: params.rank };
        let fit = Fit::of(borrowed.storage.as_matrix()).memory(memory);
        fit.stop(watch.stop()).observe(&mut reporter).run(&params)
    };
    let found = doorway::run_with_threads(py, threads, progress, work)?;
    Ok(Factorization { factors: unrefined(found), dense })
}

#[pymethods]
impl Factorization {
    /// The anchors, in the order found.
    #[getter]
    fn anchors<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.found().anchors().into_iter().map(|j| j as i64))
    }

    /// The relative residual after each anchor.
    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.found().steps().iter().map(|step| step.residual))
    }

    /// Why the run ended.
    #[getter]
    fn termination(&self) -> &'static str {
        self.found().termination().name()
    }

    /// The largest violation of the optimality conditions.
    #[getter]
    fn kkt_violation(&self) -> f64 {
        self.found().kkt_violation()
    }

    /// What a robust fit saw of the noise, and decided, as JSON; none of other fits.
    #[getter]
    fn noise(&self) -> Option<String> {
        self.found().noise().map(|noise| json(&noise))
    }

    /// How often each anchor comes back in halves of the rows of its matrix; `params` are those of the fit.
    #[pyo3(signature = (matrix, params, threads, row_weights = None, progress = None))]
    fn stability<'py>(
        &self,
        py: Python<'py>,
        matrix: &Bound<'py, Matrix>,
        params: &str,
        threads: usize,
        row_weights: Option<PyReadonlyArray1<'py, f64>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let row_weights = row_weights.map(|p| p.as_array().to_vec());
        let params = Params { row_weights, ..read(params)? };
        let (found, borrowed) = (Arc::clone(&self.factors.found), Arc::clone(&matrix.get().0));
        let work = move |watch: &Watch| -> xray_pipeline::Result<_> {
            let matrix = DistributedMatrix::whole(borrowed.storage.copied_rows(None)?);
            let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
            anchor_stability(&OneRank, &matrix, &found, &params, None, &mut progress)
        };
        let stability = doorway::run_with_threads(py, threads, progress, work)?;
        Ok(stability.into_pyarray(py))
    }

    /// How many anchors the knee of the residual suggests, and why, as JSON.
    #[getter]
    fn suggestion(&self) -> String {
        let found = self.found();
        let n_given = found.steps().iter().filter(|step| step.score.is_none()).count();
        suggestion_json(NumberSuggestion::fast(found.suggest_rank(), found.rank()), n_given)
    }

    /// The refinement's objective at its start and after each step; empty without refinement.
    #[getter]
    fn objective<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let refined = self.factors.refined.as_ref();
        PyArray1::from_slice(py, refined.map_or(&[], |refined| &refined.objective[..]))
    }

    /// The solution with the first `rank` anchors.
    fn truncate(&self, py: Python<'_>, rank: usize, threads: usize) -> PyResult<Self> {
        let whole = Arc::clone(&self.factors);
        let work = move |_: &Watch| -> Result<_> { Ok(whole.found.truncate(rank)) };
        let found = doorway::run_with_threads(py, threads, None, work)?;
        Ok(Self { factors: unrefined(found), ..*self })
    }

    /// The same anchors with better factors of the matrix, as `options` (JSON) say. The topics of H will
    /// compare, or with `samples` those of W.
    #[pyo3(signature = (matrix, options, samples, threads, progress = None))]
    fn refine(
        &self,
        py: Python<'_>,
        matrix: &Bound<'_, Matrix>,
        options: &str,
        samples: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let options: FactorizeOptions = read(options)?;
        let (planned, tolerance) = (options.refine, options.refine_tolerance);
        let (start, borrowed) = (Arc::clone(&self.factors), Arc::clone(&matrix.get().0));
        let work = move |watch: &Watch| -> Result<Factorized> {
            let mut reporter = Reporter { watch, found: 0, planned };
            let refine = Refine::of(borrowed.storage.as_matrix()).method(options.refine_method);
            let refine = refine.steps(planned, tolerance).stop(watch.stop()).observe(&mut reporter);
            let better = refine.run(start.found.factors(&OneRank)?)?;
            let better = if samples {
                swapped(swapped(better).with_comparable_topics())
            } else {
                better.with_comparable_topics()
            };
            let rows = Ownership::rows(start.found.n_rows(), &OneRank);
            let refined = Some(RefinedFactors::new(better, rows));
            Ok(Factorized { found: Arc::clone(&start.found), refined, stability: None })
        };
        let factors = Arc::new(doorway::run_with_threads(py, threads, progress, work)?);
        Ok(Self { factors, ..*self })
    }

    /// H, or with `samples` the transpose of W: one row for each anchor.
    fn components<'py>(
        &self,
        py: Python<'py>,
        samples: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found = self.found();
        let n = if samples { found.n_rows() } else { found.n_columns() };
        let factors = Arc::clone(&self.factors);
        let numbers = py.detach(move || components(&factors, samples));
        numbers.into_pyarray(py).reshape([self.found().rank(), n])
    }

    /// The model that the program writes for the same fit, whose `options` (JSON) these are; W only if it is that
    /// of the data as given.
    fn to_model(
        &self,
        py: Python<'_>,
        options: &str,
        names: Option<Vec<String>>,
        with_w: bool,
    ) -> PyResult<Model> {
        let options: FactorizeOptions = read(options)?;
        let parameters = FactorizeParameters::new(&options, false);
        let rows = RowNames {
            own: Ownership::rows(self.found().n_rows(), &OneRank),
            ids: None,
            labels: None,
            times: None,
        };
        let origin = origin(options.params.seed);
        let model = py.detach(|| {
            self.factors.to_model(&OneRank, &rows, self.dense, &parameters, names, origin)
        });
        let mut model = model.map_err(Failure::into_exception)?.expect("rank 0");
        model.w = model.w.filter(|_| with_w);
        Ok(Model(Arc::new(model)))
    }
}

impl Factorization {
    fn found(&self) -> &xray_nmf::Factorization {
        &self.factors.found
    }
}

fn unrefined(found: xray_nmf::Factorization) -> Arc<Factorized> {
    Arc::new(Factorized { found: Arc::new(found), refined: None, stability: None })
}

/// Row after row of H, or of the transpose of W.
fn components(factors: &Factorized, samples: bool) -> Vec<f64> {
    let Factorized { found, refined, .. } = factors;
    let columns = found.anchor_columns().iter();
    match refined {
        Some(refined) if samples => turned(&refined.documents.weights, found.rank()),
        Some(refined) => turned(&refined.h, found.rank()),
        None if samples => columns.flat_map(|column| column.to_dense(found.n_rows())).collect(),
        None => found.coefficients().to_dense(),
    }
}

/// Lines of `rank` numbers each, column after column.
fn turned(lines: &[f64], rank: usize) -> Vec<f64> {
    (0..rank).flat_map(|k| lines.iter().skip(k).step_by(rank).copied()).collect()
}

/// W and H in each other's place.
fn swapped(pair: Factors) -> Factors {
    Factors { w: pair.h, h: pair.w, ..pair }
}

/// Tells the doorway of every anchor and every iteration.
pub(crate) struct Reporter<'a> {
    pub(crate) watch: &'a Watch,
    pub(crate) found: usize,
    pub(crate) planned: usize,
}

impl Observer for Reporter<'_> {
    fn step(&mut self, step: &Step) -> Next {
        self.found += 1;
        match self.watch.step(("anchor", self.found, self.planned, step.residual)) {
            ControlFlow::Break(()) => Next::Stop,
            ControlFlow::Continue(()) => Next::Continue,
        }
    }

    fn iteration(&mut self, t: usize, objective: f64) -> ControlFlow<()> {
        self.watch.step(("refinement", t, self.planned, objective))
    }
}
