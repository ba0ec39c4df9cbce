//! What a run is given: checked, and made ready for the search.

use bytemuck::{Pod, Zeroable};

use crate::comm::{Collectives, Communicator};
use crate::error::{Error, Result, check_length};
use crate::factorization::Factorization;
use crate::machine::Machine;
use crate::matrix::{Entry, Matrix};
use crate::observe::{Observer, Termination};
use crate::params::{Normalize, Params};
use crate::ranks::Ranks;
use crate::resume::RunState;
use crate::robust::{self, View};
use crate::search::{Data, Search};
use crate::solver;
use crate::stop::StopRequest;

/// What a run is given beside its parameters.
pub(crate) struct Given<'a> {
    /// This rank's columns.
    pub(crate) matrix: &'a dyn Matrix,
    /// Number of columns on all ranks.
    pub(crate) n_columns: usize,
    /// Held-out rows of the same columns.
    pub(crate) held_out: Option<&'a dyn Matrix>,
    pub(crate) comm: &'a dyn Communicator,
    /// Steps to make again before new ones are looked for.
    pub(crate) saved: &'a RunState,
    /// Bytes for cached columns of X'X.
    pub(crate) memory: Option<usize>,
    pub(crate) stop: Option<&'a StopRequest>,
}

impl Given<'_> {
    /// Checks everything, and runs [Algorithm 1](solver::run) on it.
    pub(crate) fn run(
        &self,
        params: &Params,
        observer: &mut dyn Observer,
    ) -> Result<Factorization> {
        let Given { matrix, n_columns, held_out, comm, saved, stop, .. } = *self;
        params.check()?;
        saved.check_columns(n_columns)?;
        let ranks = Ranks::new(comm, n_columns).stopped_by(stop);
        check_length("columns of the shard", ranks.columns.n_own(), matrix.n_columns())?;
        if let Some(test) = held_out {
            check_length("columns of the held-out rows", matrix.n_columns(), test.n_columns())?;
        }
        let signed = check_signs(&ranks, &[Some(matrix), held_out], params.allow_negative)?;
        if params.robust {
            return self.run_robust(params, ranks, signed, observer);
        }
        let scales = params.normalize != Normalize::None;
        let scaled = scales.then(|| matrix.normalized(params.normalize));
        let scaled = scaled.as_deref();
        let data = Data { given: matrix, scaled, whitened: false, guard: None, held_out, signed };
        let search = Search::new(params, ranks, data, self.memory())?;
        solver::run(search, params, saved, observer)
    }

    /// The same where noise allows it.
    fn run_robust(
        &self,
        params: &Params,
        ranks: Ranks<'_>,
        signed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Factorization> {
        let view = View::new(self.matrix, ranks, params.rank)?;
        let n_extra = (params.outliers * self.n_columns as f64).ceil() as usize;
        // Of more fixed anchors than the rank the first count, and outliers do not make room for others.
        let n_fixed = params.fixed.len().min(params.rank);
        let mut own = Params { rank: params.rank.saturating_add(n_extra), ..view.params(params) };
        own.fixed.truncate(n_fixed);
        let data = Data {
            given: self.matrix,
            scaled: view.whitened.as_ref().map(|z| z as &dyn Matrix),
            whitened: view.whitened.is_some(),
            guard: view.guard.as_ref(),
            held_out: self.held_out,
            signed,
        };
        let search = Search::new(&own, ranks, data, self.memory())?;
        let mut found = solver::run(search, &own, self.saved, observer)?;
        let p = params.row_weights.clone().unwrap_or_else(|| vec![1.0; self.matrix.n_rows()]);
        while n_extra > 0
            && found.rank() > params.rank
            && found.termination() != Termination::Stopped
        {
            let place = robust::prune(&found, self.matrix, &ranks, (&p, n_fixed))?;
            let mut fixed = found.anchors();
            fixed.remove(place);
            found = self.with_anchors(fixed, params, ranks, signed)?;
        }
        Ok(found.with_noise(view.noise))
    }

    /// The weights of given anchors.
    fn with_anchors(
        &self,
        fixed: Vec<usize>,
        params: &Params,
        ranks: Ranks<'_>,
        signed: bool,
    ) -> Result<Factorization> {
        let Params { solver, descent, .. } = *params;
        let own = Params { solver, descent, ..Params::new(fixed.len()) };
        let own = Params { fixed, allow_negative: true, ..own };
        let (given, held_out) = (self.matrix, self.held_out);
        let data = Data { given, scaled: None, whitened: false, guard: None, held_out, signed };
        let search = Search::new(&own, ranks, data, self.memory())?;
        solver::run(search, &own, &RunState::default(), &mut ())
    }

    fn memory(&self) -> usize {
        self.memory.unwrap_or_else(|| Machine::default().cache_budget())
    }
}

/// Where a rank found an entry below 0.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct NegativeEntry {
    row: u64,
    column: u64,
    value: f64,
}

/// Whether any rank's data has negative entries; an error, the same on all ranks, if not allowed.
fn check_signs(ranks: &Ranks<'_>, parts: &[Option<&dyn Matrix>], allowed: bool) -> Result<bool> {
    let own = parts.iter().flatten().find_map(|part| part.first_negative());
    let own = own.map(|Entry { row, column, value }| {
        let (row, column) = (row as u64, ranks.columns.global(column) as u64);
        NegativeEntry { row, column, value }
    });
    let all = ranks.comm.gather(own.as_slice())?;
    match all.into_iter().min_by_key(|entry| entry.column) {
        Some(NegativeEntry { row, column, value }) if !allowed => {
            Err(Error::Negative { row: row as usize, column: column as usize, value })
        }
        first => Ok(first.is_some()),
    }
}
