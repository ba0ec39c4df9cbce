//! Reading: columns, rows and names of each rank.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use xray_data::text::{DocumentFrequency, TextOptions};
use xray_data::{
    Format, Input, Inputs, LoadOptions, LoadedMatrix, Table, load, load_inputs, save, write_table,
};
use xray_nmf::comm::{Communicator, run_local_ranks};
use xray_nmf::{
    DenseMatrix, Factorization, Fit, Matrix, Ownership, Params, Portion, Selection, SparseMatrix,
    fit,
};
use xray_pipeline::shards::{Manifest, ManifestHead, Part, ShardFile, load_model};
use xray_pipeline::{
    Content, Corpus, Folder, InputFacts, Plan, Purpose, TextRequest, read, read_table, weigh,
};

use super::{matrix, texts};

const SIZES: [usize; 5] = [1, 2, 3, 4, 8];

fn path(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn inputs(data: &Path) -> Inputs {
    Inputs::resolve(&[data]).expect("there")
}

fn transposed() -> LoadOptions {
    LoadOptions { transpose: true, ..LoadOptions::default() }
}

/// Compares what each rank reads with its columns of the whole.
fn compare_matrix(data: &Path, options: &LoadOptions, whole: &SparseMatrix<'static, f64>) {
    for size in SIZES {
        let parts = run_local_ranks(size, |comm| read_table(comm, &inputs(data), options));
        for (rank, part) in parts.into_iter().enumerate() {
            let part = part.expect("readable").matrix;
            let (n, what) = (whole.n_columns(), data.display());
            let shape = (part.n_rows(), part.n_columns(), part.n_entries());
            assert_eq!(shape, (whole.n_rows(), n, whole.n_entries()), "{what}");
            let expected = whole.columns_of(&Ownership::columns_of_rank(n, rank, size));
            let columns = part.sparse_columns().expect("sparse");
            assert_eq!(columns.csc(), expected.csc(), "{what}: rank {rank} of {size}");
        }
    }
}

#[test]
fn every_sparse_format_is_shared_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = matrix(120, 700);
    let table = Table::new(x.clone().into());
    for name in ["x.npz", "x.mtx", "x.mtx.gz", "x.mat", "x.svm"] {
        save(&table, &path(&folder, name), None).expect("written");
        compare_matrix(&path(&folder, name), &LoadOptions::default(), &x);
    }
    let turned = Table::new(LoadedMatrix::from(x.clone().transposed()));
    for name in ["t.npz", "t.mtx"] {
        save(&turned, &path(&folder, name), None).expect("written");
        compare_matrix(&path(&folder, name), &transposed(), &x);
    }
}

#[test]
fn rows_in_many_files_are_put_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = matrix(100, 600);
    for (k, start) in (0..100).step_by(30).enumerate() {
        let rows: Vec<usize> = (start..(start + 30).min(100)).collect();
        let part = Table::new(x.rows_at(&rows).into());
        save(&part, &path(&folder, &format!("part-{k}.npz")), None).expect("written");
    }
    compare_matrix(&path(&folder, "part-*.npz"), &LoadOptions::default(), &x);
}

#[test]
fn dense_data_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let values: Vec<f64> = (0..20 * 600).map(|k| (k % 101) as f64).collect();
    let x = DenseMatrix::from_row_major(20, 600, values).expect("a matrix");
    let file = path(&folder, "x.npy");
    save(&Table::new(x.clone().into()), &file, None).expect("written");
    for size in SIZES {
        let parts =
            run_local_ranks(size, |comm| read_table(comm, &inputs(&file), &LoadOptions::default()));
        for (rank, part) in parts.into_iter().enumerate() {
            let part = part.expect("readable").matrix;
            assert!(part.is_dense());
            let layout = Ownership::columns_of_rank(600, rank, size);
            assert_eq!(part.columns().n_columns(), layout.n_own());
            for (i, j) in layout.ranges().into_iter().flatten().enumerate() {
                assert_eq!(part.columns().as_matrix().column(i), x.column(j));
            }
        }
    }
}

