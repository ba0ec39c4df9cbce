//! Reading on many ranks, with threads as ranks: every rank gets what one machine would cut out for it.

use std::path::{Path, PathBuf};

use clap::Parser;
use tempfile::TempDir;
use xray_data::{Input, LoadOptions, LoadedMatrix, Table, load, save};
use xray_mpi::args::{Cli, Command};
use xray_nmf::comm::{Communicator, run_local_ranks};
use xray_nmf::{
    DenseMatrix, Matrix, Params, ROW_BLOCK, Selection, SparseMatrix, fit, fit_distributed,
    rank_columns,
};
use xray_pipeline::shards::{read_shards, write_shards};
use xray_pipeline::{Corpus, read_corpus, read_matrix};

const SIZES: [usize; 5] = [1, 2, 3, 4, 8];

/// A matrix with more columns than two blocks, whole numbers and fractions.
fn matrix(m: usize, n: usize) -> SparseMatrix<'static, f64> {
    let entries = (0..m).flat_map(|d| (0..n).map(move |j| (d, j)));
    let value = |d: usize, j: usize| ((d * 37 + j * 11 + d * j) % 29) as f64;
    let entries = entries.filter(|&(d, j)| value(d, j) > 24.0);
    SparseMatrix::from_triplets(m, n, entries.map(|(d, j)| (d, j, value(d, j) / 3.0)))
        .expect("in range")
}

fn arguments(words: &[&str]) -> Cli {
    Cli::try_parse_from([&["xray-mpi"], words].concat()).expect("arguments")
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// Compares what each rank reads with its columns of the whole.
fn compare_matrix(words: &[&str], whole: &SparseMatrix<'static, f64>) {
    let cli = arguments(words);
    let Command::Factorize(verb) = &cli.command else { panic!("factorize") };
    for size in SIZES {
        let shards = run_local_ranks(size, |comm| {
            read_matrix(comm, &verb.args.input.data, &verb.args.input.load_options())
        });
        for (rank, shard) in shards.into_iter().enumerate() {
            let shard = shard.expect("readable");
            let n = whole.n_columns();
            assert_eq!((shard.n_columns, shard.n_entries), (n, whole.n_entries()), "{words:?}");
            let expected = whole.columns_of(&rank_columns(n, rank, size));
            let LoadedMatrix::Sparse(x) = &shard.matrix else { panic!("sparse") };
            assert_eq!(x.csc(), expected.csc(), "{words:?}: rank {rank} of {size}");
            assert_eq!(x.n_rows(), whole.n_rows());
        }
    }
}

#[test]
fn every_sparse_format_is_shared_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = matrix(120, 700);
    let table = Table::new(x.clone().into());
    for name in ["x.npz", "x.mtx", "x.mtx.gz", "x.mat", "x.svm"] {
        save(&table, Path::new(&path(&folder, name)), None).expect("written");
        compare_matrix(&["factorize", &path(&folder, name), "-r", "2"], &x);
    }
    let turned = Table::new(LoadedMatrix::from(x.clone().transposed()));
    for name in ["t.npz", "t.mtx"] {
        save(&turned, Path::new(&path(&folder, name)), None).expect("written");
        compare_matrix(&["factorize", &path(&folder, name), "-r", "2", "--transpose"], &x);
    }
}

#[test]
fn rows_in_many_files_are_put_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = matrix(100, 600);
    for (k, start) in (0..100).step_by(30).enumerate() {
        let rows: Vec<usize> = (start..(start + 30).min(100)).collect();
        let part = Table::new(x.rows_at(&rows).into());
        save(&part, Path::new(&path(&folder, &format!("part-{k}.npz"))), None).expect("written");
    }
    compare_matrix(&["factorize", &path(&folder, "part-*.npz"), "-r", "2"], &x);
}

#[test]
fn dense_data_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let values: Vec<f64> = (0..20 * 600).map(|k| (k % 101) as f64).collect();
    let x = DenseMatrix::from_row_major(20, 600, values).expect("a matrix");
    let file = path(&folder, "x.npy");
    save(&Table::new(x.clone().into()), Path::new(&file), None).expect("written");
    let cli = arguments(&["factorize", &file, "-r", "2"]);
    let Command::Factorize(verb) = &cli.command else { panic!("factorize") };
    for size in SIZES {
        let shards = run_local_ranks(size, |comm| {
            read_matrix(comm, &verb.args.input.data, &verb.args.input.load_options())
        });
        for (rank, shard) in shards.into_iter().enumerate() {
            let LoadedMatrix::Dense(own) = shard.expect("readable").matrix else { panic!("dense") };
            let layout = rank_columns(600, rank, size);
            assert_eq!(own.n_columns(), layout.n_own());
            for (i, j) in layout.ranges().into_iter().flatten().enumerate() {
                assert_eq!(own.column(i), x.column(j));
            }
        }
    }
}

