//! `--memory`: what the process may use, and what of it is left for cached products.

use xray_data::Budget;
use xray_nmf::comm::Communicator;
use xray_nmf::machine::{Machine, give_back_memory, size_in_words};
use xray_pipeline::{Corpus, Forecast, Shape, Work, together};

use crate::args::CommonArgs;
use crate::session::Session;

/// Makes what was asked for the limit of all that is read; without a word it is a share of the machine's.
pub(crate) fn limit(common: &CommonArgs) {
    if let Some(bytes) = common.memory() {
        Budget::limit_process(bytes as u64);
    }
}

/// The bytes for cached products, or that the run will not fit; collective.
///
/// Without `--memory` they are a quarter of the machine's memory at most: they are worth less than what other
/// programs need.
pub(crate) fn cache(
    comm: &dyn Communicator,
    session: &Session,
    common: &CommonArgs,
    corpus: &Corpus,
    work: &Work,
) -> anyhow::Result<Option<usize>> {
    // What reading has freed is not counted, so it should not be there.
    give_back_memory();
    let limit = Budget::of_process().limit();
    let forecast = Forecast::new(&Shape::of(comm, corpus, work.rank), work);
    let left = together(comm, forecast.cache_within(limit))?;
    let cache = match common.memory() {
        Some(_) => left,
        None => left.min(Machine::default().cache_budget()),
    };
    session.detail(format!(
        "memory: about {} of {}, and up to {} for cached products",
        size_in_words(forecast.peak()),
        size_in_words(limit),
        size_in_words(cache as u64)
    ));
    Ok(Some(cache))
}
