//! A folder has the earlier result or the new one, whatever happens.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use xray_nmf::comm::{Communicator, OneRank, run_local_ranks};

use super::disk::faults::{Fault, with_fault};
use super::*;
use crate::shards::Part;

/// Everything in a folder by name; folders end in a slash.
fn content(path: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(path).expect("a folder");
    let content = entries.map(|entry| {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        match std::fs::read_to_string(entry.path()) {
            Ok(text) => (name, text),
            Err(_) => (name + "/", String::new()),
        }
    });
    content.collect()
}

fn names(path: &Path) -> Vec<String> {
    content(path).into_keys().collect()
}

fn open(path: &Path, purpose: Purpose) -> Result<Folder> {
    Folder::open(&OneRank, path, Plan::new(purpose))
}

/// A run that writes these files, each with the same text.
fn run(path: &Path, purpose: Purpose, files: &[&str], text: &str) -> Result<String> {
    let mut folder = open(path, purpose)?;
    for file in files {
        folder.write(file, |out| out.write_all(text.as_bytes()))?;
    }
    folder.commit(&OneRank, None)
}

const TOPICS: [&str; 4] = ["contingency.csv", "documents.csv", "model.npz", "topics.json"];
const FACTORS: [&str; 2] = ["anchors.csv", "model.npz"];

fn shards(comm: &dyn Communicator, path: &Path, text: &str, lose: Option<usize>) -> Result<String> {
    let mut folder =
        Folder::open(comm, path, Plan { shards: true, ..Plan::new(Purpose::Factors) })?;
    let shard = ShardFile::new(Part::H, comm.rank(), comm.size(), vec![[0, 1]], None);
    let own = folder.write_shard(shard, |out| out.write_all(text.as_bytes()));
    let own = together(comm, own)?;
    if lose == Some(comm.rank()) {
        std::fs::remove_file(folder.aside.join(&own.file)).expect("written");
    }
    folder.commit(comm, Some((ManifestHead::default(), vec![own])))
}

#[test]
fn folders_are_tried_before_anything_is_done() {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("file"), "x").expect("written");
    let error = open(&place.path().join("file/out"), Purpose::Topics).unwrap_err();
    assert!(error.to_string().contains("choose another with -o"), "{error}");
    let made = open(&place.path().join("new"), Purpose::Topics).expect("made");
    assert_eq!(names(place.path()), ["file", "new/"]);
    drop(made);
    assert_eq!(names(place.path()), ["file"], "a folder without results is left");
    std::fs::create_dir_all(place.path().join("out/model.npz")).expect("made");
    let error = open(&place.path().join("out"), Purpose::Topics).unwrap_err().to_string();
    assert!(error.contains("model.npz: a folder is where a file is to be"), "{error}");
}

#[test]
fn files_that_no_run_has_written_are_not_written_over() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path();
    for file in ["documents.csv", "topics.csv"] {
        std::fs::write(path.join(file), "mine").expect("written");
    }
    let message = open(path, Purpose::Topics).unwrap_err().to_string();
    assert!(message.contains("documents.csv: no run has written this file"), "{message}");
    assert!(message.ends_with("choose another folder with -o"), "{message}");
    assert_eq!(names(path), ["documents.csv", "topics.csv"]);
    // Other kinds of results have other names.
    run(path, Purpose::Ranks, &["rank.csv"], "1").expect("nothing of that name");
    open(path, Purpose::Topics).unwrap_err();
    assert_eq!(content(path)["topics.csv"], "mine");
}

#[test]
fn files_that_such_a_run_has_not_written_are_not_written_over() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path();
    run(path, Purpose::Topics, &["topics.csv", "report.html"], "1").expect("a first result");
    std::fs::write(path.join("nearest.csv"), "mine").expect("written");
    let message = open(path, Purpose::Topics).unwrap_err().to_string();
    assert!(message.contains("nearest.csv: no run has written this file"), "{message}");
    std::fs::remove_file(path.join("nearest.csv")).expect("removed");
    run(path, Purpose::Topics, &["topics.csv", "report.html", "nearest.csv"], "2")
        .expect("its own");
    // Both kinds have a page of this name.
    let message = open(path, Purpose::Unmixing).unwrap_err().to_string();
    assert!(message.contains("report.html: the result of `model` has this file"), "{message}");
    assert_eq!(content(path)["report.html"], "2");
}

