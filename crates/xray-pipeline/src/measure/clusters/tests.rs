//! Agreement of groupings: known values, corner cases, and naive oracles.

use proptest::prelude::*;

use super::{Contingency, normalized_mutual_information};

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

fn two_groupings() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    prop::collection::vec((0u8..5, 0u8..5), 1..60).prop_map(|pairs| pairs.into_iter().unzip())
}

proptest! {
    #[test]
    fn information_agrees_with_its_definition((a, b) in two_groupings()) {
        let table = Contingency::new(&a, &b);
        let information = table.normalized_mutual_information();
        prop_assert!((0.0..=1.0).contains(&information));
        prop_assert!((information - naive_information(&a, &b, 5)).abs() < 1e-12);
    }

    #[test]
    fn names_and_sides_do_not_matter((a, b) in two_groupings()) {
        let renamed: Vec<String> = b.iter().map(|l| format!("c{}", (l * 3 + 2) % 5)).collect();
        let information = normalized_mutual_information(&a, &b);
        prop_assert_eq!(information, normalized_mutual_information(&a, &renamed));
        prop_assert_eq!(information, normalized_mutual_information(&b, &a));
    }

    #[test]
    fn a_grouping_agrees_with_itself(labels in prop::collection::vec(0i64..7, 0..50)) {
        let renamed: Vec<i64> = labels.iter().map(|l| (l * 3 + 1) % 7).collect();
        prop_assert_eq!(normalized_mutual_information(&labels, &renamed), 1.0);
    }

    #[test]
    fn totals_add_up((a, b) in two_groupings()) {
        let table = Contingency::new(&a, &b);
        prop_assert_eq!(table.row_totals.iter().sum::<usize>(), a.len());
        prop_assert_eq!(table.column_totals.iter().sum::<usize>(), a.len());
        prop_assert_eq!(table.cells.iter().map(|cell| cell.2).sum::<usize>(), table.n_items);
        prop_assert_eq!(Contingency::from_counts(table.cells.clone()), table);
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
}

#[test]
fn items_without_a_cluster_are_a_cluster_of_their_own() {
    let clusters = [Some(0), Some(1), None];
    assert_eq!(normalized_mutual_information(&["a", "b", "c"], &clusters), 1.0);
    assert_eq!(Contingency::new(&["a", "b", "c"], &clusters).column_totals, [1, 1, 1]);
}

#[test]
fn many_groups_need_no_table() {
    let labels: Vec<usize> = (0..200_000).collect();
    assert_eq!(normalized_mutual_information(&labels, &labels), 1.0);
}

#[test]
#[should_panic(expected = "2 items have a class, but 1 have a cluster")]
fn groupings_are_of_the_same_items() {
    normalized_mutual_information(&[0, 1], &[0]);
}
