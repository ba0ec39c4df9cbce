//! Matrix Market, svmlight, CSV and TSV.

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
pub(super) fn write_svmlight(
    table: &Table,
    labels: &[&str],
    out: &mut dyn Write,
) -> io::Result<()> {
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

/// Dense numbers with a header if columns have names, and a first column if rows have names.
pub(super) fn write_delimited(table: &Table, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    if let Some(names) = &table.column_names {
        let corner = table.row_names.is_some().then_some("");
        let fields = corner.into_iter().chain(names.iter().map(String::as_str));
        for (k, field) in fields.enumerate() {
            if k > 0 {
                out.write_all(&[delimiter])?;
            }
            write_field(field, delimiter, out)?;
        }
        out.write_all(b"\n")?;
    }
    let mut row = vec![0.0; n];
    for d in 0..m {
        row.fill(0.0);
        match &table.matrix {
            LoadedMatrix::Dense(x) => (0..n).for_each(|j| row[j] = x.get(d, j)),
            sparse => sparse.for_each_in_row(d, |j, v| row[j] = v),
        }
        if let Some(names) = &table.row_names {
            write_field(&names[d], delimiter, out)?;
            out.write_all(&[delimiter])?;
        }
        for (j, &value) in row.iter().enumerate() {
            if j > 0 {
                out.write_all(&[delimiter])?;
            }
            write_number(value, out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A field in quotes if it needs them.
fn write_field(field: &str, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let special = |byte: &u8| matches!(byte, b'"' | b'\n' | b'\r') || *byte == delimiter;
    if !field.as_bytes().iter().any(special) {
        return out.write_all(field.as_bytes());
    }
    write!(out, "\"{}\"", field.replace('"', "\"\""))
}
