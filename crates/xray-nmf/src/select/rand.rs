//! `rand`: look from a random exterior point.

use ::rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::exterior::Settled;
use super::{Candidates, Detect, Detection, Memory};
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::ownership::Ownership;

pub(crate) struct Rand {
    settled: Settled,
    random: ChaCha8Rng,
    evaluations: u64,
}

impl Rand {
    pub(crate) fn new(cone: &Cone<'_>, seed: u64) -> Self {
        Self {
            settled: Settled::new(cone.layout.n_own()),
            random: ChaCha8Rng::seed_from_u64(seed),
            evaluations: 0,
        }
    }
}

/// How many of the listed own columns, and of those of the other ranks, each block of all has.
fn count_in_blocks(cone: &Cone<'_>, open: &[usize]) -> Result<Vec<usize>> {
    let mut own = vec![0u64; cone.layout.own_blocks().len()];
    open.iter().for_each(|i| own[i / cone.layout.block_size()] += 1);
    let all = cone.comm.gather(&own)?;
    let in_order = cone.layout.in_block_order(&all, 1);
    Ok(in_order.iter().map(|count| count[0] as usize).collect())
}

impl Detect for Rand {
    fn detect(&mut self, cone: &Cone<'_>, choice: &Candidates) -> Result<Option<Detection>> {
        let Rand { settled, random, evaluations } = self;
        settled.look(cone, choice, |settled| {
            *evaluations += 1;
            let open: Vec<usize> = (0..cone.residuals.len())
                .filter(|&i| settled.is_open(cone, i, choice.tolerance))
                .collect();
            let counts = count_in_blocks(cone, &open)?;
            let total: usize = counts.iter().sum();
            if total == 0 {
                return Ok(None);
            }
            // All ranks draw the same position among all exterior points in column order.
            let drawn = random.random_range(0..total);
            let (mut block, mut before) = (0, 0);
            while before + counts[block] <= drawn {
                before += counts[block];
                block += 1;
            }
            let start = cone.layout.local(cone.layout.block_lines(block).start);
            let own = start.map(|start| {
                let first = open.partition_point(|&i| i < start);
                cone.layout.global(open[first + drawn - before]) as u64
            });
            let point = cone.comm.gather(own.as_slice())?;
            Ok(point.first().map(|&j| j as usize))
        })
    }

    fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
    }

    fn memory(&self, layout: &Ownership) -> Memory {
        Memory { settled: self.settled.columns(layout), drawn: self.random.get_word_pos() }
    }

    fn recall(&mut self, layout: &Ownership, memory: &Memory) {
        self.settled.recall(layout, &memory.settled);
        self.random.set_word_pos(memory.drawn);
    }
}
