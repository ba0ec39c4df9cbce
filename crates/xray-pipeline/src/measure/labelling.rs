//! Class labels as dense numbers.

/// Labels numbered from 0 in the order of their names.
///
/// # Examples
/// ```
/// use xray_pipeline::measure::Labelling;
/// let labels = Labelling::from_names(&["tea", "coffee", "tea"]);
/// assert_eq!(labels.ids(), [1, 0, 1]);
/// assert_eq!(labels.names(), ["coffee", "tea"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labelling {
    ids: Vec<usize>,
    names: Vec<String>,
}

impl Labelling {
    /// From names, ordered by code point.
    pub fn from_names<S: AsRef<str>>(labels: &[S]) -> Self {
        let labels: Vec<&str> = labels.iter().map(S::as_ref).collect();
        let (ids, distinct) = dense_ids(&labels);
        Self { ids, names: distinct.into_iter().map(|name| (*name).to_owned()).collect() }
    }

    /// The class of each item, each less than [`n_classes`](Self::n_classes).
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// The classes' names, ascending.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of classes; each has at least one item.
    pub fn n_classes(&self) -> usize {
        self.names.len()
    }
}

/// The position of each label among the distinct ones, and those, ascending.
///
/// # Examples
/// ```
/// let (ids, distinct) = xray_pipeline::measure::dense_ids(&[10, 9, 10]);
/// assert_eq!((ids, distinct), (vec![1, 0, 1], vec![&9, &10]));
/// ```
pub fn dense_ids<L: Ord>(labels: &[L]) -> (Vec<usize>, Vec<&L>) {
    let mut distinct: Vec<&L> = labels.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let id = |label: &L| distinct.partition_point(|other| *other < label);
    (labels.iter().map(id).collect(), distinct)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_give_the_labels_back() {
        let labels = ["b", "", "ä", "b", "a"];
        let found = Labelling::from_names(&labels);
        assert_eq!(found.names(), ["", "a", "b", "ä"]);
        let back: Vec<&str> = found.ids().iter().map(|&id| found.names()[id].as_str()).collect();
        assert_eq!(back, labels);
    }

    #[test]
    fn no_labels_make_no_classes() {
        let none = Labelling::from_names::<&str>(&[]);
        assert_eq!((none.ids().len(), none.n_classes()), (0, 0));
        assert_eq!(none, Labelling::default());
    }
}
