//! Rays at small angles: all of them are found, down to ten times the tolerance.

use crate::support::naive::EXACT;
use crate::support::problems::Random;
use crate::support::verify::dot;
use crate::support::{Grid, all_bits};
use xray_nmf::{Engine, Params, Selection, fit};

const ROWS: usize = 12;
const RAYS: usize = 6;

/// How the rays of a design are close to each other.
#[derive(Debug, Clone, Copy)]
enum Family {
    /// Two of them, the others anywhere.
    TwoRays,
    /// One of them to a face of three others.
    AboveFace,
    /// All of them.
    NarrowCone,
}

const FAMILIES: [Family; 3] = [Family::TwoRays, Family::AboveFace, Family::NarrowCone];

fn uniform(random: &mut Random) -> Vec<f64> {
    (0..ROWS).map(|_| 0.1 + random.unit() + random.unit() / 65536.0).collect()
}

/// `sum_k weights_k columns_k`.
fn mixed(columns: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; ROWS];
    for (column, w) in columns.iter().zip(weights) {
        sum.iter_mut().zip(column).for_each(|(s, v)| *s += w * v);
    }
    sum
}

/// A direction of length 1 orthogonal to the given columns.
fn orthogonal(columns: &[Vec<f64>], random: &mut Random) -> Vec<f64> {
    let mut v: Vec<f64> = (0..ROWS).map(|_| random.unit() - 0.5).collect();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns.iter().chain([&v.clone()]) {
        v.clone_from(column);
        for q in basis.iter().chain(&basis) {
            let share = dot(q, &v);
            v.iter_mut().zip(q).for_each(|(v, q)| *v -= share * q);
        }
        let length = dot(&v, &v).sqrt();
        v.iter_mut().for_each(|v| *v /= length);
        basis.push(v.clone());
    }
    v
}

/// `column` turned by `angle` towards `direction`, which is orthogonal to it.
fn turned(column: &[f64], direction: &[f64], angle: f64) -> Vec<f64> {
    let length = dot(column, column).sqrt() * angle.tan();
    column.iter().zip(direction).map(|(v, d)| v + length * d).collect()
}

fn rays(family: Family, angle: f64, random: &mut Random) -> Vec<Vec<f64>> {
    let mut rays: Vec<Vec<f64>> = (0..RAYS).map(|_| uniform(random)).collect();
    let last = RAYS - 1;
    match family {
        Family::TwoRays => {
            let direction = orthogonal(&rays[..1], random);
            rays[last] = turned(&rays[0], &direction, angle);
        }
        Family::AboveFace => {
            let inside = mixed(&rays[..3], &[0.2 + random.unit(), 0.2 + random.unit(), 0.5]);
            let direction = orthogonal(&rays[..last], random);
            rays[last] = turned(&inside, &direction, angle);
        }
        Family::NarrowCone => {
            let axis = rays[0].clone();
            for ray in &mut rays {
                let direction = orthogonal(std::slice::from_ref(&axis), random);
                *ray = turned(&axis, &direction, angle);
            }
        }
    }
    rays
}

/// X in random order, and where its rays are: with points inside, on edges and near rays.
fn design(family: Family, angle: f64, seed: u64) -> (Grid, Vec<usize>) {
    let mut random = Random(seed ^ 0xc105e);
    let rays = rays(family, angle, &mut random);
    let mut columns: Vec<(bool, Vec<f64>)> = rays.iter().map(|v| (true, v.clone())).collect();
    for q in 0..45 {
        let mut weights = vec![0.0; RAYS];
        let (a, b) = (random.below(RAYS), random.below(RAYS));
        match q % 3 {
            0 => weights.iter_mut().for_each(|w| *w = random.unit().powi(2)),
            1 => (weights[a], weights[b]) = (0.1 + random.unit(), 0.1 + random.unit()),
            _ => (weights[b], weights[a]) = (10f64.powf(-1.0 - 3.0 * random.unit()), 1.0),
        }
        columns.push((weights.iter().filter(|w| **w > 0.0).count() == 1, mixed(&rays, &weights)));
    }
    // A mixture of a ray with itself is another column of it: left out, so that each ray is one column.
    let mut kept = 0;
    columns.retain(|(is_ray, _)| {
        kept += 1;
        kept <= RAYS || !is_ray
    });
    random.shuffle(&mut columns);
    let expected = (0..columns.len()).filter(|&j| columns[j].0).collect();
    let columns: Vec<Vec<f64>> = columns.into_iter().map(|(_, column)| column).collect();
    (Grid::from_columns(&columns), expected)
}

/// Whether the anchors are the rays.
fn finds_all(family: Family, angle: f64, seed: u64, params: &Params) -> bool {
    let (x, expected) = design(family, angle, seed);
    let params = Params { seed, ..params.clone() };
    let mut anchors = fit(&x.dense(), &params).unwrap().anchors();
    anchors.sort_unstable();
    anchors == expected
}

#[test]
fn all_rays_are_found_down_to_ten_times_the_tolerance() {
    for (family, step) in FAMILIES.into_iter().flat_map(|f| (0..6).map(move |s| (f, s))) {
        let angle = 10f64.powf(-2.5 - 0.5 * f64::from(step));
        for (selection, seed) in EXACT.into_iter().flat_map(|s| (0..8).map(move |k| (s, k))) {
            let params = Params { selection, ..Params::new(RAYS) };
            let found = finds_all(family, angle, seed, &params);
            assert!(found, "{family:?} {angle:e} {selection:?} seed {seed}");
        }
    }
}

