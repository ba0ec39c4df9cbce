//! Algorithm 1 of the paper: detect an extreme ray, admit it, project, repeat.

use crate::error::{Error, Result};
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
        let before = rule.state();
        match step(&mut search, &mut rule, &mut path, observer) {
            Ok(None) => {}
            Ok(Some(end)) => break end,
            Err(Error::Stopped) if !path.steps.is_empty() => {
                // The step is given up, as if it had never begun.
                search.retract();
                path.show_state(&search, before, observer)?;
                break Termination::Stopped;
            }
            Err(error) => return Err(error),
        }
    };
    Factorization::new(search.into_answer(), path, termination)
}

/// One more anchor; why the run ends with it, if it does. What it changes counts once it is recorded.
fn step(
    search: &mut Search<'_>,
    rule: &mut Replay<'_>,
    path: &mut Path<'_>,
    observer: &mut dyn Observer,
) -> Result<Option<Termination>> {
    // 1. Detection of the next anchor.
    let Some(found) = rule.detect(search)? else { return Ok(Some(Termination::Exhausted)) };
    // 2. It enters the cone, and 3. all columns are projected onto it.
    let changes = search.admit(found.column)?;
    // 4. The rule follows what that did to the residuals.
    rule.update(search, &changes)?;
    path.record(found, search, &changes, rule, observer)
}
