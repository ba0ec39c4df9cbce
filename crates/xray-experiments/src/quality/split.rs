//! Splits of labelled items that keep the shares of the classes.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::quality::error::{Error, Result};
use xray_pipeline::measure::dense_ids;

/// Items to train on and items to test with, each ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Split {
    /// Items to train on.
    pub train: Vec<usize>,
    /// All others.
    pub test: Vec<usize>,
}

/// Splits items at random so that `share` of each class is for training.
///
/// The number is rounded, but every class with two members or more has one at least on either side.
/// A class with a single member is trained on if `share` is at least 0.5, else tested.
///
/// # Errors
/// If `share` is not between 0 and 1, or one side would be empty.
pub(crate) fn stratified_split<L: Ord>(labels: &[L], share: f64, seed: u64) -> Result<Split> {
    if !(share > 0.0 && share < 1.0) {
        let allowed = "give the part to train on, above 0 and below 1";
        return Err(Error::Parameter { name: "share", value: share.to_string(), allowed });
    }
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for class in shuffled_classes(labels, seed) {
        let wanted = (share * class.len() as f64).round() as usize;
        let n_train = if class.len() < 2 { wanted } else { wanted.clamp(1, class.len() - 1) };
        train.extend_from_slice(&class[..n_train]);
        test.extend_from_slice(&class[n_train..]);
    }
    if train.is_empty() || test.is_empty() {
        return Err(Error::NoSplit { n_items: labels.len(), share });
    }
    train.sort_unstable();
    test.sort_unstable();
    Ok(Split { train, test })
}

/// Deals items at random into `n_folds` folds, class by class: the fold of each item.
///
/// Numbers of items differ by at most one between folds, in total and within each class.
///
/// # Panics
/// If `n_folds` is 0.
pub(crate) fn stratified_folds<L: Ord>(labels: &[L], n_folds: usize, seed: u64) -> Vec<usize> {
    assert!(n_folds > 0, "at least one fold is needed");
    let mut folds = vec![0; labels.len()];
    let items = shuffled_classes(labels, seed).into_iter().flatten();
    items.enumerate().for_each(|(q, item)| folds[item] = q % n_folds);
    folds
}

/// The items of each class, classes ascending, in random order.
fn shuffled_classes<L: Ord>(labels: &[L], seed: u64) -> Vec<Vec<usize>> {
    let (ids, classes) = dense_ids(labels);
    let mut members = vec![Vec::new(); classes.len()];
    ids.iter().enumerate().for_each(|(item, &class)| members[class].push(item));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    members.iter_mut().for_each(|class| class.shuffle(&mut random));
    members
}