#[test]
fn problems_are_the_same_on_all_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = Table::new(matrix(30, 600).into());
    save(&x, Path::new(&path(&folder, "a.npz")), None).expect("written");
    std::fs::write(path(&folder, "list"), "a.npz\nb.npz\na.npz\n").expect("written");
    let cases = [
        (format!("@{}", path(&folder, "list")), "rank 1: "),
        (path(&folder, "b.npz"), "b.npz"),
        (path(&folder, "z*.npz"), "no file fits"),
    ];
    for (data, expected) in cases {
        let cli = arguments(&["factorize", &data, "-r", "2"]);
        let Command::Factorize(verb) = &cli.command else { panic!("factorize") };
        let results = run_local_ranks(3, |comm| {
            read_matrix(comm, &verb.args.input.data, &verb.args.input.load_options())
        });
        let messages: Vec<String> =
            results.into_iter().map(|result| result.unwrap_err().to_string()).collect();
        assert!(messages[0].contains(expected), "{}", messages[0]);
        assert!(messages.iter().all(|message| *message == messages[0]));
    }
}

/// Texts that share words, more than two blocks of them.
fn texts(n: usize) -> Vec<String> {
    let word = |k: usize| format!("word{}", k % 900);
    let text = |d: usize| (0..6).map(|k| word(d * d + k * (d % 13) + k)).collect::<Vec<_>>();
    (0..n).map(|d| text(d).join(" ")).collect()
}

fn compare_corpus(words: &[&str], whole: &Corpus) {
    let cli = arguments(words);
    let Command::Topics(verb) = &cli.command else { panic!("topics") };
    for size in [1, 2, 3, 5] {
        let parts = run_local_ranks(size, |comm| {
            let input = &verb.args.input;
            let text = verb.args.text.request().expect("options");
            read_corpus(comm, &input.data, &input.load_options(), &text)
        });
        for (rank, part) in parts.into_iter().enumerate() {
            let part = part.expect("readable");
            assert_eq!(part.vectorizer, whole.vectorizer, "{words:?}");
            let (m, n) = (whole.n_documents(), whole.matrix.n_columns());
            let own: Vec<usize> = (0..m).filter(|d| d / ROW_BLOCK % size == rank).collect();
            assert_eq!(part.rows.csr(), whole.matrix.rows_at(&own).csr(), "{words:?}");
            let columns = whole.matrix.columns_of(&rank_columns(n, rank, size));
            assert_eq!(part.columns.csc(), columns.csc(), "{words:?}: rank {rank} of {size}");
            let ids: Vec<&String> = own.iter().map(|&d| &whole.ids[d]).collect();
            assert_eq!(part.ids.iter().collect::<Vec<_>>(), ids);
            assert_eq!((part.n_documents, part.n_entries), (m, whole.matrix.n_entries()));
        }
    }
}

#[test]
fn texts_are_counted_where_they_are_and_weighed_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = texts(2 * ROW_BLOCK + 500);
    let lines = texts.join("\n");
    let tsv = texts.iter().enumerate().map(|(d, text)| format!("d{d}\tc{}\t{text}\n", d % 3));
    let tsv = format!("id\tlabel\ttext\n{}", tsv.collect::<String>());
    for (name, content) in [("x.txt", &lines), ("x.tsv", &tsv)] {
        let file = path(&folder, name);
        std::fs::write(&file, content).expect("written");
        let cli = arguments(&["topics", &file]);
        let Command::Topics(verb) = &cli.command else { panic!("topics") };
        let documents = load(&Input::from(Path::new(&file)), &LoadOptions::default());
        let documents = documents.expect("texts").into_documents().expect("texts");
        let options = verb.args.text.options(true).expect("options");
        let whole = Corpus::from_documents(documents, options).expect("a corpus");
        compare_corpus(&["topics", &file], &whole);
    }
}

