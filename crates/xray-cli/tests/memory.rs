//! What does not fit into the memory ends in words, with status 1.

mod support;

use std::process::Command;

use support::{Place, Run};
use xray_data::{Model, ModelKind};
use xray_nmf::SparseMatrix;

/// Two rows, many columns, few entries.
fn wide(place: &Place) {
    let entries = "1 1 1\n1 2 2\n2 3 3\n2 1 1\n";
    let text = format!("%%MatrixMarket matrix coordinate real general\n2 2000000 4\n{entries}");
    place.write("wide.mtx", text);
}

fn refused(run: &Run, words: &[&str]) {
    run.assert_error(1, words);
}

#[test]
fn what_cannot_fit_is_refused_before_it_is_done() {
    let place = Place::new();
    wide(&place);
    // The program alone is larger.
    let reading = place.xray(&["factorize", "wide.mtx", "-r", "2", "--memory", "1M"]);
    refused(&reading, &["wide.mtx", "1.0 MB may be used", "--memory"]);
    let fit = ["factorize", "wide.mtx", "-r", "100", "--memory", "300M"];
    refused(
        &place.xray(&fit),
        &["wide.mtx", "to find the anchors", "314.6 MB may be used", "fewer anchors"],
    );
    let told = place.done(&["factorize", "wide.mtx", "-r", "2", "--memory", "1G", "--verbose"]);
    assert!(told.stderr.contains("memory: about "), "{}", told.stderr);
}

#[test]
fn models_are_refused_by_their_size() {
    let place = Place::new();
    let n = 20_000;
    let h = SparseMatrix::from_csr(n, n, vec![0; n + 1], Vec::new(), Vec::new());
    let model = Model::new(ModelKind::Factorize, (0..n).collect(), h.expect("empty").into());
    model.save(&place.path("model.npz")).expect("written");
    let text = format!("%%MatrixMarket matrix coordinate real general\n1 {n} 1\n1 1 1\n");
    place.write("x.mtx", text);
    let run = place.xray(&["transform", "model.npz", "x.mtx", "--memory", "500M"]);
    refused(&run, &["x.mtx", "20000 topics", "--memory"]);
    let run = place.xray(&["transform", "/dev/zero", "x.mtx", "--memory", "500M"]);
    refused(&run, &["/dev/zero", "a model of xray"]);
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_the_system_refuses_ends_in_words() {
    let place = Place::new();
    wide(&place);
    // It may use more than it will get.
    let script =
        "ulimit -v 300000 && exec \"$0\" factorize wide.mtx -r 100 --threads 1 --memory 8G";
    let mut shell = Command::new("sh");
    shell.current_dir(place.root()).args(["-c", script, env!("CARGO_BIN_EXE_xray")]);
    let run = Run::from(shell.output().expect("a shell"));
    refused(&run, &["out of memory", "--memory"]);
}

#[test]
fn the_limit_changes_no_bit() {
    let place = Place::new();
    place.done(&["synth", "x.npy", "--rows", "300", "--rank", "20", "--columns", "4000"]);
    let fit = |memory: &str| {
        let run = place.done(&[
            "factorize",
            "x.npy",
            "-r",
            "20",
            "--selection",
            "greedy",
            "--memory",
            memory,
            "--json",
        ]);
        let json = run.json();
        (json["anchors"].clone(), json["residual_norm"].clone())
    };
    assert_eq!(fit("42M"), fit("1G"));
}
