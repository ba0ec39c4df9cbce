//! Refinement: a few steps of alternating optimisation from the separable solution
//! ("Solution Refinement" in the paper).
//!
//! Starting from `W = X_A` and H, each iteration improves W for fixed H and then H for fixed W.
//! Both halves are the same problem, one row of X (or column) at a time, so both are one function.
//! The objective never increases: it is recorded after every iteration.

mod alternate;
mod factors;
mod frobenius;
mod kullback;
mod pull;
mod travel;

pub use factors::Factors;
pub(crate) use frobenius::gram_of_few_lines;
#[cfg(feature = "rivals")]
pub(crate) use frobenius::gram_of_lines;
#[cfg(feature = "rivals")]
pub(crate) use kullback::lift_zeros;
pub use pull::SeededTopics;

use travel::Parts;

use crate::choices;
use crate::comm::{Collectives, Communicator, OneRank};
use crate::error::{Error, Result, check_length, check_rank};
use crate::fit::Portion;
use crate::matrix::Matrix;
use crate::observe::Observer;
use crate::ownership::Ownership;
use crate::stop::{Stop, StopRequest};

/// Entries of W and H beyond this could overflow.
const LARGEST: f64 = 1e140;

static NO_SEEDS: SeededTopics = SeededTopics::NONE;

/// Steps that are judged together: one alone may bring little because looking ahead has just failed, or on a plateau.
const SETTLING: usize = 3;

/// Lines handled by one task.
const LINES_PER_TASK: usize = 64;

choices! {
    /// What is minimised, and how.
    #[derive(Default)]
    pub enum Refinement ("refinement") {
        #[default]
        Auto = "auto": "exact where topics of the start are nearly dependent (spectra), else hals (text)",
        Exact = "exact": "||X - WH||_F^2 by alternating exact nonnegative least squares",
        Hals = "hals": "||X - WH||_F^2 by a few sweeps of coordinate descent at a time, looking ahead",
        KullbackLeibler = "kullback-leibler": "divergence of X from WH, by multiplicative updates",
    }
}

/// A request for better factors: a few steps of alternating optimisation from any nonnegative W and H.
///
/// # Examples
/// ```
/// use xray_nmf::comm::OneRank;
/// use xray_nmf::{DenseMatrix, Params, Refine, Refinement, fit};
/// let x = DenseMatrix::from_row_major(3, 3, vec![1.0, 2.0, 0.1, 0.5, 1.0, 1.0, 0.0, 0.2, 2.0])?;
/// let start = fit(&x, &Params::new(2))?.factors(&OneRank)?;
/// let better = Refine::of(&x).method(Refinement::Exact).steps(10, 0.0).run(start)?;
/// assert!(better.objective[10] <= better.objective[0]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[must_use = "nothing is refined before `run`"]
pub struct Refine<'a> {
    portion: Portion<'a>,
    comm: &'a dyn Communicator,
    method: Refinement,
    steps: usize,
    tolerance: f64,
    seeded: &'a SeededTopics,
    observer: Option<&'a mut dyn Observer>,
    stop: Option<&'a StopRequest>,
}

impl std::fmt::Debug for Refine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { portion, comm, method, steps, tolerance, seeded, observer, stop } = self;
        f.debug_struct("Refine")
            .field("portion", portion)
            .field("comm", comm)
            .field("method", method)
            .field("steps", steps)
            .field("tolerance", tolerance)
            .field("seeded", seeded)
            .field("observed", &observer.is_some())
            .field("stop", stop)
            .finish()
    }
}

impl<'a> Refine<'a> {
    /// How many steps there are if nothing is said.
    pub const STEPS: usize = 10;

    /// Factors of a matrix.
    pub fn of(matrix: &'a dyn Matrix) -> Self {
        Self::part(Portion::whole(matrix), &OneRank)
    }

    /// Factors of a matrix on many ranks, which all ask for the same; the result has the bits of one rank.
    ///
    /// The portion needs its rows. W has the lines of the own rows, H those of all columns.
    pub fn part(portion: Portion<'a>, comm: &'a dyn Communicator) -> Self {
        let method = Refinement::default();
        let (steps, tolerance) = (Self::STEPS, 0.0);
        let seeded = &NO_SEEDS;
        Self { portion, comm, method, steps, tolerance, seeded, observer: None, stop: None }
    }