#[test]
fn counts_are_weighed_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (m, n) = (ROW_BLOCK + 300, 600);
    let counts = matrix(m, n);
    let counts = (0..m).flat_map(|d| {
        let mut row = Vec::new();
        counts.row(d).for_each(|j, v| row.push((d, j, (3.0 * v).round())));
        row
    });
    let counts = SparseMatrix::from_triplets(m, n, counts).expect("in range");
    let table = || Table::new(counts.clone().into());
    let options = |words: &[&str]| {
        let cli = arguments(&[&["topics", "x"], words].concat());
        let Command::Topics(verb) = &cli.command else { panic!("topics") };
        verb.args.text.options(true).expect("options")
    };
    save(&table(), Path::new(&path(&folder, "x.npz")), None).expect("written");
    for words in [&[][..], &["--max-features", "300"]] {
        let whole = Corpus::from_table(table(), options(words)).expect("a corpus");
        compare_corpus(&[&["topics", &path(&folder, "x.npz")], words].concat(), &whole);
    }
    for (k, start) in (0..m).step_by(1500).enumerate() {
        let rows: Vec<usize> = (start..(start + 1500).min(m)).collect();
        let part = Table::new(counts.rows_at(&rows).into());
        save(&part, Path::new(&path(&folder, &format!("part-{k}.npz"))), None).expect("written");
    }
    let whole = Corpus::from_table(table(), options(&[])).expect("a corpus");
    compare_corpus(&["topics", &path(&folder, "part-*.npz")], &whole);
}

#[test]
fn texts_in_many_files_are_put_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = texts(ROW_BLOCK + 2000);
    let record = |d: usize| format!("{{\"id\": \"n{d}\", \"text\": \"{}\"}}\n", texts[d]);
    let write = |name: &str, range: std::ops::Range<usize>| {
        let file = PathBuf::from(path(&folder, name));
        std::fs::write(file, range.map(record).collect::<String>()).expect("written");
    };
    write("all.jsonl", 0..texts.len());
    for (k, start) in (0..texts.len()).step_by(1000).enumerate() {
        write(&format!("part-{k}.jsonl"), start..(start + 1000).min(texts.len()));
    }
    let documents = load(&path(&folder, "all.jsonl").as_str().into(), &LoadOptions::default());
    let documents = documents.expect("texts").into_documents().expect("texts");
    let cli = arguments(&["topics", "x", "--min-df", "2", "--max-features", "500"]);
    let Command::Topics(verb) = &cli.command else { panic!("topics") };
    let options = verb.args.text.options(true).expect("options");
    let whole = Corpus::from_documents(documents, options).expect("a corpus");
    let pattern = path(&folder, "part-*.jsonl");
    compare_corpus(&["topics", &pattern, "--min-df", "2", "--max-features", "500"], &whole);
}

#[test]
fn one_rank_alone_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "x.npz");
    save(&Table::new(matrix(10, 20).into()), Path::new(&file), None).expect("written");
    let cli = arguments(&["factorize", &file, "-r", "2"]);
    let Command::Factorize(verb) = &cli.command else { panic!("factorize") };
    let shard = run_local_ranks(8, |comm| {
        let shard = read_matrix(comm, &verb.args.input.data, &verb.args.input.load_options())
            .expect("readable");
        (comm.rank(), shard.matrix.n_columns())
    });
    assert_eq!(shard.iter().map(|(_, n)| n).sum::<usize>(), 20);
}

#[test]
fn shards_are_put_together_as_the_whole() {
    let x = matrix(60, 2000);
    let params = Params { selection: Selection::Greedy, ..Params::new(6) };
    let whole = fit(&x, &params).expect("a fit");
    for size in [1, 3, 4] {
        let folder = tempfile::tempdir().expect("a folder");
        run_local_ranks(size, |comm| {
            let own = x.columns_of(&rank_columns(2000, comm.rank(), size));
            let found = fit_distributed(comm, 2000, &own, None, &params, &mut ()).expect("a fit");
            write_shards(comm, folder.path(), &found).expect("written");
        });
        let (manifest, h) = read_shards(folder.path()).expect("readable");
        assert_eq!((manifest.shards.len(), &manifest.anchors), (size, &whole.anchors()));
        assert_eq!(h.csc(), whole.weights().csc(), "{size} ranks");
        let damaged = folder.path().join(&manifest.shards[0].file);
        std::fs::write(&damaged, "other").expect("written");
        let problem = read_shards(folder.path()).unwrap_err().to_string();
        assert!(problem.contains("not the file"), "{problem}");
    }
}
