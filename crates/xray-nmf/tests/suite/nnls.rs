//! Nonnegative least squares against brute force, and what is built on it: new columns and new rows
//! under a fitted model.

use crate::support::Grid;
use crate::support::naive::{difference, least_squares, nnls as naive_nnls};
use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::{dot, verify};
use xray_nmf::{
    DenseMatrix, Error, Matrix, Nnls, Params, RowModel, Selection, fit, nnls, with_threads,
};

const KINDS: [Kind; 6] =
    [Kind::Uniform, Kind::Integers, Kind::Planted, Kind::Noisy, Kind::Sparse, Kind::Signed];

fn columns(x: &Grid) -> Vec<&[f64]> {
    (0..x.n).map(|j| x.column(j)).collect()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The smallest `||A z - b||` over all supports whose least-squares solution is nonnegative.
fn brute_force(a: &Grid, b: &[f64]) -> f64 {
    let columns = columns(a);
    let mut best = norm(b);
    for set in 1u32..1 << a.n {
        let support: Vec<usize> = (0..a.n).filter(|k| set >> k & 1 == 1).collect();
        let Some(z) = least_squares(&columns, &support, b) else { continue };
        if z.iter().all(|v| *v >= 0.0) {
            let mut h = vec![0.0; a.n];
            support.iter().zip(z).for_each(|(&k, z)| h[k] = z);
            best = best.min(norm(&difference(&columns, &h, b)));
        }
    }
    best
}

/// z >= 0, A'r <= 0 and z'A'r = 0 with r = b - Az, and the residual reported is that of z.
fn assert_optimal(a: &Grid, b: &[f64], z: &[f64], reported: f64, what: &str) {
    assert!(z.iter().all(|v| *v >= 0.0 && v.is_finite()), "{what}: {z:?}");
    let r = difference(&columns(a), z, b);
    assert!((norm(&r) - reported).abs() <= 1e-12 * norm(b), "{what}: residual {reported}");
    for (column, z) in columns(a).into_iter().zip(z) {
        let gradient = dot(column, &r);
        assert!(gradient <= 1e-10 * norm(column) * norm(b), "{what}: gradient {gradient:e}");
        assert!((gradient * z).abs() <= 1e-10 * dot(b, b), "{what}: slackness");
    }
}

fn solve(a: &Grid, b: &Grid) -> Nnls {
    let dense = nnls(&a.dense(), &b.dense()).unwrap();
    for threads in [1, 2] {
        let on = |a: &dyn Matrix, b: &dyn Matrix| {
            with_threads(Some(threads), || nnls(a, b).unwrap()).unwrap()
        };
        assert_eq!(dense.solutions, on(&a.sparse(), &b.sparse()).solutions);
        assert_eq!(on(&a.sparse(), &b.dense()), dense);
    }
    assert!(dense.kkt_violation <= 1e-10, "certificate {:e}", dense.kkt_violation);
    dense
}

#[test]
fn solutions_are_those_of_brute_force() {
    for seed in 0..600 {
        let mut random = Random(seed ^ 0x2215);
        let kind = KINDS[seed as usize % KINDS.len()];
        let (m, n) = (random.between(1, 9), random.between(1, 8));
        let (a, b) = (problem(kind, m, n, &mut random), problem(Kind::Signed, m, 4, &mut random));
        let solved = solve(&a, &b);
        for i in 0..b.n {
            let what = format!("seed {seed} {kind:?} right-hand side {i} {a:?}");
            let reported = solved.residual_norms[i];
            assert_optimal(&a, b.column(i), &solved.solutions[i], reported, &what);
            let best = brute_force(&a, b.column(i));
            assert!((reported - best).abs() <= 1e-8 * norm(b.column(i)), "{what}: {best}");
        }
    }
}

#[test]
fn dependent_and_zero_columns_do_no_harm() {
    for seed in 0..60 {
        let mut random = Random(seed ^ 0xde9);
        let half = problem(Kind::Integers, 6, 3, &mut random);
        let sums = half.map_columns(|j, column| {
            let other = half.column((j + 1) % 3);
            column.iter().zip(other).map(|(a, b)| a + 2.0 * b).collect()
        });
        let values = [half.values.clone(), vec![0.0; 6], sums.values, half.values].concat();
        let a = Grid { m: 6, n: 10, values };
        let b = problem(Kind::Signed, 6, 8, &mut random);
        let solved = solve(&a, &b);
        for i in 0..b.n {
            let what = format!("seed {seed} {i} {a:?}");
            let reported = solved.residual_norms[i];
            assert_optimal(&a, b.column(i), &solved.solutions[i], reported, &what);
            assert_eq!(solved.solutions[i][3], 0.0, "{what}: a zero column has no weight");
        }
    }
}

/// With both signs terms cancel, and the answer must not depend on units: every threshold is relative.
#[test]
fn powers_of_two_scale_solutions_and_change_no_other_bit() {
    for seed in 0..60 {
        let mut random = Random(seed ^ 0x2b17);
        let kind = [Kind::Signed, Kind::Noisy][seed as usize % 2];
        let mut a = problem(kind, 8, 5, &mut random);
        if seed % 3 == 0 {
            // The last column is nearly that before it.
            for d in 0..a.m {
                a.values[4 * a.m + d] = a.values[3 * a.m + d] + random.unit() / 65536.0;
            }
        }
        let b = problem(Kind::Signed, 8, 6, &mut random);
        let plain = nnls(&a.dense(), &b.dense()).unwrap();
        for (of_a, of_b) in [(1.0, 2f64.powi(-30)), (1.0, 2f64.powi(30)), (2f64.powi(20), 1.0)] {
            let scaled = nnls(&a.scaled(of_a).dense(), &b.scaled(of_b).dense()).unwrap();
            let back = |z: &Vec<f64>| z.iter().map(|z| z * of_a / of_b).collect::<Vec<f64>>();
            let solutions: Vec<Vec<f64>> = scaled.solutions.iter().map(back).collect();
            assert_eq!(solutions, plain.solutions, "{seed} {of_a} {of_b}");
            assert_eq!(scaled.kkt_violation, plain.kkt_violation, "{seed} {of_a} {of_b}");
        }
    }
}

#[test]
fn many_right_hand_sides_are_solved_one_by_one() {
    let mut random = Random(4);
    let (a, b) =
        (problem(Kind::Noisy, 12, 9, &mut random), problem(Kind::Noisy, 12, 700, &mut random));
    let solved = solve(&a, &b);
    for i in 0..b.n {
        assert_optimal(&a, b.column(i), &solved.solutions[i], solved.residual_norms[i], "many");
        let r = difference(&columns(&a), &naive_nnls(&columns(&a), b.column(i)), b.column(i));
        assert!((norm(&r) - solved.residual_norms[i]).abs() <= 1e-9 * norm(b.column(i)));
    }
    let column = DenseMatrix::from_column_major(b.m, 1, b.column(77)).unwrap();
    let alone = nnls(&a.dense(), &column).unwrap();
    assert_eq!(alone.solutions[0], solved.solutions[77]);
}

#[test]
fn empty_problems_have_empty_answers() {
    for (m, n, k) in [(0, 0, 0), (3, 0, 2), (3, 2, 0), (0, 2, 2)] {
        let grid = |m: usize, n: usize| Grid { m, n, values: vec![1.0; m * n] };
        let solved = nnls(&grid(m, n).dense(), &grid(m, k).dense()).unwrap();
        assert_eq!(solved.solutions, vec![vec![0.0; n]; k], "{m} x {n}, {k}");
        let expected = if n == 0 { (m as f64).sqrt() } else { 0.0 };
        assert!(solved.residual_norms.iter().all(|v| *v == expected || m > 0));
    }
    let (a, b) = (vec![1.0; 4], vec![1.0; 6]);
    let a = DenseMatrix::from_column_major(2, 2, a).unwrap();
    let b = DenseMatrix::from_column_major(3, 2, b).unwrap();
    assert!(matches!(nnls(&a, &b), Err(Error::Length { .. })));
}

#[test]
fn projecting_the_training_columns_gives_their_weights() {
    for (seed, kind) in KINDS.into_iter().enumerate() {
        let mut random = Random(seed as u64 ^ 0x9907);
        let (x, new) = (problem(kind, 9, 40, &mut random), problem(kind, 9, 15, &mut random));
        let params = Params {
            selection: Selection::ALL[seed],
            allow_negative: kind == Kind::Signed,
            ..Params::new(4)
        };
        let found = fit(&x.dense(), &params).unwrap();
        verify(&x, &found, 1e-9);
        let again = found.project(&x.sparse()).unwrap();
        for (i, z) in again.solutions.iter().enumerate() {
            for (a, b) in z.iter().zip(found.coefficients().dense_column(i)) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + b), "{kind:?} column {i}: {a} for {b}");
            }
        }
        let anchors = x.columns_at(&found.anchors());
        let solved = found.project(&new.dense()).unwrap();
        for (i, z) in solved.solutions.iter().enumerate() {
            assert_optimal(&anchors, new.column(i), z, solved.residual_norms[i], "new column");
        }
        assert!(found.project(&new.dense().rows_at(&[0, 1])).is_err());
    }
}

