//! MATLAB files of version 5 with compressed variables, as MATLAB and SciPy read them.
//!
//! | variable | content |
//! |---|---|
//! | `X` | the matrix, sparse or dense, in doubles |
//! | `gnd` | the labels as a column of doubles, if all are numbers |
//! | `labels` | the labels as a cell array of strings otherwise |
//! | `row_names`, `column_names` | cell arrays of strings |
//!
//! Text is UTF-8, which SciPy and MATLAB both take; its dimensions count characters.

use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use xray_nmf::{DenseMatrix, Matrix, SparseMatrix};

use super::{COLUMN_NAMES, COMPRESSED, LABELS, MATRIX, NUMERIC_LABELS, ROW_NAMES};
use crate::read::lines::parse_number;
use crate::table::{LoadedMatrix, Table};

/// Types of elements.
const INT8: u32 = 1;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const DOUBLE: u32 = 9;
const UTF8: u32 = 16;

/// Classes of variables.
const CELL_CLASS: u32 = 1;
const TEXT_CLASS: u32 = 4;
const SPARSE_CLASS: u32 = 5;
const DOUBLE_CLASS: u32 = 6;

/// Indices and sizes are signed numbers of 32 bits.
const MOST: u64 = i32::MAX as u64;

/// What stands before the values of a variable.
struct Head<'a> {
    name: &'a str,
    class: u32,
    /// Entries that a sparse variable has room for.
    room: u32,
    dimensions: [usize; 2],
}

/// Refuses what the format's 32 bits cannot count.
pub(super) fn check(table: &Table) -> Result<(), String> {
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    let names = [&table.row_names, &table.column_names, &table.labels].into_iter().flatten();
    let largest = names.map(|names| cells_size(names)).chain([values_size(&table.matrix)]).max();
    if [m as u64, n as u64, largest.unwrap_or(0)].iter().any(|&size| size > MOST - 1024) {
        return Err(format!(
            "a variable may have at most {MOST} rows, columns and bytes, and the matrix is {m} x {n} \
             with {} entries; write npz instead",
            table.matrix.n_entries()
        ));
    }
    Ok(())
}

pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut header = [b' '; 128];
    let text = b"MATLAB 5.0 MAT-file, written by xray-nmf";
    header[..text.len()].copy_from_slice(text);
    header[116..].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, b'I', b'M']);
    out.write_all(&header)?;
    match &table.matrix {
        LoadedMatrix::Sparse(x) => write_sparse(x, out)?,
        LoadedMatrix::Dense(x) => write_dense(x, out)?,
    }
    if let Some(labels) = &table.labels {
        match numbers(labels) {
            Some(numbers) => write_column(NUMERIC_LABELS, &numbers, out)?,
            None => write_cells(LABELS, labels, out)?,
        }
    }
    for (name, names) in [(ROW_NAMES, &table.row_names), (COLUMN_NAMES, &table.column_names)] {
        if let Some(names) = names {
            write_cells(name, names, out)?;
        }
    }
    Ok(())
}

/// The labels as numbers that are written the same way when they are read back.
fn numbers(labels: &[String]) -> Option<Vec<f64>> {
    let number =
        |label: &String| parse_number(label.as_bytes()).filter(|v| v.to_string() == *label);
    labels.iter().map(number).collect()
}

fn write_sparse(x: &SparseMatrix<'static, f64>, out: &mut dyn Write) -> io::Result<()> {
    let (offsets, rows, values) = x.csc();
    let head = Head {
        name: "X",
        class: SPARSE_CLASS,
        // MATLAB wants room for one entry at least.
        room: values.len().max(1) as u32,
        dimensions: [x.n_rows(), x.n_columns()],
    };
    let size = sparse_size(x);
    write_variable(&head, size, out, |out| {
        write_element(INT32, rows.iter().map(|row| row.to_le_bytes()), out)?;
        write_element(INT32, offsets.iter().map(|&o| (o as u32).to_le_bytes()), out)?;
        write_element(DOUBLE, values.iter().map(|v| v.to_le_bytes()), out)
    })
}

