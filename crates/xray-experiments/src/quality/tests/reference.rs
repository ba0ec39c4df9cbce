//! What scikit-learn and SciPy say about the same problems.
//!
//! `tests/python/make_reference.py` writes them into a folder, which `XRAY_REFERENCE` names.
//! Where it is absent the tests are skipped.

use std::path::PathBuf;

use serde_json::Value;
use xray_nmf::{DenseMatrix, Matrix, SparseMatrix};
use xray_pipeline::measure::{
    Coherence, adjusted_mutual_information, normalized_mutual_information,
};

use super::reconstruction::reconstruction_error;
use super::svm::{fit, predict};
use crate::quality::protocol::accuracy;
use crate::quality::svm::{Hyperplane, SvmParams};

/// Calls `check` for each case of a part of the reference file, if it is there.
fn for_each_case(part: &str, check: impl Fn(&Value)) {
    let folder = std::env::var_os("XRAY_REFERENCE").map(PathBuf::from);
    let Some(folder) = folder.filter(|path| path.is_dir()) else {
        println!("SKIPPED: XRAY_REFERENCE names no folder");
        return;
    };
    let text = std::fs::read(folder.join("measures.json")).expect("make_reference.py wrote it");
    let cases: Value = serde_json::from_slice(&text).expect("JSON");
    let cases = cases[part].as_array().expect("a list");
    assert!(!cases.is_empty());
    cases.iter().for_each(check);
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).expect("numbers")
}

fn ids(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).expect("whole numbers")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(value.clone()).expect("rows of numbers")
}

fn dense(value: &Value) -> DenseMatrix<'static, f64> {
    let rows = rows(value);
    DenseMatrix::from_row_major(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn sparse(value: &Value) -> SparseMatrix<'static, f64> {
    let rows = rows(value);
    let entries = rows
        .iter()
        .enumerate()
        .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, v)| (i, j, *v)))
        .filter(|entry| entry.2 != 0.0);
    SparseMatrix::from_triplets(rows.len(), rows[0].len(), entries).unwrap()
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected}");
}

#[test]
fn clusters_agree() {
    for_each_case("clusters", |case| {
        let nmi = normalized_mutual_information(&ids(&case["truth"]), &ids(&case["found"]));
        assert_close(nmi, number(&case["nmi"]), 1e-13);
        let ami = adjusted_mutual_information(&ids(&case["truth"]), &ids(&case["found"]));
        assert_close(ami, number(&case["ami"]), 1e-10);
    });
}

#[test]
fn coherences_agree() {
    for_each_case("coherences", |case| {
        let documents = sparse(&case["present"]);
        let found = Coherence::new(&documents).topic(&ids(&case["words"]));
        assert_close(found.npmi, number(&case["npmi"]), 1e-13);
        assert_close(found.umass, number(&case["umass"]), 1e-13);
    });
}

#[test]
fn reconstruction_errors_agree() {
    for_each_case("reconstructions", |case| {
        let (w, h) = (rows(&case["w"]), rows(&case["h"]));
        let error = number(&case["error"]);
        let found =
            reconstruction_error(&dense(&case["x"]), &w.concat(), &h.concat(), w[0].len()).unwrap();
        assert_close(found, error, 1e-5 * error);
    });
}

#[test]
fn svms_agree() {
    for_each_case("svms", |case| {
        if case["sparse"] == true {
            check_svm(case, &sparse(&case["train"]), &sparse(&case["test"]));
        }
        check_svm(case, &dense(&case["train"]), &dense(&case["test"]));
    });
}

fn check_svm(case: &Value, train: &dyn Matrix, test: &dyn Matrix) {
    let labels = ids(&case["labels"]);
    let c = number(&case["c"]);
    let params = SvmParams { c, bias: case["bias"].as_f64(), ..SvmParams::default() };
    let exact = SvmParams { tolerance: 1e-10, max_iterations: 1_000_000, ..params };
    let svm = fit(train, &labels, &exact).unwrap();
    let coefficients = rows(&case["coefficients"]);
    let intercepts = numbers(&case["intercepts"]);
    let objectives = numbers(&case["objectives"]);
    assert_eq!(svm.planes.len(), coefficients.len(), "{}", case["name"]);
    let usual = fit(train, &labels, &params).unwrap();
    for (k, plane) in svm.planes.iter().enumerate() {
        assert!(plane.converged, "{}", case["name"]);
        plane.weights.iter().zip(&coefficients[k]).for_each(|(v, w)| assert_close(*v, *w, 1e-6));
        assert_close(plane.intercept, intercepts[k], 1e-6);
        let own = svm.classes[if coefficients.len() == 1 { 1 } else { k }];
        let value = objective(train, &labels, own, plane, &params);
        assert_close(value, objectives[k], 1e-9 * objectives[k]);
        let usual = &usual.planes[k];
        let value = objective(train, &labels, own, usual, &params);
        assert!(!usual.converged || (value / objectives[k] - 1.0).abs() < 1e-6, "{value}");
    }
    let predicted = predict(&svm, test);
    assert_eq!(predicted, ids(&case["predicted"]), "{}", case["name"]);
    assert_close(accuracy(&ids(&case["truth"]), &predicted), number(&case["accuracy"]), 1e-15);
}

/// `1/2 ||w||^2 + C sum_i max(0, 1 - y_i (w'x_i + b))^2`, bias weight included.
fn objective(
    x: &dyn Matrix,
    labels: &[usize],
    own: usize,
    plane: &Hyperplane,
    params: &SvmParams,
) -> f64 {
    let bias_weight = params.bias.map_or(0.0, |bias| plane.intercept / bias);
    let squares: f64 = plane.weights.iter().map(|w| w * w).sum();
    let loss = |i: usize| {
        let mut score = plane.intercept;
        x.row(i).for_each(|j, v| score += v * plane.weights[j]);
        let sign = if labels[i] == own { 1.0 } else { -1.0 };
        f64::max(0.0, 1.0 - sign * score).powi(2)
    };
    (squares + bias_weight * bias_weight) / 2.0
        + params.c * (0..labels.len()).map(loss).sum::<f64>()
}
