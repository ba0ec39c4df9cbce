//! Synthetic data: what is planted is there, and the same seed gives the same bits.

use std::collections::BTreeSet;

use proptest::prelude::*;
use xray_nmf::synth::{Collection, Corpus, Design, Noise, Planted, Synthetic};
use xray_nmf::{Choice, DenseMatrix, Error, Matrix, Params, Selection, SparseMatrix, fit};

fn bits(x: &DenseMatrix<'_, f64>) -> Vec<u64> {
    (0..x.n_columns()).flat_map(|j| x.column(j).values).map(f64::to_bits).collect()
}

fn set(columns: &[usize]) -> BTreeSet<usize> {
    columns.iter().copied().collect()
}

/// A data set of every design, with as many columns as middle points need.
fn every_design() -> Vec<Synthetic> {
    let small = Synthetic { n_rows: 30, n_columns: 36, rank: 8, seed: 3, ..Synthetic::default() };
    Design::ALL.map(|design| Synthetic { design, ..small.clone() }).to_vec()
}

fn assert_anchors_found(data: &Planted, selection: Selection) {
    let params = Params { selection, ..Params::new(data.anchors.len()) };
    let found = fit(&data.matrix, &params).unwrap();
    assert_eq!(set(&found.anchors()), set(&data.anchors));
    assert!(found.residual() < 1e-6, "residual {}", found.residual());
}

#[test]
fn defaults_are_the_experiment_of_the_paper() {
    let data = Synthetic::default().generate().unwrap();
    assert_eq!((data.matrix.n_rows(), data.matrix.n_columns()), (200, 210));
    assert_eq!(data.anchors.len(), 20);
    assert_ne!(data.anchors, (0..20).collect::<Vec<_>>());
    let plain = Synthetic { shuffle: false, ..Synthetic::default() }.generate().unwrap();
    assert_eq!(plain.anchors, (0..20).collect::<Vec<_>>());
}

#[test]
fn one_seed_one_matrix() {
    for synthetic in every_design() {
        for noise in [0.0, 0.1] {
            let synthetic = Synthetic { noise, ..synthetic.clone() };
            let (one, two) = (synthetic.generate().unwrap(), synthetic.generate().unwrap());
            assert_eq!(bits(&one.matrix), bits(&two.matrix));
            assert_eq!(one.anchors, two.anchors);
            let other = Synthetic { seed: 4, ..synthetic }.generate().unwrap();
            assert_ne!(bits(&one.matrix), bits(&other.matrix));
        }
    }
}

#[test]
fn without_noise_every_design_is_separable_and_nonnegative() {
    for synthetic in every_design() {
        let data = synthetic.generate().unwrap();
        assert!(data.matrix.first_negative().is_none(), "{synthetic:?}");
        for selection in [Selection::Max, Selection::Dist] {
            assert_anchors_found(&data, selection);
        }
    }
}

#[test]
fn anchors_of_the_default_size_are_found() {
    let designs = [
        Design::Dirichlet,
        Design::MiddlePoints,
        Design::ScaledColumns { sigma: 1.0 },
        Design::RankDeficient { dimension: 3 },
        Design::RankDeficient { dimension: 6 },
    ];
    for design in designs {
        let data = Synthetic { design, seed: 1, ..Synthetic::default() }.generate().unwrap();
        assert_anchors_found(&data, Selection::Max);
    }
}

#[test]
fn noise_levels_share_the_clean_data_and_the_noise() {
    let at = |noise: f64| {
        let data = Synthetic { noise, ..Synthetic::default() }.generate().unwrap();
        (0..210).flat_map(|j| data.matrix.column(j).values).collect::<Vec<f64>>()
    };
    let (clean, one, two) = (at(0.0), at(0.1), at(0.2));
    for ((clean, one), two) in clean.iter().zip(&one).zip(&two) {
        assert!((2.0 * (one - clean) - (two - clean)).abs() < 1e-12);
    }
    let square = clean.iter().zip(&one).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let deviation = (square / clean.len() as f64).sqrt();
    assert!((deviation - 0.1).abs() < 0.002, "standard deviation {deviation}");
}

