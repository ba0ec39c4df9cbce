//! Tables that are written come back the same: names that look like numbers, and edges of formats.

use proptest::prelude::*;
use xray_data::{Format, Input, LoadOptions, LoadedMatrix, Table, load, write_table};
use xray_nmf::{DenseMatrix, SparseMatrix};

use crate::named;

fn dense(m: usize, n: usize) -> LoadedMatrix {
    let values: Vec<f64> = (0..m * n).map(|k| k as f64 / 3.0).collect();
    DenseMatrix::from_row_major(m, n, values).expect("m x n").into()
}

fn strings(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn bits(matrix: &LoadedMatrix) -> Vec<Vec<u64>> {
    let row = |d| {
        let mut row = vec![0.0; matrix.n_columns()];
        matrix.copy_row(d, &mut row);
        row.into_iter().map(f64::to_bits).collect()
    };
    (0..matrix.n_rows()).map(row).collect()
}

fn written(table: &Table, format: &'static Format) -> Result<Table, String> {
    let mut bytes = Vec::new();
    write_table(table, &mut bytes, format).map_err(|e| e.to_string())?;
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let input = Input::Bytes { name: "x".into(), bytes };
    let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
    let again = load(&input, &options).map_err(|e| format!("{e} in {shown}"))?;
    Ok(again.into_table().expect("numbers"))
}

const DELIMITED: [&str; 3] = ["csv", "tsv", "spaced"];

#[test]
fn names_are_not_taken_for_numbers() {
    let cases = [
        (None, strings(&["0", "1"])),
        (None, strings(&["", "b"])),
        (None, strings(&["nan", "2"])),
        (None, strings(&["a", "1"])),
        (strings(&["7", "8", "9"]), None),
        (strings(&["7", "x", "y"]), None),
        (strings(&["", "", "x"]), strings(&["3", "4"])),
        (strings(&["x", "y", "z"]), None),
        (strings(&["x", "y", "z"]), strings(&["1", "1"])),
        (strings(&["x\t\"y\"", "y,", ";"]), strings(&[",", "\""])),
    ];
    for (row_names, column_names) in cases {
        let table = Table { row_names, column_names, ..Table::new(dense(3, 2)) };
        for format in DELIMITED.map(named) {
            let again = match written(&table, format) {
                Ok(again) => again,
                Err(error) => {
                    assert!(format == named("spaced") && error.contains("write csv"), "{error}");
                    continue;
                }
            };
            assert_eq!(bits(&again.matrix), bits(&table.matrix), "{format:?} {table:?}");
            // Places may be added to tell names from numbers; what was there stays.
            for (given, found) in
                [(&table.row_names, &again.row_names), (&table.column_names, &again.column_names)]
            {
                assert!(given.is_none() || given == found, "{format:?} {table:?} {found:?}");
            }
        }
    }
}

#[test]
fn the_smallest_tables_come_back() {
    let empty = SparseMatrix::from_triplets(2, 3, []).expect("in range");
    let one = SparseMatrix::from_triplets(1, 1, [(0, 0, -0.5)]).expect("in range");
    for matrix in [empty.into(), one.into(), dense(1, 1), dense(1, 4), dense(4, 1)] {
        let table = Table::new(matrix);
        let m = table.matrix.n_rows();
        let labelled = Table { labels: Some(vec![String::new(); m]), ..table.clone() };
        for format in [named("mtx"), named("npz"), named("npy"), named("mat"), named("csv")] {
            for table in [&table, &labelled] {
                let again = written(table, format).expect("readable");
                assert_eq!(bits(&again.matrix), bits(&table.matrix), "{format:?}");
                if [named("npz"), named("mat")].contains(&format) {
                    assert_eq!(again.labels, table.labels, "{format:?}");
                }
            }
        }
    }
}

#[test]
fn line_breaks_in_names_are_refused_between_tabs() {
    let table = Table { column_names: strings(&["a\nb", "c"]), ..Table::new(dense(3, 2)) };
    let refused = written(&table, named("tsv")).unwrap_err();
    assert!(refused.contains("\"a\\nb\"") && refused.contains("write csv"), "{refused}");
    assert_eq!(written(&table, named("csv")).expect("quoted").column_names, table.column_names);
    let texts = written(&table, named("jsonl")).unwrap_err();
    assert!(texts.contains("for texts") && texts.contains("npz"), "{texts}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_names_come_back(
        rows in prop::collection::vec("(?s).{0,8}", 3),
        columns in prop::collection::vec("(?s).{0,8}", 2),
        labels in prop::option::of(prop::collection::vec("[0-9.e-]{0,4}|(?s).{0,8}", 3)),
    ) {
        let (row_names, column_names) = (Some(rows), Some(columns));
        let table = Table { row_names, column_names, labels, ..Table::new(dense(3, 2)) };
        for format in [named("npz"), named("mat"), named("csv")] {
            let again = written(&table, format).expect("readable");
            prop_assert_eq!(&again.row_names, &table.row_names, "{:?}", format);
            prop_assert_eq!(&again.column_names, &table.column_names, "{:?}", format);
            if format != named("csv") {
                prop_assert_eq!(&again.labels, &table.labels, "{:?}", format);
            }
            prop_assert_eq!(bits(&again.matrix), bits(&table.matrix));
        }
    }
}
