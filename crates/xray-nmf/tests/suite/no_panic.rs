//! No input makes a public function panic: errors are values.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use xray_nmf::comm::OneRank;
use xray_nmf::synth::{Corpus, Design, Noise, Synthetic};
use xray_nmf::{
    DenseMatrix, Descent, Engine, Factorization, Factors, Fit, Matrix, Normalize, Ownership,
    Params, Refine, Refinement, RowModel, Selection, Solver, SparseMatrix, fit, nnls, split_rows,
    with_threads,
};

const METHODS: [Refinement; 3] = [Refinement::Exact, Refinement::Hals, Refinement::KullbackLeibler];

/// One thread, and a cache of the usual size.
const PLAIN: Resources = (Some(1), None);

fn cases(n: u32) -> ProptestConfig {
    ProptestConfig { cases: n, failure_persistence: None, ..ProptestConfig::default() }
}

/// Any number at all.
fn wild() -> impl Strategy<Value = f64> {
    const SPECIAL: &[f64] =
        &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 5e-324, -0.0, 1e-310];
    prop_oneof![8 => (0..3u8).prop_map(f64::from), 1 => select(SPECIAL), 1 => any::<f64>()]
}

/// Numbers that a matrix may hold, many of them awkward.
fn tame() -> impl Strategy<Value = f64> {
    const SPECIAL: &[f64] =
        &[1e70, 1e-70, 1e-160, 1e-200, 1e-310, 5e-324, -0.0, -1.0, -1e70, 1.0 + 1e-9];
    prop_oneof![10 => (0..4u8).prop_map(f64::from), 1 => select(SPECIAL)]
}

/// A size or an index: small, or so large that an attempt to allocate it fails at once.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![12 => 0..7usize, 1 => select(&[usize::MAX, usize::MAX - 1, 1 << 63][..])]
}

/// Rows, columns and values column by column.
fn shaped() -> impl Strategy<Value = (usize, usize, Vec<f64>)> {
    (0..6usize, 0..6usize).prop_flat_map(|(m, n)| (Just(m), Just(n), vec(tame(), m * n)))
}

fn solver() -> impl Strategy<Value = (Solver, Descent)> {
    let descent = |(tolerance, max_cycles)| Descent { tolerance, max_cycles };
    prop_oneof![
        6 => Just((Solver::ActiveSet, Descent::default())),
        2 => Just((Solver::CoordinateDescent, Descent::default())),
        1 => (wild(), 0..50usize).prop_map(move |limits| (Solver::CoordinateDescent, descent(limits))),
    ]
}

fn limits() -> impl Strategy<Value = (f64, f64, Option<usize>)> {
    (
        prop_oneof![6 => Just(1e-6), 1 => Just(1e-7), 1 => Just(0.5), 1 => wild()],
        prop_oneof![6 => Just(0.0), 1 => Just(0.1), 1 => wild()],
        prop_oneof![4 => Just(None), 1 => size().prop_map(Some)],
    )
}

/// Threads, and bytes for cached products.
type Resources = (Option<usize>, Option<usize>);

fn resources() -> impl Strategy<Value = Resources> {
    (
        prop_oneof![4 => Just(Some(1)), 1 => Just(Some(2)), 1 => Just(Some(0)), 1 => Just(None)],
        option::of(size()),
    )
}

type Lists = (Option<Vec<f64>>, Vec<usize>, Vec<usize>, Option<Vec<usize>>);

fn lists() -> impl Strategy<Value = Lists> {
    let positive = prop_oneof![8 => Just(1.0), 1 => select(&[5e-324, 1e-308, 1e300, 1e-70][..])];
    let weights = prop_oneof![
        4 => Just(None),
        3 => (vec(positive, 6), 0..7usize).prop_map(|(p, m)| Some(p[..m.min(6)].to_vec())),
        1 => vec(wild(), 0..6).prop_map(Some),
    ];
    let few = || prop_oneof![4 => Just(vec![]), 1 => vec(size(), 0..3)];
    let candidates = prop_oneof![4 => Just(None), 1 => vec(size(), 0..5).prop_map(Some)];
    (weights, few(), few(), candidates)
}

