//! What is searched, and what is answered for.
//!
//! With a mean ray or scaled columns, anchors are looked for on other data than the answer is about. The
//! second cone, which follows the anchors on X as given, is this file's secret.

use crate::candidates::Candidates;
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::gram::Gram;
use crate::held_out::HeldOut;
use crate::matrix::Matrix;
use crate::mean;
use crate::params::Params;
use crate::project::ChangeBlock;
use crate::ranks::Ranks;
use crate::robust::Guard;

/// The matrices of a run, on one rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Data<'a> {
    /// X as given.
    pub(crate) given: &'a dyn Matrix,
    /// What is searched instead, if it is something else: X with scaled columns, or in other coordinates.
    pub(crate) scaled: Option<&'a dyn Matrix>,
    /// Whether that is in other coordinates: signs and sums of its entries mean nothing.
    pub(crate) whitened: bool,
    /// What is taken for noise, if anything is.
    pub(crate) guard: Option<&'a Guard>,
    /// Held-out rows of the same columns.
    pub(crate) held_out: Option<&'a dyn Matrix>,
    /// Whether any of them has negative entries, on any rank.
    pub(crate) signed: bool,
}

/// What an anchor changed.
#[derive(Debug)]
pub(crate) struct Changes {
    /// Of the cone that is searched.
    pub(crate) searched: Vec<ChangeBlock>,
    /// Of the cone that is answered for, if it is another.
    answer: Option<Vec<ChangeBlock>>,
}

/// What an anchor brought, on X as given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effect {
    pub(crate) residual: f64,
    pub(crate) held_out: Option<f64>,
    pub(crate) changed_columns: usize,
}

/// The cone that is searched for anchors, with all that follows it.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) cone: Cone<'a>,
    pub(crate) candidates: Candidates,
    answer: Option<Cone<'a>>,
    held_out: Option<HeldOut<'a>>,
    /// Whether the rule reads how much weights changed, or only that they did.
    pub(crate) records: bool,
    /// What is taken for noise, if anything is.
    pub(crate) guard: Option<Guard>,
}

impl<'a> Search<'a> {
    /// Before the first anchor; with `memory` bytes for cached products of each cone.
    pub(crate) fn new(
        params: &Params,
        ranks: Ranks<'a>,
        data: Data<'a>,
        memory: usize,
    ) -> Result<Self> {
        let Data { given, scaled, whitened, guard, held_out, signed } = data;
        let cone = |matrix: &'a dyn Matrix, signed: bool| {
            Cone::new(Gram::new(matrix, ranks, memory), signed, params.descent())
        };
        let searched = cone(scaled.unwrap_or(given), signed || whitened)?;
        let follows = scaled.is_some() || params.mean_ray;
        Ok(Self {
            candidates: Candidates::new(params, &searched, whitened.then_some((given, signed)))?,
            cone: searched,
            answer: if follows { Some(cone(given, signed)?) } else { None },
            held_out: held_out.map(|rows| HeldOut::new(rows, ranks, params)).transpose()?,
            records: false,
            guard: guard.cloned(),
        })
    }

    /// Starts the cone with the mean ray, if that is of use.
    pub(crate) fn start_with_mean(&mut self) -> Result<Option<Changes>> {
        let admitted = mean::start_with_mean(&mut self.cone, self.candidates.tolerance)?;
        if !admitted {
            return Ok(None);
        }
        let changes = Changes { searched: self.cone.project(self.records)?, answer: None };
        self.cone.settle();
        Ok(Some(changes))
    }

    /// Steps 2 and 3: the anchor enters the cone, and all columns are projected onto it.
    pub(crate) fn admit(&mut self, column: usize) -> Result<Changes> {
        self.candidates.withdraw(column);
        self.cone.admit(column)?;
        let searched = self.cone.project(self.records)?;
        let mut answer = None;
        if let Some(cone) = &mut self.answer {
            cone.admit(column)?;
            answer = Some(cone.project(false)?);
        }
        Ok(Changes { searched, answer })
    }

    /// What the newest anchor brought.
    pub(crate) fn effect(&mut self, anchor: usize, changes: &Changes) -> Result<Effect> {
        let cone = self.answer.as_ref().unwrap_or(&self.cone);
        let changes = changes.answer.as_ref().unwrap_or(&changes.searched);
        let own: usize = changes.iter().map(|block| block.columns.len()).sum();
        let changed_columns = cone.ranks().comm.total(own)?;
        let held_out = self.held_out.as_mut();
        let held_out = held_out.map(|test| test.error_with(anchor, cone, changes)).transpose()?;
        let residual = (cone.residual()? / cone.total).sqrt();
        Ok(Effect { residual, held_out, changed_columns })
    }

    /// The step of the newest anchor is complete.
    pub(crate) fn settle(&mut self) {
        self.cone.settle();
        self.answer.iter_mut().for_each(Cone::settle);
    }

    /// Takes back the newest anchor, if its step is not complete. What is left is good for an answer only.
    pub(crate) fn retract(&mut self) {
        self.cone.retract();
        self.answer.iter_mut().for_each(Cone::retract);
    }

    /// The cone of X as given.
    pub(crate) fn into_answer(self) -> Cone<'a> {
        self.answer.unwrap_or(self.cone)
    }
}