#[test]
fn problems_are_the_same_on_all_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = Table::new(matrix(30, 600).into());
    save(&x, &path(&folder, "a.npz"), None).expect("written");
    save(&x, &path(&folder, "c.npz"), None).expect("written");
    std::fs::write(path(&folder, "list"), "a.npz\nb.npz\nc.npz\n").expect("written");
    std::fs::write(path(&folder, "x.txt"), "some words\nmore words\n").expect("written");
    let list = PathBuf::from(format!("@{}", path(&folder, "list").display()));
    let cases = [
        (list, LoadOptions::default(), "b.npz"),
        (path(&folder, "b.npz"), LoadOptions::default(), "b.npz"),
        (path(&folder, "x.txt"), LoadOptions::default(), "found 2 texts, expected numbers"),
        (path(&folder, "x.txt"), transposed(), "--transpose is for matrices"),
        (path(&folder, "a*.npz"), transposed(), "cannot be transposed"),
    ];
    for (data, options, expected) in cases {
        let results = run_local_ranks(3, |comm| read_table(comm, &inputs(&data), &options));
        let errors: Vec<_> = results.into_iter().map(|result| result.unwrap_err()).collect();
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(messages[0].contains(expected), "{}", messages[0]);
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
        assert!(errors.iter().all(xray_pipeline::Error::is_agreed), "{messages:?}");
    }
}

#[test]
fn labels_that_differ_between_ranks_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let x = Table::new(matrix(4, 600).into());
    save(&x, &path(&folder, "x.npz"), None).expect("written");
    for rank in 0..2 {
        std::fs::write(path(&folder, &format!("labels{rank}")), format!("a\nb\nc\n{rank}\n"))
            .expect("written");
    }
    let results = run_local_ranks(2, |comm| {
        let labels = Some(path(&folder, &format!("labels{}", comm.rank())));
        let options = LoadOptions { labels, ..LoadOptions::default() };
        read(comm, &inputs(&path(&folder, "x.npz")), &options).unwrap_err().to_string()
    });
    assert!(results.iter().all(|message| message.contains("names and labels")), "{results:?}");
}

#[test]
fn dates_come_with_their_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let date =
        |d: usize| if d.is_multiple_of(7) { String::new() } else { format!("{}", 1900 + d % 90) };
    let texts = texts(9_000);
    let mut names = vec!["whole.csv", "counts.csv"];
    let write = |name: &str, lines: std::ops::Range<usize>| {
        let line = |d: usize| match name {
            "counts.csv" => format!("r{d},{},{},{}\n", d % 5, date(d), d % 3),
            _ => format!("{},{}\n", date(d), texts[d]),
        };
        let header = if name == "counts.csv" { "id,oven,date,comet\n" } else { "date,text\n" };
        let content: String = std::iter::once(header.to_owned()).chain(lines.map(line)).collect();
        std::fs::write(path(&folder, name), content).expect("written");
    };
    names.iter().for_each(|name| write(name, 0..9_000));
    (0..3).for_each(|k| write(&format!("part-{k}.csv"), 3_000 * k..3_000 * (k + 1)));
    names.push("part-?.csv");
    let options = LoadOptions { time: Some("date".into()), ..LoadOptions::default() };
    for (name, size) in names.iter().flat_map(|name| SIZES.map(|size| (name, size))) {
        let parts = run_local_ranks(size, |comm| {
            let mut content =
                read(comm, &inputs(&path(&folder, name)), &options).expect("readable");
            assert_eq!(content.n_rows(), 9_000);
            let own = Ownership::rows(9_000, comm);
            let expected: Vec<String> = (0..own.n_own()).map(|k| date(own.global(k))).collect();
            assert_eq!(content.take_times(), Some(expected), "{name}, {size} ranks");
            content.take_times()
        });
        assert!(parts.iter().all(Option::is_none), "they are handed over once");
    }
}