#[test]
fn outward_noise_spares_the_anchors_and_moves_from_their_mean() {
    let outward = Synthetic {
        design: Design::MiddlePoints,
        noise_kind: Noise::Outward,
        shuffle: false,
        ..Synthetic::default()
    };
    let clean = outward.generate().unwrap().matrix;
    let noisy = Synthetic { noise: 0.25, ..outward }.generate().unwrap().matrix;
    let mean = |d: usize| (0..20).map(|k| clean.get(d, k)).sum::<f64>() / 20.0;
    for d in 0..200 {
        assert!((0..20).all(|k| clean.get(d, k) == noisy.get(d, k)));
        for j in 20..210 {
            let moved = clean.get(d, j) + 0.25 * (clean.get(d, j) - mean(d));
            assert!((noisy.get(d, j) - moved).abs() < 1e-12);
        }
    }
}

#[test]
fn clipping_leaves_no_negative_entry() {
    let noisy = Synthetic { noise: 1.0, ..Synthetic::default() };
    assert!(noisy.generate().unwrap().matrix.first_negative().is_some());
    let clipped = Synthetic { clip: true, ..noisy }.generate().unwrap();
    assert!(clipped.matrix.first_negative().is_none());
}

#[test]
fn recovery_counts_true_anchors() {
    let data = Synthetic { shuffle: false, ..Synthetic::default() }.generate().unwrap();
    assert_eq!(data.recovery(&(10..30).collect::<Vec<_>>()), 0.5);
    assert_eq!(data.recovery(&[]), 0.0);
}

