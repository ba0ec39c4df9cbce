//! How CSV files are written.

use clap::Args;
use xray_data::Cells;

/// For those who open results in a spreadsheet.
#[derive(Debug, Clone, Copy, Args)]
pub struct CsvArgs {
    /// In CSV files, put an apostrophe before text that a spreadsheet would take for a formula
    #[arg(long)]
    pub csv_safe: bool,
}

impl CsvArgs {
    /// How cells are written.
    pub(crate) fn cells(self) -> Cells {
        if self.csv_safe { Cells::Safe } else { Cells::AsTheyAre }
    }
}