fn compare_corpus(data: &Path, text: &TextRequest, whole: &Corpus) {
    let all = whole.matrix.sparse_columns().expect("words are sparse");
    for size in [1, 2, 3, 5] {
        let parts = run_local_ranks(size, |comm| {
            let content = read(comm, &inputs(data), &LoadOptions::default())?;
            weigh(comm, content, text)
        });
        for (rank, part) in parts.into_iter().enumerate() {
            let (mut part, what) = (part.expect("readable"), data.display());
            assert_eq!(part.names, whole.names, "{what}");
            assert_eq!(part.dropped, whole.dropped, "{what}");
            let (m, n) = (whole.n_documents(), whole.n_words());
            let own: Vec<usize> =
                (0..m).filter(|d| d / Ownership::ROW_BLOCK % size == rank).collect();
            let rows = part.matrix.rows().expect("made while weighing");
            for (place, &d) in own.iter().enumerate().step_by(97) {
                assert_eq!(rows.row(place), all.row(d), "{what}: row {d}");
            }
            assert_eq!(rows.n_rows(), own.len());
            let columns = all.columns_of(&Ownership::columns_of_rank(n, rank, size));
            let found = part.matrix.sparse_columns().expect("sparse");
            assert_eq!(found.csc(), columns.csc(), "{what}: rank {rank} of {size}");
            let ids: Vec<_> = (0..own.len()).map(|place| part.rows.id(place)).collect();
            assert_eq!(ids, own.iter().map(|&d| whole.rows.id(d)).collect::<Vec<_>>());
            let labels = part.rows.labels.take();
            let expected = whole.rows.labels.as_ref();
            let expected = expected.map(|all| own.iter().map(|&d| all[d].clone()).collect());
            assert_eq!(labels, expected, "{what}");
            assert_eq!((part.n_documents(), part.matrix.n_entries()), (m, all.n_entries()));
        }
    }
}

#[test]
fn texts_are_counted_where_they_are_and_weighed_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = texts(2 * Ownership::ROW_BLOCK + 500);
    let lines = texts.join("\n");
    let tsv = texts.iter().enumerate().map(|(d, text)| format!("d{d}\tc{}\t{text}\n", d % 3));
    let tsv = format!("id\tlabel\ttext\n{}", tsv.collect::<String>());
    for (name, content) in [("x.txt", &lines), ("x.tsv", &tsv)] {
        let file = path(&folder, name);
        std::fs::write(&file, content).expect("written");
        let documents = load(&Input::from(file.as_path()), &LoadOptions::default());
        let documents = documents.expect("texts").into_documents().expect("texts");
        let whole = Corpus::from_documents(documents, TextOptions::default()).expect("a corpus");
        compare_corpus(&file, &TextRequest::default(), &whole);
    }
}

#[test]
fn counts_are_weighed_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (m, n) = (Ownership::ROW_BLOCK + 300, 600);
    let counts = matrix(m, n);
    let counts = (0..m).flat_map(|d| {
        let mut row = Vec::new();
        counts.row(d).for_each(|j, v| row.push((d, j, (3.0 * v).round())));
        row
    });
    let counts = SparseMatrix::from_triplets(m, n, counts).expect("in range");
    let table = || Table::new(counts.clone().into());
    save(&table(), &path(&folder, "x.npz"), None).expect("written");
    for max_features in [None, Some(300)] {
        let text = TextOptions { max_features, ..TextOptions::default() };
        let whole = Corpus::from_table(table(), text.clone()).expect("a corpus");
        let request = TextRequest { text, ..TextRequest::default() };
        compare_corpus(&path(&folder, "x.npz"), &request, &whole);
    }
    for (k, start) in (0..m).step_by(1500).enumerate() {
        let rows: Vec<usize> = (start..(start + 1500).min(m)).collect();
        let part = Table::new(counts.rows_at(&rows).into());
        save(&part, &path(&folder, &format!("part-{k}.npz")), None).expect("written");
    }
    let whole = Corpus::from_table(table(), TextOptions::default()).expect("a corpus");
    compare_corpus(&path(&folder, "part-*.npz"), &TextRequest::default(), &whole);
}