fn write_dense(x: &DenseMatrix<'static, f64>, out: &mut dyn Write) -> io::Result<()> {
    let (m, n) = (x.n_rows(), x.n_columns());
    let head = Head { name: "X", class: DOUBLE_CLASS, room: 0, dimensions: [m, n] };
    let values = (0..m * n).map(|k| x.get(k % m, k / m).to_le_bytes());
    write_variable(&head, padded(8 * (m * n) as u64), out, |out| write_element(DOUBLE, values, out))
}

fn write_column(name: &str, values: &[f64], out: &mut dyn Write) -> io::Result<()> {
    let head = Head { name, class: DOUBLE_CLASS, room: 0, dimensions: [values.len(), 1] };
    let bytes = values.iter().map(|v| v.to_le_bytes());
    write_variable(&head, padded(8 * values.len() as u64), out, |out| {
        write_element(DOUBLE, bytes, out)
    })
}

/// A column of strings.
fn write_cells(name: &str, strings: &[String], out: &mut dyn Write) -> io::Result<()> {
    let head = Head { name, class: CELL_CLASS, room: 0, dimensions: [strings.len(), 1] };
    write_variable(&head, cells_size(strings), out, |out| {
        for string in strings {
            let n = string.chars().count();
            let dimensions = [usize::from(n > 0), n];
            let head = Head { name: "", class: TEXT_CLASS, room: 0, dimensions };
            write_head(&head, padded(string.len() as u64), out)?;
            write_element(UTF8, string.bytes().map(|byte| [byte]), out)?;
        }
        Ok(())
    })
}

/// Writes a variable in zlib's format; `body` writes `body_size` bytes of values.
fn write_variable(
    head: &Head<'_>,
    body_size: u64,
    out: &mut dyn Write,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let packer = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut packed = BufWriter::with_capacity(1 << 16, packer);
    write_head(head, body_size, &mut packed)?;
    body(&mut packed)?;
    let packed = packed.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
    write_tag(COMPRESSED, packed.len() as u64, out)?;
    out.write_all(&packed)
}

fn write_head(head: &Head<'_>, body_size: u64, out: &mut dyn Write) -> io::Result<()> {
    write_tag(MATRIX, head_size(head.name) + body_size, out)?;
    write_element(UINT32, [head.class, head.room].map(u32::to_le_bytes).into_iter(), out)?;
    let dimensions = head.dimensions.map(|size| (size as u32).to_le_bytes());
    write_element(INT32, dimensions.into_iter(), out)?;
    write_element(INT8, head.name.bytes().map(|byte| [byte]), out)
}

/// A tag, the values, and zeros up to a multiple of 8 bytes.
fn write_element<const N: usize>(
    kind: u32,
    values: impl ExactSizeIterator<Item = [u8; N]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let size = (N * values.len()) as u64;
    write_tag(kind, size, out)?;
    for value in values {
        out.write_all(&value)?;
    }
    out.write_all(&[0; 8][..(padded(size) - 8 - size) as usize])
}

fn write_tag(kind: u32, size: u64, out: &mut dyn Write) -> io::Result<()> {
    let size = u32::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&size.to_le_bytes())
}

/// Bytes of an element with this much data: a tag, and data up to a multiple of 8.
fn padded(size: u64) -> u64 {
    8 + size.next_multiple_of(8)
}

/// Bytes of flags, dimensions and name.
fn head_size(name: &str) -> u64 {
    padded(8) + padded(8) + padded(name.len() as u64)
}

fn values_size(matrix: &LoadedMatrix) -> u64 {
    match matrix {
        LoadedMatrix::Sparse(x) => sparse_size(x),
        LoadedMatrix::Dense(x) => padded(8 * (x.n_rows() * x.n_columns()) as u64),
    }
}

fn sparse_size(x: &SparseMatrix<'static, f64>) -> u64 {
    let (entries, columns) = (x.n_entries() as u64, x.n_columns() as u64);
    padded(4 * entries) + padded(4 * (columns + 1)) + padded(8 * entries)
}

fn cells_size(strings: &[String]) -> u64 {
    strings.iter().map(|string| 8 + head_size("") + padded(string.len() as u64)).sum()
}
