//! What is refused, and that the error names the culprit.

use crate::support::Grid;
use crate::support::verify::verify;
use xray_nmf::{
    DenseMatrix, Descent, Error, Fit, LARGEST_ENTRY, Params, Selection, SparseMatrix, fit,
};

fn small() -> Grid {
    Grid { m: 2, n: 4, values: vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0] }
}

fn csr(
    (m, n): (usize, usize),
    offsets: &[usize],
    indices: &[u32],
    values: &[f64],
) -> Result<(), Error> {
    SparseMatrix::from_csr(m, n, offsets, indices, values).map(|_| ())
}

fn csc(
    (m, n): (usize, usize),
    offsets: &[usize],
    indices: &[u32],
    values: &[f64],
) -> Result<(), Error> {
    SparseMatrix::from_csc(m, n, offsets, indices, values).map(|_| ())
}

#[test]
fn offsets_out_of_order_are_refused_with_their_place() {
    let cases: [(&[usize], usize, usize); 6] = [
        (&[1, 1, 2], 0, 1),
        (&[0, 2, 1], 2, 1),
        (&[0, 3, 2], 1, 3),
        (&[0, 1, 1], 2, 1),
        (&[0, 1, 3], 2, 3),
        (&[0, usize::MAX, 2], 1, usize::MAX),
    ];
    for (offsets, position, value) in cases {
        let expected = Err(Error::Offsets { position, value });
        assert_eq!(csr((2, 3), offsets, &[0, 1], &[1.0, 1.0]), expected, "{offsets:?}");
        assert_eq!(csc((3, 2), offsets, &[0, 1], &[1.0, 1.0]), expected, "{offsets:?}");
    }
    assert!(matches!(csr((0, 3), &[0], &[1], &[1.0]), Err(Error::Offsets { .. })));
    assert_eq!(csr((0, 3), &[0], &[], &[]), Ok(()));
}

#[test]
fn wrong_lengths_are_refused() {
    let wrong = |result: Result<(), Error>, what: &str| {
        assert!(matches!(result, Err(Error::Length { .. })), "{what}: {result:?}");
    };
    wrong(csr((2, 2), &[0, 1], &[0], &[1.0]), "too few offsets");
    wrong(csr((2, 2), &[], &[], &[]), "no offsets");
    wrong(csr((2, 2), &[0, 1, 1, 1], &[0], &[1.0]), "too many offsets");
    wrong(csr((2, 2), &[0, 1, 2], &[0], &[1.0, 1.0]), "fewer indices than values");
    wrong(csc((2, 2), &[0, 1, 2], &[0, 1], &[1.0]), "fewer values than indices");
    for (m, n) in [(2, 3), (usize::MAX, 2), (0, 1), (3, usize::MAX)] {
        let dense = DenseMatrix::from_column_major(m, n, vec![1.0; 4]).map(|_| ());
        assert!(dense.is_err(), "{m} x {n}");
        assert!(DenseMatrix::from_row_major(m, n, vec![1.0f32; 4]).is_err(), "{m} x {n}");
    }
}

#[test]
fn bad_indices_are_refused_with_their_line() {
    let order = |result, line: usize| match result {
        Err(Error::IndexOrder { line: found, .. }) => assert_eq!(found, line),
        other => panic!("{other:?}"),
    };
    order(csr((2, 3), &[0, 1, 3], &[0, 2, 1], &[1.0; 3]), 1);
    order(csr((2, 3), &[0, 2, 2], &[1, 1], &[1.0; 2]), 0);
    order(csc((3, 2), &[0, 1, 3], &[0, 2, 1], &[1.0; 3]), 1);
    for (result, axis) in [
        (csr((2, 3), &[0, 1, 2], &[0, 3], &[1.0; 2]), "row"),
        (csc((3, 2), &[0, 1, 2], &[0, 3], &[1.0; 2]), "column"),
    ] {
        assert_eq!(result, Err(Error::IndexOutOfRange { axis, line: 1, index: 3, bound: 3 }));
    }
    for entry in [(2, 0, 1.0), (0, 3, 1.0), (usize::MAX, 0, 1.0), (0, usize::MAX, 1.0)] {
        let result = SparseMatrix::from_triplets(2, 3, [(1, 1, 1.0), entry]);
        assert!(matches!(result, Err(Error::IndexOutOfRange { .. })), "{entry:?}");
    }
    let summed =
        SparseMatrix::from_triplets(2, 2, [(1, 1, 2.0), (0, 1, 1.0), (1, 1, 3.0)]).unwrap();
    assert_eq!(summed.csr(), (&[0, 1, 2][..], &[1, 1][..], &[1.0, 5.0][..]));
}