    /// What is minimised, and how; [`Refinement::Auto`] if not said.
    ///
    /// `Auto` looks at the start alone: if some column of W is nearer to the span of the others than a tenth of its
    /// length, topics compete for the same rows, sweeps over one after the other converge slowly, and
    /// exact steps end lower in the same time. [`Factors::method`] tells what was done.
    pub fn method(self, method: Refinement) -> Self {
        Self { method, ..self }
    }

    /// At most so many steps, [`STEPS`](Self::STEPS) if not said; ends earlier when three in a row together lower the
    /// objective by less than this part of it, never if that is 0.
    pub fn steps(self, steps: usize, tolerance: f64) -> Self {
        Self { steps, tolerance, ..self }
    }

    /// The first topics began with given columns, and stay with them as far as is said. The objective then counts
    /// how far they have left them, too; with Kullback-Leibler divergence they do not leave at all.
    pub fn seeded(self, seeded: &'a SeededTopics) -> Self {
        Self { seeded, ..self }
    }

    /// Shows every [iteration](Observer::iteration) to an observer, which may stop the refinement. Observers
    /// run on every rank; if one stops, all stop.
    pub fn observe(self, observer: &'a mut dyn Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Looks at a request to stop, within steps too: the result is that of the last complete step. Its objective is
    /// empty if not even that of the start was known. On many ranks it is looked at between steps.
    pub fn stop(self, request: &'a StopRequest) -> Self {
        Self { stop: Some(request), ..self }
    }

    /// Improves W and H, in the current thread pool; `start.objective` is replaced.
    ///
    /// # Errors
    /// If the shapes do not match, W or H has a negative entry or one above 1e140, the rank is above 32768,
    /// Kullback-Leibler divergence is asked for a matrix with negative entries, the seeds are no columns or more lists
    /// than topics, or the ranks cannot exchange data.
    pub fn run(self, start: Factors) -> Result<Factors> {
        let Portion { columns, rows, n_columns } = self.portion;
        let (comm, method, rank) = (self.comm, self.method, start.rank);
        let layout = Ownership::columns(n_columns, comm);
        let (rows_or_all, stop) = (rows.unwrap_or(columns), Stop::new(self.stop, comm.is_alone()));
        let parts = Parts { comm, columns, rows: rows_or_all, rank, layout, stop };
        let own = check(&parts, rows.is_some(), method, &start)
            .and_then(|()| self.seeded.check(rank, n_columns));
        refuse_together(comm, own)?;
        let Factors { mut w, mut h, .. } = start;
        let suited = match method {
            Refinement::Auto => frobenius::suited(&parts, &w),
            chosen => Ok(chosen),
        };
        let method = match suited {
            Err(Error::Stopped) => {
                return Ok(Factors { rank, w, h, objective: Vec::new(), method: None });
            }
            suited => suited?,
        };
        let mut nobody = ();
        let mut trace = Trace {
            iterations: self.steps,
            tolerance: self.tolerance,
            objective: Vec::new(),
            observer: self.observer.unwrap_or(&mut nobody),
            comm,
            stop,
        };
        let done = match method {
            _ if rank == 0 => {
                let nothing = objective_of_nothing(&parts, method)?;
                trace.follow(nothing, || Ok(nothing))
            }
            Refinement::KullbackLeibler => {
                kullback::run(&parts, self.seeded, &mut w, &mut h, &mut trace)
            }
            _ => frobenius::run(&parts, method, self.seeded, (&mut w, &mut h), &mut trace),
        };
        // W and H are those of the last complete step.
        done.or_else(|error| if error == Error::Stopped { Ok(()) } else { Err(error) })?;
        Ok(Factors { rank, w, h, objective: trace.objective, method: Some(method) })
    }
}

/// What one rank can see to be wrong.
fn check(parts: &Parts<'_>, has_rows: bool, method: Refinement, start: &Factors) -> Result<()> {
    let Factors { rank, ref w, ref h, .. } = *start;
    check_rank(rank)?;
    if !has_rows {
        let allowed = "refinement needs the own rows of the matrix";
        return Err(Error::Parameter { name: "rows", value: "none".into(), allowed });
    }
    check_length("own columns", parts.layout.n_own(), parts.columns.n_columns())?;
    let own_rows = Ownership::rows(parts.columns.n_rows(), parts.comm);
    check_length("own rows", own_rows.n_own(), parts.rows.n_rows())?;
    check_length("W", parts.rows.n_rows().saturating_mul(rank), w.len())?;
    check_length("H", parts.layout.n().saturating_mul(rank), h.len())?;
    if let Some(v) = w.iter().chain(h).find(|v| !(0.0..=LARGEST).contains(*v)) {
        let allowed = "every entry must be not negative and at most 1e140";
        return Err(Error::Parameter { name: "W or H", value: v.to_string(), allowed });
    }
    match (method, parts.columns.first_negative()) {
        (Refinement::KullbackLeibler, Some(e)) => {
            let column = parts.layout.global(e.column);
            Err(Error::Negative { row: e.row, column, value: e.value })
        }
        _ => Ok(()),
    }
}

/// An error on every rank if there is one on any: nobody waits for those that have ended.
fn refuse_together(comm: &dyn Communicator, own: Result<()>) -> Result<()> {
    let refused = comm.gather(&[u8::from(own.is_err())])?;
    own?;
    match refused.iter().position(|refused| *refused != 0) {
        Some(rank) => Err(Error::Communication(format!("rank {rank} refused its part"))),
        None => Ok(()),
    }
}

/// Counts the iterations, keeps their objectives and shows them to the observer.
struct Trace<'a> {
    iterations: usize,
    tolerance: f64,
    objective: Vec<f64>,
    observer: &'a mut dyn Observer,
    comm: &'a dyn Communicator,
    stop: Stop<'a>,
}

