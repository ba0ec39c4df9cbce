//! One function for each method. Forecasts decide beforehand what is too much work, so the methods'
//! own limits are lifted here; those on memory stay.

use anyhow::Result;
use xray_nmf::rivals::{
    self, AroraParams, ClarksonParams, EsserParams, Fill, HottopixxParams, LocalMethod,
    LocalParams, NfindrParams, RowPenalty, SnpaParams, SpaParams, Start, VcaParams,
};
use xray_nmf::{Fit, Matrix, Normalize, Params, Selection};

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
        candidates: job.candidates.clone(),
        ..Params::new(job.rank)
    };
    Ok(Found::Anchors(part.fit_until(&params, &job.stop)?.anchors()))
}

pub(super) fn robust(part: Part<'_>, job: &Job) -> Result<Found> {
    let candidates = job.candidates.clone();
    let params = Params { robust: true, allow_negative: true, candidates, ..Params::new(job.rank) };
    Ok(Found::Anchors(part.fit_until(&params, &job.stop)?.anchors()))
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

pub(super) fn snpa_raw(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    snpa(matrix, job, Normalize::None)
}

pub(super) fn snpa_l1(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    snpa(matrix, job, Normalize::L1)
}

fn snpa(matrix: &dyn Matrix, job: &Job, normalize: Normalize) -> Result<Found> {
    let params = SnpaParams { normalize, ..SnpaParams::new(job.rank) };
    Ok(Found::Anchors(rivals::snpa(matrix, &params)?.anchors))
}

pub(super) fn vca(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = VcaParams { seed: job.seed, stop: job.stop.clone(), ..VcaParams::new(job.rank) };
    Ok(Found::Anchors(rivals::vca(matrix, &params)?.anchors))
}

pub(super) fn nfindr_raw(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nfindr(matrix, job, Normalize::None)
}

pub(super) fn nfindr_l1(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    nfindr(matrix, job, Normalize::L1)
}

fn nfindr(matrix: &dyn Matrix, job: &Job, normalize: Normalize) -> Result<Found> {
    let params = NfindrParams { normalize, stop: job.stop.clone(), ..NfindrParams::new(job.rank) };
    Ok(Found::Anchors(rivals::nfindr(matrix, &params)?.anchors))
}

pub(super) fn hottopixx_converged(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    solved(matrix, job, HottopixxParams::converged(job.rank))
}

/// To a gap of 1 %.
pub(crate) fn hottopixx_nearly(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    solved(matrix, job, HottopixxParams { gap: Some(0.01), ..HottopixxParams::converged(job.rank) })
}

fn solved(matrix: &dyn Matrix, job: &Job, params: HottopixxParams) -> Result<Found> {
    let stop = job.stop.clone();
    let params = HottopixxParams { largest_work: f64::INFINITY, stop, ..params };
    Ok(Found::Anchors(rivals::hottopixx(matrix, &params)?.anchors))
}

pub(super) fn hottopixx(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = HottopixxParams {
        epochs: job.epochs,
        seed: job.seed,
        precision: precision(matrix.n_columns()),
        largest_work: f64::INFINITY,
        stop: job.stop.clone(),
        ..HottopixxParams::new(job.rank)
    };
    Ok(Found::Anchors(rivals::hottopixx(matrix, &params)?.anchors))
}

/// Single above a few thousand columns: the n x n coefficients fill the memory then.
pub(crate) fn precision(n_columns: usize) -> rivals::Precision {
    if n_columns > 4096 { rivals::Precision::Single } else { rivals::Precision::Double }
}

pub(super) fn arora(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = AroraParams {
        largest_work: f64::INFINITY,
        stop: job.stop.clone(),
        ..AroraParams::new(job.rank)
    };
    Ok(Found::Anchors(rivals::arora(matrix, &params)?.anchors))
}

pub(super) fn clarkson(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let params = ClarksonParams {
        largest_work: f64::INFINITY,
        stop: job.stop.clone(),
        ..ClarksonParams::new(job.rank)
    };
    Ok(Found::Anchors(rivals::clarkson(matrix, &params)?.anchors))
}

pub(super) fn esser(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    esser_with(matrix, job, EsserParams::new(job.rank))
}

pub(super) fn esser_merged(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let merge = Some(NEAR);
    esser_with(matrix, job, EsserParams { merge, ..EsserParams::new(job.rank) })
}

pub(super) fn esser_l12(matrix: &dyn Matrix, job: &Job) -> Result<Found> {
    let rows = RowPenalty::Length;
    esser_with(matrix, job, EsserParams { rows, ..EsserParams::new(job.rank) })
}

fn esser_with(matrix: &dyn Matrix, job: &Job, params: EsserParams) -> Result<Found> {
    let stop = job.stop.clone();
    let params = EsserParams { largest_work: f64::INFINITY, stop, ..params };
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
    let found = Fit::of(matrix).stop(&job.stop).run(&params)?;
    let job = Job { rank: found.rank(), ..job.clone() };
    nmf(matrix, &job, LocalMethod::Hals, Start::Anchors(&found))
}

fn nmf(matrix: &dyn Matrix, job: &Job, method: LocalMethod, start: Start) -> Result<Found> {
    let Job { rank, iterations, .. } = *job;
    let stop = job.stop.clone();
    let params = LocalParams { method, start, iterations, stop, ..LocalParams::new(rank) };
    Ok(Found::Factors(rivals::local_nmf(matrix, &params)?))
}
