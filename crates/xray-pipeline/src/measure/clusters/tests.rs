//! Agreement of groupings: known values, corner cases, and naive oracles.

use proptest::prelude::*;
use xray_eval::{
    Contingency, Error, argmax_rows, matched_accuracy, normalized_mutual_information, purity,
};

fn count(classes: &[u8], clusters: &[u8], class: u8, cluster: u8) -> f64 {
    let pairs = classes.iter().zip(clusters);
    pairs.filter(|pair| *pair == (&class, &cluster)).count() as f64
}

/// NMI from probabilities, as in textbooks.
fn naive_information(classes: &[u8], clusters: &[u8], n_labels: u8) -> f64 {
    let n = classes.len() as f64;
    let share = |labels: &[u8], l: u8| labels.iter().filter(|&&m| m == l).count() as f64 / n;
    let entropy = |labels: &[u8]| -> f64 {
        (0..n_labels).map(|l| share(labels, l)).filter(|p| *p > 0.0).map(|p| -p * p.ln()).sum()
    };
    let mut information = 0.0;
    for i in 0..n_labels {
        for j in 0..n_labels {
            let p = count(classes, clusters, i, j) / n;
            if p > 0.0 {
                information += p * (p / (share(classes, i) * share(clusters, j))).ln();
            }
        }
    }
    let mean = (entropy(classes) + entropy(clusters)) / 2.0;
    if mean == 0.0 { 1.0 } else { information / mean }
}

/// All orders of `items`.
fn permutations(items: &[u8]) -> Vec<Vec<u8>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    let with_first = |q: usize| {
        let mut others = items.to_vec();
        let first = others.remove(q);
        permutations(&others).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    (0..items.len()).flat_map(with_first).collect()
}

fn naive_accuracy(classes: &[u8], clusters: &[u8], n_labels: u8) -> f64 {
    let labels: Vec<u8> = (0..n_labels).collect();
    let right = |order: Vec<u8>| -> f64 {
        (0..n_labels).map(|i| count(classes, clusters, i, order[i as usize])).sum()
    };
    let best = permutations(&labels).into_iter().map(right).fold(0.0, f64::max);
    best / classes.len() as f64
}

fn naive_purity(classes: &[u8], clusters: &[u8], n_labels: u8) -> f64 {
    let largest = |j| (0..n_labels).map(|i| count(classes, clusters, i, j)).fold(0.0, f64::max);
    (0..n_labels).map(largest).sum::<f64>() / classes.len() as f64
}

fn two_groupings() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    prop::collection::vec((0u8..5, 0u8..5), 1..60).prop_map(|pairs| pairs.into_iter().unzip())
}

proptest! {
    #[test]
    fn all_agree_with_their_definitions((a, b) in two_groupings()) {
        let table = Contingency::new(&a, &b);
        let information = table.normalized_mutual_information();
        prop_assert!((0.0..=1.0).contains(&information));
        prop_assert!((information - naive_information(&a, &b, 5)).abs() < 1e-12);
        prop_assert!((table.matched_accuracy() - naive_accuracy(&a, &b, 5)).abs() < 1e-12);
        prop_assert!((table.purity() - naive_purity(&a, &b, 5)).abs() < 1e-12);
    }

    #[test]
    fn names_and_sides_do_not_matter((a, b) in two_groupings()) {
        let renamed: Vec<String> = b.iter().map(|l| format!("c{}", (l * 3 + 2) % 5)).collect();
        let information = normalized_mutual_information(&a, &b);
        prop_assert_eq!(information, normalized_mutual_information(&a, &renamed));
        prop_assert_eq!(information, normalized_mutual_information(&b, &a));
        prop_assert_eq!(matched_accuracy(&a, &b), matched_accuracy(&b, &a));
        prop_assert_eq!(purity(&a, &b), purity(&a, &renamed));
    }

    #[test]
    fn a_grouping_agrees_with_itself(labels in prop::collection::vec(0i64..7, 0..50)) {
        let renamed: Vec<i64> = labels.iter().map(|l| (l * 3 + 1) % 7).collect();
        prop_assert_eq!(normalized_mutual_information(&labels, &renamed), 1.0);
        prop_assert_eq!(matched_accuracy(&labels, &renamed), 1.0);
        prop_assert_eq!(purity(&labels, &renamed), 1.0);
    }

    #[test]
    fn totals_add_up((a, b) in two_groupings()) {
        let table = Contingency::new(&a, &b);
        prop_assert_eq!(table.row_totals().iter().sum::<usize>(), a.len());
        prop_assert_eq!(table.column_totals().iter().sum::<usize>(), a.len());
        prop_assert_eq!(table.cells().iter().map(|cell| cell.2).sum::<usize>(), table.n_items());
        prop_assert!(table.cells().iter().all(|&(i, j, count)| table.count(i, j) == count));
    }
}