/// The transpose of X as a grid.
fn transposed(x: &Grid) -> Grid {
    Grid { m: x.n, n: x.m, values: x.row_major() }
}

#[test]
fn rows_get_exact_weights_under_h() {
    for (seed, kind) in KINDS.into_iter().enumerate() {
        let mut random = Random(seed as u64 ^ 0x4035);
        let (x, new) = (problem(kind, 30, 20, &mut random), problem(kind, 70, 20, &mut random));
        let params = Params { allow_negative: kind == Kind::Signed, ..Params::new(5) };
        let found = fit(&x.dense(), &params).unwrap();
        verify(&x, &found, 1e-9);
        let rank = found.rank();
        let h = Grid { m: x.n, n: rank, values: found.coefficients().to_dense() };
        let model = found.row_model();
        assert_eq!(model.rank(), rank);
        for rows in [&x, &new] {
            let weights = model.weights(&rows.dense()).unwrap();
            for threads in [1, 2] {
                let same = with_threads(Some(threads), || model.weights(&rows.sparse()).unwrap());
                assert_eq!(same.as_ref(), Ok(&weights), "{threads} threads");
            }
            let lines = transposed(rows);
            for d in 0..rows.m {
                let w = &weights[d * rank..(d + 1) * rank];
                let r = difference(&columns(&h), w, lines.column(d));
                assert_optimal(&h, lines.column(d), w, norm(&r), &format!("{kind:?} row {d}"));
            }
        }
        let h_by_columns: Vec<f64> = transposed(&h).values;
        let same = RowModel::new(rank, x.n, h_by_columns).unwrap();
        let both = [&model, &same].map(|m| m.weights(&new.dense()).unwrap());
        assert_eq!(both[0], both[1]);
        let narrow = DenseMatrix::from_column_major(new.m, 3, &new.values[..3 * new.m]).unwrap();
        assert!(model.weights(&narrow).is_err());
    }
}

#[test]
fn impossible_row_models_are_refused() {
    assert!(RowModel::new(2, 2, vec![1.0; 3]).is_err());
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(RowModel::new(1, 2, vec![1.0, bad]), Err(Error::Parameter { .. })));
    }
    let empty = RowModel::new(0, 3, vec![]).unwrap();
    let rows = DenseMatrix::from_row_major(2, 3, vec![1.0; 6]).unwrap();
    assert_eq!(empty.weights(&rows).unwrap(), Vec::<f64>::new());
}
