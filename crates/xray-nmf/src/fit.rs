//! A fit as a request: what is given, who takes part, who watches.

use crate::comm::{Communicator, OneRank};
use crate::error::Result;
use crate::factorization::Factorization;
use crate::given::Given;
use crate::matrix::Matrix;
use crate::observe::Observer;
use crate::params::Params;
use crate::resume::RunState;
use crate::stop::StopRequest;

/// What one rank holds of X: its columns with all rows, and its rows with all columns.
///
/// Which columns and rows are a rank's own follows from its number and theirs, see
/// [`Ownership`](crate::Ownership).
#[derive(Debug, Clone, Copy)]
pub struct Portion<'a> {
    /// The own columns, with all rows.
    pub columns: &'a dyn Matrix,
    /// The own rows, block after block, with all columns, which refinement needs; on one rank the same matrix.
    pub rows: Option<&'a dyn Matrix>,
    /// Number of columns on all ranks.
    pub n_columns: usize,
}

impl<'a> Portion<'a> {
    /// Everything, on one rank.
    pub fn whole(matrix: &'a dyn Matrix) -> Self {
        Self { columns: matrix, rows: Some(matrix), n_columns: matrix.n_columns() }
    }
}

/// A request for anchors: [`fit`] with everything that can be given to it.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use xray_nmf::{DenseMatrix, Fit, Params, Step, Termination};
///
/// let x = DenseMatrix::from_row_major(3, 3, vec![2.0, 1.0, 0.0, 0.0, 1.0, 3.0, 1.0, 0.0, 0.0])?;
/// let mut first = |step: &Step| match step.residual < 0.9 {
///     true => ControlFlow::Break(()),
///     false => ControlFlow::Continue(()),
/// };
/// let found = Fit::of(&x).memory(Some(1 << 20)).observe(&mut first).run(&Params::new(3))?;
/// assert_eq!((found.rank(), found.termination()), (1, Termination::Stopped));
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[must_use = "nothing is found before `run`"]
pub struct Fit<'a> {
    portion: Portion<'a>,
    comm: &'a dyn Communicator,
    held_out: Option<&'a dyn Matrix>,
    saved: Option<&'a RunState>,
    memory: Option<usize>,
    observer: Option<&'a mut dyn Observer>,
    stop: Option<&'a StopRequest>,
}

impl std::fmt::Debug for Fit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { portion, comm, held_out, saved, memory, observer, stop } = self;
        f.debug_struct("Fit")
            .field("portion", portion)
            .field("comm", comm)
            .field("held_out", held_out)
            .field("saved", saved)
            .field("memory", memory)
            .field("observed", &observer.is_some())
            .field("stop", stop)
            .finish()
    }
}

impl<'a> Fit<'a> {
    /// Anchors among the columns of a matrix.
    pub fn of(matrix: &'a dyn Matrix) -> Self {
        Self::part(Portion::whole(matrix), &OneRank)
    }

    /// Anchors of a matrix on many ranks, which all ask for the same.
    ///
    /// Every rank gets the same anchors and steps, and its own columns' weights, with the same bits for any
    /// number of ranks and threads.
    pub fn part(portion: Portion<'a>, comm: &'a dyn Communicator) -> Self {
        Self {
            portion,
            comm,
            held_out: None,
            saved: None,
            memory: None,
            observer: None,
            stop: None,
        }
    }

    /// With rows that were held out (own columns): every step gets its error on them.
    pub fn held_out(self, rows: &'a dyn Matrix) -> Self {
        Self { held_out: Some(rows), ..self }
    }

    /// From where an earlier run with the same data and parameters stood, on any number of ranks; the
    /// result has the bits of a run that was never cut short.
    ///
    /// The saved steps are projected again without selection. Observers see them, too.
    pub fn resume(self, state: &'a RunState) -> Self {
        Self { saved: Some(state), ..self }
    }

    /// Bytes for cached columns of X'X; a quarter of the machine's memory if absent.
    pub fn memory(self, bytes: Option<usize>) -> Self {
        Self { memory: bytes, ..self }
    }

    /// Shows every step to an observer, which may stop the run. Observers run on every rank; if one stops,
    /// all stop.
    pub fn observe(self, observer: &'a mut dyn Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Looks at a request to stop, within steps too. A step that is given up leaves nothing behind: the result has
    /// the anchors before it, with the bits of a fit of that rank, and says [`Termination::Stopped`].
    ///
    /// On many ranks it is looked at between steps, and within them between rounds of scores.
    ///
    /// [`Termination::Stopped`]: crate::Termination::Stopped
    pub fn stop(self, request: &'a StopRequest) -> Self {
        Self { stop: Some(request), ..self }
    }

    /// Finds the anchors and projects every column onto them, in the current thread pool.
    ///
    /// # Errors
    /// If a parameter is outside its range, the matrix has negative entries that were not allowed, the saved
    /// steps come out differently, or the ranks cannot exchange data; [`Error::Stopped`](crate::Error::Stopped)
    /// if there was no anchor yet when it was to stop.
    pub fn run(self, params: &Params) -> Result<Factorization> {
        let nothing = RunState::default();
        let given = Given {
            matrix: self.portion.columns,
            n_columns: self.portion.n_columns,
            held_out: self.held_out,
            comm: self.comm,
            saved: self.saved.unwrap_or(&nothing),
            memory: self.memory,
            stop: self.stop,
        };
        given.run(params, self.observer.unwrap_or(&mut ()))
    }
}

/// Finds the anchors of `matrix` and projects every column onto them, in the current thread pool; [`Fit`]
/// takes more.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, Params, fit};
/// // Columns 0 and 2 span the cone; column 1 is their sum.
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let found = fit(&x, &Params::new(2))?;
/// assert_eq!(found.anchors(), [0, 2]);
/// assert_eq!(found.coefficients().dense_column(1), [1.0, 1.0]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If a parameter is outside its range, or the matrix has negative entries that were not allowed.
pub fn fit(matrix: &dyn Matrix, params: &Params) -> Result<Factorization> {
    Fit::of(matrix).run(params)
}
