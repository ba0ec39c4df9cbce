//! The bench's own matrix file: `XRAYCSR1`, then rows, columns, entries (u64), offsets (u64),
//! indices (u32) and values (f64), little-endian.

use std::io::{self, Read};

use xray_nmf::SparseMatrix;

/// A matrix in row-compressed form.
#[derive(Debug)]
pub(crate) struct Arrays {
    n_rows: usize,
    n_columns: usize,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Arrays {
    /// The matrix, borrowing the arrays.
    pub(crate) fn matrix(&self) -> xray_nmf::Result<SparseMatrix<'_, f64>> {
        let Arrays { n_rows, n_columns, offsets, indices, values } = self;
        SparseMatrix::from_csr(*n_rows, *n_columns, &offsets[..], &indices[..], &values[..])
    }
}

/// Reads a file of this form.
pub(crate) fn read(path: &str) -> io::Result<Arrays> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.read_to_end(&mut bytes)?;
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "not a bench matrix");
    let rest = bytes.strip_prefix(b"XRAYCSR1").ok_or_else(wrong)?;
    let word = |at: usize| -> usize {
        rest.get(at * 8..at * 8 + 8)
            .map_or(0, |b| u64::from_le_bytes(b.try_into().expect("eight bytes")) as usize)
    };
    let (n_rows, n_columns, n_entries) = (word(0), word(1), word(2));
    let start = (3 + n_rows + 1) * 8;
    if rest.len() != start + n_entries * 12 {
        return Err(wrong());
    }
    let offsets = (0..=n_rows).map(|d| word(3 + d)).collect();
    let (indices, values) = rest[start..].split_at(n_entries * 4);
    let indices = indices.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().expect("four")));
    let values = values.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight")));
    let (indices, values) = (indices.collect(), values.collect());
    Ok(Arrays { n_rows, n_columns, offsets, indices, values })
}

/// The most memory this process has held, in bytes; 0 where the system does not tell.
pub(crate) fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kib.unwrap_or(0) * 1024
}
