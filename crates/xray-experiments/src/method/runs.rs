//! One function for each method. Forecasts decide beforehand what is too much work, so the methods'
//! own limits are lifted here; those on memory stay.

use anyhow::Result;
use xray_nmf::rivals::{
    self, AroraParams, ClarksonParams, EsserParams, Fill, HottopixxParams, LocalMethod,
    LocalParams, NfindrParams, SnpaParams, SpaParams, Start, VcaParams,
};
use xray_nmf::{Matrix, Normalize, Params, Selection, fit};

use super::{Found, Job};
use crate::part::Part;

/// Columns with a larger cosine are near-duplicates.
const NEAR: f64 = 0.95;

pub(super) fn xray(
    part: Part<'_>,
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
    Ok(Found::Anchors(part.fit(&params)?.anchors()))
}

pub(super) fn robust(part: Part<'_>, job: &Job) -> Result<Found> {
    let params = Params { robust: true, allow_negative: true, ..Params::new(job.rank) };
    Ok(Found::Anchors(part.fit(&params)?.anchors()))
}

pub(super) fn spa_raw(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    spa(matrix, job, Normalize::None)
}

pub(super) fn spa_l1(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    spa(matrix, job, Normalize::L1)
}

fn spa(matrix: &dyn Matrix, job: &Job, normalize: Normalize) -> Result<Found> {
    let params = SpaParams { normalize, ..SpaParams::new(job.rank) };
    Ok(Found::Anchors(rivals::spa(matrix, &params)?.anchors))
}

pub(super) fn snpa(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = SnpaParams::new(job.rank);
    Ok(Found::Anchors(rivals::snpa(matrix, &params)?.anchors))
}

pub(super) fn vca(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = VcaParams { seed: job.seed, ..VcaParams::new(job.rank) };
    Ok(Found::Anchors(rivals::vca(matrix, &params)?.anchors))
}

pub(super) fn nfindr_raw(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nfindr(matrix, job, Normalize::None)
}

pub(super) fn nfindr_l1(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nfindr(matrix, job, Normalize::L1)
}

fn nfindr(matrix: &dyn Matrix, job: &Job, normalize: Normalize) -> Result<Found> {
    let params = NfindrParams { normalize, ..NfindrParams::new(job.rank) };
    Ok(Found::Anchors(rivals::nfindr(matrix, &params)?.anchors))
}

pub(super) fn hottopixx(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    hottopixx_with(matrix, job, HottopixxParams::new(job.rank).cost)
}

pub(super) fn hottopixx_fine(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    hottopixx_with(matrix, job, 0.001)
}

pub(super) fn hottopixx_converged(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params =
        HottopixxParams { largest_work: f64::INFINITY, ..HottopixxParams::converged(job.rank) };
    Ok(Found::Anchors(rivals::hottopixx(matrix, &params)?.anchors))
}

fn hottopixx_with(matrix: &dyn Matrix, job: &Job, cost: f64) -> Result<Found> {
    let params = HottopixxParams {
        cost,
        epochs: job.epochs,
        seed: job.seed,
        precision: precision(matrix.n_columns()),
        largest_work: f64::INFINITY,
        ..HottopixxParams::new(job.rank)
    };
    Ok(Found::Anchors(rivals::hottopixx(matrix, &params)?.anchors))
}

/// Single above a few thousand columns: the n x n coefficients fill the memory then.
pub(crate) fn precision(n_columns: usize) -> rivals::Precision {
    if n_columns > 4096 { rivals::Precision::Single } else { rivals::Precision::Double }
}

pub(super) fn arora(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = AroraParams { largest_work: f64::INFINITY, ..AroraParams::new(job.rank) };
    Ok(Found::Anchors(rivals::arora(matrix, &params)?.anchors))
}

pub(super) fn clarkson(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = ClarksonParams { largest_work: f64::INFINITY, ..ClarksonParams::new(job.rank) };
    Ok(Found::Anchors(rivals::clarkson(matrix, &params)?.anchors))
}

pub(super) fn esser(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    esser_with(matrix, job, None)
}

pub(super) fn esser_merged(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    esser_with(matrix, job, Some(NEAR))
}

fn esser_with(matrix: &dyn Matrix, job: &Job, merge: Option<f64>) -> Result<Found> {
    let params = EsserParams { merge, largest_work: f64::INFINITY, ..EsserParams::new(job.rank) };
    Ok(Found::Anchors(rivals::esser(matrix, &params)?.anchors))
}

pub(super) fn nmf_hals(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Hals, Start::Random { seed: job.seed })
}

pub(super) fn nmf_anls(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Anls, Start::Random { seed: job.seed })
}

pub(super) fn nmf_mu(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Multiplicative, Start::Random { seed: job.seed })
}

pub(super) fn nmf_nndsvd(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nmf(matrix, job, LocalMethod::Hals, Start::Nndsvd { fill: Fill::Zeros })
}

pub(super) fn nmf_anchors(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params =
        Params { selection: Selection::Greedy, allow_negative: true, ..Params::new(job.rank) };
    let found = fit(matrix, &params)?;
    let job = Job { rank: found.rank(), ..job.clone() };
    nmf(matrix, &job, LocalMethod::Hals, Start::Anchors(&found))
}

fn nmf(matrix: &dyn Matrix, job: &Job, method: LocalMethod, start: Start) -> Result<Found> {
    let Job { rank, iterations, .. } = *job;
    let params = LocalParams { method, start, iterations, ..LocalParams::new(rank) };
    Ok(Found::Factors(rivals::local_nmf(matrix, &params)?))
}