/// Narrow cones over regular polygons, with the middle of every edge first: whole edges tie, and spreads
/// differ by the square of the width.
#[test]
fn vertices_of_narrow_polygons_are_found() {
    for (sides, step) in [4usize, 5, 8].into_iter().flat_map(|n| (0..8).map(move |s| (n, s))) {
        let width = 10f64.powf(-1.0 - 0.5 * f64::from(step));
        let corner = |k: usize| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
            vec![1.0, 0.5 + width * cos, 0.5 + width * sin]
        };
        let middle = |k: usize| -> Vec<f64> {
            corner(k).iter().zip(corner(k + 1)).map(|(a, b)| 0.5 * (a + b)).collect()
        };
        let columns = (0..sides).map(middle).chain((0..sides).map(corner)).collect::<Vec<_>>();
        let x = Grid::from_columns(&columns);
        for (selection, seed) in EXACT.into_iter().flat_map(|s| (0..4).map(move |k| (s, k))) {
            let params = Params { selection, seed, ..Params::new(sides) };
            let mut anchors = fit(&x.dense(), &params).unwrap().anchors();
            anchors.sort_unstable();
            let corners: Vec<usize> = (sides..2 * sides).collect();
            assert_eq!(anchors, corners, "{sides} sides {width:e} {selection:?} seed {seed}");
        }
    }
}

/// Scores that nearly tie, and scores that rounding hides: both engines see them alike.
#[test]
fn engines_agree_on_close_rays() {
    let rules = [Selection::Dist, Selection::Greedy, Selection::Agg, Selection::Joint];
    for (family, step) in FAMILIES.into_iter().flat_map(|f| (0..10).map(move |s| (f, s))) {
        let angle = 10f64.powf(-2.0 - 0.5 * f64::from(step));
        for (selection, seed) in rules.into_iter().flat_map(|s| (0..4).map(move |k| (s, k))) {
            let (x, _) = design(family, angle, seed);
            let run = |engine: Engine| {
                fit(&x.dense(), &Params { selection, engine, ..Params::new(RAYS + 1) }).unwrap()
            };
            let (lazy, direct) = (run(Engine::Lazy), run(Engine::Direct));
            assert_eq!(all_bits(&lazy), all_bits(&direct), "{family:?} {angle:e} {selection:?}");
            assert_eq!(lazy.termination(), direct.termination());
        }
    }
}

/// The share of designs whose rays are all found, for every angle: run it with `--ignored --nocapture`.
#[test]
#[ignore = "prints a table"]
fn table_of_angles() {
    let designs = 40;
    for family in FAMILIES {
        println!("{family:?}: {EXACT:?}");
        for step in 0..10 {
            let angle = 10f64.powf(-2.0 - 0.5 * f64::from(step));
            let share = |selection: Selection| {
                let params = Params { selection, ..Params::new(RAYS) };
                let found = (0..designs).filter(|&s| finds_all(family, angle, s, &params));
                format!("{:4.0}", 100.0 * found.count() as f64 / designs as f64)
            };
            println!("{angle:8.1e} {}", EXACT.map(share).join(" "));
        }
    }
}

#[test]
fn an_interior_column_first_is_never_taken_for_a_ray() {
    for exponent in 2..=10 {
        let angle = 10f64.powf(-0.5 * f64::from(exponent));
        let ray =
            |k: usize| -> Vec<f64> { (0..3).map(|d| 1.0 + f64::from(d == k) * angle).collect() };
        let inside = ray(0).iter().zip(ray(1)).map(|(a, b)| 0.9 * a + 0.1 * b).collect();
        let x = Grid::from_columns(&[inside, ray(0), ray(1), ray(2)]);
        for (selection, seed) in EXACT.into_iter().flat_map(|s| (0..4).map(move |k| (s, k))) {
            let params = Params { selection, seed, ..Params::new(3) };
            let mut anchors = fit(&x.dense(), &params).unwrap().anchors();
            anchors.sort_unstable();
            assert_eq!(anchors, [1, 2, 3], "{angle:e} {selection:?}");
        }
    }
}

/// The best column and one that is hardly worse, with a wider one between them: whatever the width of a
/// tie, one of the two is taken.
#[test]
fn a_column_between_two_that_nearly_tie_never_wins() {
    for exponent in 12..=32 {
        let a = 1.5 * 10f64.powf(-0.5 * f64::from(exponent));
        let first = [1.0 + a, 1.0, 1.0 - a].map(|v| v * 10.0 / 3.0).to_vec();
        let (best, worse) = (vec![0.4, 0.35, 0.25], vec![0.0, 0.15, 0.85]);
        let between = best.iter().zip(&worse).map(|(a, b)| 0.5 * (a + b)).collect();
        let x = Grid::from_columns(&[first, best, worse, between]);
        for (selection, engine) in EXACT.into_iter().flat_map(|s| Engine::ALL.map(|e| (s, e))) {
            let params = Params { selection, engine, ..Params::new(3) };
            let found = fit(&x.dense(), &params).unwrap();
            assert!(!found.anchors().contains(&3), "{a:e} {selection:?} {:?}", found.anchors());
        }
    }
}
