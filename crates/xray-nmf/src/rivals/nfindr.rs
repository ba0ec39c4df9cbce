//! N-FINDR: the columns that span the simplex of largest volume.
//!
//! Columns, less their mean, are projected on their `r - 1` leading singular vectors: `y_j`, in units
//! of the longest. With `B = [1; y_A]` for r vertices A, putting column j in the place of vertex t
//! multiplies the volume by
//!
//! ```text
//! |det B(t <- j)| / |det B| = |(B^-1 [1; y_j])_t|
//! ```
//!
//! so a vertex is replaced by the column with the largest factor, as long as that is above one; all
//! vertices in turn, until none moves. The start is successive projection of the lifted columns
//! `[1; y_j]`, so nothing is random.
//!
//! Exact on separable data if the columns are scaled to sum 1 and the anchors are linearly
//! independent. There are never more anchors than the rank of X.
//!
//! Cost: a truncated singular value decomposition, then O(n r^2) a round. Memory: O(n r).
//!
//! Reference: Winter, "N-FINDR: an algorithm for fast autonomous spectral end-member determination in
//! hyperspectral data", SPIE 3753 (1999).

use rayon::prelude::*;

use super::anchors::Anchors;
use super::decompose::{centred_svd, mean_column};
use super::largest::largest;
use super::spa::{SpaParams, spa};
use crate::error::Result;
use crate::matrix::kernels::dot;
use crate::matrix::{DenseMatrix, Matrix};
use crate::params::Normalize;
use crate::small::inverse;
use crate::stop::StopRequest;

/// A volume must grow by this share: smaller growth is rounding.
const GROWTH: f64 = 1e-9;

/// Directions shorter than this share of X are rounding.
const FLAT: f64 = 1e-9;

/// The parameters of [`nfindr`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `normalize` | `None` | scale columns first; the method needs it unless they have equal sums | |
/// | `rounds` | 100 | how often each vertex may move | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct NfindrParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// Scaling of the columns.
    pub normalize: Normalize,
    /// How often each vertex may move.
    pub rounds: usize,
    /// Looked at in every round.
    pub stop: StopRequest,
}

impl NfindrParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self { rank, normalize: Normalize::None, rounds: 100, stop: StopRequest::new() }
    }
}

/// Finds the vertices of a large simplex. The scores are the heights of the vertices over the faces
/// of the others.
///
/// Negative entries are allowed. Ends with `Exhausted` when the columns span fewer dimensions.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{NfindrParams, nfindr};
/// // Columns 0 and 2 are the ends of a segment; column 1 is its middle.
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0])?;
/// let mut found = nfindr(&x, &NfindrParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If it is to stop.
pub fn nfindr(matrix: &dyn Matrix, params: &NfindrParams) -> Result<Anchors> {
    match params.normalize {
        Normalize::None => run(matrix, params),
        norm => run(&*matrix.normalized(norm), params),
    }
}

fn run(matrix: &dyn Matrix, params: &NfindrParams) -> Result<Anchors> {
    let NfindrParams { rank, rounds, ref stop, .. } = *params;
    let lit: Vec<bool> = matrix.squared_norms().iter().map(|&norm| norm > 0.0).collect();
    if rank == 0 || !lit.contains(&true) {
        return Ok(Anchors::none().ended(rank));
    }
    let (dimensions, lifted) = lifted(matrix, rank, &lit, stop)?;
    let points = DenseMatrix::from_column_major(dimensions, lit.len(), lifted.as_slice())?;
    let start = SpaParams { normalize: Normalize::None, ..SpaParams::new(rank.min(dimensions)) };
    let mut vertices = spa(&points, &start)?.anchors;
    for _ in 0..rounds {
        stop.check()?;
        if !improve(&lifted, dimensions, &mut vertices) {
            break;
        }
    }
    Ok(with_heights(&lifted, dimensions, vertices).ended(rank))
}

/// The dimension of `[1; y_j]`, and these vectors; zero where the column is.
fn lifted(
    matrix: &dyn Matrix,
    rank: usize,
    lit: &[bool],
    stop: &StopRequest,
) -> Result<(usize, Vec<f64>)> {
    let squares = matrix.squared_norms().iter().fold(0.0, |sum, v| sum + v);
    let mean = mean_column(matrix)?;
    let mut triplets = centred_svd(matrix, &mean, rank - 1, stop)?;
    triplets.retain(|triplet| triplet.value > FLAT * squares.sqrt());
    let k = triplets.len();
    let place = |l: usize, j: usize| triplets[l].value * triplets[l].right[j];
    let square = |j: usize| (0..k).fold(0.0, |sum, l| sum + place(l, j) * place(l, j));
    let longest = (0..lit.len()).map(square).fold(0.0, f64::max).sqrt().max(f64::MIN_POSITIVE);
    let mut lifted = Vec::with_capacity(lit.len() * (k + 1));
    for (j, &lit) in lit.iter().enumerate() {
        lifted.push(f64::from(u8::from(lit)));
        lifted.extend((0..k).map(|l| if lit { place(l, j) / longest } else { 0.0 }));
    }
    Ok((k + 1, lifted))
}

/// Moves every vertex once to where the volume is largest; whether one moved.
fn improve(lifted: &[f64], dimensions: usize, vertices: &mut [usize]) -> bool {
    if vertices.len() < dimensions {
        return false;
    }
    let mut moved = false;
    for t in 0..vertices.len() {
        let Some(inverse) = inverse(&corner(lifted, dimensions, vertices), dimensions) else {
            return false;
        };
        let row: Vec<f64> = (0..dimensions).map(|l| inverse[l * dimensions + t]).collect();
        let factors: Vec<f64> =
            lifted.par_chunks(dimensions).with_min_len(1024).map(|y| dot(&row, y).abs()).collect();
        let Some(best) = largest(&factors, &factors) else { return moved };
        if factors[best] > 1.0 + GROWTH {
            vertices[t] = best;
            moved = true;
        }
    }
    moved
}

/// B, column after column.
fn corner(lifted: &[f64], dimensions: usize, vertices: &[usize]) -> Vec<f64> {
    vertices.iter().flat_map(|&j| &lifted[j * dimensions..(j + 1) * dimensions]).copied().collect()
}

/// The height of vertex t is one over the length of row t of `B^-1`.
fn with_heights(lifted: &[f64], dimensions: usize, vertices: Vec<usize>) -> Anchors {
    let inverse = (vertices.len() == dimensions)
        .then(|| inverse(&corner(lifted, dimensions, &vertices), dimensions))
        .flatten();
    let mut found = Anchors::none();
    for (t, j) in vertices.into_iter().enumerate() {
        let square = |inverse: &Vec<f64>| {
            (0..dimensions).fold(0.0, |sum, l| sum + inverse[l * dimensions + t].powi(2))
        };
        found.push(j, inverse.as_ref().map_or(0.0, |inverse| 1.0 / square(inverse).sqrt()));
    }
    found
}
