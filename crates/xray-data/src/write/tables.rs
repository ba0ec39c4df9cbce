//! Matrix Market and svmlight.

use std::io::{self, Write};

use xray_nmf::DenseMatrix;

use super::number::write_number;
use crate::read::lines::parse_number;
use crate::table::{LoadedMatrix, Table};

/// Sparse matrices as coordinates, dense ones as an array.
pub(super) fn write_matrix_market(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    match &table.matrix {
        LoadedMatrix::Sparse(x) => {
            writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
            writeln!(out, "{m} {n} {}", x.n_entries())?;
            let (offsets, columns, values) = x.csr();
            for d in 0..m {
                for k in offsets[d]..offsets[d + 1] {
                    write!(out, "{} {} ", d + 1, columns[k] + 1)?;
                    write_number(values[k], out)?;
                    out.write_all(b"\n")?;
                }
            }
            Ok(())
        }
        LoadedMatrix::Dense(x) => {
            writeln!(out, "%%MatrixMarket matrix array real general\n{m} {n}")?;
            write_values(x, out)
        }
    }
}

fn write_values(x: &DenseMatrix<'static, f64>, out: &mut dyn Write) -> io::Result<()> {
    use xray_nmf::Matrix;
    for j in 0..x.n_columns() {
        for d in 0..x.n_rows() {
            write_number(x.get(d, j), out)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// The labels as svmlight needs them; 0 where there are none.
pub(super) fn numeric_labels(table: &Table) -> Result<Vec<&str>, String> {
    let Some(labels) = &table.labels else { return Ok(vec!["0"; table.matrix.n_rows()]) };
    let numeric =
        |label: &str| label.split(',').all(|part| parse_number(part.as_bytes()).is_some());
    match labels.iter().find(|label| !label.is_empty() && !numeric(label)) {
        Some(label) => {
            Err(format!("label {label:?} is no number; drop the labels or write npz instead"))
        }
        None => Ok(labels.iter().map(|l| if l.is_empty() { "0" } else { l.as_str() }).collect()),
    }
}

/// Columns count from 1.
pub(super) fn write_svmlight(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let labels = numeric_labels(table).map_err(io::Error::other)?;
    for (d, label) in labels.iter().enumerate() {
        out.write_all(label.as_bytes())?;
        let mut written = Ok(());
        table.matrix.for_each_in_row(d, |j, v| {
            if written.is_ok() {
                written = write!(out, " {}:", j + 1).and_then(|()| write_number(v, out));
            }
        });
        written?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
