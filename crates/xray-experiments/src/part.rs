//! X as one of the ranks that work on it together holds it; on one machine that is all of it.

use anyhow::Result;
use xray_nmf::comm::{Communicator, OneRank};
use xray_nmf::{
    Factorization, Factors, Fit, Matrix, Params, Portion, Refine, Refinement, StopRequest,
};

/// What methods and measures work on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    /// The own columns and rows.
    pub portion: Portion<'a>,
    /// Those who hold the others.
    pub comm: &'a dyn Communicator,
    /// Bytes for cached products; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
}

impl<'a> Part<'a> {
    /// Everything, on one rank.
    pub(crate) fn whole(matrix: &'a dyn Matrix) -> Self {
        Self { portion: Portion::whole(matrix), comm: &OneRank, memory: None }
    }

    /// Anchors and their weights; collective.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub(crate) fn fit(&self, params: &Params) -> Result<Factorization> {
        self.fit_until(params, &StopRequest::new())
    }

    /// The same, until a request to stop is made; collective.
    ///
    /// # Errors
    /// If a parameter is outside its range, or the request comes before the first anchor.
    pub(crate) fn fit_until(&self, params: &Params, stop: &StopRequest) -> Result<Factorization> {
        let fit = Fit::part(self.portion, self.comm).memory(self.memory).stop(stop);
        Ok(fit.run(params)?)
    }

    /// The best weights of given anchors, `H = argmin ||X - X_A H||`; collective.
    ///
    /// # Errors
    /// If an anchor is out of range or listed twice, or its column is zero.
    pub(crate) fn with_anchors(&self, anchors: &[usize]) -> Result<Factorization> {
        let fixed = anchors.to_vec();
        self.fit(&Params { fixed, allow_negative: true, ..Params::new(anchors.len()) })
    }

    /// Some steps of alternating optimisation; collective.
    ///
    /// # Errors
    /// If the factors do not fit the matrix.
    pub(crate) fn refined(&self, start: Factors, iterations: usize) -> Result<Factors> {
        let refine = Refine::part(self.portion, self.comm).method(Refinement::Hals);
        Ok(refine.steps(iterations, 0.0).run(start)?)
    }
}
