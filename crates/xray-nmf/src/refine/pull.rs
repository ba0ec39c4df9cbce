//! Topics that stay with the words they were begun with.
//!
//! A topic t that begins with given columns, its seeds, has as its anchor their mean: `w0_t`, of length 1.
//! Refinement alone would wash that out. With a strength s between 0 and 1 it minimises
//!
//! ```text
//! F = ||X - WH||^2 + sum_t nu_t ||H_t||^2 ||W_t - a_t w0_t||^2,   a_t = w0_t'W_t
//! nu_t = s / (1 - s) max(1, e / e_t),   e_k = ||W_k||^2 ||H_k||^2 at the start, e their mean
//! ```
//!
//! which does not depend on how a topic is scaled between W and H, and so cannot be escaped by scaling. Only
//! what holds W keeps a topic about its seeds: raising their weights in H puts the words on top of another topic.
//! A weak topic is pulled harder (`e / e_t`), or it would become a part of the rest.
//! Seeds have no weight in topics that are not theirs. With s = 1 the columns `W_t` do not move at all.
//!
//! Both half steps stay what they are, with another matrix and other targets, so F never rises:
//!
//! - rows: `S = HH' + diag(nu_t ||H_t||^2)`, targets `h_t'x_d + nu_t ||H_t||^2 a_t w0_dt`, with `a_t` from W
//!   before the step (a smaller a_t for the new W can only lower F); what held topics explain is taken from the
//!   targets of the others;
//! - columns: `S = W'W + diag(nu_t ||W_t - a_t w0_t||^2)`, and a target of 0 where a seed has no weight: as
//!   W'W has no negative entry, a weight of 0 stays.

use std::collections::BTreeMap;

use super::travel::Parts;
use crate::error::{Error, Result};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::add_scaled;
use crate::ownership::Ownership;

/// The hardest pull that is not a hold.
const HARDEST: f64 = 1e4;

/// Columns that the first topics were begun with, and how far these topics stay with them.
///
/// # Examples
/// ```
/// use xray_nmf::SeededTopics;
/// // The first topic begins with columns 3 and 7, the second one with column 5.
/// let seeded = SeededTopics { columns: vec![vec![3, 7], vec![5]], strength: SeededTopics::STRENGTH };
/// assert_eq!(seeded.strength, 0.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SeededTopics {
    /// The seeds of each of the first topics; a column may belong to several.
    pub columns: Vec<Vec<usize>>,
    /// From 0 (they are only where the refinement starts) to 1 (W of these topics does not move).
    pub strength: f64,
}

impl SeededTopics {
    /// The strength if nothing is said: the seeds stay what the topic is about, and the fit hardly suffers.
    pub const STRENGTH: f64 = 0.5;

    /// No seeds.
    pub const NONE: Self = Self { columns: Vec::new(), strength: 0.0 };

    /// Whether they are more than a start.
    pub fn are_held(&self) -> bool {
        self.strength > 0.0 && !self.columns.is_empty()
    }

    /// The topics that each seed belongs to.
    fn topics_of_seeds(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut topics = BTreeMap::<usize, Vec<usize>>::new();
        for (t, columns) in self.columns.iter().enumerate() {
            columns.iter().for_each(|&j| topics.entry(j).or_default().push(t));
        }
        topics
    }

    pub(super) fn check(&self, rank: usize, n_columns: usize) -> Result<()> {
        if !(0.0..=1.0).contains(&self.strength) {
            let allowed = "from 0 (only a start) to 1 (held)";
            return Err(Error::Parameter {
                name: "strength",
                value: self.strength.to_string(),
                allowed,
            });
        }
        if self.columns.len() > rank {
            let (value, allowed) =
                (self.columns.len().to_string(), "at most one list of seeds a topic");
            return Err(Error::Parameter { name: "lists of seeds", value, allowed });
        }
        match self.columns.iter().flatten().find(|&&j| j >= n_columns) {
            Some(j) => {
                let allowed = "seeds are columns of the matrix";
                Err(Error::Parameter { name: "seed", value: j.to_string(), allowed })
            }
            None => Ok(()),
        }
    }
}

