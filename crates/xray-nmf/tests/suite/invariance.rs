//! Scaling X or permuting its columns scales and permutes the answer and changes nothing else, and
//! columns that span no new ray change nothing at all.

use crate::support::naive::{EXACT, extreme_rays};
use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::same_ray;
use crate::support::{Grid, every_rule, fitted};
use xray_nmf::{Normalize, Params, Selection, Termination};

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-8 * (1.0 + b.abs()), "{what}: {a:e} for {b:e}");
    }
}

/// How a rule's score grows with the scale of X.
fn score_factor(selection: Selection, factor: f64) -> f64 {
    if selection == Selection::Greedy { factor * factor } else { factor }
}

#[test]
fn powers_of_two_change_nothing_but_the_scale() {
    for (seed, kind) in Kind::NONNEGATIVE.into_iter().enumerate() {
        let x = problem(kind, 9, 40, &mut Random(seed as u64));
        for (params, power) in every_rule(6).flat_map(|p| [-100, -1, 3, 90].map(|k| (p.clone(), k)))
        {
            let factor = 2f64.powi(power);
            let what = format!("{kind:?} 2^{power} {params:?}");
            let (one, scaled) = (fitted(&x, &params), fitted(&x.scaled(factor), &params));
            assert_eq!(one.coefficients(), scaled.coefficients(), "{what}");
            for (a, b) in one.steps().iter().zip(scaled.steps()) {
                assert_eq!((a.anchor, a.exterior, a.margin), (b.anchor, b.exterior, b.margin));
                assert_eq!(a.residual.to_bits(), b.residual.to_bits(), "{what}");
                let factor = score_factor(params.selection, factor);
                assert_eq!(a.score.map(|s| s * factor), b.score, "{what}");
            }
        }
    }
}

#[test]
fn other_factors_keep_anchors_and_weights() {
    for (seed, kind) in [Kind::Uniform, Kind::Noisy, Kind::Sparse].into_iter().enumerate() {
        let x = problem(kind, 9, 40, &mut Random(77 + seed as u64));
        for (params, factor) in
            every_rule(6).flat_map(|p| [1e-30, 1e30, 3.7, 1e-6].map(|f| (p.clone(), f)))
        {
            let what = format!("{kind:?} {factor:e} {params:?}");
            let (one, scaled) = (fitted(&x, &params), fitted(&x.scaled(factor), &params));
            assert_eq!(one.anchors(), scaled.anchors(), "{what}");
            assert_close(&scaled.coefficients().to_dense(), &one.coefficients().to_dense(), &what);
            for (a, b) in one.steps().iter().zip(scaled.steps()) {
                assert!((a.residual - b.residual).abs() < 1e-9, "{what}");
                let expected = a.score.unwrap() * score_factor(params.selection, factor);
                let score = b.score.unwrap();
                assert!((score - expected).abs() <= 1e-9 * expected.abs(), "{what}: {score:e}");
            }
        }
    }
}

#[test]
fn the_scale_of_p_changes_no_anchor() {
    let x = problem(Kind::Noisy, 7, 30, &mut Random(9));
    for params in every_rule(5) {
        let one = fitted(&x, &params);
        for factor in [1e-70, 1e-9, 1.0, 1024.0, 1e70] {
            let params = Params { row_weights: Some(vec![factor; x.m]), ..params.clone() };
            assert_eq!(fitted(&x, &params).anchors(), one.anchors(), "{factor:e} {params:?}");
        }
    }
}

#[test]
fn normalised_columns_have_the_anchors_of_scaled_columns() {
    for seed in 0..10 {
        let mut random = Random(seed ^ 0x40);
        let x = problem(Kind::Uniform, 8, 30, &mut random);
        let factors: Vec<f64> = (0..x.n).map(|_| 2f64.powi(random.below(9) as i32 - 4)).collect();
        let scaled = x.map_columns(|j, column| column.iter().map(|v| v * factors[j]).collect());
        for (params, normalize) in
            every_rule(5).flat_map(|p| [Normalize::L1, Normalize::L2].map(|n| (p.clone(), n)))
        {
            let params = Params { normalize, ..params };
            let (one, other) = (fitted(&x, &params), fitted(&scaled, &params));
            assert_eq!(one.anchors(), other.anchors(), "{params:?}");
        }
    }
}

