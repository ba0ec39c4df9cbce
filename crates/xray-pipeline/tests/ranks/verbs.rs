//! Topics, factors, ranks and weights of new data: the same from any number of ranks.

use std::path::Path;
use std::sync::OnceLock;

use tempfile::TempDir;
use xray_data::text::TextOptions;
use xray_data::{Documents, Inputs, LoadOptions, LoadedMatrix, Model, Provenance, Table, save};
use xray_nmf::comm::{Communicator, OneRank, run_local_ranks};
use xray_nmf::{Params, Refinement, RunState, Selection};
use xray_pipeline::report::{FactorizeParameters, TopicsParameters, TopicsReport, json};
use xray_pipeline::{
    ColumnMatch, Corpus, FactorizeOptions, PageSource, StudyOptions, TextRequest, TopicOptions,
    Transformed, factorize, find_levels, find_topics, find_topics_and_anchors, ignore,
    kept_characters, rank_study, read, read_table, transform_columns, transform_rows, weigh,
    weigh_counts,
};
use xray_report::About;

use super::{matrix, texts};

const SIZES: [usize; 4] = [1, 2, 3, 5];
const N: usize = 9_000;

/// Texts in a file, with ids and labels: three blocks of them.
fn file() -> &'static (TempDir, std::path::PathBuf) {
    static FILE: OnceLock<(TempDir, std::path::PathBuf)> = OnceLock::new();
    FILE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.tsv");
        let lines = texts(N).into_iter().enumerate();
        let lines = lines.map(|(d, text)| format!("d{d}\tc{}\t{text}\n", d % 5));
        let text = format!("id\tlabel\ttext\n{}", lines.collect::<String>());
        std::fs::write(&path, text).expect("written");
        (folder, path)
    })
}

fn inputs(data: &std::path::Path) -> Inputs {
    Inputs::resolve(&[data]).expect("there")
}

fn corpus(comm: &dyn Communicator) -> Corpus {
    let content = read(comm, &inputs(&file().1), &LoadOptions::default()).expect("texts");
    weigh(comm, content, &TextRequest::default()).expect("a corpus")
}

/// All that is told and written of the topics, as rank 0 has it.
fn topics(
    comm: &dyn Communicator,
    options: &TopicOptions,
) -> Option<(String, Vec<u8>, Vec<String>)> {
    let mut corpus = corpus(comm);
    let new = RunState::default();
    let found = find_topics(comm, &mut corpus, options, &new, &mut ignore).expect("topics");
    let report = json(&TopicsReport::new(comm, &corpus, &found).expect("a report"));
    let parameters = TopicsParameters::new(options, &found, Vec::new(), Vec::new());
    let words = corpus.vectorizer().expect("words");
    let model = found.to_model(comm, &corpus.rows, words, &parameters, Provenance::default());
    let mut lines = Vec::new();
    let blocks = found.documents.for_each_block(comm, &corpus.rows, |block| {
        for (k, id) in block.ids.iter().enumerate() {
            let label = block.labels.as_ref().map(|labels| &labels[k]);
            let weights = &block.weights[k * found.rank()..(k + 1) * found.rank()];
            let cluster = block.clusters.map(|clusters| clusters[k]);
            let topic = block.heaviest[k];
            let explained = block.explained.map(|explained| explained.parts[k]);
            lines.push(format!("{id} {label:?} {topic:?} {cluster:?} {explained:?} {weights:?}"));
        }
        Ok(())
    });
    blocks.expect("all blocks");
    let model = model.expect("a model")?;
    Some((report, model.to_bytes().expect("bytes"), lines))
}

/// The page of three topics, with two numbers of them beside.
fn page(comm: &dyn Communicator) -> String {
    let content = read(comm, &inputs(&file().1), &LoadOptions::default()).expect("texts");
    let texts = content.beginnings(kept_characters(content.n_rows(), None)).expect("texts");
    let mut corpus = weigh(comm, content, &TextRequest::default()).expect("a corpus");
    let options = TopicOptions { rank: Some(3), ..TopicOptions::default() };
    let new = RunState::default();
    let (found, anchors) =
        find_topics_and_anchors(comm, &mut corpus, &options, &new, &mut ignore).expect("topics");
    let answer = (&found, &anchors);
    let levels = find_levels(comm, &mut corpus, &options, &[2, 3, 5], answer, &mut ignore);
    let source = PageSource {
        corpus: &corpus,
        levels: &levels.expect("levels"),
        rank: 3,
        h: &found.h,
        documents: &found.documents,
        excluded: &[],
        titles: &[],
        periods: None,
        texts: Some(&texts),
    };
    source.page(comm, &About::default()).expect("a page").html()
}