#[test]
fn texts_in_many_files_are_put_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = texts(Ownership::ROW_BLOCK + 2000);
    // With what is dropped: rare words, numbers, links, stop words.
    let record = |d: usize| {
        let text = format!("{} the {d} t.co/{d} once{d}", texts[d]);
        format!("{{\"id\": \"n{d}\", \"text\": \"{text}\"}}\n")
    };
    let write = |name: &str, range: std::ops::Range<usize>| {
        std::fs::write(path(&folder, name), range.map(record).collect::<String>())
            .expect("written");
    };
    write("all.jsonl", 0..texts.len());
    for (k, start) in (0..texts.len()).step_by(1000).enumerate() {
        write(&format!("part-{k}.jsonl"), start..(start + 1000).min(texts.len()));
    }
    let documents = load(&path(&folder, "all.jsonl").as_path().into(), &LoadOptions::default());
    let documents = documents.expect("texts").into_documents().expect("texts");
    let min_df = DocumentFrequency::Count(2);
    let text = TextOptions { min_df, max_features: Some(500), ..TextOptions::default() };
    let whole = Corpus::from_documents(documents, text.clone()).expect("a corpus");
    let dropped = whole.dropped.expect("texts");
    let n = texts.len() as u64;
    // Numbers below 10 are too short for words.
    let counts = (dropped.rare, dropped.numbers, dropped.urls, dropped.stop_words);
    assert_eq!(counts, (n, n - 10, n, n));
    assert!(dropped.surplus > 0, "{dropped:?}");
    let request = TextRequest { text, ..TextRequest::default() };
    compare_corpus(&path(&folder, "part-*.jsonl"), &request, &whole);
}

/// Parts as programs write them: one is empty, one has a header only, and titles of one are longer than
/// its texts. Nothing is guessed for each on its own, and documents are numbered over all.
#[test]
fn many_files_are_one_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = |d: usize, text: &str| {
        if d < 900 {
            return format!("short,{text}\n");
        }
        format!("a title that is far longer than any of its own texts {d},w{}\n", d % 7)
    };
    let texts = texts(1200);
    for (k, range) in [0..500, 500..500, 500..900, 900..1200].into_iter().enumerate() {
        let lines: String = range.map(|d| record(d, &texts[d])).collect();
        let file = path(&folder, &format!("part-{k}.csv"));
        std::fs::write(file, format!("title,body\n{lines}")).expect("written");
    }
    std::fs::write(path(&folder, "part-4.csv"), "").expect("written");
    let labels: String = (0..1200).map(|d| format!("c{}\n", d % 4)).collect();
    std::fs::write(path(&folder, "labels"), labels).expect("written");
    let options = LoadOptions { labels: Some(path(&folder, "labels")), ..LoadOptions::default() };
    let pattern = inputs(&path(&folder, "part-*.csv"));
    let (whole, origin) = load_inputs(&pattern, &options).expect("texts");
    let whole = whole.into_documents().expect("texts");
    assert_eq!((whole.len(), whole.ids[1199].as_str()), (1200, "1200"));
    for size in SIZES {
        let parts = run_local_ranks(size, |comm| read(comm, &pattern, &options).expect("texts"));
        for (rank, part) in parts.into_iter().enumerate() {
            let Content::Documents(part) = part else { panic!("texts") };
            assert_eq!((part.n_documents, part.origin.as_ref()), (1200, Some(&origin)));
            match rank {
                0 => assert_eq!(part.own, whole, "{size} ranks"),
                _ => assert!(part.own.is_empty()),
            }
        }
    }
}

#[test]
fn more_ranks_than_blocks_own_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(&folder, "x.npz");
    save(&Table::new(matrix(10, 20).into()), &file, None).expect("written");
    let columns = run_local_ranks(8, |comm| {
        let read = read_table(comm, &inputs(&file), &LoadOptions::default());
        read.expect("readable").matrix.columns().n_columns()
    });
    assert_eq!(columns, [20, 0, 0, 0, 0, 0, 0, 0]);
}

