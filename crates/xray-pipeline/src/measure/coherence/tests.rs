//! Topic coherence against counts over documents as sets, and its corner cases.

use std::collections::BTreeSet;

use proptest::prelude::*;
use xray_nmf::SparseMatrix;

use super::{Coherence, TopicCoherence};

type Documents = Vec<BTreeSet<usize>>;

fn matrix(documents: &[BTreeSet<usize>], n_words: usize) -> SparseMatrix<'static, f64> {
    let entries = documents
        .iter()
        .enumerate()
        .flat_map(|(d, words)| words.iter().map(move |&j| (d, j, 1.0 + j as f64)));
    SparseMatrix::from_triplets(documents.len(), n_words, entries).unwrap()
}

fn with(documents: &[BTreeSet<usize>], words: &[usize]) -> f64 {
    documents.iter().filter(|d| words.iter().all(|word| d.contains(word))).count() as f64
}

/// Mean over pairs of the definitions in terms of probabilities.
fn naive(documents: &[BTreeSet<usize>], words: &[usize]) -> TopicCoherence {
    let n = documents.len() as f64;
    let (mut npmi, mut umass) = (Vec::new(), Vec::new());
    for j in 0..words.len() {
        for i in 0..j {
            let (a, b) = (words[i], words[j]);
            let (p_a, p_b) = (with(documents, &[a]) / n, with(documents, &[b]) / n);
            let p = with(documents, &[a, b]) / n;
            npmi.push(match p {
                0.0 => -1.0,
                1.0 => 1.0,
                _ => (p / (p_a * p_b)).ln() / -p.ln(),
            });
            let given = if p_a == 0.0 { n } else { p_a * n };
            umass.push(((p * n + 1.0) / given).ln());
        }
    }
    let mean = |terms: Vec<f64>| terms.iter().sum::<f64>() / terms.len().max(1) as f64;
    TopicCoherence { npmi: mean(npmi), umass: mean(umass) }
}

fn documents(n_words: usize) -> impl Strategy<Value = Documents> {
    prop::collection::vec(prop::collection::btree_set(0..n_words, 0..n_words), 1..40)
}

proptest! {
    #[test]
    fn scores_agree_with_their_definitions(
        documents in documents(9),
        lists in prop::collection::vec(prop::collection::vec(0usize..9, 0..8), 0..6),
    ) {
        let x = matrix(&documents, 9);
        let coherence = Coherence::new(&x);
        let found = coherence.topics(&lists);
        prop_assert_eq!(found.len(), lists.len());
        for (words, found) in lists.iter().zip(found) {
            let expected = naive(&documents, words);
            prop_assert!(found.umass.is_finite() && (-1.0..=1.0).contains(&found.npmi));
            prop_assert!((found.npmi - expected.npmi).abs() < 1e-12, "{found:?} {expected:?}");
            prop_assert!((found.umass - expected.umass).abs() < 1e-12, "{found:?} {expected:?}");
            prop_assert_eq!(found, coherence.topic(words));
        }
    }

    #[test]
    fn npmi_does_not_depend_on_order(documents in documents(6), a in 0usize..6, b in 0usize..6) {
        let x = matrix(&documents, 6);
        let coherence = Coherence::new(&x);
        prop_assert_eq!(coherence.npmi(&[a, b]), coherence.npmi(&[b, a]));
    }
}

#[test]
fn threads_do_not_change_the_bits() {
    let documents: Documents =
        (0..200).map(|d| (0..30).filter(|j| (d * 7 + j * j) % 11 < 4).collect()).collect();
    let x = matrix(&documents, 30);
    let lists: Vec<Vec<usize>> = (0..20).map(|k| (k..k + 10).collect()).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Coherence::new(&x).topics(&lists))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn corner_cases_are_as_documented() {
    // Words 0 and 1 are everywhere, 2 is in one document, 3 in none.
    let everywhere = BTreeSet::from([0, 1]);
    let mut documents = vec![everywhere; 4];
    documents[0].insert(2);
    let x = matrix(&documents, 4);
    let coherence = Coherence::new(&x);
    assert_eq!(coherence.npmi(&[0, 1]), 1.0);
    assert_eq!(coherence.npmi(&[0, 2]), 0.0);
    assert_eq!(coherence.npmi(&[3, 0]), -1.0);
    assert_eq!(coherence.npmi(&[2, 2]), 1.0);
    assert_eq!(coherence.umass(&[3, 0]), 0.25f64.ln());
    assert_eq!(coherence.umass(&[0, 3]), 0.25f64.ln());
    assert_eq!(coherence.umass(&[3, 3]), 0.25f64.ln());
    assert_eq!(coherence.umass(&[2, 0]), 2f64.ln());
    for words in [&[][..], &[0], &[3]] {
        assert_eq!(coherence.topic(words), TopicCoherence { npmi: 0.0, umass: 0.0 });
    }
}

#[test]
fn stored_zeros_are_no_occurrences() {
    let x = SparseMatrix::from_csr(2, 2, vec![0, 2, 3], vec![0, 1, 1], vec![0.0f32, 1.0, -1.0]);
    let x = x.unwrap();
    let coherence = Coherence::new(&x);
    assert_eq!(coherence.npmi(&[0, 1]), -1.0);
    assert_eq!(coherence.npmi(&[1, 1]), 1.0);
}

#[test]
fn no_documents_at_all() {
    let x = SparseMatrix::<f64>::from_triplets(0, 2, []).unwrap();
    let coherence = Coherence::new(&x);
    assert_eq!(coherence.topic(&[0, 1]), TopicCoherence { npmi: -1.0, umass: 0.0 });
    assert_eq!(coherence.topics::<Vec<usize>>(&[]), []);
}

#[test]
#[should_panic(expected = "word 2 is out of range, the matrix has 2 words")]
fn words_are_columns_of_the_matrix() {
    let x = SparseMatrix::from_triplets(1, 2, [(0, 0, 1.0)]).unwrap();
    Coherence::new(&x).npmi(&[0, 2]);
}