#[test]
fn pages_are_the_same_and_small_enough() {
    let whole = page(&OneRank);
    // More documents than a page has room for.
    assert!((1_000_000..3_000_000).contains(&whole.len()), "{}", whole.len());
    assert!(whole.contains("\"shown\":8") || whole.contains("\"shown\":9"));
    for size in [2, 3] {
        for (rank, other) in run_local_ranks(size, |comm| page(comm)).into_iter().enumerate() {
            assert!(other == whole, "rank {rank} of {size}");
        }
    }
}

fn compare_topics(options: &TopicOptions) {
    let whole = topics(&OneRank, options).expect("rank 0");
    assert_eq!(whole.2.len(), N);
    // Texts of two topics may share no word with either; all others are in a cluster.
    let with = |what: &str| whole.2.iter().filter(|line| line.contains(what)).count();
    assert!(whole.0.contains("nmi_clusters") && with(" Some(Some(") > N / 2);
    assert_eq!(with(" Some(None) "), with(" None Some(None) "));
    for size in SIZES {
        let mut parts = run_local_ranks(size, |comm| topics(comm, options)).into_iter();
        let first = parts.next().flatten().expect("rank 0");
        assert_eq!(first.0, whole.0, "{size} ranks: the report");
        assert!(first.1 == whole.1, "{size} ranks: the model");
        assert!(first.2 == whole.2, "{size} ranks: the documents");
        assert!(parts.all(|part| part.is_none()), "{size} ranks");
    }
}

fn four() -> TopicOptions {
    TopicOptions { rank: Some(4), refine: Some(3), ..TopicOptions::default() }
}

#[test]
fn topics_are_those_of_one_machine() {
    compare_topics(&TopicOptions { stability: true, ..four() });
    compare_topics(&TopicOptions { rank: None, max_rank: 8, ..four() });
}

#[test]
fn topics_that_begin_with_several_words_are_those_of_one_machine() {
    let words = corpus(&OneRank).words().into_owned();
    let of_subject = |k: usize| words.iter().position(|w| w.starts_with(&format!("subject{k}")));
    let first: Vec<usize> = (0..3).map(|k| of_subject(k).expect("a word")).collect();
    let anchors =
        vec![vec![first[0], first[0] + 3, 1], vec![first[1]], vec![first[2], first[2] + 1]];
    let excluded = vec![3];
    compare_topics(&TopicOptions { anchors, excluded, ..four() });
}

#[test]
fn factors_are_those_of_one_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.npz");
    save(&Table::new(matrix(4_500, 700).into()), &file, None).expect("written");
    for method in [Refinement::Hals, Refinement::Exact, Refinement::KullbackLeibler] {
        let params = Params { selection: Selection::Greedy, ..Params::new(5) };
        let options =
            FactorizeOptions { params, refine: 2, refine_method: method, ..Default::default() };
        let run = |comm: &dyn Communicator| {
            let mut corpus =
                read_table(comm, &inputs(&file), &LoadOptions::default()).expect("numbers");
            let new = RunState::default();
            let found = factorize(comm, &mut corpus, &options, &new, &mut ignore).expect("factors");
            let refined = found.refined.expect("two steps");
            let mut w = Vec::new();
            let blocks = refined.documents.for_each_block(comm, &corpus.rows, |block| {
                w.extend_from_slice(block.weights);
                Ok(())
            });
            blocks.expect("all blocks");
            (found.found.anchors(), refined.h, refined.objective, w)
        };
        let whole = run(&OneRank);
        assert_eq!(whole.3.len(), 4_500 * 5);
        for size in SIZES {
            let parts = run_local_ranks(size, |comm| run(comm));
            assert!(parts[0] == whole, "{method:?}, {size} ranks");
            let same = |part: &(_, _, _, Vec<f64>)| {
                (&part.0, &part.1, &part.2) == (&whole.0, &whole.1, &whole.2) && part.3.is_empty()
            };
            assert!(parts[1..].iter().all(same), "{method:?}, {size} ranks");
        }
    }
}

