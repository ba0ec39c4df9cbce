//! One function for each method. Forecasts decide beforehand what is too much work, so the methods'
//! own limits are lifted here; those on memory stay.

use anyhow::Result;
use xray_data::LoadedMatrix;
use xray_nmf::rivals::{
    self, AroraParams, ClarksonParams, EsserParams, Fill, HottopixxParams, LocalMethod,
    LocalParams, SnpaParams, SpaParams, Start,
};
use xray_nmf::{Normalize, Params, Selection, fit};

use super::{Found, Job};

/// Columns with a larger cosine are near-duplicates.
const NEAR: f64 = 0.95;

pub(super) fn xray(
    matrix: &LoadedMatrix,
    job: &Job,
    selection: Selection,
    mean_ray: bool,
) -> Result<Found> {
    let params = Params {
        selection,
        mean_ray,
        allow_negative: true,
        seed: job.seed,
        ..Params::new(job.rank)
    };
    let anchors = fit(matrix.as_matrix(), &params)?.anchors();
    Ok(Found::Anchors(anchors))
}

pub(super) fn spa_raw(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    spa(matrix, job, Normalize::None)
}

pub(super) fn spa_l1(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    spa(matrix, job, Normalize::L1)
}

fn spa(matrix: &LoadedMatrix, job: &Job, normalize: Normalize) -> Result<Found> {
    let params = SpaParams { normalize, ..SpaParams::new(job.rank) };
    Ok(Found::Anchors(rivals::spa(matrix.as_matrix(), &params)?.anchors))
}

pub(super) fn snpa(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    let params = SnpaParams::new(job.rank);
    Ok(Found::Anchors(rivals::snpa(matrix.as_matrix(), &params)?.anchors))
}

pub(super) fn hottopixx(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    hottopixx_with(matrix, job, HottopixxParams::new(job.rank).cost)
}

pub(super) fn hottopixx_fine(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    hottopixx_with(matrix, job, 0.001)
}

pub(super) fn hottopixx_converged(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    let params =
        HottopixxParams { largest_work: f64::INFINITY, ..HottopixxParams::converged(job.rank) };
    Ok(Found::Anchors(rivals::hottopixx(matrix.as_matrix(), &params)?.anchors))
}

fn hottopixx_with(matrix: &LoadedMatrix, job: &Job, cost: f64) -> Result<Found> {
    let params = HottopixxParams {
        cost,
        epochs: job.epochs,
        seed: job.seed,
        precision: precision(matrix.n_columns()),
        largest_work: f64::INFINITY,
        ..HottopixxParams::new(job.rank)
    };
    Ok(Found::Anchors(rivals::hottopixx(matrix.as_matrix(), &params)?.anchors))
}

/// Single above a few thousand columns: the n x n coefficients fill the memory then.
pub(crate) fn precision(n_columns: usize) -> rivals::Precision {
    if n_columns > 4096 { rivals::Precision::Single } else { rivals::Precision::Double }
}

pub(super) fn arora(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    let params = AroraParams { largest_work: f64::INFINITY, ..AroraParams::new(job.rank) };
    Ok(Found::Anchors(rivals::arora(matrix.as_matrix(), &params)?.anchors))
}

pub(super) fn clarkson(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    let params = ClarksonParams { largest_work: f64::INFINITY, ..ClarksonParams::new(job.rank) };
    Ok(Found::Anchors(rivals::clarkson(matrix.as_matrix(), &params)?.anchors))
}

pub(super) fn esser(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    esser_with(matrix, job, None)
}

pub(super) fn esser_merged(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    esser_with(matrix, job, Some(NEAR))
}

fn esser_with(matrix: &LoadedMatrix, job: &Job, merge: Option<f64>) -> Result<Found> {
    let params = EsserParams { merge, largest_work: f64::INFINITY, ..EsserParams::new(job.rank) };
    Ok(Found::Anchors(rivals::esser(matrix.as_matrix(), &params)?.anchors))
}

pub(super) fn nmf_hals(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Hals, Start::Random { seed: job.seed })
}

pub(super) fn nmf_anls(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Anls, Start::Random { seed: job.seed })
}

pub(super) fn nmf_mu(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Multiplicative, Start::Random { seed: job.seed })
}

pub(super) fn nmf_nndsvd(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Hals, Start::Nndsvd { fill: Fill::Zeros })
}

pub(super) fn nmf_anchors(matrix: &LoadedMatrix, job: &Job) -> Result<Found> {
    let params =
        Params { selection: Selection::Greedy, allow_negative: true, ..Params::new(job.rank) };
    let found = fit(matrix.as_matrix(), &params)?;
    let job = Job { rank: found.rank(), ..job.clone() };
    nmf(matrix, &job, LocalMethod::Hals, Start::Anchors(&found))
}

fn nmf(matrix: &LoadedMatrix, job: &Job, method: LocalMethod, start: Start) -> Result<Found> {
    let Job { rank, iterations, .. } = *job;
    let params = LocalParams { method, start, iterations, ..LocalParams::new(rank) };
    Ok(Found::Factors(rivals::local_nmf(matrix.as_matrix(), &params)?))
}