#[test]
fn impossible_data_sets_are_errors() {
    let base = Synthetic::default();
    let with = |design| Synthetic { design, ..base.clone() };
    let cases = [
        ("rank", Synthetic { rank: 0, ..base.clone() }),
        ("rank", Synthetic { rank: 211, ..base.clone() }),
        ("n_rows", Synthetic { n_rows: 0, ..base.clone() }),
        ("n_rows", Synthetic { n_rows: 19, ..base.clone() }),
        ("n_rows x n_columns", Synthetic { n_columns: usize::MAX, ..base.clone() }),
        ("noise", Synthetic { noise: -0.1, ..base.clone() }),
        ("noise", Synthetic { noise: f64::NAN, ..base.clone() }),
        ("n_columns", Synthetic { n_columns: 200, ..with(Design::MiddlePoints) }),
        ("condition", with(Design::IllConditioned { condition: 0.5 })),
        ("condition", with(Design::IllConditionedMiddlePoints { condition: f64::NAN })),
        ("sigma", with(Design::ScaledColumns { sigma: -1.0 })),
        ("dimension", with(Design::RankDeficient { dimension: 2 })),
        ("dimension", with(Design::RankDeficient { dimension: 20 })),
    ];
    for (expected, synthetic) in cases {
        match synthetic.generate() {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert!(Synthetic { noise: 1e300, ..base }.generate().is_err());
}

#[test]
fn names_of_designs_are_parsed() {
    for design in Design::ALL {
        assert_eq!(design.name().parse(), Ok(design));
        assert!(!design.words().is_empty());
    }
    let error = "circle".parse::<Design>().unwrap_err().to_string();
    assert!(error.contains("scaled-columns or rank-deficient"), "{error}");
    assert_eq!(Collection::ALL.map(|like| Corpus::like(like).n_words), [43_001, 44_739, 25_998]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn odd_shapes_never_panic(
        (m, n, r) in (0usize..12, 0usize..30, 0usize..8),
        which in 0usize..6,
        noise in 0.0f64..2.0,
        seed: u64,
    ) {
        let synthetic = Synthetic {
            design: Design::ALL[which],
            n_rows: m,
            n_columns: n,
            rank: r,
            noise,
            seed,
            ..Synthetic::default()
        };
        if let Ok(data) = synthetic.generate() {
            prop_assert_eq!((data.matrix.n_rows(), data.matrix.n_columns()), (m, n));
            prop_assert_eq!(set(&data.anchors).len(), r);
        }
    }

    #[test]
    fn odd_corpora_never_panic(
        (documents, words, entries) in (1usize..60, 4usize..60, 1usize..600),
        (topics, anchors, long) in (0usize..5, 0usize..4, 0usize..4),
        seed: u64,
    ) {
        let corpus = Corpus {
            n_documents: documents,
            n_words: words,
            n_entries: entries,
            n_topics: topics,
            anchors_per_topic: anchors,
            n_long_documents: long,
            long_share: 0.3,
            seed,
            ..Corpus::ibmt()
        };
        if let Ok(x) = corpus.generate() {
            assert_is_corpus(&x, &corpus);
        }
    }
}

/// The shape is exact; no row or column is empty; entries are positive.
fn assert_is_corpus(x: &SparseMatrix<'_, f32>, corpus: &Corpus) {
    assert_eq!((x.n_rows(), x.n_columns()), (corpus.n_documents, corpus.n_words));
    assert_eq!(x.n_entries(), corpus.n_entries);
    for offsets in [x.csr().0, x.csc().0] {
        assert!(offsets.windows(2).all(|pair| pair[0] < pair[1]), "an empty row or column");
    }
    assert!(x.csr().2.iter().all(|&v| v > 0.0 && v.is_finite()));
}

fn small_corpora() -> [Corpus; 3] {
    [(Corpus::rcv1(), 0.01), (Corpus::ppl2(), 0.02), (Corpus::ibmt(), 0.2)]
        .map(|(corpus, factor)| corpus.scaled(factor).unwrap())
}

fn corpus_bits(x: &SparseMatrix<'_, f32>) -> (Vec<usize>, Vec<u32>, Vec<u32>) {
    let (offsets, indices, values) = x.csr();
    (offsets.to_vec(), indices.to_vec(), values.iter().map(|v| v.to_bits()).collect())
}

/// Nonzeros of X'X.
fn n_word_pairs(x: &SparseMatrix<'_, f32>) -> usize {
    let mut last_seen = vec![usize::MAX; x.n_columns()];
    let mut pairs = 0;
    for j in 0..x.n_columns() {
        for d in x.column(j).indices.unwrap() {
            for i in x.row(d as usize).indices.unwrap() {
                pairs += usize::from(std::mem::replace(&mut last_seen[i as usize], j) != j);
            }
        }
    }
    pairs
}

#[test]
fn shapes_are_those_of_the_paper() {
    let shape = |c: Corpus| (c.n_documents, c.n_words, c.n_entries);
    assert_eq!(shape(Corpus::rcv1()), (781_265, 43_001, 59_160_000));
    assert_eq!(shape(Corpus::ppl2()), (351_849, 44_739, 19_430_000));
    assert_eq!(shape(Corpus::ibmt()), (124_708, 25_998, 1_030_000));
    assert_eq!(shape(Corpus::rcv1().scaled(0.1).unwrap()), (78_127, 4_300, 5_916_000));
}

#[test]
fn small_corpora_have_their_shape() {
    for corpus in small_corpora() {
        assert_is_corpus(&corpus.generate().unwrap(), &corpus);
    }
}

#[test]
fn short_messages_have_as_many_pairs_of_words_as_the_paper_says() {
    let x = Corpus::ibmt().generate().unwrap();
    let ratio = n_word_pairs(&x) as f64 / 1.77e6;
    assert!((1.0 / 1.5..1.5).contains(&ratio), "{ratio} times the paper's");
}

#[test]
fn a_few_long_documents_make_nearly_all_words_co_occur() {
    let share = |corpus: Corpus| {
        let x = corpus.generate().unwrap();
        n_word_pairs(&x) as f64 / (x.n_columns() as f64).powi(2)
    };
    let with = Corpus::ppl2().scaled(0.1).unwrap();
    let without = Corpus { n_long_documents: 0, ..with.clone() };
    let (with, without) = (share(with), share(without));
    assert!(with > 0.9 && with > without, "{with} of all pairs, {without} without them");
}

#[test]
fn a_corpus_follows_from_its_seed_whatever_the_threads() {
    for corpus in small_corpora() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            corpus_bits(&pool.install(|| corpus.generate()).unwrap())
        };
        let one = on(1);
        assert_eq!(one, on(3));
        let other = Corpus { seed: 1, ..corpus.clone() }.generate().unwrap();
        assert_ne!(one, corpus_bits(&other));
    }
}

#[test]
fn anchors_of_two_topics_never_meet_if_a_document_has_one_topic() {
    let corpus = Corpus::ibmt().scaled(0.2).unwrap();
    let x = corpus.generate().unwrap();
    let mut topic_of = vec![None; x.n_columns()];
    for (k, words) in corpus.anchors().unwrap().iter().enumerate() {
        assert_eq!(words.len(), corpus.anchors_per_topic);
        words.iter().for_each(|&word| topic_of[word] = Some(k));
    }
    for d in 0..x.n_rows() {
        let topics: BTreeSet<usize> =
            x.row(d).indices.unwrap().iter().filter_map(|&word| topic_of[word as usize]).collect();
        assert!(topics.len() <= 1, "document {d} has anchors of topics {topics:?}");
    }
}

#[test]
fn documents_have_norm_one_if_asked_for() {
    let norm = |x: &SparseMatrix<'_, f32>, d: usize| {
        x.row(d).values.iter().map(|v| v * v).sum::<f64>().sqrt()
    };
    let corpus = Corpus::ibmt().scaled(0.02).unwrap();
    let x = corpus.generate().unwrap();
    assert!((0..x.n_rows()).all(|d| (norm(&x, d) - 1.0).abs() < 1e-6));
    let x = Corpus { normalize: false, ..corpus }.generate().unwrap();
    assert!((0..x.n_rows()).all(|d| norm(&x, d) > 1.0));
}

