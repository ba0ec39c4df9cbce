//! UCI bag of words.

use std::io::{self, Write};

use super::number::write_number;
use crate::table::Table;

/// Largest count that every whole number below has an f64 of its own.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

/// Every entry must be a count.
pub(super) fn check_counts(table: &Table) -> Result<(), String> {
    let mut wrong = None;
    for d in 0..table.matrix.n_rows() {
        table.matrix.for_each_in_row(d, |j, v| {
            if wrong.is_none() && !((0.0..=LARGEST_COUNT).contains(&v) && v.fract() == 0.0) {
                wrong = Some((d, j, v));
            }
        });
        if let Some((d, j, v)) = wrong {
            return Err(format!(
                "entry ({d}, {j}) is {v} and no count; write it as mtx or npz instead"
            ));
        }
    }
    Ok(())
}

pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let matrix = &table.matrix;
    let mut n_entries = 0;
    for d in 0..matrix.n_rows() {
        matrix.for_each_in_row(d, |_, _| n_entries += 1);
    }
    writeln!(out, "{}\n{}\n{n_entries}", matrix.n_rows(), matrix.n_columns())?;
    for d in 0..matrix.n_rows() {
        let mut written = Ok(());
        matrix.for_each_in_row(d, |j, v| {
            if written.is_ok() {
                written = write!(out, "{} {} ", d + 1, j + 1)
                    .and_then(|()| write_number(v.abs(), out))
                    .and_then(|()| out.write_all(b"\n"));
            }
        });
        written?;
    }
    Ok(())
}