#[test]
fn a_folder_holds_one_result_of_each_kind() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("out");
    std::fs::create_dir(&path).expect("made");
    for file in ["mine.npz", "anchors.txt"] {
        std::fs::write(path.join(file), "mine").expect("written");
    }
    run(&path, Purpose::Topics, &TOPICS, "1").expect("written");
    run(&path, Purpose::Ranks, &["rank.csv", "rank.svg"], "1").expect("written");
    run(&path, Purpose::Topics, &TOPICS[1..], "2").expect("written");
    let kept = ["mine.npz", "anchors.txt", "rank.csv", "rank.svg", RECORD];
    let expect = |more: &[&str]| {
        let mut expected: Vec<String> =
            kept.iter().chain(more).map(|&name| name.to_owned()).collect();
        expected.sort();
        assert_eq!(names(&path), expected);
    };
    expect(&TOPICS[1..]);
    let said = run_local_ranks(3, |comm| shards(comm, &path, "numbers", None));
    let said: Vec<String> = said.into_iter().map(|said| said.expect("written")).collect();
    assert!(said[0].contains("3 shards and manifest.json"), "{said:?}");
    let parts = ["h-00000-of-00003.npz", "h-00001-of-00003.npz", "h-00002-of-00003.npz"];
    expect(&[&parts[..], &[MANIFEST]].concat());
    // What somebody has changed is theirs.
    std::fs::write(path.join(parts[1]), "changed").expect("written");
    run(&path, Purpose::Topics, &TOPICS, "3").expect("written");
    expect(&[&TOPICS[..], &parts[1..2]].concat());
}

#[test]
fn a_shard_that_rank_0_does_not_see_is_an_error_on_all_ranks() {
    let place = tempfile::tempdir().expect("a folder");
    run(place.path(), Purpose::Factors, &FACTORS, "old").expect("written");
    let before = content(place.path());
    for said in run_local_ranks(3, |comm| shards(comm, place.path(), "numbers", Some(1))) {
        let message = said.unwrap_err().to_string();
        assert!(message.contains("h-00001-of-00003.npz"), "{message}");
        assert!(message.contains("the disk is not shared"), "{message}");
    }
    assert_eq!(content(place.path()), before);
}

#[test]
fn two_runs_do_not_write_to_one_folder() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("out");
    let first = open(&path, Purpose::Topics).expect("free");
    let message = open(&path, Purpose::Ranks).unwrap_err().to_string();
    assert!(message.contains("out: another run is writing there"), "{message}");
    for said in run_local_ranks(2, |comm| shards(comm, &path, "numbers", None)) {
        assert!(said.unwrap_err().to_string().contains("another run is writing there"));
    }
    drop(first);
    assert!(!path.exists());
    open(&path, Purpose::Ranks).expect("free again");
}

#[test]
fn other_inputs_are_told_apart_where_that_is_wanted() {
    let place = tempfile::tempdir().expect("a folder");
    let mark = |name: &str| Some(InputMark { name: name.into(), place: name.into() });
    let plan = |name: &str| Plan {
        input: mark(name),
        only_same_input: true,
        ..Plan::new(Purpose::Topics)
    };
    let write = |plan: Plan| -> Result<String> {
        let mut folder = Folder::open(&OneRank, place.path(), plan)?;
        folder.write("topics.csv", |out| out.write_all(b"x"))?;
        folder.commit(&OneRank, None)
    };
    write(plan("a")).expect("nothing is there");
    write(plan("a")).expect("the same");
    let message = write(plan("b")).unwrap_err().to_string();
    assert!(message.contains("the result of another input (a); choose a folder with -o"));
    write(Plan { only_same_input: false, ..plan("b") }).expect("asked for");
}

#[test]
fn partial_results_go_when_a_complete_one_comes() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path();
    run(path, Purpose::Topics, &TOPICS, "old").expect("written");
    let before = content(path);
    let partial = || -> Result<String> {
        let mut folder = open(path, Purpose::Factors)?.into_partial(&OneRank)?;
        folder.write("model.npz", |out| out.write_all(b"half"))?;
        folder.commit(&OneRank, None)
    };
    let said = partial().expect("written");
    assert!(said.contains("partial"), "{said}");
    let mut with_partial = before.clone();
    with_partial.insert("partial/".into(), String::new());
    assert_eq!(content(path), with_partial);
    assert_eq!(names(&path.join(PARTIAL)), [RECORD, "model.npz"]);
    run(path, Purpose::Ranks, &["rank.csv"], "other").expect("written");
    assert_eq!(names(&path.join(PARTIAL)), [RECORD, "model.npz"], "it is of another kind");
    std::fs::remove_file(path.join("rank.csv")).expect("written");
    run(path, Purpose::Topics, &TOPICS, "old").expect("written");
    assert_eq!(names(path), before.keys().cloned().collect::<Vec<_>>());
    // What others have put there stays.
    partial().expect("written");
    std::fs::write(path.join("partial/mine"), "mine").expect("written");
    run(path, Purpose::Topics, &TOPICS, "old").expect("written");
    assert_eq!(names(&path.join(PARTIAL)), ["mine"]);
}