#[test]
fn impossible_corpora_are_errors() {
    let base = Corpus::ibmt().scaled(0.1).unwrap();
    let cases = [
        ("n_documents", Corpus { n_documents: 0, ..base.clone() }),
        ("n_words", Corpus { n_words: 0, ..base.clone() }),
        ("n_entries", Corpus { n_entries: 12_000, ..base.clone() }),
        ("n_entries", Corpus { n_entries: usize::MAX, ..base.clone() }),
        ("n_topics", Corpus { n_topics: 0, ..base.clone() }),
        ("n_topics x anchors_per_topic", Corpus { anchors_per_topic: 1_000, ..base.clone() }),
        ("topics_per_document", Corpus { topics_per_document: 0, ..base.clone() }),
        ("background", Corpus { background: 1.1, ..base.clone() }),
        ("topic_exponent", Corpus { topic_exponent: f64::NAN, ..base.clone() }),
        ("length_sigma", Corpus { length_sigma: -1.0, ..base.clone() }),
        ("long_share", Corpus { long_share: 0.6, ..base.clone() }),
        ("n_long_documents", Corpus { n_long_documents: 12_471, ..base.clone() }),
    ];
    for (expected, corpus) in cases {
        match corpus.generate() {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, expected),
            other => panic!("{expected}: {:?}", other.map(|x| x.n_entries())),
        }
        assert!(corpus.anchors().is_err());
    }
    for factor in [f64::NAN, f64::INFINITY, -1.0, 0.0, 10.5] {
        let error = Corpus::rcv1().scaled(factor).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "scale", .. }), "{factor}: {error}");
    }
    assert!(Corpus::rcv1().scaled(10.0).is_ok());
}
