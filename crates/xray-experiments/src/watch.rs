//! What long work tells while it runs.

use anyhow::Result;

/// Told how far the work is; may end it.
pub trait Watch {
    /// A stage of so many steps begins.
    fn begin(&mut self, stage: &str, steps: usize);

    /// A step is done.
    ///
    /// # Errors
    /// [`Interrupted`] if the work is to end here.
    fn advance(&mut self) -> Result<()>;
}

/// Tells nobody and never ends the work.
impl Watch for () {
    fn begin(&mut self, _: &str, _: usize) {}

    fn advance(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Somebody asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}
