//! Small dense matrices, one column after the other: what the methods need of linear algebra beside least squares.
//!
//! Plain loops in a fixed order: the same bits everywhere. Cost: O(n^3).

use crate::matrix::kernels::{add_scaled, dot};

/// The inverse of an n x n matrix by Gauss and Jordan's elimination with pivots, or None if a pivot is
/// rounding: below n 1e-16 of the largest entry.
pub(crate) fn inverse(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    debug_assert_eq!(matrix.len(), n * n);
    let (mut a, mut b) = (matrix.to_vec(), identity(n));
    let size = a.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
    for c in 0..n {
        let pivot =
            (c..n).fold(c, |p, d| if a[c * n + d].abs() > a[c * n + p].abs() { d } else { p });
        let value = a[c * n + pivot];
        if value.is_nan() || value.abs() <= n as f64 * 1e-16 * size {
            return None;
        }
        for matrix in [&mut a, &mut b] {
            (0..n).for_each(|q| matrix.swap(q * n + c, q * n + pivot));
        }
        eliminate(&mut a, &mut b, n, c);
    }
    Some(b)
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|q| f64::from(u8::from(q % (n + 1) == 0))).collect()
}

/// Makes column c of `a` a unit vector by operations on rows, which `b` gets, too.
fn eliminate(a: &mut [f64], b: &mut [f64], n: usize, c: usize) {
    let factors: Vec<f64> = a[c * n..(c + 1) * n].to_vec();
    for matrix in [a, b] {
        for column in matrix.chunks_exact_mut(n) {
            let scaled = column[c] / factors[c];
            column.iter_mut().zip(&factors).for_each(|(v, f)| *v -= f * scaled);
            column[c] = scaled;
        }
    }
}

/// The eigenvalues of a symmetric matrix, largest first, and unit eigenvectors whose largest entry is positive.
///
/// Householder's reflections to a tridiagonal matrix, then implicit shifts (QL).
pub(crate) fn symmetric_eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let size = matrix.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
    if n == 0 || size == 0.0 || !size.is_finite() {
        return (vec![0.0; n], identity(n).chunks(n.max(1)).map(<[f64]>::to_vec).collect());
    }
    let mut a: Vec<f64> = matrix.iter().map(|v| v / size).collect();
    let reflections = tridiagonal(&mut a, n);
    let mut diagonal: Vec<f64> = (0..n).map(|k| a[k * n + k]).collect();
    let mut beside: Vec<f64> =
        (0..n).map(|k| if k + 1 < n { a[k * n + k + 1] } else { 0.0 }).collect();
    let mut vectors: Vec<Vec<f64>> = identity(n).chunks(n).map(<[f64]>::to_vec).collect();
    (0..n).for_each(|l| settle(&mut diagonal, &mut beside, &mut vectors, l));
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]).then(a.cmp(&b)));
    let finish = |k: &usize| {
        let mut vector = std::mem::take(&mut vectors[*k]);
        for (first, v) in reflections.iter().rev() {
            reflect(&mut vector[*first..], v);
        }
        let largest =
            vector.iter().fold(0.0, |most: f64, v| if v.abs() > most.abs() { *v } else { most });
        if largest < 0.0 {
            vector.iter_mut().for_each(|v| *v = -*v);
        }
        vector
    };
    let values = order.iter().map(|&k| diagonal[k] * size).collect();
    (values, order.iter().map(finish).collect())
}

/// `x - 2 v v'x` for a unit v.
fn reflect(x: &mut [f64], v: &[f64]) {
    let share = 2.0 * dot(v, x);
    add_scaled(x, v, -share);
}

/// Makes a symmetric matrix tridiagonal; returns the reflections, each with the row where it begins.
fn tridiagonal(a: &mut [f64], n: usize) -> Vec<(usize, Vec<f64>)> {
    let mut reflections = Vec::new();
    for c in 0..n.saturating_sub(2) {
        let first = c + 1;
        let mut v = a[c * n + first..(c + 1) * n].to_vec();
        let rest = dot(&v[1..], &v[1..]);
        if rest == 0.0 {
            continue;
        }
        let length = (v[0] * v[0] + rest).sqrt();
        v[0] += if v[0] < 0.0 { -length } else { length };
        let norm = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|v| *v /= norm);
        // From both sides: A - v w' - w v' with w = 2 (Av - (v'Av) v).
        let column = |k: usize| &a[k * n + first..(k + 1) * n];
        let mut w: Vec<f64> = (first..n).map(|k| dot(column(k), &v)).collect();
        let share = dot(&v, &w);
        w.iter_mut().zip(&v).for_each(|(w, v)| *w = 2.0 * (*w - share * v));
        for k in first..n {
            let (vk, wk) = (v[k - first], w[k - first]);
            let column = &mut a[k * n + first..(k + 1) * n];
            for (entry, (v, w)) in column.iter_mut().zip(v.iter().zip(&w)) {
                *entry -= v * wk + w * vk;
            }
        }
        reflect(&mut a[c * n + first..(c + 1) * n], &v);
        reflections.push((first, v));
    }
    reflections
}

