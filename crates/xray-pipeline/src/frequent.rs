//! Which columns are frequent enough to be anchors.
//!
//! A word of very few documents is an extreme column of a corpus, whatever it means: no mixture of other words has its few
//! documents and no others. Rules that look for extreme columns choose such words first. Here rarer words stay in the
//! data, and get weights, but are no candidates.
//!
//! By default that is so for texts and counts, with the rules `max`, `dist`, `agg` and `joint`: an anchor is in at least
//! sqrt(n) of n documents, 200 or more. `greedy` looks for the word that explains most, which no rare word does.

use xray_data::text::DocumentFrequency;
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Ownership, Selection};

use crate::corpus::{ColumnNames, Corpus};
use crate::error::{Error, Result};

/// Fewer documents have no rare words to speak of.
const FEWEST_DOCUMENTS: usize = 200;

/// Columns that may be anchors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequent {
    /// Rows that each of them has entries in, at least.
    pub least: u64,
    /// Ascending.
    pub columns: Vec<usize>,
}

impl Frequent {
    /// The columns that are as frequent as asked for, or as suits a rule (none for a method that looks for extreme columns
    /// otherwise); nothing if all may be anchors. The number of rows of each column is known.
    ///
    /// # Errors
    /// If a share is not from 0 to 1, or no column is as frequent as asked for.
    pub fn among(
        frequencies: &[u64],
        n_rows: usize,
        asked: DocumentFrequency,
        rule: Option<Selection>,
    ) -> Result<Option<Self>> {
        let least = match asked {
            DocumentFrequency::Automatic => automatic(n_rows, rule),
            DocumentFrequency::Count(count) => count,
            DocumentFrequency::Share(share) if (0.0..=1.0).contains(&share) => {
                (share * n_rows as f64).ceil() as u64
            }
            DocumentFrequency::Share(share) => {
                return Err(Error::Usage(format!(
                    "anchor_min_df {share}: give a number of documents, such as 20, or a share from 0.0 to 1.0"
                )));
            }
        };
        if least <= 1 {
            return Ok(None);
        }
        let columns = frequencies.iter().enumerate().filter(|(_, frequency)| **frequency >= least);
        let columns: Vec<usize> = columns.map(|(j, _)| j).collect();
        match (columns.is_empty(), asked) {
            (false, _) => Ok(Some(Self { least, columns })),
            (true, DocumentFrequency::Automatic) => Ok(None),
            (true, _) => {
                let most = frequencies.iter().max().copied().unwrap_or(0);
                Err(Error::Usage(format!(
                    "anchor_min_df {asked}: no column has entries in {least} of {n_rows} rows, and none could be an \
                     anchor; the most frequent has {most}: lower it"
                )))
            }
        }
    }

    /// The same for a corpus, where numbers that are no counts of words have no default; collective.
    ///
    /// # Errors
    /// As [`among`](Self::among), the same on all ranks.
    pub fn of(
        comm: &dyn Communicator,
        corpus: &Corpus,
        asked: DocumentFrequency,
        rule: Option<Selection>,
    ) -> Result<Option<Self>> {
        let words = matches!(corpus.names, ColumnNames::Words(_));
        if asked == DocumentFrequency::Automatic && !words {
            return Ok(None);
        }
        let frequencies = frequencies(comm, corpus)?;
        Self::among(&frequencies, corpus.n_documents(), asked, rule)
    }
}

fn automatic(n_rows: usize, rule: Option<Selection>) -> u64 {
    let greedy = matches!(rule, Some(Selection::Greedy | Selection::Rand));
    if greedy || n_rows < FEWEST_DOCUMENTS { 1 } else { (n_rows as f64).sqrt().ceil() as u64 }
}

/// Rows that each column has entries in; collective.
fn frequencies(comm: &dyn Communicator, corpus: &Corpus) -> Result<Vec<u64>> {
    if let Some(vectorizer) = corpus.vectorizer() {
        return Ok(vectorizer.document_frequencies().to_vec());
    }
    let columns = corpus.matrix.columns().as_matrix();
    let own = Ownership::columns(corpus.n_words(), comm);
    let frequency = |i: usize| columns.column(i).values.iter().filter(|v| **v != 0.0).count();
    let known: Vec<[u64; 2]> =
        (0..columns.n_columns()).map(|i| [own.global(i) as u64, frequency(i) as u64]).collect();
    let mut frequencies = vec![0; corpus.n_words()];
    for [j, frequency] in comm.gather(&known)? {
        frequencies[j as usize] = frequency;
    }
    Ok(frequencies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use DocumentFrequency::{Automatic, Count, Share};

    #[test]
    fn the_default_is_the_root_for_rules_that_look_for_extremes() {
        let frequencies: Vec<u64> = (0..100).collect();
        for rule in Selection::ALL {
            let found = Frequent::among(&frequencies, 2225, Automatic, Some(rule)).unwrap();
            let all = matches!(rule, Selection::Greedy | Selection::Rand);
            assert_eq!(found.is_none(), all, "{rule}");
            if let Some(found) = found {
                assert_eq!((found.least, found.columns), (48, (48..100).collect()));
            }
        }
        assert_eq!(Frequent::among(&frequencies, 199, Automatic, None).unwrap(), None);
        assert_eq!(Frequent::among(&[1, 2], 10_000, Automatic, None).unwrap(), None);
    }

    #[test]
    fn numbers_and_shares_are_taken_as_given() {
        let frequencies = [5, 1, 3, 4];
        let found = |asked| Frequent::among(&frequencies, 10, asked, Some(Selection::Greedy));
        assert_eq!(found(Count(4)).unwrap().unwrap().columns, [0, 3]);
        assert_eq!(found(Share(0.25)).unwrap().unwrap().columns, [0, 2, 3]);
        assert_eq!(found(Count(1)).unwrap(), None);
        assert_eq!(found(Share(0.0)).unwrap(), None);
        let error = found(Count(6)).unwrap_err().to_string();
        assert!(error.contains("in 6 of 10 rows") && error.contains("has 5"), "{error}");
        assert!(found(Share(1.5)).unwrap_err().to_string().contains("1.5"));
    }
}
