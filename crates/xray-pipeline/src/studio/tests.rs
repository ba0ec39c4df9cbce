use xray_data::Documents;
use xray_data::text::TextOptions;

use super::*;

fn studio() -> Studio {
    let subjects =
        ["cat purr sleep fur", "dog bark run tail", "stock bank rate fund", "sail wind boat rope"];
    let text = |d: usize| {
        let words: Vec<&str> = subjects[d % 4].split(' ').collect();
        format!(
            "{} {} {} {}",
            words[d % 3],
            words[3],
            words[(d + 1) % 4],
            subjects[(d / 4) % 4].split(' ').nth(d % 4).unwrap_or("")
        )
    };
    let documents = Documents {
        ids: (0..80).map(|d| d.to_string()).collect(),
        texts: (0..80).map(text).collect(),
        labels: None,
        times: None,
    };
    let texts = Some(documents.texts.clone());
    let corpus = Corpus::from_documents(documents, TextOptions::default()).expect("a corpus");
    let (about, provenance) = (About::default(), Provenance::default());
    let material = Material { corpus, texts, about, provenance, memory: None };
    let request = TopicsRequest { topics: Some(4), ..TopicsRequest::default() };
    Studio::new(material, request, &StopRequest::new()).expect("topics")
}

fn changes() -> Vec<Change> {
    vec![
        Change::Seed { topic: 2, word: "rope".into() },
        Change::Exclude { word: "fur".into() },
        Change::Topics { k: 3 },
        Change::Rename { topic: 1, name: "first".into() },
        Change::Move { word: "cat".into(), topic: 2 },
        Change::Split { topic: 1 },
        Change::Merge { topics: vec![1, 3] },
        Change::Drop { topic: 2 },
    ]
}

#[test]
fn undoing_restores_every_byte() {
    let (mut studio, never) = (studio(), StopRequest::new());
    let mut bytes = vec![studio.page().expect("a page").json()];
    for change in changes() {
        studio.change(change.clone(), &never).unwrap_or_else(|e| panic!("{change:?}: {e}"));
        bytes.push(studio.page().expect("a page").json());
    }
    assert!(bytes.windows(2).all(|pair| pair[0] != pair[1]));
    for expected in bytes.iter().rev().skip(1) {
        studio.undo(&never).expect("undone");
        assert_eq!(&studio.page().expect("a page").json(), expected);
    }
    for expected in &bytes[1..] {
        studio.redo(&never).expect("made again");
        assert_eq!(&studio.page().expect("a page").json(), expected);
    }
    assert_eq!((studio.changes().count(), studio.n_undone()), (8, 0));
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    let (mut studio, never) = (studio(), StopRequest::new());
    let before = studio.page().expect("a page").json();
    for change in [
        Change::Seed { topic: 9, word: "rope".into() },
        Change::Seed { topic: 1, word: "unheard".into() },
        Change::Unseed { topic: 1, word: "rope".into() },
        Change::Exclude { word: "unheard".into() },
        Change::Topics { k: 0 },
        Change::Topics { k: 5_000 },
        Change::Merge { topics: vec![1] },
        Change::Merge { topics: vec![1, 1] },
        Change::Split { topic: 0 },
        Change::Drop { topic: 5 },
        Change::Rename { topic: 1, name: "  ".into() },
        Change::Move { word: "unheard".into(), topic: 1 },
    ] {
        assert!(studio.change(change.clone(), &never).is_err(), "{change:?}");
        assert_eq!(studio.page().expect("a page").json(), before, "{change:?}");
    }
    let stopped = StopRequest::new();
    stopped.make();
    let seed = Change::Seed { topic: 1, word: "rope".into() };
    assert!(matches!(studio.change(seed, &stopped), Err(Error::Fit(xray_nmf::Error::Stopped))));
    assert_eq!(studio.page().expect("a page").json(), before);
    studio.change(Change::Drop { topic: 1 }, &never).expect("dropped");
    let late = studio.change(Change::Topics { k: 2 }, &never);
    assert!(late.is_err_and(|error| error.to_string().contains("would be lost")));
}

#[test]
fn saved_models_are_changed_and_never_fitted() {
    let (first, never) = (studio(), StopRequest::new());
    let material = Material {
        corpus: first.corpus.clone(),
        texts: first.texts.clone(),
        about: About::default(),
        provenance: Provenance::default(),
        memory: None,
    };
    let mut studio = Studio::of_model(material, first.model().clone()).expect("a studio");
    let before = studio.page().expect("a page").json();
    assert!(studio.change(Change::Topics { k: 3 }, &never).is_err());
    studio.change(Change::Merge { topics: vec![1, 3] }, &never).expect("merged");
    let bytes = |model: &Model| model.to_bytes().expect("bytes");
    let edits = TopicEdits { merge: vec![vec![1, 3]], ..TopicEdits::default() };
    let merged = edit_model(first.model(), &edits, Some(&mut first.corpus.clone()));
    assert_eq!(bytes(studio.model()), bytes(&merged.expect("merged")));
    studio.undo(&never).expect("undone");
    assert_eq!(studio.page().expect("a page").json(), before);
}

#[test]
fn states_are_those_of_requests_and_edits() {
    let (mut studio, never) = (studio(), StopRequest::new());
    changes().into_iter().for_each(|change| studio.change(change, &never).expect("changed"));
    let Asked { request, edits } = studio.asked().clone();
    assert_eq!(
        (request.topics, request.exclude.as_slice(), edits.len()),
        (Some(3), &["fur".to_owned()][..], 5)
    );
    let mut corpus = studio.corpus.clone();
    let asked = Asked { request, edits: Vec::new() };
    let fitted = fit(&mut corpus, asked, &studio.provenance, None, &never).expect("topics");
    let model = edits
        .iter()
        .try_fold(fitted.model, |model, edit| edit_model(&model, edit, Some(&mut corpus)));
    let bytes = |model: &Model| model.to_bytes().expect("bytes");
    assert_eq!(bytes(&model.expect("edited")), bytes(studio.model()));
}