#[test]
fn groupings_without_entropy_follow_scikit_learn() {
    let none: [u8; 0] = [];
    for (a, b, expected) in [
        (&none[..], &none[..], 1.0),
        (&[3], &[9], 1.0),
        (&[1, 1, 1], &[2, 2, 2], 1.0),
        (&[1, 1, 1], &[1, 2, 3], 0.0),
        (&[1, 2, 3], &[1, 1, 1], 0.0),
        (&[1, 1, 2, 2], &[1, 2, 1, 2], 0.0),
    ] {
        assert_eq!(normalized_mutual_information(a, b), expected, "{a:?} {b:?}");
    }
    assert_eq!((matched_accuracy(&none, &none), purity(&none, &none)), (1.0, 1.0));
}

#[test]
fn items_without_a_cluster_are_a_cluster_of_their_own() {
    let clusters = argmax_rows(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0], 2).unwrap();
    assert_eq!(normalized_mutual_information(&["a", "b", "c"], &clusters), 1.0);
    assert_eq!(Contingency::new(&["a", "b", "c"], &clusters).column_totals(), [1, 1, 1]);
}

#[test]
fn many_groups_need_no_table() {
    let labels: Vec<usize> = (0..200_000).collect();
    assert_eq!(normalized_mutual_information(&labels, &labels), 1.0);
    assert_eq!(purity(&labels, &labels), 1.0);
}

#[test]
fn clusters_beyond_the_classes_count_as_wrong() {
    assert_eq!(matched_accuracy(&[0, 0, 0, 0], &[1, 1, 2, 3]), 0.5);
    assert_eq!(purity(&[0, 0, 0, 0], &[1, 1, 2, 3]), 1.0);
}

#[test]
fn the_largest_weight_wins_and_ties_go_left() {
    let weights = [0.0, -0.0, 0.0, 1.0, 2.0, 2.0, -1.0, -2.0, 0.0];
    assert_eq!(argmax_rows(&weights, 3).unwrap(), [None, Some(1), None]);
    assert_eq!(argmax_rows(&[], 4).unwrap(), []);
    assert_eq!(argmax_rows(&[], 0).unwrap(), []);
}

#[test]
fn weights_that_are_no_numbers_or_no_rows_are_refused() {
    let error = argmax_rows(&[1.0, 2.0, f64::NAN, 0.0], 2).unwrap_err();
    assert!(error.to_string().contains("entry (1, 0) is NaN"), "{error}");
    assert!(argmax_rows(&[f64::INFINITY], 1).is_err());
    assert_eq!(
        argmax_rows(&[1.0; 5], 2),
        Err(Error::Shape { what: "weights", length: 5, n_columns: 2 })
    );
    assert!(argmax_rows(&[1.0], 0).is_err());
}

#[test]
#[should_panic(expected = "2 items have a class, but 1 have a cluster")]
fn groupings_are_of_the_same_items() {
    normalized_mutual_information(&[0, 1], &[0]);
}
