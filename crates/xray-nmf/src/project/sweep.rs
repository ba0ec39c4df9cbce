//! Cyclic coordinate descent on one line: `min_{z >= 0} 1/2 z'Sz - c'z`.
//!
//! A cheap approximation whose support is close to the optimal one: the exact solver starts from it,
//! and HALS is made of it. Cost of a cycle: t for each topic that changes.
//!
//! Plain loops throughout: a closure would not be compiled for the vector units of its caller.

use crate::gram::NormalMatrix;
use crate::matrix::Line;
use crate::matrix::kernels::add_scaled;
use crate::matrix::kernels::quad::Quad;

/// `target <- sum_q x_q l_q` over the lines l of the other factor; returns `||x||^2`.
#[inline(always)]
pub(crate) fn weighted_lines(x: &Line, lines: &[f64], target: &mut [f64]) -> f64 {
    sum_of_lines(x, lines, target);
    let mut squared_norm = 0.0;
    for &v in &x.values {
        squared_norm += v * v;
    }
    squared_norm
}

/// `target <- sum_q x_q l_q`.
#[inline(always)]
pub(crate) fn sum_of_lines(x: &Line, lines: &[f64], target: &mut [f64]) {
    match target.len() {
        // As few lanes as possible are filled twice.
        17..=24 | 33..=48 => in_tiles::<12>(x, lines, target),
        16.. => in_tiles::<16>(x, lines, target),
        8.. => in_tiles::<8>(x, lines, target),
        4.. => in_tiles::<4>(x, lines, target),
        _ => in_tiles::<1>(x, lines, target),
    }
}

/// Fills `target` two tiles of W entries at a time, which stay in registers; the last tile may
/// overlap the one before it, and then finds the same sums again.
#[inline(always)]
fn in_tiles<const W: usize>(x: &Line, lines: &[f64], target: &mut [f64]) {
    let rank = target.len();
    for pair in 0..rank.div_ceil(2 * W) {
        let start = (2 * pair * W).min(rank - W);
        let second = (start + W).min(rank - W);
        let (mut sums, mut more) = ([0.0; W], [0.0; W]);
        for (i, &v) in x.values.iter().enumerate() {
            let q = match &x.indices {
                Some(rows) => rows[i] as usize,
                None => i,
            };
            let line = &lines[q * rank..][..rank];
            let (part, other) = (&line[start..][..W], &line[second..][..W]);
            for l in 0..W {
                sums[l] += part[l] * v;
                more[l] += other[l] * v;
            }
        }
        target[start..start + W].copy_from_slice(&sums);
        target[second..second + W].copy_from_slice(&more);
    }
}

/// One cycle `z_k <- (z_k + (c_k - (Sz)_k) / S_kk)_+`, keeping `image = Sz`.
#[inline(always)]
pub(crate) fn sweep(s: &NormalMatrix, target: &[f64], z: &mut [f64], image: &mut [f64]) {
    for k in 0..z.len() {
        let row = s.row(k);
        if row[k] > 0.0 {
            let better = (z[k] + (target[k] - image[k]) / row[k]).max(0.0);
            let change = better - z[k];
            if change != 0.0 {
                add_scaled(image, row, change);
                z[k] = better;
            }
        }
    }
}

/// Lines that descend side by side. One line alone waits for the latency of every step: each change
/// needs the image that the one before it has left.
const TOGETHER: usize = 8;

/// One number for each of these lines, in two registers.
type Side = [[f64; 4]; 2];

const ZEROS: Side = [[0.0; 4]; 2];

/// `sweeps` cycles on each of many lines z, and their images `Sz` after it: what [`sweep`] does, to
/// the bit.
#[inline(always)]
pub(crate) fn descend<Q: Quad>(
    s: &NormalMatrix,
    targets: &[f64],
    lines: &mut [f64],
    images: &mut [f64],
    sweeps: usize,
) {
    let rank = s.size();
    let (mut c, mut z, mut image) = (vec![ZEROS; rank], vec![ZEROS; rank], vec![ZEROS; rank]);
    let group = TOGETHER * rank;
    for ((targets, lines), images) in
        targets.chunks(group).zip(lines.chunks_mut(group)).zip(images.chunks_mut(group))
    {
        // Lanes that the last group leaves empty keep what was there, and nobody looks at them.
        side_by_side(targets, &mut c);
        side_by_side(lines, &mut z);
        image.fill(ZEROS);
        for (k, values) in z.iter().enumerate() {
            add_multiples::<Q>(&mut image, s.row(k), values);
        }
        for _ in 0..sweeps {
            sweep_together::<Q>(s, &c, &mut z, &mut image);
        }
        one_by_one(&z, lines);
        one_by_one(&image, images);
    }
}

#[inline(always)]
fn sweep_together<Q: Quad>(s: &NormalMatrix, c: &[Side], z: &mut [Side], image: &mut [Side]) {
    for k in 0..z.len() {
        let row = s.row(k);
        if row[k] > 0.0 {
            let mut change = ZEROS;
            for half in 0..2 {
                let (c, z, image) = (&c[k][half], &mut z[k][half], &image[k][half]);
                for l in 0..4 {
                    let free = z[l] + (c[l] - image[l]) / row[k];
                    let better = if free > 0.0 { free } else { 0.0 };
                    change[half][l] = better - z[l];
                    z[l] = better;
                }
            }
            add_multiples::<Q>(image, row, &change);
        }
    }
}

/// `image_q += row_q * factors` for all q.
#[inline(always)]
fn add_multiples<Q: Quad>(image: &mut [Side], row: &[f64], factors: &Side) {
    if *factors == ZEROS {
        return;
    }
    let (low, high) = (Q::load(&factors[0]), Q::load(&factors[1]));
    for (sums, &v) in image.iter_mut().zip(row) {
        let v = Q::splat(v);
        Q::load(&sums[0]).add_product(v, low).store(&mut sums[0]);
        Q::load(&sums[1]).add_product(v, high).store(&mut sums[1]);
    }
}

/// From lines one after the other to one lane for each.
#[inline(always)]
fn side_by_side(lines: &[f64], lanes: &mut [Side]) {
    for (l, line) in lines.chunks_exact(lanes.len()).enumerate() {
        for (k, &v) in line.iter().enumerate() {
            lanes[k][l / 4][l % 4] = v;
        }
    }
}

/// And back.
#[inline(always)]
fn one_by_one(lanes: &[Side], lines: &mut [f64]) {
    for (l, line) in lines.chunks_exact_mut(lanes.len()).enumerate() {
        for (k, v) in line.iter_mut().enumerate() {
            *v = lanes[k][l / 4][l % 4];
        }
    }
}