#[test]
fn entries_that_are_no_numbers_are_refused_with_their_position() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let at = |error: Option<Error>, place: (usize, usize)| match error {
            Some(Error::NotFinite { row, column, value }) => {
                assert_eq!((row, column), place);
                assert_eq!(value.to_bits(), bad.to_bits());
            }
            other => panic!("{other:?}"),
        };
        let values = [1.0, 2.0, 3.0, 4.0, bad, 6.0];
        at(DenseMatrix::from_column_major(2, 3, &values[..]).err(), (0, 2));
        at(DenseMatrix::from_row_major(2, 3, &values[..]).err(), (1, 1));
        at(csr((2, 3), &[0, 1, 2], &[0, 2], &[1.0, bad]).err(), (1, 2));
        at(csc((3, 2), &[0, 1, 2], &[0, 2], &[1.0, bad]).err(), (2, 1));
        at(SparseMatrix::from_triplets(4, 4, [(3, 1, bad)]).err(), (3, 1));
    }
}

#[test]
fn magnitudes_beyond_the_limits_are_refused() {
    let small = |v: f64| DenseMatrix::from_column_major(1, 2, vec![v, 0.0]).map(|_| ());
    let sparse = |v: f64| SparseMatrix::from_triplets(1, 2, [(0, 1, v)]).map(|_| ());
    for v in [2.0 * LARGEST_ENTRY, -2.0 * LARGEST_ENTRY, 1e300, 0.5 / LARGEST_ENTRY, 5e-324] {
        assert!(matches!(small(v), Err(Error::Magnitude { .. })), "{v:e}");
        assert!(matches!(sparse(v), Err(Error::Magnitude { .. })), "{v:e}");
    }
    for v in [LARGEST_ENTRY, 2.0 / LARGEST_ENTRY, 1.0] {
        for selection in Selection::ALL {
            let x = Grid { m: 2, n: 3, values: vec![v, 0.0, 0.0, v, v, v] };
            let found = fit(&x.dense(), &Params { selection, ..Params::new(2) }).unwrap();
            verify(&x, &found, 1e-9);
            let exact = selection != Selection::Greedy;
            assert!(!exact || found.residual() < 1e-7, "{v:e} {selection:?}");
        }
    }
    let too_many = SparseMatrix::<f64>::from_csr(0, usize::MAX, vec![0], vec![], vec![]);
    assert!(matches!(too_many, Err(Error::Magnitude { .. })));
}

#[test]
fn negative_entries_are_refused_with_the_first_position() {
    let values = [1.0, 2.0, 3.0, -4.0, -5.0, 6.0];
    let refused = |error: Option<Error>, place: (usize, usize), v: f64| {
        assert_eq!(error, Some(Error::Negative { row: place.0, column: place.1, value: v }));
    };
    let params = Params::new(2);
    let by_columns = DenseMatrix::from_column_major(2, 3, &values[..]).unwrap();
    let by_rows = DenseMatrix::from_row_major(2, 3, &values[..]).unwrap();
    refused(fit(&by_columns, &params).err(), (1, 1), -4.0);
    refused(fit(&by_rows, &params).err(), (1, 0), -4.0);
    let entries = [(1, 2, -1.0), (0, 2, 1.0), (1, 0, -3.0)];
    let sparse = SparseMatrix::from_triplets(2, 3, entries).unwrap();
    refused(fit(&sparse, &params).err(), (1, 0), -3.0);
    let positive = DenseMatrix::from_column_major(2, 3, vec![1.0; 6]).unwrap();
    let held_out = Fit::of(&positive).held_out(&by_columns).run(&params);
    refused(held_out.err(), (1, 1), -4.0);
    assert!(fit(&by_columns, &Params { allow_negative: true, ..params }).is_ok());
}