#[test]
fn negative_entries_are_named_by_their_places_among_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.mtx");
    let head = "%%MatrixMarket matrix coordinate real general\n4 900 2\n";
    std::fs::write(&file, format!("{head}1 1 1.0\n3 701 -2.0\n")).expect("written");
    let options = FactorizeOptions { params: Params::new(1), ..FactorizeOptions::default() };
    let run = |comm: &dyn Communicator| {
        let mut corpus =
            read_table(comm, &inputs(&file), &LoadOptions::default()).expect("numbers");
        let new = RunState::default();
        factorize(comm, &mut corpus, &options, &new, &mut ignore).unwrap_err().to_string()
    };
    assert!(run(&OneRank).contains("entry (2, 700) is -2"), "{}", run(&OneRank));
    let parts = run_local_ranks(3, |comm| run(comm));
    assert!(parts.iter().all(|part| part.contains("entry (2, 700) is -2")), "{parts:?}");
}

#[test]
fn studies_of_ranks_are_those_of_one_machine() {
    let params = Params { selection: Selection::Greedy, ..Params::new(5) };
    let number = Some(Refinement::Hals);
    let options = StudyOptions { params, memory: None, number, coherence_words: Some(6) };
    let run = |comm: &dyn Communicator| {
        let content = read(comm, &inputs(&file().1), &LoadOptions::default()).expect("texts");
        let corpus = weigh_counts(comm, content, &TextRequest::default()).expect("a corpus");
        rank_study(comm, &corpus, &options, &mut ignore).expect("a study")
    };
    let whole = run(&OneRank);
    assert!(whole.ranks.iter().all(|rank| rank.npmi.is_some() && rank.unseen.is_some()));
    for size in SIZES {
        let parts = run_local_ranks(size, |comm| run(comm));
        assert!(parts.iter().all(|part| *part == whole), "{size} ranks");
    }
}

fn gathered(comm: &dyn Communicator, weighed: &Transformed) -> Vec<String> {
    let (rank, mut lines) = (weighed.documents.rank, Vec::new());
    let blocks = weighed.documents.for_each_block(comm, &weighed.rows, |block| {
        for (k, id) in block.ids.iter().enumerate() {
            let weights = &block.weights[k * rank..(k + 1) * rank];
            let label = block.labels.as_ref().map(|labels| &labels[k]);
            let cluster = block.clusters.map(|clusters| clusters[k]);
            let topic = block.heaviest[k];
            lines.push(format!("{id} {label:?} {topic:?} {cluster:?} {weights:?}"));
        }
        Ok(())
    });
    blocks.expect("all blocks");
    lines
}

/// A model of the texts, fitted on one machine.
fn model() -> Model {
    let texts = texts(500);
    let ids = (0..500).map(|d| d.to_string()).collect();
    let documents = Documents { ids, texts, labels: None, times: None };
    let corpus = Corpus::from_documents(documents, TextOptions::default());
    let mut corpus = corpus.expect("a corpus");
    let new = RunState::default();
    let found = find_topics(&OneRank, &mut corpus, &four(), &new, &mut ignore).expect("topics");
    let parameters = TopicsParameters::new(&four(), &found, Vec::new(), Vec::new());
    let words = corpus.vectorizer().expect("words");
    let model = found.to_model(&OneRank, &corpus.rows, words, &parameters, Provenance::default());
    model.expect("a model").expect("rank 0")
}

#[test]
fn weights_of_new_texts_are_those_of_one_machine() {
    let model = model();
    let run = |comm: &dyn Communicator| {
        let content = read(comm, &inputs(&file().1), &LoadOptions::default()).expect("texts");
        let weighed = transform_rows(comm, &model, content, ColumnMatch::Names).expect("weights");
        gathered(comm, &weighed)
    };
    let whole = run(&OneRank);
    assert_eq!(whole.len(), N);
    for size in SIZES {
        let parts = run_local_ranks(size, |comm| run(comm));
        assert!(parts[0] == whole, "{size} ranks");
        assert!(parts[1..].iter().all(Vec::is_empty));
    }
}

#[test]
fn weights_of_new_rows_and_columns_are_those_of_one_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.npz");
    let x = matrix(4_200, 700);
    save(&Table::new(x.clone().into()), &file, None).expect("written");
    let found = xray_nmf::fit(&x, &Params::new(4)).expect("a fit");
    let h = found.coefficients().clone().into_matrix();
    let w = found.anchor_matrix().into();
    let kind = xray_data::ModelKind::Factorize;
    let model = Model { w: Some(w), ..Model::new(kind, found.anchors(), h.into()) };
    let run = |comm: &dyn Communicator, by_columns: bool| {
        let weighed = if by_columns {
            let corpus =
                read_table(comm, &inputs(&file), &LoadOptions::default()).expect("numbers");
            transform_columns(comm, &model, &corpus, ColumnMatch::Names).expect("weights")
        } else {
            let content = read(comm, &inputs(&file), &LoadOptions::default()).expect("numbers");
            transform_rows(comm, &model, content, ColumnMatch::Names).expect("weights")
        };
        gathered(comm, &weighed)
    };
    for (by_columns, n) in [(false, 4_200), (true, 700)] {
        let whole = run(&OneRank, by_columns);
        assert_eq!(whole.len(), n);
        for size in SIZES {
            let parts = run_local_ranks(size, |comm| run(comm, by_columns));
            assert!(parts[0] == whole, "{size} ranks, columns: {by_columns}");
        }
    }
}

