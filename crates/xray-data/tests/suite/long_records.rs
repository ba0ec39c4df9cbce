//! Records and lines that are longer than what is looked at first: guesses come from whole ones.

use xray_data::{Documents, Input, LoadOptions, Loaded, load};

fn loaded(name: &str, content: &str) -> Loaded {
    let input = Input::Bytes { name: name.into(), bytes: content.into() };
    load(&input, &LoadOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn documents(name: &str, content: &str) -> Documents {
    loaded(name, content).into_documents().expect("texts")
}

/// The number in row d and column j, with all its digits.
fn number(d: usize, j: usize) -> f64 {
    1.0 / (1 + d * 7919 + j) as f64
}

#[test]
fn rows_longer_than_the_first_look_are_read_whole() {
    let (m, n) = (4, 9000);
    for (name, delimiter) in [("x.csv", ","), ("x.tsv", "\t"), ("x.txt", " "), ("x", ",")] {
        for header in [false, true].into_iter().filter(|&header| !header || name != "x.txt") {
            let names: Vec<String> = (0..n).map(|j| format!("gene{j}")).collect();
            let row =
                |d: usize| -> Vec<String> { (0..n).map(|j| number(d, j).to_string()).collect() };
            let rows = (0..m).map(row);
            let all: Vec<String> = header
                .then_some(names)
                .into_iter()
                .chain(rows)
                .map(|fields| fields.join(delimiter))
                .collect();
            let content = all.join("\n") + "\n";
            assert!(content.lines().nth(1).is_some_and(|line| line.len() > 2 * 65536));
            let table = loaded(name, &content).into_table().expect("numbers");
            let shape = (table.matrix.n_rows(), table.matrix.n_columns());
            assert_eq!(shape, (m, n), "{name}, header {header}");
            assert_eq!(table.column_names.is_some(), header, "{name}");
            for (d, j) in [(0, 0), (1, n - 1), (m - 1, 4500)] {
                let found = table.matrix.as_matrix().column(j).to_dense(m)[d];
                assert_eq!(found.to_bits(), number(d, j).to_bits(), "{name} ({d}, {j})");
            }
        }
    }
}

#[test]
fn a_first_text_of_any_length_does_not_hide_the_text_column() {
    for long in ["economy, growth ".repeat(5000), "economy,\ngrowth \n".repeat(50_000)] {
        let mut content = format!("id,label,text\n1,news,\"{long}\"\n");
        for i in 2..40 {
            let (label, text) = [("pets", "cats purr"), ("news", "markets rally")][i % 2];
            content += &format!("{i},{label},\"{text} number{}\"\n", i % 7);
        }
        for name in ["l.csv", "l"] {
            let found = documents(name, &content);
            assert_eq!(found.len(), 39, "{name}: the header is no document");
            assert_eq!(found.texts[0], long, "{name}");
            assert_eq!(found.texts[1], "cats purr number2");
            assert_eq!(found.labels.as_ref().expect("labels")[..2], ["news", "pets"]);
        }
    }
}

#[test]
fn svmlight_is_told_wherever_the_first_look_ends() {
    let row = |d: usize| -> String {
        let pairs = (0..12_000).step_by(2).map(|j| format!(" {}:{}", j + 1, (d + j) % 900));
        format!("{}{}\n", [1, -1][d % 2], pairs.collect::<String>())
    };
    let body: String = (0..8).map(row).collect();
    for shift in 0..24 {
        let content = format!("#{}\n{body}", "x".repeat(shift));
        let table = loaded("gisette", &content).into_table().expect("numbers");
        assert_eq!((table.matrix.n_rows(), table.matrix.n_columns()), (8, 11_999), "{shift}");
    }
}

#[test]
fn spaced_numbers_are_told_wherever_the_first_look_ends() {
    for shift in 1..13 {
        let field = |j: usize| format!("{:.*}", 3 + (j + shift) % 9, number(3, j));
        let row: Vec<String> = (0..9000).map(field).collect();
        let content = format!("{}\n", row.join(" ")).repeat(5);
        let table = loaded("numbers", &content).into_table().expect("numbers");
        assert_eq!((table.matrix.n_rows(), table.matrix.n_columns()), (5, 9000), "{shift}");
    }
}
