//! Writing NumPy archives.

use std::io::{self, Write};

use xray_nmf::Matrix;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::super::npy::written_header as header;
use super::{COLUMN_NAMES, LABELS, ROW_NAMES};
use crate::table::{LoadedMatrix, Table};

/// How an array is packed: what is gained decides.
#[derive(Clone, Copy)]
enum Packing {
    /// Fractions of 53 digits: packing takes most of the time of writing, and saves a twentieth.
    Stored,
    /// Whole numbers and zeros: the least effort makes them a fifth.
    Fast,
    /// Texts.
    Small,
}

impl Packing {
    /// Zeros and short numbers are worth packing.
    fn of(values: &[f64]) -> Self {
        let sample = values.iter().step_by((values.len() / 4096).max(1));
        let (n, short) = sample.fold((0, 0), |(n, short), value| {
            (n + 1, short + usize::from(value.to_bits() & 0xffff_ffff == 0))
        });
        if 4 * short > n { Packing::Fast } else { Packing::Stored }
    }
}

/// Streams arrays, one after the other, into an archive that `numpy.load` opens.
pub(crate) struct NpzWriter<W: Write> {
    zip: ZipWriter<zip::write::StreamWriter<W>>,
}

impl<W: Write> NpzWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { zip: ZipWriter::new_stream(out) }
    }

    fn start(&mut self, name: &str, head: &[u8], packing: Packing) -> io::Result<()> {
        let options = SimpleFileOptions::default().large_file(true);
        let options = match packing {
            Packing::Stored => options.compression_method(CompressionMethod::Stored),
            Packing::Fast => {
                options.compression_method(CompressionMethod::Deflated).compression_level(Some(1))
            }
            Packing::Small => options.compression_method(CompressionMethod::Deflated),
        };
        self.zip.start_file(format!("{name}.npy"), options).map_err(io::Error::other)?;
        self.zip.write_all(head)
    }

    pub(crate) fn floats(&mut self, name: &str, shape: &[usize], values: &[f64]) -> io::Result<()> {
        self.start(name, &header("<f8", shape, false), Packing::of(values))?;
        self.values(values.iter().map(|v| v.to_le_bytes()))
    }

    pub(crate) fn integers(
        &mut self,
        name: &str,
        values: impl ExactSizeIterator<Item = i64>,
    ) -> io::Result<()> {
        self.start(name, &header("<i8", &[values.len()], false), Packing::Fast)?;
        self.values(values.map(i64::to_le_bytes))
    }

    pub(crate) fn bytes(&mut self, name: &str, values: &[u8]) -> io::Result<()> {
        self.start(name, &header("|u1", &[values.len()], false), Packing::Small)?;
        self.zip.write_all(values)
    }

    /// A string without axes, as scipy writes the name of a sparse format.
    fn string(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.start(name, &header(&format!("|S{}", value.len()), &[], false), Packing::Small)?;
        self.zip.write_all(value.as_bytes())
    }

    fn small_integers(&mut self, name: &str, values: &[u32]) -> io::Result<()> {
        self.start(name, &header("<i4", &[values.len()], false), Packing::Fast)?;
        self.values(values.iter().map(|v| v.to_le_bytes()))
    }

    fn values<const N: usize>(&mut self, values: impl Iterator<Item = [u8; N]>) -> io::Result<()> {
        let mut block = Vec::with_capacity(1 << 16);
        for value in values {
            block.extend_from_slice(&value);
            if block.len() >= 1 << 16 {
                self.zip.write_all(&block)?;
                block.clear();
            }
        }
        self.zip.write_all(&block)
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        Ok(self.zip.finish().map_err(io::Error::other)?.into_inner())
    }
}

/// Writes a sparse matrix as `scipy.sparse.save_npz` does (csr), a dense one as the array `data`.
pub(super) fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let mut npz = NpzWriter::new(out);
    match &table.matrix {
        LoadedMatrix::Sparse(x) => {
            let (offsets, indices, values) = x.csr();
            // scipy wants indices and offsets of one type.
            let largest = values.len().max(x.n_rows()).max(x.n_columns());
            if largest <= i32::MAX as usize {
                let narrow: Vec<u32> = offsets.iter().map(|&o| o as u32).collect();
                npz.small_integers("indices", indices)?;
                npz.small_integers("indptr", &narrow)?;
            } else {
                npz.integers("indices", indices.iter().map(|&i| i64::from(i)))?;
                npz.integers("indptr", offsets.iter().map(|&o| o as i64))?;
            }
            npz.string("format", "csr")?;
            npz.integers("shape", [x.n_rows() as i64, x.n_columns() as i64].into_iter())?;
            npz.floats("data", &[values.len()], values)?;
        }
        LoadedMatrix::Dense(x) => {
            let (m, n) = (x.n_rows(), x.n_columns());
            npz.start("data", &header("<f8", &[m, n], false), Packing::Small)?;
            let places = (0..m).flat_map(|d| (0..n).map(move |j| (d, j)));
            npz.values(places.map(|(d, j)| x.get(d, j).to_le_bytes()))?;
        }
    }
    for (name, names) in [
        (ROW_NAMES, &table.row_names),
        (COLUMN_NAMES, &table.column_names),
        (LABELS, &table.labels),
    ] {
        if let Some(names) = names {
            npz.bytes(name, &serde_json::to_vec(names)?)?;
        }
    }
    npz.finish().map(|_| ())
}