#[test]
fn rows_in_another_order_give_columns_the_same_weights_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = matrix(300, 120);
    let order: Vec<usize> = (0..300).collect();
    let turned: Vec<usize> = (0..300).map(|i| (i * 7 + 3) % 300).collect();
    let mut files = Vec::new();
    for (name, order) in [("same.npz", &order), ("turned.npz", &turned)] {
        let names = order.iter().map(|i| format!("r{i}")).collect();
        let matrix = LoadedMatrix::from(x.clone()).rows_at(order);
        let table = Table { row_names: Some(names), ..Table::new(matrix) };
        files.push(folder.path().join(name));
        save(&table, files.last().expect("a name"), None).expect("written");
    }
    let run = |comm: &dyn Communicator, fitted: &Path, weighed: &Path| {
        let load =
            |file| read_table(comm, &inputs(file), &LoadOptions::default()).expect("numbers");
        let mut corpus = load(fitted);
        let options = FactorizeOptions { params: Params::new(4), ..FactorizeOptions::default() };
        let found = factorize(comm, &mut corpus, &options, &RunState::default(), &mut ignore);
        let found = found.expect("a fit");
        let parameters = FactorizeParameters::new(&options, false);
        let (rows, origin) = (&corpus.rows, Provenance::default());
        let model = found.to_model(comm, rows, false, &parameters, None, origin).expect("a model");
        // Every rank reads the file that the first has written.
        let bytes = model.map_or(Vec::new(), |model| model.to_bytes().expect("written"));
        let model = Model::from_bytes(comm.all_gather(&bytes).expect("all are there").concat());
        let weighed = load(weighed);
        let (model, how) = (model.expect("a model"), ColumnMatch::Names);
        gathered(comm, &transform_columns(comm, &model, &weighed, how).expect("weights"))
    };
    let whole = run(&OneRank, &files[0], &files[0]);
    assert_eq!(run(&OneRank, &files[0], &files[1]), whole);
    for size in SIZES {
        let parts = run_local_ranks(size, |comm| run(comm, &files[0], &files[1]));
        assert!(parts[0] == whole, "{size} ranks");
    }
}

#[test]
fn columns_in_another_order_get_the_same_weights_on_any_number_of_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = matrix(400, 300);
    let names = |order: &[usize]| Some(order.iter().map(|j| format!("c{j}")).collect::<Vec<_>>());
    let order: Vec<usize> = (0..300).collect();
    let turned: Vec<usize> = (0..300).map(|j| (j * 7 + 3) % 300).collect();
    let mut files = Vec::new();
    for (name, order) in [("same.npz", &order), ("turned.npz", &turned)] {
        let matrix = LoadedMatrix::from(x.clone()).columns_at(order);
        let table = Table { column_names: names(order), ..Table::new(matrix) };
        files.push(folder.path().join(name));
        save(&table, files.last().expect("a name"), None).expect("written");
    }
    let found = xray_nmf::fit(&x, &Params::new(4)).expect("a fit");
    let h = found.coefficients().clone().into_matrix();
    let kind = xray_data::ModelKind::Factorize;
    let model = Model { names: names(&order), ..Model::new(kind, found.anchors(), h.into()) };
    let run = |comm: &dyn Communicator, file: &std::path::Path, how: ColumnMatch| {
        let content = read(comm, &inputs(file), &LoadOptions::default()).expect("numbers");
        gathered(comm, &transform_rows(comm, &model, content, how).expect("weights"))
    };
    let whole = run(&OneRank, &files[0], ColumnMatch::Names);
    assert_ne!(run(&OneRank, &files[1], ColumnMatch::Places), whole, "the order matters");
    for size in SIZES {
        for file in &files {
            let parts = run_local_ranks(size, |comm| run(comm, file, ColumnMatch::Names));
            assert!(parts[0] == whole, "{size} ranks, {}", file.display());
        }
    }
}