/// Seeds have no weight in topics that are not theirs.
#[derive(Debug)]
pub(super) struct Mask {
    topics_of_seeds: BTreeMap<usize, Vec<usize>>,
}

impl Mask {
    pub(super) fn new(seeded: &SeededTopics) -> Self {
        let held = seeded.are_held();
        Self { topics_of_seeds: if held { seeded.topics_of_seeds() } else { BTreeMap::new() } }
    }

    /// Makes the numbers of column j zero in topics to which it does not belong.
    pub(super) fn clear(&self, j: usize, topics: &mut [f64]) {
        if let Some(own) = self.topics_of_seeds.get(&j) {
            let others = topics.iter_mut().enumerate().filter(|(k, _)| !own.contains(k));
            others.for_each(|(_, v)| *v = 0.0);
        }
    }

    /// The same for all columns.
    pub(super) fn clear_all(&self, h: &mut [f64], rank: usize) {
        for &j in self.topics_of_seeds.keys() {
            self.clear(j, &mut h[j * rank..(j + 1) * rank]);
        }
    }
}

/// Topics that are drawn to where they began.
#[derive(Debug)]
pub(super) struct Pull {
    /// `nu_t` of the first topics; infinite where W does not move.
    forces: Vec<f64>,
    /// `w0`: a line of one entry for each of these topics, for each own row.
    towards: Vec<f64>,
    pub(super) mask: Mask,
}

impl Pull {
    /// From the start of a refinement; H loses the weights that its seeds may not have. Collective.
    pub(super) fn new(
        parts: &Parts<'_>,
        seeded: &SeededTopics,
        w: &[f64],
        h: &mut [f64],
    ) -> Result<Self> {
        let (rank, mask) = (parts.rank, Mask::new(seeded));
        mask.clear_all(h, rank);
        if !seeded.are_held() {
            return Ok(Self { forces: Vec::new(), towards: Vec::new(), mask });
        }
        let of_w = parts.sum_over_rows(w, rank, |_, z, sums| add_squares(sums, z))?;
        let mut of_h = vec![0.0; rank];
        h.chunks_exact(rank).for_each(|z| add_squares(&mut of_h, z));
        let energies: Vec<f64> = of_w.iter().zip(&of_h).map(|(w, h)| w * h).collect();
        let mean = energies.iter().fold(0.0, |sum, e| sum + e) / rank as f64;
        let n_pulled = seeded.columns.len();
        let force = |energy: &f64| {
            let weak = if *energy > 0.0 { (mean / energy).max(1.0) } else { HARDEST };
            let odds = seeded.strength / (1.0 - seeded.strength);
            if odds.is_finite() { (odds * weak).min(HARDEST) } else { f64::INFINITY }
        };
        let lengths: Vec<f64> = of_w[..n_pulled].iter().map(|square| square.sqrt()).collect();
        let unit = |(v, length): (&f64, &f64)| if *length > 0.0 { v / length } else { 0.0 };
        let towards = w.chunks_exact(rank).flat_map(|z| z.iter().zip(&lengths).map(unit));
        let towards = towards.collect();
        Ok(Self { forces: energies[..n_pulled].iter().map(force).collect(), towards, mask })
    }

    fn n_pulled(&self) -> usize {
        self.forces.len()
    }

    /// `a_t = w0_t'W_t`; collective.
    fn along(&self, parts: &Parts<'_>, w: &[f64]) -> Result<Vec<f64>> {
        let n = self.n_pulled();
        if n == 0 {
            return Ok(Vec::new());
        }
        parts.sum_over_rows(w, n, |d, z, sums| {
            let towards = &self.towards[d * n..(d + 1) * n];
            sums.iter_mut().zip(z.iter().zip(towards)).for_each(|(sum, (w, to))| *sum += w * to);
        })
    }

