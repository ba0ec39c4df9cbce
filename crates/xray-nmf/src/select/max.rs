//! `max`: look from the exterior point with the largest residual, `i = argmax_k ||R_k||`.
//!
//! Needs the residual norms only, which the projection keeps; one or two products `X'x` a step.

use super::exterior::{Settled, first_largest};
use super::{Candidates, Detect, Detection, Memory};
use crate::cone::Cone;
use crate::error::Result;
use crate::ownership::Ownership;

pub(crate) struct Max {
    settled: Settled,
    evaluations: u64,
}

impl Max {
    pub(crate) fn new(cone: &Cone<'_>) -> Self {
        Self { settled: Settled::new(cone.layout.n_own()), evaluations: 0 }
    }
}

impl Detect for Max {
    fn detect(&mut self, cone: &Cone<'_>, choice: &Candidates) -> Result<Option<Detection>> {
        let evaluations = &mut self.evaluations;
        self.settled.look(cone, choice, |settled| {
            *evaluations += 1;
            let residual =
                |i| settled.is_open(cone, i, choice.tolerance).then(|| cone.residuals[i]);
            let residuals: Vec<Option<f64>> = (0..cone.residuals.len()).map(residual).collect();
            first_largest(cone, &residuals)
        })
    }

    fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
    }

    fn memory(&self, layout: &Ownership) -> Memory {
        Memory { settled: self.settled.columns(layout), ..Memory::default() }
    }

    fn recall(&mut self, layout: &Ownership, memory: &Memory) {
        self.settled.recall(layout, &memory.settled);
    }
}