impl Trace<'_> {
    fn follow(&mut self, start: f64, mut iterate: impl FnMut() -> Result<f64>) -> Result<()> {
        self.objective.push(start);
        for t in 1..=self.iterations {
            let objective = iterate()?;
            self.objective.push(objective);
            let before = t.checked_sub(SETTLING).map(|before| self.objective[before]);
            let small = |before: f64| before - objective < self.tolerance * objective;
            let settled = self.tolerance > 0.0 && before.is_some_and(small);
            let stops = self.observer.iteration(t, objective).is_break() || self.stop.is_made();
            if self.comm.any(stops)? || settled {
                break;
            }
        }
        Ok(())
    }
}

/// The objective with no topics at all: WH = 0.
fn objective_of_nothing(parts: &Parts<'_>, method: Refinement) -> Result<f64> {
    let squares = parts.sum_of_squares()?;
    Ok(match method {
        Refinement::KullbackLeibler if squares > 0.0 => f64::INFINITY,
        _ => squares,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps that are made where the objective goes like this.
    fn steps(objectives: &[f64], tolerance: f64) -> usize {
        let mut trace = Trace {
            iterations: objectives.len() - 1,
            tolerance,
            objective: Vec::new(),
            observer: &mut (),
            comm: &OneRank,
            stop: Stop::new(None, true),
        };
        let mut next = objectives[1..].iter();
        trace.follow(objectives[0], || Ok(*next.next().expect("a step"))).expect("alone");
        trace.objective.len() - 1
    }

    #[test]
    fn three_steps_that_bring_little_together_are_the_end() {
        // A plateau of two steps, and then much.
        assert_eq!(steps(&[100.0, 90.0, 89.999, 89.998, 80.0, 79.0, 78.9999], 1e-3), 6);
        assert_eq!(steps(&[100.0, 90.0, 89.999, 89.998, 89.997, 80.0], 1e-3), 4);
        assert_eq!(steps(&[100.0, 100.0, 100.0, 100.0, 100.0], 1e-9), 3);
        assert_eq!(steps(&[100.0; 9], 0.0), 8);
        // As much as the tolerance is not less.
        assert_eq!(steps(&[2.0, 1.5, 1.2, 1.0, 0.5], 1.0), 4);
    }
}
