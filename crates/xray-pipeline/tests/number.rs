//! The number of topics of data that were drawn with a known one, and of data without any.

use xray_data::LoadedMatrix;
use xray_nmf::comm::OneRank;
use xray_nmf::{DenseMatrix, Params, Refinement, Selection, SparseMatrix};
use xray_pipeline::{
    DistributedMatrix, NumberOptions, NumberReason, NumberSuggestion, ignore, study_number,
};

/// Numbers between 0 and 1.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn suggested(matrix: LoadedMatrix, largest: usize, grouped: bool) -> Option<NumberSuggestion> {
    let selection = if grouped { Selection::Greedy } else { Selection::Max };
    let params = Params { selection, ..Params::new(largest) };
    let options = NumberOptions { params, method: Refinement::Auto, memory: None, grouped };
    let matrix = DistributedMatrix::whole(matrix);
    let study = study_number(&OneRank, &matrix, &options, &mut ignore).expect("a valid matrix");
    study.map(|study| study.suggestion)
}

/// Mixtures of `rank` columns with noise.
fn mixtures(rank: usize, noise: f64) -> LoadedMatrix {
    let (m, n) = (120, 8 * rank);
    let mut draw = Draw(rank as u64);
    let w: Vec<f64> = (0..m * rank).map(|_| draw.next()).collect();
    let mut values = Vec::new();
    for j in 0..n {
        let mut h: Vec<f64> = (0..rank).map(|_| -draw.next().ln()).collect();
        if j < rank {
            h.fill(0.0);
            h[j] = rank as f64;
        }
        for d in 0..m {
            let exact: f64 = (0..rank).map(|k| w[d * rank + k] * h[k]).sum();
            values.push((exact + noise * rank as f64 * (draw.next() - 0.5)).max(0.0));
        }
    }
    DenseMatrix::from_column_major(m, n, values).expect("all entries").into()
}

/// Documents of one subject each, with common words.
fn documents(subjects: usize) -> LoadedMatrix {
    let (m, words) = (40 * subjects, 15);
    let mut draw = Draw(7);
    let mut entries = Vec::new();
    for d in 0..m {
        for _ in 0..25 {
            let common = draw.next() < 0.3;
            let word = (draw.next() * words as f64) as usize;
            let place = if common { subjects } else { d % subjects };
            entries.push((d, place * words + word, 0.2));
        }
    }
    let n = (subjects + 1) * words;
    SparseMatrix::from_triplets(m, n, entries).expect("in range").into()
}

#[test]
fn drawn_numbers_are_found() {
    for rank in [3, 7, 12] {
        let found = suggested(mixtures(rank, 0.05), 20, false).expect("a number");
        assert_eq!((found.rank, found.reason), (rank, NumberReason::Supported), "{found:?}");
    }
    for subjects in [3, 6] {
        for largest in [12, 25] {
            let found = suggested(documents(subjects), largest, true).expect("a number");
            // Common words may be a topic of their own.
            assert!((subjects..=subjects + 1).contains(&found.rank), "{subjects}: {found:?}");
            assert_eq!(found.reason, NumberReason::Stable);
        }
    }
}

#[test]
fn a_larger_limit_changes_nothing_where_more_topics_are_worse() {
    let suggestion = |largest| suggested(documents(4), largest, true).expect("a number");
    let found = suggestion(40);
    assert_eq!(found, suggestion(100));
    assert!(found.looked_at < 40, "{found:?}");
}

#[test]
fn data_without_anything_have_no_number() {
    let nothing = DenseMatrix::from_column_major(20, 5, vec![0.0; 100]).expect("all entries");
    assert!(suggested(nothing.into(), 4, false).is_none_or(|found| found.rank == 0));
    let empty = SparseMatrix::<f64>::from_triplets(20, 5, []).expect("in range");
    assert!(suggested(empty.into(), 4, true).is_none_or(|found| found.rank == 0));
    let few = DenseMatrix::from_column_major(3, 2, vec![1.0; 6]).expect("all entries");
    assert!(suggested(few.into(), 2, true).is_none());
    // One column, many times.
    let same = DenseMatrix::from_column_major(20, 6, vec![1.0; 120]).expect("all entries");
    let found = suggested(same.into(), 4, true);
    assert!(found.is_none_or(|found| found.rank <= 1), "{found:?}");
}

#[test]
fn negative_entries_have_no_number() {
    let mut values: Vec<f64> = (0..120).map(|i| f64::from(i % 7)).collect();
    values[50] = -1.0;
    let signed = DenseMatrix::from_column_major(20, 6, values).expect("all entries");
    let params = Params { allow_negative: true, ..Params::new(4) };
    let (method, memory, grouped) = (Refinement::Auto, None, false);
    let options = NumberOptions { params, method, memory, grouped };
    let matrix = DistributedMatrix::whole(signed.into());
    let study = study_number(&OneRank, &matrix, &options, &mut ignore).expect("allowed");
    assert!(study.is_none());
}

#[test]
fn rows_take_their_weights_with_them() {
    let (matrix, mut draw) = (DistributedMatrix::whole(mixtures(7, 0.05)), Draw(3));
    let studied = |row_weights: Option<Vec<f64>>| {
        let params = Params { row_weights, ..Params::new(12) };
        let (method, memory, grouped) = (Refinement::Auto, None, true);
        let options = NumberOptions { params, method, memory, grouped };
        study_number(&OneRank, &matrix, &options, &mut ignore)
    };
    let plain = studied(None).expect("valid").expect("a number");
    assert_eq!(studied(Some(vec![1.0; 120])).expect("valid"), Some(plain.clone()));
    let uneven = studied(Some((0..120).map(|_| (8.0 * draw.next()).exp()).collect()));
    assert_ne!(uneven.expect("valid"), Some(plain));
    let error = studied(Some(vec![1.0; 7])).expect_err("too few");
    let words = "row_weights (the vector p): expected length 120, found 7";
    assert_eq!(error.to_string(), words);
}
