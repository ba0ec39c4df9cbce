//! Which columns of new data are which columns of a model.
//!
//! Names decide where both sides have them: files list their columns in any order. What cannot be told by
//! name is taken by its place only where neither side has names, or where that was asked for.

use std::collections::HashMap;

use xray_data::text::{Vectorizer, some_names};

use crate::corpus::ColumnNames;
use crate::error::{Error, Result};

/// How columns of new data are found in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnMatch {
    /// By their names, in any order; by their places only where neither side has names.
    #[default]
    Names,
    /// By their places, whatever they are called.
    Places,
}

/// What is found by its name.
#[derive(Debug, Clone, Copy)]
struct Lines {
    one: &'static str,
    many: &'static str,
    /// The option that names a file with their names.
    option: &'static str,
}

const COLUMNS: Lines = Lines { one: "column", many: "columns", option: "--terms" };
const ROWS: Lines = Lines { one: "row", many: "rows", option: "--row-names" };

/// Where the columns, or rows, of a model are in the data.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Matched {
    /// The place of each of the model's in the data, or none if the data is to be taken as it is.
    pub order: Option<Vec<usize>>,
    /// What people should know about it.
    pub notes: Vec<String>,
}

/// Finds the columns of a model that was fitted to numbers. How many there are is left to the caller.
///
/// # Errors
/// If a column of the model is missing, one side alone has names that the other lacks, or a name stands twice.
pub(crate) fn match_columns(
    known: Option<&[String]>,
    data: &ColumnNames,
    how: ColumnMatch,
) -> Result<Matched> {
    let given = match data {
        ColumnNames::Given(given) => Some(&given[..]),
        ColumnNames::Words(_) | ColumnNames::Positions => None,
    };
    match_names(known, given, how, COLUMNS)
}

/// Finds the rows of a model's W.
///
/// # Errors
/// As [`match_columns`].
pub(crate) fn match_rows(
    known: Option<&[String]>,
    given: Option<&[String]>,
    how: ColumnMatch,
) -> Result<Matched> {
    match_names(known, given, how, ROWS)
}

fn match_names(
    known: Option<&[String]>,
    given: Option<&[String]>,
    how: ColumnMatch,
    lines: Lines,
) -> Result<Matched> {
    let many = lines.many;
    let (known, given) = match (known, given, how) {
        (Some(known), Some(given), ColumnMatch::Names) => (known, given),
        (Some(known), None, ColumnMatch::Names) => return Err(nameless(known, lines)),
        (None, Some(_), ColumnMatch::Names) => {
            let note = format!(
                "the model's {many} have no names: those of the data are taken in their order"
            );
            return Ok(Matched { order: None, notes: vec![note] });
        }
        _ => return Ok(Matched::default()),
    };
    if known == given {
        return Ok(Matched::default());
    }
    check_distinct(known, "of the model", lines)?;
    let places = check_distinct(given, "of the data", lines)?;
    let found: Vec<Option<usize>> =
        known.iter().map(|name| places.get(name.as_str()).copied()).collect();
    let missing = without_place(known, &found);
    if !missing.is_empty() {
        return Err(Error::Mismatch(format!(
            "{} of the model's {} {many} are missing: {}; the data has {} (--by-position takes {many} in \
             their order, whatever they are called)",
            missing.len(),
            known.len(),
            some_names(&missing),
            some_names(given)
        )));
    }
    let order: Vec<usize> = found.into_iter().flatten().collect();
    let mut unused: Vec<bool> = vec![true; given.len()];
    order.iter().for_each(|&place| unused[place] = false);
    let unknown = given.iter().zip(unused).filter(|(_, unused)| *unused);
    let unknown: Vec<String> = unknown.map(|(name, _)| name.clone()).collect();
    let notes = left_out(&unknown, given.len(), lines);
    Ok(Matched { order: Some(order), notes: notes.into_iter().collect() })
}

/// The names for which no place was found.
fn without_place(names: &[String], found: &[Option<usize>]) -> Vec<String> {
    let lost = names.iter().zip(found).filter(|(_, place)| place.is_none());
    lost.map(|(name, _)| name.clone()).collect()
}

/// Names for the columns of a matrix of counts, or none if they have none and may be called by their places;
/// and what people should know about it.
///
/// # Errors
/// If columns are to be taken by their places and there are more or fewer of them.
pub(crate) fn names_of_counts(
    vectorizer: &Vectorizer,
    data: ColumnNames,
    n_columns: usize,
    how: ColumnMatch,
) -> Result<(Option<Vec<String>>, Vec<String>)> {
    let known = vectorizer.vocabulary();
    match (how, data) {
        (ColumnMatch::Places, _) if n_columns == known.len() => {
            Ok((Some(known.to_vec()), Vec::new()))
        }
        (ColumnMatch::Places, _) => Err(Error::Mismatch(format!(
            "found {n_columns} columns, expected {}, as the model has, to take them by their places",
            known.len()
        ))),
        (ColumnMatch::Names, ColumnNames::Given(names)) => {
            let is_unknown = |name: &&String| vectorizer.column(name).is_none();
            let unknown: Vec<String> = names.iter().filter(is_unknown).cloned().collect();
            let notes = [left_out(&unknown, names.len(), COLUMNS), not_there(vectorizer, &names)];
            Ok((Some(names), notes.into_iter().flatten().collect()))
        }
        (ColumnMatch::Names, ColumnNames::Words(_) | ColumnNames::Positions) => {
            Ok((None, differing(n_columns, known.len()).into_iter().collect()))
        }
    }
}

