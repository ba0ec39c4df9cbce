//! `rand`: look from a random exterior point.

use ::rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::look::{Exterior, Point};
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::ranks::Ranks;

#[derive(Debug)]
pub(super) struct Rand {
    random: ChaCha8Rng,
}

impl Rand {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed) }
    }
}

impl Exterior for Rand {
    fn point(&mut self, cone: &Cone<'_>, open: &dyn Fn(usize) -> bool) -> Result<Option<Point>> {
        let Ranks { comm, columns, .. } = *cone.ranks();
        let open: Vec<usize> = (0..columns.n_own()).filter(|&i| open(i)).collect();
        let counts = count_in_blocks(cone.ranks(), &open)?;
        let total: usize = counts.iter().sum();
        if total == 0 {
            return Ok(None);
        }
        // All ranks draw the same position among all exterior points in column order.
        let drawn = self.random.random_range(0..total);
        let (mut block, mut before) = (0, 0);
        while before + counts[block] <= drawn {
            before += counts[block];
            block += 1;
        }
        // Its owner alone knows which column that is.
        let start = columns.local(columns.block_lines(block).start);
        let own = start.map(|start| {
            let first = open.partition_point(|&i| i < start);
            columns.global(open[first + drawn - before]) as u64
        });
        let column = comm.gather(own.as_slice())?;
        Ok(column.first().map(|&j| Point { column: j as usize, evaluations: 1 }))
    }

    fn drawn(&self) -> u128 {
        self.random.get_word_pos()
    }

    fn set_drawn(&mut self, drawn: u128) {
        self.random.set_word_pos(drawn);
    }
}

/// How many of the listed own columns, and of those of the other ranks, each block of all has.
fn count_in_blocks(ranks: &Ranks<'_>, open: &[usize]) -> Result<Vec<usize>> {
    let Ranks { comm, columns, .. } = *ranks;
    let mut own = vec![0u64; columns.own_blocks().len()];
    open.iter().for_each(|i| own[i / columns.block_size()] += 1);
    let all = comm.gather(&own)?;
    let in_order = columns.in_block_order(&all, 1);
    Ok(in_order.iter().map(|count| count[0] as usize).collect())
}
