//! Large data: drawn corpora with the shapes of the paper's Table 3, and how they are timed.

use anyhow::Result;
use rayon::prelude::*;
use xray_nmf::synth::Corpus;
use xray_nmf::{Fit, Matrix, Params, Scalar, Selection, SparseMatrix};

use super::Settings;
use crate::measure::{Spent, measured};

/// Bytes for cached products: enough to be fast, and far less than the paper's system used.
const MEMORY: usize = 1 << 30;

/// A corpus of the paper's Table 3, with the paper's figures.
pub(super) struct Shape {
    pub(super) name: &'static str,
    corpus: fn() -> Corpus,
    /// Size in quick versions.
    quick_scale: f64,
    /// nnz(X'X) of the paper's data.
    pub(super) paper_pairs: f64,
    /// Seconds for r = 25, 50 and 100 on eight cores.
    pub(super) paper_seconds: [f64; 3],
    /// Bytes.
    pub(super) paper_memory: f64,
    /// Seconds of Hottopixx for 5 epochs (r = 25, 50, 100), then for 10.
    pub(super) paper_hottopixx: [[f64; 3]; 2],
}

pub(super) const SHAPES: [Shape; 3] = [
    Shape {
        name: "RCV1",
        corpus: Corpus::rcv1,
        quick_scale: 0.02,
        paper_pairs: 172.3e6,
        paper_seconds: [15.4, 67.2, 409.0],
        paper_memory: 3.6e9,
        paper_hottopixx: [[2026.8, 1938.3, 1883.6], [3769.0, 3774.7, 3888.9]],
    },
    Shape {
        name: "PPL2",
        corpus: Corpus::ppl2,
        quick_scale: 0.02,
        paper_pairs: 1.99e9,
        paper_seconds: [196.0, 443.8, 1147.0],
        paper_memory: 30.2e9,
        paper_hottopixx: [[1818.1, 1935.5, 1892.8], [3725.2, 3895.5, 3913.7]],
    },
    Shape {
        name: "IBMT",
        corpus: Corpus::ibmt,
        quick_scale: 0.05,
        paper_pairs: 1.77e6,
        paper_seconds: [0.38, 1.78, 9.8],
        paper_memory: 1e9,
        paper_hottopixx: [[338.6, 337.2, 327.7], [642.1, 668.5, 636.9]],
    },
];

impl Shape {
    /// Draws the corpus.
    pub(super) fn draw(&self, settings: &Settings) -> Result<SparseMatrix<'static, f32>> {
        let corpus = Corpus { seed: settings.seed, ..(self.corpus)() };
        let corpus = if settings.quick { corpus.scaled(self.quick_scale)? } else { corpus };
        Ok(corpus.generate()?)
    }
}

/// XRAY(greedy), timed; the weights of all columns are part of it.
pub(super) fn time_xray(matrix: &dyn Matrix, rank: usize) -> Result<Spent> {
    let params = Params { selection: Selection::Greedy, ..Params::new(rank) };
    let fit = || Fit::of(matrix).memory(Some(MEMORY)).run(&params);
    let (found, spent) = measured(fit);
    found?;
    Ok(spent)
}

/// nnz(X'X): pairs of columns with a row in common, both orders, and the diagonal.
pub(super) fn pairs<T: Scalar>(matrix: &SparseMatrix<'_, T>) -> u64 {
    const CHUNK: usize = 256;
    let (row_starts, columns, _) = matrix.csr();
    let (column_starts, rows, _) = matrix.csc();
    let n = matrix.n_columns();
    let starts: Vec<usize> = (0..n).step_by(CHUNK).collect();
    let count = |start: usize| {
        let mut seen = vec![usize::MAX; n];
        let mut count = 0u64;
        for j in start..n.min(start + CHUNK) {
            for &d in &rows[column_starts[j]..column_starts[j + 1]] {
                for &i in &columns[row_starts[d as usize]..row_starts[d as usize + 1]] {
                    count += u64::from(seen[i as usize] != j);
                    seen[i as usize] = j;
                }
            }
        }
        count
    };
    starts.into_par_iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_once() {
        let entries = [(0, 0, 1.0), (0, 1, 1.0), (1, 1, 1.0), (1, 0, 1.0), (2, 2, 1.0)];
        let x = SparseMatrix::from_triplets(3, 4, entries).expect("matrix");
        // Columns 0 and 1 with each other and themselves, column 2 with itself, column 3 is empty.
        assert_eq!(pairs(&x), 5);
    }
}
