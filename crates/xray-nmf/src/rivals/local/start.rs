//! Where local optimisation starts: random, from a truncated SVD (NNDSVD), or from given factors.
//!
//! **NNDSVD.** `X ~= sum_k s_k u_k v_k'`. The leading pair has one sign and is taken as it is. For every
//! other one the nonnegative parts `(u_+, v_+)` or `(u_-, v_-)` are taken, whichever pair has the
//! larger product of norms, so the sign of the pair does not matter:
//!
//! ```text
//! w_k = sqrt(s_k a) u_± / ||u_±||,   h_k = sqrt(s_k a) v_± / ||v_±||,   a = ||u_±|| ||v_±||
//! ```
//!
//! Reference: Boutsidis and Gallopoulos, "SVD based initialization: a head start for nonnegative
//! matrix factorization", Pattern Recognition 41 (2008).

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::comm::OneRank;
use crate::error::{Result, check_length};
use crate::factorization::Factorization;
use crate::matrix::Matrix;
use crate::refine::Factors;
use crate::rivals::decompose::truncated_svd;
use crate::stop::StopRequest;
use crate::svd::Triplet;

/// What stands for the zeros of NNDSVD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Fill {
    /// Zeros (NNDSVD): sparse factors.
    #[default]
    Zeros,
    /// The mean of X (NNDSVDa).
    Mean,
    /// Random numbers from 0 to a hundredth of the mean of X, from the seed (NNDSVDar).
    Random {
        /// Everything random follows from it.
        seed: u64,
    },
}

/// Where to start.
#[derive(Debug, Clone)]
pub enum Start<'a> {
    /// Absolute values of Gaussian numbers, scaled so that WH has about the mean of X.
    Random {
        /// Everything random follows from it.
        seed: u64,
    },
    /// From the truncated singular value decomposition.
    Nndsvd {
        /// What stands for zeros.
        fill: Fill,
    },
    /// The anchors and weights of a fit of the same matrix; its rank counts.
    Anchors(&'a Factorization),
    /// Any nonnegative factors; their rank counts.
    Factors(&'a Factors),
}

impl Start<'_> {
    /// W and H to start from, in the current pool.
    pub(super) fn factors(&self, matrix: &dyn Matrix, rank: usize) -> Result<Factors> {
        match *self {
            Start::Random { seed } => Ok(random(matrix, rank, seed)),
            Start::Nndsvd { fill } => nndsvd(matrix, rank, fill),
            Start::Anchors(found) => {
                check_length("anchors of the start", rank, found.rank())?;
                found.factors(&OneRank)
            }
            Start::Factors(factors) => {
                check_length("topics of the start", rank, factors.rank)?;
                Ok(factors.clone())
            }
        }
    }
}

/// The mean of the entries' magnitudes of X, added up column by column.
fn mean(matrix: &dyn Matrix) -> f64 {
    let sums = matrix.weighted_sums(&vec![1.0; matrix.n_rows()]);
    let count = matrix.n_rows() as f64 * matrix.n_columns() as f64;
    sums.iter().fold(0.0, |sum, v| sum + v.abs()) / count.max(1.0)
}

fn random(matrix: &dyn Matrix, rank: usize, seed: u64) -> Factors {
    let scale = (mean(matrix) / rank.max(1) as f64).sqrt();
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let w = gaussian(matrix.n_rows() * rank, scale, &mut generator);
    let h = gaussian(matrix.n_columns() * rank, scale, &mut generator);
    Factors { rank, w, h, objective: Vec::new(), method: None }
}

/// Absolute values of Gaussian numbers.
fn gaussian(count: usize, scale: f64, generator: &mut impl Rng) -> Vec<f64> {
    let one = |_| {
        let z: f64 = StandardNormal.sample(generator);
        scale * z.abs()
    };
    (0..count).map(one).collect()
}

fn nndsvd(matrix: &dyn Matrix, rank: usize, fill: Fill) -> Result<Factors> {
    let (m, n) = (matrix.n_rows(), matrix.n_columns());
    let (mut w, mut h) = (vec![0.0; m * rank], vec![0.0; n * rank]);
    for (k, triplet) in truncated_svd(matrix, rank, &StopRequest::new())?.iter().enumerate() {
        let (left, right) = nonnegative_pair(triplet, k == 0);
        left.iter().enumerate().for_each(|(d, v)| w[d * rank + k] = *v);
        right.iter().enumerate().for_each(|(j, v)| h[j * rank + k] = *v);
    }
    let mean = mean(matrix);
    match fill {
        Fill::Zeros => {}
        Fill::Mean => w.iter_mut().chain(&mut h).filter(|v| **v == 0.0).for_each(|v| *v = mean),
        Fill::Random { seed } => {
            let mut generator = ChaCha8Rng::seed_from_u64(seed);
            for v in w.iter_mut().chain(&mut h).filter(|v| **v == 0.0) {
                *v = gaussian(1, mean / 100.0, &mut generator)[0];
            }
        }
    }
    Ok(Factors { rank, w, h, objective: Vec::new(), method: None })
}

/// The larger nonnegative part of one singular pair, with its share of the singular value.
fn nonnegative_pair(triplet: &Triplet, leading: bool) -> (Vec<f64>, Vec<f64>) {
    let Triplet { value, left, right } = triplet;
    let part = |x: &[f64], sign: f64| -> Vec<f64> {
        let keep = |v: &f64| if leading { v.abs() } else { (sign * v).max(0.0) };
        x.iter().map(keep).collect()
    };
    let norm = |x: &[f64]| x.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
    let pair = |sign: f64| {
        let (u, v) = (part(left, sign), part(right, sign));
        let sizes = (norm(&u), norm(&v));
        (u, v, sizes)
    };
    let (plus, minus) = (pair(1.0), pair(-1.0));
    let (mut u, mut v, sizes) =
        if minus.2.0 * minus.2.1 > plus.2.0 * plus.2.1 { minus } else { plus };
    let share = (value * sizes.0 * sizes.1).sqrt();
    for (vector, size) in [(&mut u, sizes.0), (&mut v, sizes.1)] {
        let factor = if size > 0.0 { share / size } else { 0.0 };
        vector.iter_mut().for_each(|v| *v *= factor);
    }
    (u, v)
}
