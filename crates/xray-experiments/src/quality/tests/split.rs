//! Stratified splits and folds.

use proptest::prelude::*;

use crate::quality::split::{stratified_folds, stratified_split};

fn labels() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..5, 2..120)
}

fn members(labels: &[usize], class: usize) -> Vec<usize> {
    (0..labels.len()).filter(|&i| labels[i] == class).collect()
}

proptest! {
    #[test]
    fn every_class_is_on_both_sides(labels in labels(), share in 0.01..0.99f64, seed: u64) {
        let Ok(split) = stratified_split(&labels, share, seed) else {
            let largest = (0..5).map(|class| members(&labels, class).len()).max();
            prop_assert_eq!(largest, Some(1));
            return Ok(());
        };
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        prop_assert_eq!(all, (0..labels.len()).collect::<Vec<_>>());
        prop_assert!(split.train.is_sorted() && split.test.is_sorted());
        for class in 0..5 {
            let size = members(&labels, class).len();
            let train = split.train.iter().filter(|&&i| labels[i] == class).count();
            if size >= 2 {
                prop_assert!(train >= 1 && train < size);
                let wanted = share * size as f64;
                let rounded = (train as f64 - wanted).abs() <= 0.5;
                prop_assert!(rounded || train == 1 || train + 1 == size);
            }
        }
        prop_assert_eq!(split, stratified_split(&labels, share, seed).unwrap());
    }

    #[test]
    fn folds_are_even(labels in labels(), n_folds in 1usize..7, seed: u64) {
        let folds = stratified_folds(&labels, n_folds, seed);
        let even = |items: &[usize]| {
            let size = |fold| items.iter().filter(|&&i| folds[i] == fold).count();
            let sizes: Vec<usize> = (0..n_folds).map(size).collect();
            sizes.iter().sum::<usize>() == items.len()
                && sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1
        };
        prop_assert!(even(&(0..labels.len()).collect::<Vec<_>>()));
        prop_assert!((0..5).all(|class| even(&members(&labels, class))));
        prop_assert_eq!(&folds, &stratified_folds(&labels, n_folds, seed));
    }
}

#[test]
fn seeds_make_different_splits() {
    let labels: Vec<usize> = (0..200).map(|i| i % 4).collect();
    assert_ne!(stratified_split(&labels, 0.3, 1), stratified_split(&labels, 0.3, 2));
    assert_ne!(stratified_folds(&labels, 4, 1), stratified_folds(&labels, 4, 2));
}

#[test]
fn a_small_share_still_has_every_class() {
    let labels: Vec<usize> = (0..1000).map(|i| if i < 990 { 0 } else { i }).collect();
    let split = stratified_split(&labels, 0.05, 0).unwrap();
    assert_eq!(split.train.iter().filter(|&&i| labels[i] == 0).count(), 50);
    // Single members cannot be on both sides.
    assert_eq!(split.train.len(), 50);
    assert_eq!(stratified_split(&labels, 0.5, 0).unwrap().train.len(), 505);
}

#[test]
fn what_cannot_be_split_is_refused() {
    for share in [0.0, 1.0, -0.5, f64::NAN] {
        let error = stratified_split(&[0, 0], share, 0).unwrap_err();
        assert!(error.to_string().starts_with("share = "), "{error}");
    }
    let none: [usize; 0] = [];
    for labels in [&none[..], &[1], &[1, 2, 3]] {
        let error = stratified_split(labels, 0.2, 0).unwrap_err();
        assert!(error.to_string().contains("one part would be empty"), "{error}");
    }
    assert_eq!(stratified_folds(&none, 3, 0), none);
}
