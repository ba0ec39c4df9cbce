//! Anchors under noise: where they are sought, and what is taken for noise.
//!
//! With `X ~ U S V'` of the leading r singular triplets, noise and its edge are
//!
//! ```text
//! sigma^2 = (||X||_F^2 - sum_{i<=r} s_i^2) / ((m-r)(n-r)),   edge = sigma (sqrt m + sqrt n)
//! ```
//!
//! and k is the number of `s_i` (i <= r) above the edge. The *gate* decides what is searched (Z), and tau is the deviation of the
//! noise in each of its coordinates:
//!
//! | gate | when | Z | tau |
//! |---|---|---|---|
//! | open | k = r | `V_r'` | `sigma / s_l` |
//! | partly open | `2 <= k < r` and `s_h > 3 edge`, `h = floor((k + 3) / 2)` | `V_k'` | `sigma / s_l` |
//! | shut | else | X | sigma |
//!
//! Then the rule is `dist`, from a cone that begins with the mean, with a guard against noise: `R_i'Z_j - ||tau o R_i||` in place of
//! `R_i'Z_j`. Sizes are those of X, and so are weights and residuals of the answer. Where `min(m, n) <= r` noise cannot be
//! estimated, and the rule is `max`.
//!
//! On separable data sigma is 0 and `V_k'` with k = rank is injective on the span of X, so extreme rays stay extreme: the answer
//! is exact. With the gate open the anchors of rank k are not the first k of a larger rank: V depends on r.
//!
//! Cost beside `dist`: a truncated singular value decomposition, by products with X and X' alone, and n k numbers.

mod guard;
mod outliers;

pub(crate) use guard::Guard;
pub(crate) use outliers::prune;

use crate::choices;
use crate::error::Result;
use crate::matrix::{DenseMatrix, Matrix};
use crate::params::{Normalize, Params};
use crate::ranks::Ranks;
use crate::select::Selection;
use crate::svd::{Decomposed, Effort, Triplet};

/// Singular values below this share of the largest are rounding.
const LEAST_VALUE: f64 = 1e-7;
/// What is left beside the leading triplets is rounding below this share of the whole.
const LEAST_REST: f64 = 1e-12;
/// The middle direction that is visible stands so many times above the edge, if the gate is partly open.
const FAR_ABOVE: f64 = 3.0;
/// What the gate needs to know of singular values; directions that are still mixed are about as strong.
const EFFORT: Effort = Effort { most_rounds: 100, converged: 1e-10 };

choices! {
    /// What a robust fit decided about noise.
    pub enum Gate ("gate") {
        Whitened = "whitened": "all directions stand above the noise: anchors were sought where it is even",
        PartlyWhitened = "partly-whitened": "anchors were sought in the directions above the noise",
        Shut = "noise-too-strong": "too few directions stand above the noise: anchors were sought in the data as it is",
        Unknown = "no-estimate": "as many anchors as rows or columns: the noise is not known, and the rule was max",
    }
}

/// The noise of a matrix, as a robust fit saw it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Noise {
    /// What was decided.
    pub gate: Gate,
    /// The deviation of the noise of an entry, sigma.
    pub deviation: f64,
    /// What noise alone reaches in any direction.
    pub edge: f64,
    /// Directions above the edge, k.
    pub directions: usize,
}

/// What is searched instead of X, and how.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) noise: Noise,
    /// Own columns of Z, if it is not X.
    pub(crate) whitened: Option<DenseMatrix<'static, f64>>,
    pub(crate) guard: Option<Guard>,
}

impl View {
    /// Looks at the own columns of X; collective.
    ///
    /// # Errors
    /// If it is to stop, or the ranks cannot exchange data.
    pub(crate) fn new(matrix: &dyn Matrix, ranks: Ranks<'_>, rank: usize) -> Result<Self> {
        let (m, n) = (matrix.n_rows(), ranks.columns.n());
        if m.min(n) <= rank {
            let noise = Noise { gate: Gate::Unknown, deviation: 0.0, edge: 0.0, directions: 0 };
            return Ok(Self { noise, whitened: None, guard: None });
        }
        let squared_norms = matrix.squared_norms();
        let total =
            ranks.sum_blocks(|own| squared_norms[own].iter().fold(0.0, |sum, v| sum + v))?;
        let triplets = Decomposed { matrix, ranks, centre: None }.leading(rank, EFFORT)?;
        let noise = judged(&triplets, (m, n, rank), total);
        let Noise { gate, deviation, directions, .. } = noise;
        let is_open = matches!(gate, Gate::Whitened | Gate::PartlyWhitened);
        if !is_open {
            let guard = (deviation > 0.0).then_some(Guard::Even(deviation));
            return Ok(Self { noise, whitened: None, guard });
        }
        let kept = &triplets[..directions];
        let values = (0..matrix.n_columns()).flat_map(|j| kept.iter().map(move |t| t.right[j]));
        let whitened = DenseMatrix::from_column_major(
            directions,
            matrix.n_columns(),
            values.collect::<Vec<_>>(),
        )?;
        let tau = kept.iter().map(|t| deviation / t.value).collect();
        let guard = (deviation > 0.0).then_some(Guard::Directions(tau));
        Ok(Self { noise, whitened: Some(whitened), guard })
    }

    /// The parameters that this view is searched with.
    pub(crate) fn params(&self, params: &Params) -> Params {
        let known = self.noise.gate != Gate::Unknown;
        let selection = if known { Selection::Dist } else { Selection::Max };
        Params { selection, mean_ray: known, normalize: Normalize::None, ..params.clone() }
    }
}

/// Noise, edge and gate of an m x n matrix by its leading triplets; `total` is `||X||_F^2`.
fn judged(triplets: &[Triplet], (m, n, rank): (usize, usize, usize), total: f64) -> Noise {
    let value = |i: usize| triplets.get(i).map_or(0.0, |t| t.value);
    let explained = (0..rank).fold(0.0, |sum, i| sum + value(i) * value(i));
    let rest = total - explained;
    let rest = if rest > LEAST_REST * total { rest } else { 0.0 };
    let deviation = (rest / ((m - rank) as f64 * (n - rank) as f64)).sqrt();
    let edge = deviation * ((m as f64).sqrt() + (n as f64).sqrt());
    let above = edge.max(LEAST_VALUE * value(0));
    let directions = (0..rank).filter(|&i| value(i) > above).count();
    let middle = directions.div_ceil(2);
    let gate = if directions == rank {
        Gate::Whitened
    } else if directions >= 2 && value(middle) > FAR_ABOVE * edge {
        Gate::PartlyWhitened
    } else {
        Gate::Shut
    };
    Noise { gate, deviation, edge, directions }
}
