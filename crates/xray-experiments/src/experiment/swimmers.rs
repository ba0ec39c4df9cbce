//! Drawn swimmers: a torso and four limbs, each in one of four positions, 256 images in all.

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use xray_data::LoadedMatrix;
use xray_nmf::{DenseMatrix, Matrix, Result};

/// Pixels on each side of a drawn image.
pub(super) const SIDE: usize = 24;

/// Pixels of a limb.
const LIMB: i32 = 5;

/// A place, or a step from one pixel to the next: x and y.
type Steps = (i32, i32);

/// Where each limb begins, and its four directions.
const LIMBS: [(Steps, [Steps; 4]); 4] = [
    ((10, 6), [(-1, 0), (-1, -1), (-1, 1), (0, -1)]),
    ((13, 6), [(1, 0), (1, -1), (1, 1), (0, -1)]),
    ((10, 17), [(-1, 0), (-1, 1), (-1, -1), (0, 1)]),
    ((13, 17), [(1, 0), (1, 1), (1, -1), (0, 1)]),
];

/// All 256 images, a row each, pixels row after row: 1 on the swimmer, 0 elsewhere.
pub(super) fn draw() -> Result<LoadedMatrix> {
    let mut values = Vec::with_capacity(256 * SIDE * SIDE);
    for image in 0..256usize {
        let mut pixels = vec![0.0; SIDE * SIDE];
        let mut set = |x: i32, y: i32| pixels[y as usize * SIDE + x as usize] = 1.0;
        (6..=17).for_each(|y| [11, 12].into_iter().for_each(|x| set(x, y)));
        for (limb, ((x, y), directions)) in LIMBS.iter().enumerate() {
            let (dx, dy) = directions[(image >> (2 * limb)) & 3];
            (1..=LIMB).for_each(|k| set(x + k * dx, y + k * dy));
        }
        values.extend(pixels);
    }
    DenseMatrix::from_row_major(256, SIDE * SIDE, values).map(LoadedMatrix::Dense)
}

/// Adds the largest value to a share of the pixels of every image.
pub(super) fn with_noise(images: &LoadedMatrix, share: f64, seed: u64) -> Result<LoadedMatrix> {
    let (m, n) = (images.n_rows(), images.n_columns());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut values = vec![0.0; m * n];
    values.chunks_exact_mut(n).enumerate().for_each(|(d, row)| images.copy_row(d, row));
    let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(*v));
    for row in values.chunks_exact_mut(n) {
        let chosen = sample(&mut random, n, (share * n as f64).round() as usize);
        chosen.into_iter().for_each(|pixel| row[pixel] += largest);
    }
    DenseMatrix::from_row_major(m, n, values).map(LoadedMatrix::Dense)
}

/// The parts of clean images: sets of pixels that are always on together, but not in all images.
pub(super) fn parts(images: &LoadedMatrix) -> Vec<Vec<usize>> {
    let (m, n) = (images.n_rows(), images.n_columns());
    let mut parts: Vec<(Vec<f64>, Vec<usize>)> = Vec::new();
    for pixel in 0..n {
        let column = match images {
            LoadedMatrix::Dense(x) => x.column(pixel).to_dense(m),
            LoadedMatrix::Sparse(x) => x.column(pixel).to_dense(m),
        };
        let on = column.iter().filter(|v| **v > 0.0).count();
        if on == 0 || on == m {
            continue;
        }
        match parts.iter_mut().find(|part| part.0 == column) {
            Some(part) => part.1.push(pixel),
            None => parts.push((column, vec![pixel])),
        }
    }
    parts.into_iter().map(|part| part.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swimmers_have_sixteen_limbs_of_five_pixels() {
        let images = draw().expect("images");
        let parts = parts(&images);
        assert_eq!(parts.len(), 16);
        assert!(parts.iter().all(|part| part.len() == LIMB as usize));
    }

    #[test]
    fn noise_changes_the_share_of_pixels_asked_for() {
        let clean = draw().expect("images");
        let noisy = with_noise(&clean, 0.1, 3).expect("images");
        let (mut a, mut b) = (vec![0.0; SIDE * SIDE], vec![0.0; SIDE * SIDE]);
        for d in [0, 255] {
            clean.copy_row(d, &mut a);
            noisy.copy_row(d, &mut b);
            assert_eq!(a.iter().zip(&b).filter(|(a, b)| a != b).count(), 58);
        }
    }
}