/// Does `work` with a fault at every step in turn, until it is done without; after each, the folder must be as before or
/// as after, at once if nothing was killed and else when it is used next. Says how many steps were tried.
fn try_every_step(
    fault: Fault,
    old: &dyn Fn(&Path),
    work: &dyn Fn(&Path) -> Result<String>,
) -> usize {
    let complete = |prepare: &dyn Fn(&Path)| {
        let place = tempfile::tempdir().expect("a folder");
        prepare(place.path());
        content(place.path())
    };
    let before = complete(old);
    let after = complete(&|path| {
        old(path);
        work(path).expect("written");
    });
    for at in 0.. {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path();
        old(path);
        let (result, came) = with_fault(fault, at, || work(path));
        if !came {
            assert!(result.is_ok() && content(path) == after);
            return at;
        }
        let waits = path.join(".xray-decided").exists();
        if fault == Fault::Full && !waits {
            let expected = if result.is_ok() { &after } else { &before };
            assert_eq!(&content(path), expected, "{fault:?} at step {at}: {result:?}");
        }
        if let (Err(error), true, Fault::Full) = (&result, waits, fault) {
            assert!(error.to_string().contains("takes its place when"), "{error}");
        }
        // Whoever comes next sees one or the other: a reader, or a run that comes to nothing.
        if at % 2 == 0 {
            read_settled(path, || Ok(())).expect("settled");
        }
        drop(open(path, Purpose::Topics).expect("settled"));
        let expected = if result.is_ok() || waits { &after } else { &before };
        assert_eq!(&content(path), expected, "{fault:?} at step {at}: {result:?}");
    }
    unreachable!("the work never ends")
}

#[test]
fn a_fault_at_any_step_leaves_one_result_or_the_other() {
    let topics = |path: &Path| {
        std::fs::write(path.join("mine"), "mine").expect("written");
        run(path, Purpose::Topics, &TOPICS, "old").expect("written");
    };
    let in_shards = |path: &Path| drop(shards(&OneRank, path, "old", None).expect("written"));
    for fault in [Fault::Kill, Fault::Full] {
        let steps =
            try_every_step(fault, &|_| (), &|path| run(path, Purpose::Topics, &TOPICS, "new"));
        assert!(steps > 20, "{steps}");
        try_every_step(fault, &topics, &|path| run(path, Purpose::Factors, &FACTORS, "new"));
        try_every_step(fault, &topics, &|path| shards(&OneRank, path, "new", None));
        try_every_step(fault, &in_shards, &|path| shards(&OneRank, path, "new", None));
        let steps =
            try_every_step(fault, &in_shards, &|path| run(path, Purpose::Topics, &TOPICS, "new"));
        println!("{fault:?} at each of {steps} steps");
    }
}

#[test]
fn a_second_kill_while_the_first_is_mended_changes_nothing() {
    let killed = |path: &Path, at: usize| {
        run(path, Purpose::Topics, &TOPICS, "old").expect("written");
        let work = || run(path, Purpose::Factors, &FACTORS, "new");
        with_fault(Fault::Kill, at, work).1
    };
    let place = tempfile::tempdir().expect("a folder");
    assert!(!killed(place.path(), usize::MAX));
    let after = content(place.path());
    let mut mended = 0;
    for at in 0.. {
        for again in 0.. {
            let place = tempfile::tempdir().expect("a folder");
            if !killed(place.path(), at) {
                assert!(mended > 5, "{mended}");
                return;
            }
            if !place.path().join(".xray-decided").exists() {
                break;
            }
            mended += 1;
            let reopen = || drop(open(place.path(), Purpose::Topics));
            let (_, came) = with_fault(Fault::Kill, again, reopen);
            read_settled(place.path(), || Ok(())).expect("settled");
            drop(open(place.path(), Purpose::Topics).expect("settled"));
            assert_eq!(content(place.path()), after, "killed at {at}, and again at {again}");
            if !came {
                break;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn what_was_private_stays_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().expect("a folder");
    run(place.path(), Purpose::Topics, &TOPICS, "old").expect("written");
    let model = place.path().join("model.npz");
    std::fs::set_permissions(&model, std::fs::Permissions::from_mode(0o600)).expect("changed");
    run(place.path(), Purpose::Topics, &TOPICS, "new").expect("written");
    let mode = std::fs::metadata(&model).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_full_disk_on_one_rank_ends_all_of_them_alike() {
    for rank in [0, 2] {
        for at in 0.. {
            let place = tempfile::tempdir().expect("a folder");
            let path = place.path();
            run(path, Purpose::Topics, &TOPICS, "old").expect("written");
            let before = content(path);
            let results = run_local_ranks(3, |comm| {
                let work = || shards(comm, path, "new", None);
                if comm.rank() == rank {
                    with_fault(Fault::Full, at, work)
                } else {
                    (work(), false)
                }
            });
            let done = results.iter().filter(|(result, _)| result.is_ok()).count();
            assert!(done == 0 || done == 3, "rank {rank}, step {at}: {results:?}");
            let waits = path.join(".xray-decided").exists();
            if done == 0 && !waits {
                assert_eq!(content(path), before, "rank {rank}, step {at}");
            }
            drop(open(path, Purpose::Topics).expect("settled"));
            let is_new = path.join(MANIFEST).exists();
            assert_eq!(is_new, done == 3 || waits, "rank {rank}, step {at}");
            assert_eq!(!is_new, content(path) == before);
            if !results[rank].1 {
                assert!(at > 5, "{at}");
                break;
            }
        }
    }
}
