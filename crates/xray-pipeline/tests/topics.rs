//! From a small corpus to topics: words given and excluded, weights, bits, corners.

use serde_json::json;
use xray_data::text::TextOptions;
use xray_data::{Documents, Model, Provenance, Table};
use xray_nmf::comm::OneRank;
use xray_nmf::{
    Matrix, Params, RankSuggestion, Refinement, RunState, Selection, SparseMatrix, Termination,
    nnls, with_threads,
};
use xray_pipeline::report::TopicsParameters;
use xray_pipeline::{
    Corpus, Event, StudyOptions, TopicOptions, Topics, apply, find_topics, heaviest_topics, ignore,
    model_clusters, model_topics, rank_study, resolve_words,
};

const SUBJECTS: [&[&str]; 3] = [
    &["goal", "match", "striker", "league", "team", "referee"],
    &["oven", "flour", "butter", "dough", "sugar", "recipe"],
    &["planet", "orbit", "telescope", "star", "galaxy", "comet"],
];

/// 90 texts on three subjects that share a few words; text d has words of subject d % 3.
fn corpus() -> Corpus {
    let text = |d: usize| {
        let words = SUBJECTS[d % 3];
        let own = (0..8).map(|i| words[(d / 3 + i * i) % words.len()]);
        let shared = ["year", "people", "world"][d / 3 % 3];
        own.chain([shared]).collect::<Vec<_>>().join(" ")
    };
    let documents = Documents {
        ids: (0..90).map(|d| format!("text {d}")).collect(),
        texts: (0..90).map(text).collect(),
        labels: Some((0..90).map(|d| (d % 3).to_string()).collect()),
        times: None,
    };
    Corpus::from_documents(documents, TextOptions::default()).expect("words")
}

fn found(corpus: &Corpus, options: &TopicOptions) -> Topics {
    let (mut corpus, new) = (corpus.clone(), RunState::default());
    find_topics(&OneRank, &mut corpus, options, &new, &mut ignore).expect("a valid corpus")
}

fn columns(corpus: &Corpus, words: &[&str]) -> Vec<usize> {
    words
        .iter()
        .map(|word| corpus.vectorizer().expect("words").column(word).expect("known"))
        .collect()
}

fn numbers(corpus: &Corpus) -> &dyn Matrix {
    corpus.matrix.columns().as_matrix()
}

fn three() -> TopicOptions {
    TopicOptions { rank: Some(3), ..TopicOptions::default() }
}

#[test]
fn topics_are_the_subjects() {
    let corpus = corpus();
    let found = found(&corpus, &three());
    for d in 0..90 {
        assert_eq!(found.documents.heaviest[d], found.documents.heaviest[d % 3], "text {d}");
    }
    // Here the subjects are easy to tell: clusters are the heaviest topics.
    assert_eq!(found.documents.clusters.as_ref(), Some(&found.documents.heaviest));
    for topic in &found.topics {
        let anchor = &*corpus.word(topic.anchors[0]);
        let subject = SUBJECTS.iter().find(|words| words.contains(&anchor)).expect("a subject");
        let first: Vec<_> = topic.words[..5].iter().map(|w| corpus.word(w.0)).collect();
        assert!(first.iter().all(|word| subject.contains(&&**word)), "{anchor}: {first:?}");
        assert!((topic.share - 1.0 / 3.0).abs() < 1e-12);
        assert!(topic.name.split(", ").all(|word| subject.contains(&word)), "{}", topic.name);
        assert_eq!(topic.name.split(", ").count(), 3, "{}", topic.name);
        let place = topic.anchor_place.expect("the topic has its anchor");
        assert_eq!((topic.words[place - 1].0, topic.anchor_left), (topic.anchors[0], false));
    }
    let lengths = (0..3).map(|k| found.h.iter().skip(k).step_by(3).map(|v| v * v).sum::<f64>());
    assert!(lengths.into_iter().all(|squared| (squared - 1.0).abs() < 1e-12));
}

/// What the model file remembers of a fit without words of its own.
fn told(found: &Topics) -> TopicsParameters {
    TopicsParameters::new(&three(), found, Vec::new(), Vec::new())
}

#[test]
fn a_saved_model_repeats_the_weights() {
    let corpus = corpus();
    let found = found(&corpus, &three());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("model.npz");
    let words = corpus.vectorizer().expect("words");
    let model = found.to_model(&OneRank, &corpus.rows, words, &told(&found), Provenance::default());
    let model = model.expect("fits").expect("rank 0");
    model.save(&path).expect("written");
    let model = Model::load(&path).expect("intact");
    let weights = apply(&model, numbers(&corpus)).expect("same columns");
    assert_eq!(weights, found.documents.weights);
    assert_eq!(heaviest_topics(&model, &weights, 90), found.documents.heaviest);
    let clusters = model_clusters(&model).expect("clusters");
    assert_eq!(clusters, found.clusters);
    let of_documents = found.documents.clusters.expect("clusters");
    assert_eq!(clusters.assign(numbers(&corpus)), of_documents);
    assert_eq!(model.clusters.expect("clusters").documents, Some(of_documents));
}