fn params() -> impl Strategy<Value = Params> {
    const NORMS: &[Normalize] = &[Normalize::None, Normalize::None, Normalize::L1, Normalize::L2];
    let flags =
        (any::<bool>(), prop::bool::weighted(0.9), any::<bool>(), prop::bool::weighted(0.3));
    let outliers = prop_oneof![8 => Just(0.0), 2 => Just(0.1), 1 => wild()];
    let choices = (size(), select(&Selection::ALL[..]), select(NORMS), solver(), any::<u64>());
    (choices, flags, limits(), lists(), outliers).prop_map(
        |(choices, flags, limits, lists, outliers)| Params {
            rank: choices.0,
            selection: choices.1,
            normalize: choices.2,
            solver: choices.3.0,
            descent: choices.3.1,
            seed: choices.4,
            mean_ray: flags.0,
            allow_negative: flags.1,
            engine: if flags.2 { Engine::Lazy } else { Engine::Direct },
            tolerance: limits.0,
            min_improvement: limits.1,
            patience: limits.2,
            row_weights: lists.0,
            fixed: lists.1,
            excluded: lists.2,
            candidates: lists.3,
            robust: flags.3,
            outliers: if flags.3 { outliers } else { 0.0 },
        },
    )
}

/// Calls everything that a fit offers; its weights are numbers.
fn use_everything(x: &dyn Matrix, found: &Factorization) {
    let weights = found.coefficients().to_dense();
    assert!(weights.iter().all(|v| *v >= 0.0 && v.is_finite()), "{weights:?}");
    for k in [0, 1, found.rank(), usize::MAX] {
        let part = found.truncate(k);
        assert_eq!(part.rank(), k.min(found.rank()));
        part.suggest_rank();
    }
    for method in METHODS {
        let start = found.factors(&OneRank).unwrap();
        let _ = Refine::of(x).method(method).steps(2, 0.0).run(start);
    }
    let _ = found.project(x);
    let _ = found.row_model().weights(x);
}

fn fit_and_use(x: &dyn Matrix, held_out: Option<&dyn Matrix>, params: &Params, by: Resources) {
    let (threads, memory) = by;
    let _ = with_threads(threads, || {
        let fit = Fit::of(x).memory(memory);
        let fit = if let Some(rows) = held_out { fit.held_out(rows) } else { fit };
        if let Ok(found) = fit.run(params) {
            use_everything(x, &found);
        }
    });
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn sparse_constructors((m, n) in (size(), size()), offsets in vec(size(), 0..7),
        indices in vec(0..7u32, 0..8), values in vec(wild(), 0..8)) {
        let _ = SparseMatrix::<f64>::from_csr(m, n, &offsets[..], &indices[..], &values[..]);
        let _ = SparseMatrix::<f64>::from_csc(m, n, &offsets[..], &indices[..], &values[..]);
    }

    #[test]
    fn triplets((m, n) in (0..6usize, 0..6usize), entries in vec((size(), size(), wild()), 0..12)) {
        let narrow = entries.iter().map(|&(d, j, v)| (d, j, v as f32));
        let _ = SparseMatrix::<f32>::from_triplets(m, n, narrow);
        if let Ok(x) = SparseMatrix::<f64>::from_triplets(m, n, entries) {
            let _ = fit(&x.transposed(), &Params::new(2));
        }
    }

    #[test]
    fn dense_constructors((m, n) in (size(), size()), values in vec(wild(), 0..12)) {
        let narrow: Vec<f32> = values.iter().map(|v| *v as f32).collect();
        let _ = DenseMatrix::from_column_major(m, n, narrow);
        let _ = DenseMatrix::from_row_major(m, n, &values[..]).map(DenseMatrix::transposed);
    }

    #[test]
    fn dense_fits((m, n, values) in shaped(), by_rows: bool, params in params(), by in resources()) {
        let made = match by_rows {
            true => DenseMatrix::from_row_major(m, n, values),
            false => DenseMatrix::from_column_major(m, n, values),
        };
        if let Ok(x) = made {
            fit_and_use(&x, None, &params, by);
        }
    }

    #[test]
    fn sparse_fits((m, n, values) in shaped(), keep_zeros: bool, held in shaped(),
        params in params(), by in resources()) {
        let sparse = |m: usize, values: &[f64]| {
            let entries = values.iter().enumerate().map(|(q, &v)| (q % m.max(1), q / m.max(1), v));
            let entries = entries.filter(|e| keep_zeros || e.2 != 0.0);
            SparseMatrix::<f64>::from_triplets(m, values.len() / m.max(1), entries)
        };
        let _ = n;
        if let (Ok(x), Ok(test)) = (sparse(m, &values), sparse(held.0, &held.2)) {
            fit_and_use(&x, Some(&test), &params, by);
            fit_and_use(&x, None, &params, by);
        }
    }

    #[test]
    fn least_squares((m, n, a) in shaped(), (k, l, b) in shaped()) {
        let (a, b) = (DenseMatrix::from_row_major(m, n, a), DenseMatrix::from_row_major(k, l, b));
        if let (Ok(a), Ok(b)) = (a, b) {
            let _ = nnls(&a, &b);
            let _ = nnls(&a, &a);
        }
    }

    #[test]
    fn row_models(rank in size(), n in size(), h in vec(wild(), 0..12), rows in shaped()) {
        if let (Ok(model), Ok(x)) =
            (RowModel::new(rank, n, h), DenseMatrix::from_row_major(rows.0, rows.1, rows.2))
        {
            let _ = model.weights(&x);
        }
    }

    #[test]
    fn refinement((m, n, x) in shaped(), rank in size(), values in vec(wild(), 50),
        fits: bool, which in 0..3usize) {
        let Ok(x) = DenseMatrix::from_column_major(m, n, x) else { return Ok(()) };
        let part = |lines: usize| {
            let wanted = if fits { lines.saturating_mul(rank) } else { lines };
            values.iter().cycle().take(wanted.min(60)).copied().collect()
        };
        let start = Factors { rank, w: part(m), h: part(n), objective: vec![], method: None };
        let _ = Refine::of(&x).method(METHODS[which]).steps(2, 0.0).run(start);
    }

    #[test]
    fn splits_and_shares(n in 0..40usize, share in wild(), seed: u64, part in (size(), size(), size())) {
        let (kept, held) = split_rows(n, share, seed);
        prop_assert_eq!(kept.len() + held.len(), n);
        let own = Ownership::columns_of_rank(part.0, part.1, part.2);
        prop_assert!(own.n_own() <= part.0);
    }

    #[test]
    fn dense_generators(shape in (0..8usize, 0..12usize, size()), which in 0..6usize,
        (noise, parameter) in (wild(), wild()), dimension in size(), flags: (bool, bool, bool)) {
        let design = match Design::ALL[which] {
            Design::IllConditioned { .. } => Design::IllConditioned { condition: parameter },
            Design::ScaledColumns { .. } => Design::ScaledColumns { sigma: parameter },
            Design::RankDeficient { .. } => Design::RankDeficient { dimension },
            other => other,
        };
        let (n_rows, n_columns, rank) = shape;
        let noise_kind = if flags.0 { Noise::Gaussian } else { Noise::Outward };
        let data = Synthetic {
            design, n_rows, n_columns, rank, noise, noise_kind, clip: flags.1, shuffle: flags.2, seed: 1,
        };
        if let Ok(data) = data.generate() {
            prop_assert!(data.recovery(&data.anchors) == 1.0);
        }
    }

    #[test]
    fn corpora((m, n, entries) in (0..30usize, 0..30usize, size()), counts in (size(), size(), size(), size()),
        shares in vec(prop_oneof![4 => 0.0..1.0, 1 => wild()], 5), long in size(), normalize: bool) {
        let corpus = Corpus {
            n_documents: m, n_words: n, n_entries: entries, n_topics: counts.0,
            anchors_per_topic: counts.1, words_per_topic: counts.2, topics_per_document: counts.3,
            background: shares[0], background_exponent: shares[1], topic_exponent: shares[2],
            length_sigma: shares[3], long_share: shares[4], n_long_documents: long, normalize, seed: 2,
        };
        let _ = corpus.generate();
    }
}