/// Every rank writes its columns of H.
fn write_shard(comm: &dyn Communicator, path: &Path, found: &Factorization) {
    let mut folder = Folder::open(comm, path, Plan { shards: true, ..Plan::new(Purpose::Factors) })
        .expect("writable");
    let ranges = found.own_columns().ranges().into_iter().map(|r| [r.start, r.end]).collect();
    let shard = ShardFile::new(Part::H, comm.rank(), comm.size(), ranges, None);
    let h = Table::new(found.coefficients().clone().into_matrix().into());
    let npz = Format::from_name("npz").expect("a format");
    let own = folder.write_shard(shard, |out| write_table(&h, out, npz)).expect("written");
    let head = ManifestHead {
        rank: found.rank(),
        rows: found.n_rows(),
        columns: found.n_columns(),
        anchors: found.anchors(),
        ..ManifestHead::default()
    };
    folder.commit(comm, Some((head, vec![own]))).expect("complete");
}

#[test]
fn shards_are_put_together_as_the_whole() {
    let x = matrix(60, 2000);
    let params = Params { selection: Selection::Greedy, ..Params::new(6) };
    let whole = fit(&x, &params).expect("a fit");
    for size in [1, 3, 4] {
        let folder = tempfile::tempdir().expect("a folder");
        run_local_ranks(size, |comm| {
            let own = x.columns_of(&Ownership::columns(2000, comm));
            let portion = Portion { columns: &own, rows: None, n_columns: 2000 };
            let found = Fit::part(portion, comm).run(&params).expect("a fit");
            write_shard(comm, folder.path(), &found);
        });
        let model = load_model(folder.path()).expect("readable");
        assert_eq!(model.anchors, whole.anchors());
        let LoadedMatrix::Sparse(h) = &model.h else { panic!("dense") };
        assert_eq!(h.csc(), whole.coefficients().csc(), "{size} ranks");
        let manifest = Manifest::read(folder.path()).expect("readable").expect("there");
        assert_eq!(manifest.files.len(), size);
        let damaged = folder.path().join(&manifest.files[0].file);
        std::fs::write(&damaged, "other").expect("written");
        let problem = load_model(folder.path()).unwrap_err().to_string();
        assert!(problem.contains("not the file"), "{problem}");
    }
}

#[test]
fn blank_lines_do_not_shift_labels_and_facts_are_those_of_one_machine() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |d: usize| {
        if d.is_multiple_of(5) { "\n".to_owned() } else { format!("word{} text\n", d % 7) }
    };
    std::fs::write(path(&folder, "x.txt"), (0..9000).map(line).collect::<String>())
        .expect("written");
    let labels: String = (0..9000).map(|d| format!("c{}\n", d % 3)).collect();
    std::fs::write(path(&folder, "labels"), labels).expect("written");
    let options = LoadOptions { labels: Some(path(&folder, "labels")), ..LoadOptions::default() };
    for size in SIZES {
        let parts = run_local_ranks(size, |comm| {
            let content = read(comm, &inputs(&path(&folder, "x.txt")), &options).expect("texts");
            let facts = InputFacts::new(comm, &content).expect("ranks").expect("a file");
            let Content::Documents(documents) = content else { panic!("texts") };
            (facts, documents.own)
        });
        for (facts, own) in &parts {
            assert_eq!((facts.rows, facts.blank_lines, facts.empty), (7200, 1800, 0), "{size}");
            assert!(facts.labelled && facts.format == "lines");
            for (id, label) in own.ids.iter().zip(own.labels.as_ref().expect("labels")) {
                let k = id.parse::<usize>().expect("a number") - 1;
                assert_eq!(*label, format!("c{}", (k / 4 * 5 + k % 4 + 1) % 3), "document {k}");
            }
        }
        assert_eq!(parts.iter().map(|(_, own)| own.len()).sum::<usize>(), 7200);
    }
}
