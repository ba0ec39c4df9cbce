//! How CSV files are written.

use clap::Args;
use xray_data::{Cells, Digits};
use xray_pipeline::report::RowStyle;

/// For those who open results in a spreadsheet.
#[derive(Debug, Clone, Copy, Default, Args)]
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

/// How the weights of documents are written.
#[derive(Debug, Clone, Copy, Args)]
pub struct WeightsArgs {
    /// Write weights with all their digits, to be read back to the same bits, instead of six
    #[arg(long)]
    pub exact: bool,
    /// After the weights, write the share of each topic in its document; they sum to 1
    #[arg(long)]
    pub shares: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub csv: CsvArgs,
}

impl WeightsArgs {
    /// How rows are written.
    pub(crate) fn style(self) -> RowStyle {
        let digits = if self.exact { Digits::All } else { Digits::Six };
        RowStyle { cells: self.csv.cells(), digits, shares: self.shares }
    }
}
