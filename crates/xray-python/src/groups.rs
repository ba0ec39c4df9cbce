//! Topics in groups of documents, and documents of the same topics: a door to `xray-pipeline`.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xray_nmf::Ownership;
use xray_nmf::comm::OneRank;
use xray_pipeline::{Dates, DocumentWeights, GroupShares, Period, RowNames, nearest_documents};

use crate::failure::Failure;

/// Groups, their numbers of documents, and the shares of topics in each.
type Shares = (Vec<String>, Vec<usize>, Vec<Vec<f64>>);

/// Names of periods, and what to warn of.
type Periods = (Vec<String>, Option<String>);

/// The shares of topics in groups of documents, of which these are the weights; a document of an empty name is in none.
#[pyfunction]
pub(crate) fn group_shares(
    weights: PyReadonlyArray2<'_, f64>,
    groups: Vec<String>,
) -> PyResult<Shares> {
    let found = GroupShares::new(&OneRank, &documents(&weights), &groups);
    let GroupShares { groups, documents, shares } = found.map_err(Failure::into_exception)?;
    Ok((groups, documents, shares))
}

/// The rows of the `n` documents nearest to one, and their similarities.
#[pyfunction]
pub(crate) fn nearest(
    weights: PyReadonlyArray2<'_, f64>,
    row: usize,
    n: usize,
) -> PyResult<Vec<(usize, f64)>> {
    let documents = documents(&weights);
    // Without names they are called by their rows.
    let names = RowNames { own: documents.own, ids: None, labels: None, times: None };
    let found = nearest_documents(&OneRank, &names, &documents, &[row.to_string()], n);
    let found = found.map_err(Failure::into_exception)?;
    Ok(found.into_iter().flat_map(|of| of.neighbours).map(|it| (it.row, it.similarity)).collect())
}

fn documents(weights: &PyReadonlyArray2<'_, f64>) -> DocumentWeights {
    let view = weights.as_array();
    let own = Ownership::rows(view.nrows(), &OneRank);
    DocumentWeights::new(own, view.ncols(), view.iter().copied().collect())
}

/// The period that each of these times is in, empty for one that cannot be read, of a fitting length if none is named; and how
/// times were taken that can be read in two ways.
#[pyfunction]
#[pyo3(signature = (times, period = None))]
pub(crate) fn periods(times: Vec<String>, period: Option<&str>) -> PyResult<Periods> {
    let named = period.map(|name| {
        let known = Period::ALL.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, period)| period).ok_or_else(|| {
            let names = Period::ALL.map(|(name, _)| name).join(", ");
            PyValueError::new_err(format!("period = {name} is not allowed; use one of {names}"))
        })
    });
    let named = named.transpose()?;
    let dates = Dates::read(&OneRank, &times).map_err(Failure::into_exception)?;
    let period = named.unwrap_or_else(|| dates.fitting_period());
    Ok((dates.periods(period), dates.open_order()))
}
