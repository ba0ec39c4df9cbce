//! Alternating optimisation from the anchors, as it is told to those who watch.

use xray_nmf::comm::Communicator;
use xray_nmf::{Factors, Refine, Refinement, SeededTopics, StopRequest};

use crate::corpus::DistributedMatrix;
use crate::error::Result;
use crate::watch::{Event, Progress, Stage, Told};

/// How factors are refined.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RefineOptions {
    pub method: Refinement,
    /// Most steps.
    pub steps: usize,
    /// Ends when a step lowers the objective by less than this part of it; never if it is 0.
    pub tolerance: f64,
    /// Columns that the first topics began with.
    pub seeded: SeededTopics,
}

/// Improves both factors; collective. The own rows must have been made.
pub(crate) fn refine(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    start: Factors,
    options: &RefineOptions,
    progress: &mut dyn Progress,
) -> Result<Factors> {
    let RefineOptions { method, steps, tolerance, ref seeded } = *options;
    let _ = progress.tell(Event::Begin(Stage::Refinement, steps));
    let refine = Refine::part(matrix.portion(), comm).method(method).steps(steps, tolerance);
    let refine = refine.seeded(seeded);
    // Without steps there is nothing to leave out.
    let stop = if steps > 0 { progress.stop() } else { StopRequest::new() };
    Ok(refine.stop(&stop).observe(&mut Told(progress)).run(start)?)
}