#[test]
fn no_rows() {
    let x = DenseMatrix::from_column_major(0, 2, Vec::<f64>::new()).unwrap();
    for selection in Selection::ALL {
        fit_and_use(&x, None, &Params { selection, ..Params::new(1) }, PLAIN);
    }
}

#[test]
fn tiny_and_huge_weights_p() {
    let x = DenseMatrix::from_column_major(1, 2, vec![1.0, 2.0]).unwrap();
    for (selection, p) in
        Selection::ALL.into_iter().flat_map(|s| [5e-324, 1e-310, 1e308, f64::MAX].map(|p| (s, p)))
    {
        let params = Params { selection, row_weights: Some(vec![p]), ..Params::new(1) };
        fit_and_use(&x, None, &params, PLAIN);
    }
}

#[test]
fn huge_ranks_without_columns() {
    let _ = RowModel::new(usize::MAX, 0, vec![]);
}

#[test]
fn huge_ranks_of_starts() {
    for (m, rank) in [(0, usize::MAX), (2, 1 << 63), (4, 1 << 62)] {
        let x = DenseMatrix::from_column_major(m, m, vec![1.0; m * m]).unwrap();
        for method in METHODS {
            let start = Factors { rank, w: vec![], h: vec![], objective: vec![], method: None };
            let _ = Refine::of(&x).method(method).steps(1, 0.0).run(start);
        }
    }
}

#[test]
fn no_ranks_at_all() {
    let _ = Ownership::columns_of_rank(10, 0, 0);
}
