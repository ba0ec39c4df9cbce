//! What is decided for the user is told, can be overruled, and is never wrong in silence.

mod support;

use support::Place;

const ROWS: &str = "a,b,c,d\n1.5,0.1,0.2,3\n0.1,2.5,0.3,1\n0.2,0.4,3.5,0.5\n2.5,1,0.1,0.2\n";

/// The weights of rows, without their names.
fn weights(csv: &str) -> Vec<String> {
    csv.lines().skip(1).map(|line| line.split_once(',').expect("an id").1.to_owned()).collect()
}

#[test]
fn transform_finds_columns_by_name() {
    let place = Place::new();
    place.write("t.csv", ROWS);
    place.write("turned.csv", "d,c,b,a\n3,0.2,0.1,1.5\n1,0.3,2.5,0.1\n");
    place.write("more.csv", "d,x,c,b,y,a\n3,7,0.2,0.1,8,1.5\n1,7,0.3,2.5,8,0.1\n");
    place.write("other.csv", "w,x,y,z\n1.5,0.1,0.2,3\n");
    place.write("fewer.csv", "a,c,d\n1.5,0.2,3\n");
    place.write("plain.csv", "1.5,0.1,0.2,3\n0.1,2.5,0.3,1\n");
    place.done(&["factorize", "t.csv", "-r", "3", "-o", "m.npz"]);
    let same = weights(&place.done(&["transform", "m.npz", "t.csv"]).stdout);
    let turned = place.done(&["transform", "m.npz", "turned.csv"]);
    assert_eq!(weights(&turned.stdout), same[..2], "names decide, not places");
    let more = place.done(&["transform", "m.npz", "more.csv"]);
    assert_eq!(weights(&more.stdout), same[..2]);
    assert!(more.stderr.contains("2 of 6 columns are not in the model"), "{}", more.stderr);
    assert!(more.stderr.contains("x, y"), "{}", more.stderr);
    let quiet = place.done(&["transform", "m.npz", "more.csv", "-q"]);
    assert_eq!(quiet.stderr, "");
    for (file, words) in [
        ("other.csv", &["other.csv", "4 of the model's 4 columns are missing: a, b, c, d"][..]),
        ("fewer.csv", &["1 of the model's 4 columns are missing: b", "--by-position"]),
        ("plain.csv", &["columns without names", "a, b, c, d", "--terms", "--by-position"]),
    ] {
        place.xray(&["transform", "m.npz", file]).assert_last_error(1, words);
    }
    let by_position = place.done(&["transform", "m.npz", "plain.csv", "--by-position"]);
    assert_eq!(weights(&by_position.stdout), same[..2]);
    let by_position = place.done(&["transform", "m.npz", "turned.csv", "--by-position"]);
    assert_ne!(weights(&by_position.stdout), same[..2]);
}

#[test]
fn columns_without_names_are_no_words() {
    let place = Place::new();
    place.write("t.txt", "10 cats and 10 dogs\n20 cats or 10 birds\nbirds and dogs 20\n");
    let counts = "%%MatrixMarket matrix coordinate integer general\n2 21 2\n1 11 3\n2 21 1\n";
    place.write("x.mtx", counts);
    place.done(&["topics", "t.txt", "-k", "2", "-o", "out"]);
    let run = place.xray(&["transform", "out/model.npz", "x.mtx"]);
    run.assert_last_error(1, &["x.mtx", "no names", "give the names"]);
    place.write("named.csv", "10,cats,lions\n1,2,5\n0,1,0\n");
    let run = place.done(&["transform", "out/model.npz", "named.csv", "--header", "yes"]);
    assert!(run.stderr.contains("1 of 3 columns is not in the model"), "{}", run.stderr);
    assert!(run.stderr.contains("lions"), "{}", run.stderr);
}