#[test]
fn permuting_columns_permutes_the_answer() {
    for seed in 0..20 {
        let mut random = Random(seed ^ 0x9e12);
        let kind = [Kind::Uniform, Kind::Noisy][seed as usize % 2];
        let x = problem(kind, 8, 35, &mut random);
        let mut order: Vec<usize> = (0..x.n).collect();
        random.shuffle(&mut order);
        let permuted = x.columns_at(&order);
        for params in every_rule(5).filter(|p| p.selection != Selection::Rand) {
            let what = format!("{kind:?} seed {seed} {params:?}");
            let (one, other) = (fitted(&x, &params), fitted(&permuted, &params));
            let back: Vec<usize> = other.anchors().iter().map(|&j| order[j]).collect();
            assert_eq!(back, one.anchors(), "{what}");
            for (i, &j) in order.iter().enumerate() {
                let (found, expected) =
                    (other.coefficients().dense_column(i), one.coefficients().dense_column(j));
                assert_close(&found, &expected, &what);
            }
        }
    }
}

#[test]
fn permuting_rows_changes_no_anchor() {
    for seed in 0..10 {
        let mut random = Random(seed ^ 0x4045);
        let x = problem(Kind::Noisy, 8, 35, &mut random);
        let mut order: Vec<usize> = (0..x.m).collect();
        random.shuffle(&mut order);
        let permuted = x.map_columns(|_, column| order.iter().map(|&d| column[d]).collect());
        for params in every_rule(5) {
            let (one, other) = (fitted(&x, &params), fitted(&permuted, &params));
            assert_eq!(one.anchors(), other.anchors(), "seed {seed} {params:?}");
        }
    }
}

#[test]
fn zero_columns_change_nothing() {
    for kind in [Kind::Uniform, Kind::Noisy, Kind::Integers] {
        let x = problem(kind, 8, 30, &mut Random(21));
        let zeros = Grid { m: 8, n: 5, values: vec![0.0; 40] };
        let longer = Grid { m: 8, n: 35, values: [x.values.clone(), zeros.values].concat() };
        for params in every_rule(5) {
            let (one, other) = (fitted(&x, &params), fitted(&longer, &params));
            assert_eq!(one.anchors(), other.anchors(), "{kind:?} {params:?}");
            assert!((30..35).all(|i| other.coefficients().column(i).0.is_empty()));
        }
    }
}

/// X followed by copies, multiples and mixtures of its columns, and zero columns.
fn with_redundant_columns(x: &Grid, random: &mut Random) -> Grid {
    let mut columns: Vec<Vec<f64>> = (0..x.n).map(|j| x.column(j).to_vec()).collect();
    for _ in 0..x.n {
        let (a, b) = (x.column(random.below(x.n)), x.column(random.below(x.n)));
        let (s, t) =
            [(1.0, 0.0), (3.0, 0.0), (0.125, 0.0), (1.0, 1.0), (0.0, 0.0)][random.below(5)];
        columns.push(a.iter().zip(b).map(|(a, b)| s * a + t * b).collect());
    }
    Grid::from_columns(&columns)
}

#[test]
fn redundant_columns_change_no_ray_and_the_lowest_index_stands_for_its_ray() {
    for seed in 0..40 {
        let mut random = Random(seed ^ 0xd0b1e);
        let x = problem([Kind::Planted, Kind::Integers][seed as usize % 2], 6, 14, &mut random);
        let longer = with_redundant_columns(&x, &mut random);
        let rays = extreme_rays(&x);
        for (selection, mean_ray) in EXACT.into_iter().flat_map(|s| [(s, false), (s, true)]) {
            let params = Params { selection, mean_ray, seed, ..Params::new(99) };
            for data in [&x, &longer] {
                let found = fitted(data, &params);
                let what = format!("seed {seed} {params:?} {data:?}");
                assert_eq!(found.termination(), Termination::Exhausted, "{what}");
                let mut anchors = found.anchors();
                anchors.sort_unstable();
                let lowest: Vec<usize> = rays.iter().map(|ray| ray[0]).collect();
                assert_eq!(anchors, lowest, "{what}");
            }
        }
    }
}

#[test]
fn copies_change_no_choice_of_max() {
    for seed in 0..20 {
        let x = problem(Kind::Noisy, 7, 20, &mut Random(seed ^ 0xc0b1));
        let doubled = Grid { m: 7, n: 40, values: [x.values.clone(), x.values.clone()].concat() };
        let params = Params::new(5);
        let (one, two) = (fitted(&x, &params), fitted(&doubled, &params));
        assert_eq!(one.anchors(), two.anchors(), "seed {seed}");
        let anchors = two.anchors();
        let distinct = |a: usize, b: usize| !same_ray(doubled.column(a), doubled.column(b));
        assert!(anchors.iter().all(|&a| anchors.iter().all(|&b| a == b || distinct(a, b))));
    }
}
