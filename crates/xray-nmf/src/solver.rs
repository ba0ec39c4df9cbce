//! Algorithm 1 of the paper: detect an extreme ray, admit it, project, repeat.

use crate::error::Result;
use crate::factorization::Factorization;
use crate::observe::{Observer, Termination};
use crate::params::Params;
use crate::path::Path;
use crate::replay::Replay;
use crate::resume::RunState;
use crate::search::Search;
use crate::select::{self, Rule};

/// Finds anchors until there are as many as asked for, none is left, or they bring too little.
pub(crate) fn run(
    mut search: Search<'_>,
    params: &Params,
    saved: &RunState,
    observer: &mut dyn Observer,
) -> Result<Factorization> {
    let mut rule = Replay::new(saved, &params.fixed, select::rule(params, &search)?);
    search.records = rule.reads_changes();
    if params.mean_ray
        && let Some(changes) = search.start_with_mean()?
    {
        rule.update(&search, &changes)?;
    }
    let mut path = Path::new(params, saved);
    let termination = loop {
        if path.steps.len() >= params.rank {
            break Termination::RankReached;
        }
        // 1. Detection of the next anchor.
        let Some(found) = rule.detect(&search)? else { break Termination::Exhausted };
        // 2. It enters the cone, and 3. all columns are projected onto it.
        let changes = search.admit(found.column)?;
        // 4. The rule follows what that did to the residuals.
        rule.update(&search, &changes)?;
        if let Some(end) = path.record(found, &mut search, &changes, &rule, observer)? {
            break end;
        }
    };
    Factorization::new(search.into_answer(), path, termination)
}