/// A sentence about words of the model that are no columns of the data, if there are any.
fn not_there(vectorizer: &Vectorizer, names: &[String]) -> Option<String> {
    let mut is_there = vec![false; vectorizer.vocabulary().len()];
    names.iter().filter_map(|name| vectorizer.column(name)).for_each(|j| is_there[j] = true);
    let words = vectorizer.vocabulary().iter().zip(is_there).filter(|(_, there)| !there);
    let missing: Vec<String> = words.map(|(word, _)| word.clone()).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "{} of the model's {} columns are not in the data and count as zero: {}",
            missing.len(),
            vectorizer.vocabulary().len(),
            some_names(&missing)
        )
    })
}

/// A sentence about columns without names, if there are more or fewer of them than the model has.
fn differing(n_columns: usize, known: usize) -> Option<String> {
    let consequence = match n_columns.cmp(&known) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => "the last of the model's count as zero",
        std::cmp::Ordering::Greater => "the last of the data's are left out",
    };
    Some(format!(
        "the data has {n_columns} columns without names, and the model {known}: they are taken in their \
         order, and {consequence}"
    ))
}

fn nameless(known: &[String], lines: Lines) -> Error {
    let Lines { many, option, .. } = lines;
    Error::Mismatch(format!(
        "found {many} without names, expected those of the model: {} (give their names with {option}, or \
         take them in the model's order with --by-position)",
        some_names(known)
    ))
}

/// A sentence about what the model does not have, if there is any.
fn left_out(unknown: &[String], n_lines: usize, lines: Lines) -> Option<String> {
    let verb = if unknown.len() == 1 { "is" } else { "are" };
    (!unknown.is_empty()).then(|| {
        format!(
            "{} of {n_lines} {} {verb} not in the model and {verb} left out: {}",
            unknown.len(),
            lines.many,
            some_names(unknown)
        )
    })
}

/// The place of each name.
fn check_distinct<'a>(
    names: &'a [String],
    whose: &str,
    lines: Lines,
) -> Result<HashMap<&'a str, usize>> {
    let mut places = HashMap::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        if let Some(first) = places.insert(name.as_str(), place) {
            let Lines { one, many, .. } = lines;
            return Err(Error::Mismatch(format!(
                "{many} {} and {} {whose} are both called {name:?}: rename one {one}, or take {many} in the \
                 model's order with --by-position",
                first + 1,
                place + 1
            )));
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn matched(model: Option<&str>, data: Option<&str>, how: ColumnMatch) -> Result<Matched> {
        let data = ColumnNames::from_names(data.map(names));
        match_columns(model.map(names).as_deref(), &data, how)
    }

    #[test]
    fn names_decide_where_there_are_any() {
        fn by_name(model: Option<&str>, data: Option<&str>) -> Result<Matched> {
            matched(model, data, ColumnMatch::Names)
        }
        let order = |model: &str, data: &str| by_name(Some(model), Some(data)).unwrap().order;
        assert_eq!(order("a b c", "a b c"), None);
        assert_eq!(order("a b c", "c a b"), Some(vec![1, 2, 0]));
        let more = by_name(Some("a b"), Some("x b a y")).unwrap();
        assert_eq!(more.order, Some(vec![2, 1]));
        assert!(more.notes[0].starts_with("2 of 4 columns are not in the model"), "{more:?}");
        assert!(more.notes[0].ends_with("x, y"), "{more:?}");
        assert_eq!(by_name(None, None).unwrap(), Matched::default());
        assert!(by_name(None, Some("a b")).unwrap().notes[0].contains("in their order"));
    }

    #[test]
    fn what_cannot_be_told_by_name_is_refused() {
        let message =
            |model, data| matched(Some(model), data, ColumnMatch::Names).unwrap_err().to_string();
        let missing = message("a b c d", Some("d x y z"));
        assert!(
            missing.starts_with("3 of the model's 4 columns are missing: a, b, c;"),
            "{missing}"
        );
        assert!(message("a b", None).contains("columns without names"));
        assert!(message("a b", Some("b a b")).contains("columns 1 and 3 of the data"));
        assert!(message("a a", Some("a b")).contains("of the model are both called \"a\""));
        // The same names in the same order need not be told apart.
        assert!(matched(Some("a a"), Some("a a"), ColumnMatch::Names).is_ok());
        for data in [None, Some("x y")] {
            let found = matched(Some("a b"), data, ColumnMatch::Places).unwrap();
            assert_eq!(found, Matched::default());
        }
    }
}
