//! Comparisons on many ranks, with threads as ranks: every figure but time and memory has the bits of one machine.

use std::path::Path;

use anyhow::Result;
use tempfile::TempDir;
use xray_data::{ColumnChoice, Inputs, LoadOptions, Table, save};
use xray_experiments::{
    CompareOptions, Comparison, Interrupted, METHODS, Method, Protocol, Run, Watch, compare,
};
use xray_nmf::comm::{Communicator, OneRank, run_local_ranks};
use xray_nmf::synth::Synthetic;
use xray_pipeline::{Corpus, TextRequest, read, weigh_counts};

/// More rows than two blocks, so that three ranks have some.
const N: usize = 9_000;

fn corpus(comm: &dyn Communicator, file: &Path) -> Corpus {
    let label = Some(ColumnChoice::from("label"));
    let texts = file.extension().is_some_and(|ending| ending == "tsv");
    let options = if texts {
        LoadOptions { label, ..LoadOptions::default() }
    } else {
        LoadOptions::default()
    };
    let inputs = Inputs::resolve(&[file]).expect("there");
    let content = read(comm, &inputs, &options).expect("data");
    weigh_counts(comm, content, &TextRequest::default()).expect("a corpus")
}

/// Texts on five subjects, with labels.
fn texts(folder: &TempDir) -> std::path::PathBuf {
    let word = |d: usize, k: usize| match k % 3 {
        0 => format!("common{}", (d * d + k * 7) % 300),
        _ => format!("subject{}word{}", (d + k % 2 * (d % 3)) % 5, (d * 13 + k * k) % 120),
    };
    let text = |d: usize| (0..9).map(|k| word(d, k)).collect::<Vec<_>>().join(" ");
    let lines = (0..N).map(|d| format!("c{}\t{}\n", d % 5, text(d)));
    let path = folder.path().join("x.tsv");
    let table = format!("label\ttext\n{}", lines.collect::<String>());
    std::fs::write(&path, table).expect("written");
    path
}

/// All rules, two rivals.
fn options(rank: usize) -> CompareOptions {
    let methods = METHODS.iter().filter(|method| method.is_distributed()).copied();
    let rivals = ["spa", "nmf-anchors"].map(|name| Method::named(name).expect("listed"));
    let protocol = Protocol { repeats: 2, grid: vec![0.5, 2.0], ..Protocol::default() };
    CompareOptions {
        methods: methods.chain(rivals).collect(),
        seeds: 2,
        refine: 3,
        time_limit: 1e9,
        protocol: Some(protocol),
        ..CompareOptions::new(rank)
    }
}

/// Every figure but time and memory.
fn figures(run: &Run) -> String {
    let Run { anchors, error, refined_error, recovery, nmi, npmi, .. } = run;
    let accuracies = (run.anchor_accuracy, run.weight_accuracy);
    format!("{anchors:?} {error} {refined_error} {recovery:?} {nmi:?} {accuracies:?} {npmi:?}")
}

/// The figures of each method, or why it was left out.
fn told(found: &Comparison) -> Vec<(&'static str, Result<Vec<String>, String>)> {
    let figures = |runs: &Vec<Run>| runs.iter().map(figures).collect();
    let result = |runs: &Result<Vec<Run>, String>| runs.as_ref().map(figures).map_err(Clone::clone);
    found.results.iter().map(|found| (found.method.name, result(&found.runs))).collect()
}

fn check_ranks(file: &Path, options: &CompareOptions) -> Comparison {
    let run = |comm: &dyn Communicator| {
        compare(comm, &mut corpus(comm, file), options, &mut ()).expect("nobody ends it")
    };
    let one = run(&OneRank);
    assert!(one.results.iter().all(|result| result.runs.is_ok()), "{:?}", told(&one));
    for size in 1..=5 {
        for found in run_local_ranks(size, |comm| run(comm)) {
            for (found, expected) in told(&found).into_iter().zip(told(&one)) {
                if size == 1 || Method::named(found.0).expect("listed").is_distributed() {
                    assert_eq!(found, expected, "{size} ranks");
                } else {
                    let reason = "needs the whole matrix on one machine".to_owned();
                    assert_eq!(found.1, Err(reason), "{size} ranks: {}", found.0);
                }
            }
        }
    }
    one
}

#[test]
fn comparisons_of_texts_are_those_of_one_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = check_ranks(&texts(&folder), &options(5));
    for result in &found.results {
        for run in result.runs.as_ref().expect("all ran") {
            assert!(run.nmi.is_some() && run.npmi.is_some() && run.weight_accuracy.is_some());
        }
    }
}

#[test]
fn comparisons_of_numbers_are_those_of_one_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let size = Synthetic { n_rows: 60, n_columns: 900, rank: 4, ..Synthetic::default() };
    let shape = Synthetic { noise: 0.02, clip: true, ..size };
    let drawn = shape.generate().expect("data");
    let file = folder.path().join("x.npy");
    save(&Table::new(drawn.matrix.into()), &file, None).expect("written");
    let found =
        check_ranks(&file, &CompareOptions { true_anchors: Some(drawn.anchors), ..options(4) });
    let runs = found.results[0].runs.as_ref().expect("all ran");
    assert!(runs[0].recovery.is_some() && runs[0].nmi.is_none() && runs[0].npmi.is_none());
}

/// Ends the work after some steps.
struct Patience(usize);

impl Watch for Patience {
    fn begin(&mut self, _: &str, _: usize) {}

    fn advance(&mut self) -> Result<()> {
        self.0 = self.0.checked_sub(1).ok_or(Interrupted)?;
        Ok(())
    }
}

#[test]
fn all_ranks_end_and_refuse_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = texts(&folder);
    let errors = run_local_ranks(3, |comm| {
        let mut patience = Patience(if comm.rank() == 2 { 1 } else { usize::MAX });
        let found = compare(comm, &mut corpus(comm, &file), &options(3), &mut patience);
        found.expect_err("rank 2 has had enough").is::<Interrupted>()
    });
    assert_eq!(errors, [true; 3]);
    // A class that is missing on one rank, and too few rows to learn from.
    let errors = run_local_ranks(3, |comm| {
        let mut corpus = corpus(comm, &file);
        if let Some(labels) = corpus.rows.labels.as_mut().filter(|_| comm.rank() == 1) {
            labels[7].clear();
        }
        let found = compare(comm, &mut corpus, &options(3), &mut ());
        found.expect_err("a row without a class").to_string()
    });
    assert!(errors.iter().all(|error| error.contains("row 4104 has no class")), "{errors:?}");
    let protocol = Some(Protocol { share: 2.0, ..Protocol::default() });
    let methods = vec![Method::named("xray-max").expect("listed")];
    let options = CompareOptions { protocol, methods, ..options(3) };
    let run = |comm: &dyn Communicator| {
        told(&compare(comm, &mut corpus(comm, &file), &options, &mut ()).expect("left out"))
    };
    let one = run(&OneRank);
    assert!(one[0].1.as_ref().is_err_and(|reason| reason.starts_with("share = 2")), "{one:?}");
    assert!(run_local_ranks(3, |comm| run(comm)).iter().all(|found| *found == one));
}