/// Most shifts for one eigenvalue; two or three are usual.
const MOST_SHIFTS: usize = 60;

/// Shifts until eigenvalue l stands alone; the matrix has largest entry 1.
fn settle(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [Vec<f64>], l: usize) {
    let n = diagonal.len();
    for _ in 0..MOST_SHIFTS {
        let alone = |&k: &usize| {
            k + 1 == n
                || beside[k].abs() <= f64::EPSILON * (diagonal[k].abs() + diagonal[k + 1].abs())
        };
        let end = (l..n).find(alone).unwrap_or(n - 1);
        if end == l {
            return;
        }
        let half = (diagonal[l + 1] - diagonal[l]) / (2.0 * beside[l]);
        let root = (half * half + 1.0).sqrt();
        let near = half + if half < 0.0 { -root } else { root };
        let mut g = diagonal[end] - diagonal[l] + beside[l] / near;
        let (mut sine, mut cosine, mut shift, mut cut) = (1.0, 1.0, 0.0, false);
        for i in (l..end).rev() {
            let (f, b) = (sine * beside[i], cosine * beside[i]);
            let length = (f * f + g * g).sqrt();
            beside[i + 1] = length;
            if length == 0.0 {
                diagonal[i + 1] -= shift;
                beside[end] = 0.0;
                cut = true;
                break;
            }
            (sine, cosine) = (f / length, g / length);
            g = diagonal[i + 1] - shift;
            let turned = (diagonal[i] - g) * sine + 2.0 * cosine * b;
            shift = sine * turned;
            diagonal[i + 1] = g + shift;
            g = cosine * turned - b;
            let (before, after) = vectors.split_at_mut(i + 1);
            for (x, y) in before[i].iter_mut().zip(&mut after[0]) {
                (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
            }
        }
        if !cut {
            diagonal[l] -= shift;
            beside[l] = g;
            beside[end] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_inverse_and_singular_matrices_have_none() {
        // The first pivot is 0.
        let a = [0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 4.0, 1.0, 0.0];
        let b = inverse(&a, 3).expect("regular");
        for (i, j) in (0..9).map(|q| (q / 3, q % 3)) {
            let entry: f64 = (0..3).map(|k| a[k * 3 + i] * b[j * 3 + k]).sum();
            assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-14, "{i} {j} {entry}");
        }
        assert_eq!(inverse(&[1.0, 2.0, 2.0, 4.0], 2), None);
        assert_eq!(inverse(&[f64::NAN], 1), None);
        assert_eq!(inverse(&[], 0), Some(vec![]));
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_rebuild_the_matrix() {
        for n in [1, 2, 3, 7, 20] {
            // Symmetric, with equal eigenvalues in it: a block of ones beside something uneven.
            let entry = |i: usize, j: usize| {
                let uneven = ((i * j + i + j) % 7) as f64 - 3.0;
                if i < n / 2 && j < n / 2 { 1.0 } else { uneven }
            };
            let a: Vec<f64> = (0..n * n).map(|q| entry(q / n, q % n)).collect();
            let (values, vectors) = symmetric_eigen(&a, n);
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1]), "{values:?}");
            for (i, j) in (0..n * n).map(|q| (q / n, q % n)) {
                let unit = f64::from(u8::from(i == j));
                assert!((dot(&vectors[i], &vectors[j]) - unit).abs() < 1e-13, "{n} {i} {j}");
                let rebuilt: f64 = (0..n).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((rebuilt - a[i * n + j]).abs() < 1e-12, "{n} {i} {j} {rebuilt}");
            }
        }
        assert_eq!(symmetric_eigen(&[0.0; 4], 2).0, [0.0, 0.0]);
        assert!(symmetric_eigen(&[], 0).1.is_empty());
    }
}
