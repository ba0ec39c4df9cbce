//! Many ranks, with threads as ranks: each has what one machine would cut out for it, to the last bit.

mod reading;
mod verbs;

use xray_nmf::SparseMatrix;

/// A matrix with more columns than two blocks, whole numbers and fractions.
fn matrix(m: usize, n: usize) -> SparseMatrix<'static, f64> {
    let entries = (0..m).flat_map(|d| (0..n).map(move |j| (d, j)));
    let value = |d: usize, j: usize| ((d * 37 + j * 11 + d * j) % 29) as f64;
    let entries = entries.filter(|&(d, j)| value(d, j) > 24.0);
    SparseMatrix::from_triplets(m, n, entries.map(|(d, j)| (d, j, value(d, j) / 3.0)))
        .expect("in range")
}

/// Texts that share words, each about one or two of five subjects.
fn texts(n: usize) -> Vec<String> {
    let word = |d: usize, k: usize| match k % 3 {
        0 => format!("common{}", (d * d + k * 7) % 300),
        _ => format!("subject{}word{}", (d + k % 2 * (d % 3)) % 5, (d * 13 + k * k) % 120),
    };
    (0..n).map(|d| (0..9).map(|k| word(d, k)).collect::<Vec<_>>().join(" ")).collect()
}
