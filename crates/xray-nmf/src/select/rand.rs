//! `rand`: look from a random exterior point.

use ::rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::exterior::Settled;
use super::{Candidates, Detect, Detection, Memory};
use crate::comm::{Communicator, gather_f64};
use crate::cone::Cone;
use crate::error::Result;
use crate::layout::Layout;
use crate::matrix::Matrix;

pub(crate) struct Rand {
    settled: Settled,
    random: ChaCha8Rng,
    evaluations: u64,
}

impl Rand {
    pub(crate) fn new<M: Matrix, K: Communicator>(cone: &Cone<'_, M, K>, seed: u64) -> Self {
        Self {
            settled: Settled::new(cone.layout.n_own()),
            random: ChaCha8Rng::seed_from_u64(seed),
            evaluations: 0,
        }
    }
}

impl<M: Matrix, K: Communicator> Detect<M, K> for Rand {
    fn detect(&mut self, cone: &Cone<'_, M, K>, choice: &Candidates) -> Result<Option<Detection>> {
        let Rand { settled, random, evaluations } = self;
        settled.look(cone, choice, |settled| {
            *evaluations += 1;
            let open: Vec<usize> = (0..cone.residuals.len())
                .filter(|&i| settled.is_open(cone, i, choice.tolerance))
                .collect();
            let counts = gather_f64(cone.comm, &[open.len() as f64])?;
            let total = counts.iter().sum::<f64>() as usize;
            if total == 0 {
                return Ok(None);
            }
            // All ranks draw the same position among all exterior points in column order.
            let drawn = random.random_range(0..total);
            let before = counts[..cone.comm.rank()].iter().sum::<f64>() as usize;
            let own = drawn.checked_sub(before).and_then(|q| open.get(q));
            let own = own.map_or(-1.0, |&i| cone.layout.global(i) as f64);
            let point = gather_f64(cone.comm, &[own])?.into_iter().fold(-1.0, f64::max);
            Ok(Some(point as usize))
        })
    }

    fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
    }

    fn memory(&self, layout: &Layout) -> Memory {
        Memory { settled: self.settled.columns(layout), drawn: self.random.get_word_pos() }
    }

    fn recall(&mut self, layout: &Layout, memory: &Memory) {
        self.settled.recall(layout, &memory.settled);
        self.random.set_word_pos(memory.drawn);
    }
}