    /// What the rows of W are to minimise, given `S = HH'` and W before the step; collective.
    pub(super) fn of_rows(
        &self,
        parts: &Parts<'_>,
        s: NormalMatrix,
        w: &[f64],
    ) -> Result<(NormalMatrix, RowPull<'_>)> {
        let along = self.along(parts, w)?;
        let mut pull = RowPull { towards: &self.towards, topics: Vec::new() };
        for (t, (force, along)) in self.forces.iter().zip(along).enumerate() {
            let square = s.row(t)[t];
            pull.topics.push(if force.is_finite() {
                PulledTopic::Drawn(force * square * along)
            } else {
                let mut others = s.row(t).to_vec();
                others[t] = 0.0;
                PulledTopic::Held(others)
            });
        }
        let force = |k: usize| self.forces.get(k).copied().unwrap_or(0.0);
        let pulled = s.map(|k, l, v| match (force(k), force(l)) {
            (one, other) if one.is_infinite() || other.is_infinite() => 0.0,
            (force, _) if k == l => v + force * v,
            _ => v,
        });
        Ok((pulled, pull))
    }

    /// What the columns of H are to minimise, given `S = W'W`; collective.
    pub(super) fn of_columns(
        &self,
        parts: &Parts<'_>,
        s: NormalMatrix,
        w: &[f64],
    ) -> Result<NormalMatrix> {
        let along = self.along(parts, w)?;
        Ok(s.map(|k, l, v| match self.forces.get(k) {
            Some(force) if k == l && force.is_finite() => {
                v + force * (v - along[k] * along[k]).max(0.0)
            }
            _ => v,
        }))
    }
}

/// What one of the first topics asks of the rows.
enum PulledTopic {
    /// `nu_t ||H_t||^2 a_t`.
    Drawn(f64),
    /// It does not move: `h_t'h_k` of the others.
    Held(Vec<f64>),
}

/// How the targets of rows change.
pub(super) struct RowPull<'a> {
    towards: &'a [f64],
    topics: Vec<PulledTopic>,
}

impl RowPull<'_> {
    /// Changes the target of the own row d, whose weights are `z`.
    pub(super) fn shift(&self, d: usize, z: &[f64], target: &mut [f64]) {
        let towards = &self.towards[d * self.topics.len()..];
        for (t, (topic, to)) in self.topics.iter().zip(towards).enumerate() {
            match topic {
                PulledTopic::Drawn(pull) => target[t] += pull * to,
                PulledTopic::Held(others) => add_scaled(target, others, -z[t]),
            }
        }
    }
}

fn add_squares(sums: &mut [f64], z: &[f64]) {
    sums.iter_mut().zip(z).for_each(|(sum, v)| *sum += v * v);
}

impl Parts<'_> {
    /// The sum over all rows d of what `add(own place of d, line of W, sums)` adds to `width` numbers, in blocks of
    /// rows, so that it is the same on any number of ranks.
    fn sum_over_rows(
        &self,
        w: &[f64],
        width: usize,
        add: impl Fn(usize, &[f64], &mut [f64]),
    ) -> Result<Vec<f64>> {
        let blocks = w.chunks(Ownership::ROW_BLOCK * self.rank).enumerate();
        let heads: Vec<Vec<f64>> = blocks
            .map(|(q, block)| {
                let mut sums = vec![0.0; width];
                let lines = block.chunks_exact(self.rank).enumerate();
                lines.for_each(|(l, z)| add(q * Ownership::ROW_BLOCK + l, z, &mut sums));
                sums
            })
            .collect();
        let mut total = vec![0.0; width];
        self.travel(&[], &heads, width, |_, part, _| add_scaled(&mut total, part, 1.0))?;
        Ok(total)
    }
}
