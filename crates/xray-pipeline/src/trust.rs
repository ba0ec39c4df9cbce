//! May these anchors be trusted? How often they come back when half of the rows is all there is.
//!
//! The *stability* of anchor a is the share of ten refits, each on a random half of the rows, in which it comes back: some column b
//! that is chosen there is made of a by four fifths, `h_ab d_a >= .8 sum_c h_cb d_c` with the weights H and sizes d of the whole fit.
//! Over drawn data with known anchors, nearly all anchors with a stability of .95 and more are right, and of those below .5 about
//! half (docs/results/noise.md). It is not the stability of a topic, which asks for the same documents. The margin of an anchor is
//! no such thing at all: wrong anchors often win by more. Outliers are stable: they are there in every half.

use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Factorization, Fit, Params, choices, split_rows};

use crate::corpus::DistributedMatrix;
use crate::error::{Error, Result};
use crate::watch::{Event, Progress, Stage};

/// Refits, each on half of the rows.
pub const REFITS: usize = 10;
/// The part of a column that is made of an anchor, if it is the same ray up to noise.
const SAME_RAY: f64 = 0.8;
/// Seeds of the halves begin here, after that of the run.
const FIRST_SEED: u64 = 1_001;

choices! {
    /// What the stability of an anchor says, in words.
    pub enum Trust ("trust") {
        Stable = "stable": "it comes back in nearly every half of the rows",
        Uncertain = "uncertain": "it comes back in more than half of them",
        Doubtful = "do not trust": "it does not come back in half of them",
    }
}

impl Trust {
    /// Of a stability.
    pub fn of(stability: f64) -> Self {
        match stability {
            s if s >= 0.95 => Trust::Stable,
            s if s >= 0.5 => Trust::Uncertain,
            _ => Trust::Doubtful,
        }
    }
}

/// The stability of every anchor of a fit with these parameters, whose refits have so many bytes for cached products;
/// collective.
///
/// # Errors
/// If a refit fails, or `progress` stops the work.
pub fn anchor_stability(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    found: &Factorization,
    params: &Params,
    memory: Option<usize>,
    progress: &mut dyn Progress,
) -> Result<Vec<f64>> {
    let anchors = found.anchors();
    let sizes = anchor_sizes(comm, matrix, found, params)?;
    let stop = progress.stop();
    let mut again = vec![0_usize; anchors.len()];
    let mut stopped = progress.tell(Event::Begin(Stage::Stability, REFITS)).is_break();
    for s in 0..REFITS as u64 {
        let (rows, _) = split_rows(matrix.n_rows(), 0.5, params.seed.wrapping_add(FIRST_SEED + s));
        let half = matrix.rows_at(comm, &rows)?;
        let own = Params {
            row_weights: params.row_weights.as_ref().map(|p| rows.iter().map(|&d| p[d]).collect()),
            ..params.clone()
        };
        let chosen =
            Fit::part(half.portion(), comm).memory(memory).stop(&stop).run(&own)?.anchors();
        for (count, back) in again.iter_mut().zip(came_back(comm, found, &sizes, &chosen)?) {
            *count += usize::from(back);
        }
        stopped |= progress.tell(Event::Advance).is_break();
        if comm.any(stopped)? {
            return Err(Error::Fit(xray_nmf::Error::Stopped));
        }
    }
    Ok(again.into_iter().map(|count| count as f64 / REFITS as f64).collect())
}

/// `d_a = p'x_a` of every anchor, on all ranks.
fn anchor_sizes(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    found: &Factorization,
    params: &Params,
) -> Result<Vec<f64>> {
    let (columns, own) = (matrix.columns().as_matrix(), found.own_columns());
    let weight = |d: usize| params.row_weights.as_ref().map_or(1.0, |p| p[d]);
    let mut sizes = Vec::new();
    for anchor in found.anchors() {
        let mut size = 0.0;
        let local = own.local(anchor);
        local.into_iter().for_each(|i| columns.column(i).for_each(|d, v| size += weight(d) * v));
        sizes.push(if local.is_some() { size } else { f64::NEG_INFINITY });
    }
    let all = comm.gather(&sizes)?;
    let n = sizes.len();
    let size =
        |a: usize| all.iter().skip(a).step_by(n.max(1)).copied().fold(f64::NEG_INFINITY, f64::max);
    Ok((0..n).map(size).collect())
}

/// Which anchors one of the chosen columns is made of.
fn came_back(
    comm: &dyn Communicator,
    found: &Factorization,
    sizes: &[f64],
    chosen: &[usize],
) -> Result<Vec<bool>> {
    let mut own = vec![0_u8; sizes.len()];
    for i in chosen.iter().filter_map(|&b| found.own_columns().local(b)) {
        let (rays, weights) = found.coefficients().column(i);
        let parts: Vec<(usize, f64)> =
            rays.iter().zip(weights).map(|(&a, &h)| (a as usize, h * sizes[a as usize])).collect();
        let total = parts.iter().fold(0.0, |sum, (_, part)| sum + part);
        parts.iter().filter(|(_, part)| *part >= SAME_RAY * total).for_each(|&(a, _)| own[a] = 1);
    }
    let all = comm.gather(&own)?;
    let n = sizes.len();
    Ok((0..n).map(|a| all.iter().skip(a).step_by(n.max(1)).any(|&back| back == 1)).collect())
}