#[test]
fn a_saved_model_lists_the_same_topics() {
    let corpus = corpus();
    let lists = [vec!["comet".to_owned(), "Star".to_owned()], vec!["sugar".to_owned()]];
    let anchors = resolve_words(corpus.vectorizer().expect("words"), &lists).columns;
    let excluded = columns(&corpus, &["goal"]);
    let options = TopicOptions { anchors, excluded, n_words: 4, ..three() };
    let found = found(&corpus, &options);
    let parameters = TopicsParameters {
        anchor: lists.to_vec(),
        exclude: vec!["goal".to_owned()],
        ..told(&found)
    };
    let words = corpus.vectorizer().expect("words");
    let written = found.to_model(&OneRank, &corpus.rows, words, &parameters, Provenance::default());
    let written = written.expect("fits").expect("rank 0");
    assert_eq!(written.parameters["anchor"], json!(["comet,Star", "sugar"]));
    for anchor in [json!(["comet,Star", "sugar"]), json!([["comet", "Star"], "sugar"])] {
        let mut model = written.clone();
        model.parameters.insert("anchor".into(), anchor);
        let model = Model::from_bytes(model.to_bytes().expect("fits")).expect("intact");
        let mut topics = found.topics.clone();
        topics.iter_mut().for_each(|topic| (topic.margin, topic.runner_up) = (None, None));
        assert_eq!(model_topics(&model, 4, false), topics);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let corpus = corpus();
    let with = |threads| with_threads(Some(threads), || found(&corpus, &three())).expect("threads");
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn given_words_begin_their_topics() {
    let corpus = corpus();
    let lists = vec![columns(&corpus, &["comet", "star"]), columns(&corpus, &["sugar"])];
    let options = TopicOptions { anchors: lists.clone(), ..three() };
    let found = found(&corpus, &options);
    assert_eq!(found.topics[0].anchors, lists[0]);
    assert_eq!(found.topics[1].anchors, lists[1]);
    assert_eq!((found.topics[0].margin, found.topics[1].margin), (None, None));
    let third = &*corpus.word(found.topics[2].anchors[0]);
    assert!(SUBJECTS[0].contains(&third), "{third}");
    assert_eq!(found.h.len(), corpus.matrix.n_columns() * 3);
}

#[test]
fn topics_stay_with_given_words() {
    let corpus = corpus();
    // Two subjects in one list, and a word that belongs to two lists.
    let lists = vec![columns(&corpus, &["comet", "sugar"]), columns(&corpus, &["comet", "star"])];
    let with = |anchor_strength| {
        found(&corpus, &TopicOptions { anchors: lists.clone(), anchor_strength, ..three() })
    };
    let listed = |found: &Topics, t: usize| {
        let words: Vec<usize> = found.topics[t].words.iter().map(|word| word.0).collect();
        lists[t].iter().all(|seed| words.contains(seed))
    };
    let free = with(0.0);
    assert!(!listed(&free, 0), "{:?}", free.topics[0]);
    for strength in [0.25, 0.5, 1.0] {
        let held = with(strength);
        assert!(listed(&held, 0) && listed(&held, 1), "{strength}: {:?}", held.topics);
        let others = held.topics[2].words.iter().map(|word| word.0);
        assert!(others.into_iter().all(|j| !lists.concat().contains(&j)), "{strength}");
        assert!(held.run.objective.is_sorted_by(|a, b| a >= b), "{strength}");
    }
}

#[test]
fn residuals_of_given_topics_are_those_of_the_corpus() {
    let corpus = corpus();
    let lists = vec![columns(&corpus, &["comet", "star"]), columns(&corpus, &["sugar", "oven"])];
    let options =
        TopicOptions { anchors: lists.clone(), rank: Some(2), refine: Some(0), ..three() };
    let found = found(&corpus, &options);
    let mean = |words: &[usize]| -> Vec<f64> {
        let dense = words.iter().map(|&j| numbers(&corpus).column(j).to_dense(90));
        dense.fold(vec![0.0; 90], |sum, x| sum.iter().zip(&x).map(|(a, b)| a + b / 2.0).collect())
    };
    let total: f64 = numbers(&corpus).squared_norms().iter().sum();
    for k in 1..=2 {
        let rays: Vec<f64> = lists[..k].iter().flat_map(|words| mean(words)).collect();
        let rays = xray_nmf::DenseMatrix::from_column_major(90, k, rays).expect("90 rows");
        let solved = nnls(&rays, numbers(&corpus)).expect("same rows");
        let left: f64 = solved.residual_norms.iter().map(|r| r * r).sum();
        let expected = (left / total).sqrt();
        assert!((found.run.steps[k - 1].residual - expected).abs() < 1e-12, "{k}");
    }
}

#[test]
fn excluded_words_are_neither_anchors_nor_listed() {
    let corpus = corpus();
    let free = found(&corpus, &three());
    let excluded: Vec<usize> = free.topics.iter().map(|topic| topic.anchors[0]).collect();
    let found = found(&corpus, &TopicOptions { excluded: excluded.clone(), ..three() });
    for topic in &found.topics {
        assert!(!excluded.contains(&topic.anchors[0]));
        assert!(topic.words.iter().all(|(j, _)| !excluded.contains(j)));
    }
}

#[test]
fn unknown_words_get_the_nearest_known_one() {
    let corpus = corpus();
    let lists = [vec!["Telescop".to_owned(), "STAR".to_owned()], vec!["zzz".to_owned()]];
    let seeds = resolve_words(corpus.vectorizer().expect("words"), &lists);
    assert_eq!(seeds.columns, [columns(&corpus, &["star"])]);
    assert_eq!(seeds.unknown.len(), 2);
    assert!(
        seeds.unknown[0].to_string().contains("did you mean telescope"),
        "{}",
        seeds.unknown[0]
    );
    assert!(seeds.unknown[1].nearest.is_empty());
    // A word may begin several topics.
    let twice = [vec!["star".to_owned()], vec!["star".to_owned(), "oven".to_owned()]];
    let seeds = resolve_words(corpus.vectorizer().expect("words"), &twice);
    assert_eq!(seeds.columns, [columns(&corpus, &["star"]), columns(&corpus, &["star", "oven"])]);
}

#[test]
fn corners_are_answers() {
    let corpus = corpus();
    assert_eq!(found(&corpus, &TopicOptions { rank: Some(1), ..three() }).rank(), 1);
    let all = found(&corpus, &TopicOptions { rank: Some(1000), ..three() });
    assert!(
        all.rank() <= corpus.matrix.n_columns() && all.run.termination == Termination::Exhausted
    );
    let suggested = found(&corpus, &TopicOptions { rank: None, ..three() });
    assert_eq!(suggested.rank(), suggested.run.suggestion.expect("no rank was given").rank);
    assert!(all.h.iter().chain(&all.documents.weights).all(|v| v.is_finite() && *v >= 0.0));
}

#[test]
fn a_watcher_stops_the_search_and_keeps_what_was_found() {
    let corpus = corpus();
    let mut watch = |event: Event<'_>| match event {
        Event::Anchor(_) => std::ops::ControlFlow::Break(()),
        _ => std::ops::ControlFlow::Continue(()),
    };
    let (mut corpus, new) = (corpus.clone(), RunState::default());
    let found = find_topics(&OneRank, &mut corpus, &three(), &new, &mut watch);
    let found = found.expect("stopping is no error");
    assert_eq!((found.rank(), found.run.termination), (1, Termination::Stopped));
    assert_eq!(found.run.objective.len(), 1);
}

#[test]
fn counts_without_names_are_a_corpus_too() {
    let entries = [(0, 0, 3.0), (0, 1, 1.0), (1, 0, 2.0), (2, 2, 4.0), (3, 2, 1.0), (3, 1, 1.0)];
    let counts = SparseMatrix::from_triplets(4, 3, entries).expect("in range");
    let corpus = Corpus::from_table(Table::new(counts.into()), TextOptions::default());
    let corpus = corpus.expect("counts");
    assert_eq!((&*corpus.word(2), &*corpus.rows.id(3)), ("2", "3"));
    let found = found(&corpus, &TopicOptions { rank: Some(2), ..TopicOptions::default() });
    assert_ne!(found.documents.heaviest[0], found.documents.heaviest[2]);
}

#[test]
fn a_study_has_every_rank() {
    let corpus = corpus();
    let params = Params { selection: Selection::Greedy, ..Params::new(8) };
    let number = Some(Refinement::Hals);
    let options = StudyOptions { params, memory: None, number, coherence_words: Some(5) };
    let study = rank_study(&OneRank, &corpus, &options, &mut ignore).expect("a valid corpus");
    assert_eq!(study.ranks.len(), 8);
    // Three subjects were drawn: numbers far beyond are not tried.
    let number = study.number.expect("a number");
    assert!(number.rank == 3 && (4..=8).contains(&number.looked_at), "{number:?}");
    for (t, rank) in study.ranks.iter().enumerate() {
        assert_eq!(rank.rank, t + 1);
        let numbers = [Some(rank.residual), rank.npmi, rank.umass];
        assert!(numbers.iter().all(|v| v.is_some_and(f64::is_finite)), "{rank:?}");
        let tried = rank.unseen.is_some_and(f64::is_finite);
        assert_eq!(tried, rank.rank <= number.looked_at, "{rank:?}");
    }
    let residuals: Vec<f64> = study.ranks.iter().map(|rank| rank.residual).collect();
    assert_eq!(study.knee, Some(RankSuggestion::from_curves(&residuals, None)));
    let plain = StudyOptions { number: None, coherence_words: None, ..options };
    let study = rank_study(&OneRank, &corpus, &plain, &mut ignore).expect("a valid corpus");
    assert!(study.ranks.iter().all(|rank| rank.unseen.is_none() && rank.npmi.is_none()));
    assert_eq!(study.number, None);
}
