//! W and H, and how they are made from anchors.

use crate::comm::{Collectives, Communicator};
use crate::error::Result;
use crate::factorization::Factorization;
use crate::machine::afford;
use crate::ownership::Ownership;
use crate::refine::Refinement;

/// W (m x rank) and H (rank x n) with nonnegative entries, `X ~= WH`.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// Number of topics.
    pub rank: usize,
    /// W, one row for each row of X (on many ranks: the own ones), row after row.
    pub w: Vec<f64>,
    /// The transpose of H: one row for each column of X, row after row.
    pub h: Vec<f64>,
    /// The objective at the start and after each iteration; never increases, never negative.
    pub objective: Vec<f64>,
    /// How they were refined, if they were: never [`Refinement::Auto`].
    pub method: Option<Refinement>,
}

impl Factors {
    /// The same product WH, scaled so that the weights of different topics compare: each row of H has a
    /// sum and a length whose product is 1. Topics without any entry in H stay as they are.
    ///
    /// With rows of sum 1, broad topics win over narrow ones; with rows of length 1, it is the other
    /// way round.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::Factors;
    /// let (w, h) = (vec![1.0, 3.0], vec![0.0, 4.0]);
    /// let pair = Factors { rank: 1, w, h, objective: vec![], method: None };
    /// let scaled = pair.with_comparable_topics();
    /// assert_eq!((scaled.w, scaled.h), (vec![4.0, 12.0], vec![0.0, 1.0]));
    /// ```
    #[must_use]
    pub fn with_comparable_topics(mut self) -> Self {
        let rank = self.rank.max(1);
        let (mut sums, mut squares) = (vec![0.0; self.rank], vec![0.0; self.rank]);
        for line in self.h.chunks_exact(rank) {
            for (k, v) in line.iter().enumerate() {
                sums[k] += v;
                squares[k] += v * v;
            }
        }
        let size = |(sum, square): (&f64, &f64)| (sum * square.sqrt()).sqrt();
        let mut sizes: Vec<f64> = sums.iter().zip(&squares).map(size).collect();
        sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        for line in self.h.chunks_exact_mut(rank) {
            line.iter_mut().zip(&sizes).for_each(|(v, size)| *v /= size);
        }
        for line in self.w.chunks_exact_mut(rank) {
            line.iter_mut().zip(&sizes).for_each(|(v, size)| *v *= size);
        }
        self
    }
}

impl Factorization {
    /// `W = X_A` and H as the start of a refinement: W of the own rows, H of all columns. Every rank calls
    /// this.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn factors(&self, comm: &dyn Communicator) -> Result<Factors> {
        let rank = self.rank();
        let rows = Ownership::rows(self.n_rows(), comm);
        afford::<f64>("W", rows.n_own().saturating_mul(rank))?;
        let mut w = vec![0.0; rows.n_own() * rank];
        for (k, column) in self.anchor_columns().iter().enumerate() {
            column.for_each(|d, v| {
                if let Some(place) = rows.local(d) {
                    w[place * rank + k] = v.max(0.0);
                }
            });
        }
        // The columns of one rank travel at a time, without zeros: H is dense in one place only.
        afford::<f64>("H", self.n_columns().saturating_mul(rank))?;
        let mut h = vec![0.0; self.n_columns() * rank];
        let mut put = |[column, anchor, value]: [u64; 3]| {
            h[column as usize * rank + anchor as usize] = f64::from_bits(value);
        };
        if comm.is_alone() {
            self.own_entries().for_each(&mut put);
        }
        for root in (0..comm.size()).filter(|_| !comm.is_alone()) {
            let own = root == comm.rank();
            let mut entries = if own { self.own_entries().collect() } else { Vec::new() };
            comm.share(root, &mut entries)?;
            entries.into_iter().for_each(&mut put);
        }
        Ok(Factors { rank, w, h, objective: Vec::new(), method: None })
    }

    /// Column, anchor and bits of each weight of the own columns.
    fn own_entries(&self) -> impl Iterator<Item = [u64; 3]> {
        let columns = self.own_columns();
        (0..self.coefficients().n_columns()).flat_map(move |i| {
            let (anchors, weights) = self.coefficients().column(i);
            let column = columns.global(i) as u64;
            let entries = anchors.iter().zip(weights);
            entries.map(move |(&k, v)| [column, u64::from(k), v.to_bits()])
        })
    }
}