#[test]
fn parameters_outside_their_range_are_refused_by_name() {
    let x = small();
    let plain = Params::new(2);
    let descent = |tolerance, max_cycles| Descent { tolerance, max_cycles };
    let mut cases: Vec<(&str, Params)> = vec![
        ("patience", Params { patience: Some(0), ..plain.clone() }),
        ("descent", Params { descent: descent(1e-9, 0), ..plain.clone() }),
    ];
    for bad in [f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY] {
        cases.push(("descent", Params { descent: descent(bad, 5), ..plain.clone() }));
        cases.push(("row_weights", Params { row_weights: Some(vec![1.0, bad]), ..plain.clone() }));
    }
    for bad in [0.0, -0.0] {
        cases.push(("row_weights", Params { row_weights: Some(vec![bad, 1.0]), ..plain.clone() }));
    }
    for bad in [f64::NAN, -1e-9, 1.0, f64::INFINITY] {
        cases.push(("tolerance", Params { tolerance: bad, ..plain.clone() }));
        cases.push(("min_improvement", Params { min_improvement: bad, ..plain.clone() }));
    }
    // Below 1e-6 the projection leaves more undone than the tolerance asks for.
    for bad in [0.0, 1e-7] {
        cases.push(("tolerance", Params { tolerance: bad, ..plain.clone() }));
    }
    for (expected, params) in cases {
        match fit(&x.dense(), &params) {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, expected, "{params:?}"),
            other => panic!("{params:?}: {other:?}"),
        }
    }
}

#[test]
fn weights_of_the_wrong_length_are_refused() {
    for weights in [vec![], vec![1.0], vec![1.0; 3]] {
        let params = Params { row_weights: Some(weights.clone()), ..Params::new(2) };
        let expected = (2, weights.len());
        match fit(&small().dense(), &params) {
            Err(Error::Length { expected: e, found, .. }) => assert_eq!((e, found), expected),
            other => panic!("{other:?}"),
        }
    }
    let held_out = DenseMatrix::from_column_major(1, 3, vec![1.0; 3]).unwrap();
    let result = Fit::of(&small().dense()).held_out(&held_out).run(&Params::new(1));
    assert!(matches!(result, Err(Error::Length { .. })));
}

#[test]
fn listed_columns_that_cannot_play_their_part_are_refused() {
    let plain = Params::new(2);
    let cases = [
        ("fixed", 4, Params { fixed: vec![0, 4], ..plain.clone() }),
        ("fixed", 1, Params { fixed: vec![1, 0, 1], ..plain.clone() }),
        ("fixed", 3, Params { fixed: vec![3], ..plain.clone() }),
        ("fixed", 0, Params { fixed: vec![0], excluded: vec![2, 0], ..plain.clone() }),
        ("excluded", 9, Params { excluded: vec![9], ..plain.clone() }),
        ("candidates", usize::MAX, Params { candidates: Some(vec![usize::MAX]), ..plain }),
    ];
    for (expected, place, params) in cases {
        match fit(&small().dense(), &params) {
            Err(Error::ColumnList { list, column, .. }) => {
                assert_eq!((list, column), (expected, place), "{params:?}");
            }
            other => panic!("{params:?}: {other:?}"),
        }
    }
}

#[test]
fn names_of_rules_are_parsed_and_others_refused() {
    for rule in Selection::ALL {
        assert_eq!(rule.name().parse(), Ok(rule));
    }
    assert!(matches!("Greedy".parse::<Selection>(), Err(Error::Choice { kind: "selection", .. })));
}
