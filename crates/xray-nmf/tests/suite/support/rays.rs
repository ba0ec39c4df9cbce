//! Separable problems with known extreme rays, and whether anchors are one of each.

use super::Grid;
use super::files::{Golden, golden, indices};
use super::naive::extreme_rays;
use super::problems::{Kind, Random, problem};
use super::verify::dot;

/// A separable problem: X and the columns of each extreme ray.
pub struct Separable {
    pub name: String,
    pub x: Grid,
    pub rays: Vec<Vec<usize>>,
}

impl Separable {
    fn new(name: String, x: Grid) -> Self {
        let rays = extreme_rays(&x);
        Self { name, x, rays }
    }

    /// The linear rank of one column of each ray.
    pub fn linear_rank(&self) -> usize {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for ray in &self.rays {
            let mut v = self.x.column(ray[0]).to_vec();
            let size = dot(&v, &v).sqrt();
            for q in basis.iter().chain(&basis) {
                let share = dot(q, &v);
                v.iter_mut().zip(q).for_each(|(v, q)| *v -= share * q);
            }
            let left = dot(&v, &v).sqrt();
            if left > 1e-9 * size {
                basis.push(v.iter().map(|v| v / left).collect());
            }
        }
        basis.len()
    }

    pub fn is_independent(&self) -> bool {
        self.linear_rank() == self.rays.len()
    }
}

/// The ray classes that a reference file lists.
pub fn classes(problem: &Golden) -> Vec<Vec<usize>> {
    problem.answers["expected_ray_classes"].as_array().unwrap().iter().map(indices).collect()
}

/// The exact reference problems.
pub fn exact_files() -> Vec<Separable> {
    let exact = golden().into_iter().filter(|p| p.answers["kind"] == "exact");
    exact.map(|p| Separable { rays: classes(&p), name: p.name, x: p.x }).collect()
}

/// 200 small random problems: some planted, some with rays by chance, with copies and zero columns.
pub fn random_separable() -> Vec<Separable> {
    let made = |seed: u64| {
        let mut random = Random(seed ^ 0x5ba);
        let kind = [Kind::Planted, Kind::Integers, Kind::Uniform, Kind::Sparse][seed as usize % 4];
        let (m, n) = (random.between(2, 8), random.between(1, 16));
        Separable::new(format!("seed {seed} {kind:?}"), problem(kind, m, n, &mut random))
    };
    (0..200).map(made).collect()
}

/// More rays than dimensions: regular polygons as cones in three dimensions, two of them side by side in
/// five, each with mixtures and a copy of twice the length.
pub fn dependent_rays() -> Vec<Separable> {
    let polygon = |sides: usize| -> Vec<Vec<f64>> {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / sides as f64;
        let ray = |k| vec![1.0, 0.5 + 0.4 * angle(k).cos(), 0.5 + 0.4 * angle(k).sin()];
        (0..sides).map(ray).collect()
    };
    let padded =
        |v: &[f64], before: usize| [&vec![0.0; before][..], v, &vec![0.0; 2 - before][..]].concat();
    let pair: Vec<Vec<f64>> = [(5, 0), (6, 2)]
        .iter()
        .flat_map(|&(sides, before)| {
            let rays = polygon(sides);
            rays.iter().map(|v| padded(v, before)).collect::<Vec<_>>()
        })
        .collect();
    let designs = [("4 rays", polygon(4)), ("8 rays", polygon(8)), ("5 + 6 rays", pair)];
    let finished = designs.into_iter().map(|(name, rays)| {
        let mixed = |a: usize, b: usize| -> Vec<f64> {
            rays[a].iter().zip(&rays[b]).map(|(a, b)| 0.25 * a + 0.5 * b).collect()
        };
        let mixtures = (2..rays.len()).map(|k| mixed(k, k - 2)).collect::<Vec<_>>();
        let copy = rays[0].iter().map(|v| 2.0 * v).collect::<Vec<_>>();
        let columns = [mixtures, rays.clone(), vec![copy]].concat();
        Separable::new(name.to_string(), Grid::from_columns(&columns))
    });
    finished.collect()
}

/// Which ray each anchor is on, sorted; -1 for an interior column.
pub fn rays_of(anchors: &[usize], rays: &[Vec<usize>]) -> Vec<i64> {
    let ray = |a: &usize| rays.iter().position(|ray| ray.contains(a)).map_or(-1, |k| k as i64);
    let mut found: Vec<i64> = anchors.iter().map(ray).collect();
    found.sort_unstable();
    found
}

/// Exactly one column of each ray.
pub fn assert_all_rays(anchors: &[usize], rays: &[Vec<usize>], what: &str) {
    let expected: Vec<i64> = (0..rays.len() as i64).collect();
    assert_eq!(rays_of(anchors, rays), expected, "{what}: {anchors:?} of {rays:?}");
}
