//! Runs that are killed, interrupted, or out of disk space: every file that is there is complete.

#![cfg(unix)]

mod support;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Draw, Place, Run, SLOW_RANK, records, skipped};

/// What the folder remembers of the run.
const RECORD: &str = ".xray.json";

const FILES: [&str; 7] = [
    "topics.csv",
    "topics.json",
    "report.html",
    "classes.csv",
    "documents.csv",
    "contingency.csv",
    "model.npz",
];

/// Texts that take the program about half a second.
fn corpus(n: usize) -> String {
    let mut draw = Draw(11);
    let mut text = String::from("id,label,text\n");
    for d in 0..n {
        let subject = d % 12;
        text += &format!("doc{d},subject{subject},");
        for _ in 0..40 {
            // Words of the subject, words of all, in decreasing frequency.
            let own = draw.below(3) > 0;
            let word = draw.below(1 + draw.0 as usize % 250);
            text += &if own { format!("word{subject}x{word} ") } else { format!("shared{word} ") };
        }
        text += "\n";
    }
    text
}

fn topics<'a>(k: &'a str, out: &'a str) -> [&'a str; 8] {
    ["topics", "corpus.csv", "-k", k, "-o", out, "--threads", "2"]
}

/// What a complete run writes, with the model told by what it makes of a few texts.
struct Complete {
    files: BTreeMap<&'static str, Vec<u8>>,
    weights: String,
}

fn weights(place: &Place, out: &str) -> String {
    place.done(&["transform", &format!("{out}/model.npz"), "few.csv", "--threads", "1"]).stdout
}

fn complete(place: &Place, k: &str) -> Complete {
    let out = format!("complete{k}");
    place.done(&topics(k, &out));
    let files = FILES.iter().map(|&file| (file, place.bytes(&format!("{out}/{file}")))).collect();
    Complete { files, weights: weights(place, &out) }
}

/// All files in `out` are those of one complete run, or there are none; returns how many there are.
fn check(place: &Place, runs: &[&Complete]) -> usize {
    // Whoever uses the folder completes what was decided.
    let _ = place.xray(&["transform", "out", "few.csv", "--threads", "1"]);
    let found: Vec<&str> =
        FILES.into_iter().filter(|file| place.path("out").join(file).exists()).collect();
    if found.is_empty() {
        return 0;
    }
    let is_of = |run: &&Complete| {
        found.iter().all(|&file| match file {
            "model.npz" => weights(place, "out") == run.weights,
            _ => place.bytes(&format!("out/{file}")) == run.files[file],
        })
    };
    assert!(found.len() == FILES.len() && runs.iter().any(is_of), "a mixture: {found:?}");
    found.len()
}

fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// Waits until the run begins to write, or ends.
fn await_writing(child: &mut Child, out: &Path) {
    let before = modified(out);
    while modified(out) == before && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn killed_runs_leave_the_earlier_result_or_the_new_one() {
    const KILLS: u32 = 50;
    let place = Place::new();
    let text = corpus(4000);
    place.write("few.csv", text.lines().take(30).collect::<Vec<_>>().join("\n") + "\n");
    place.write("corpus.csv", text);
    let old = complete(&place, "6");
    let start = Instant::now();
    let new = complete(&place, "12");
    let whole = start.elapsed();
    let documents = String::from_utf8(new.files["documents.csv"].clone()).expect("UTF-8");
    assert_eq!(records(&documents).len(), 4001);

    let (mut killed, mut complete_anew) = (0, 0);
    for kill in 0..KILLS {
        // Into an empty folder, or over the files of another run.
        let fresh = kill % 2 == 0;
        let _ = std::fs::remove_dir_all(place.path("out"));
        if !fresh {
            std::fs::create_dir(place.path("out")).expect("a folder");
            for file in FILES.into_iter().chain([RECORD]) {
                let from = place.path("complete6").join(file);
                std::fs::copy(from, place.path("out").join(file)).expect("copied");
            }
        }
        let mut child = spawn(&place, &topics("12", "out"));
        if kill % 4 < 2 {
            std::thread::sleep(whole * kill / KILLS);
        } else {
            await_writing(&mut child, &place.path("out"));
            std::thread::sleep(Duration::from_micros(400) * kill);
        }
        // An error means that the run has ended already.
        let _ = child.kill();
        let status = child.wait().expect("a child");
        killed += u32::from(status.code().is_none());
        let found = if fresh { check(&place, &[&new]) } else { check(&place, &[&old, &new]) };
        assert!(fresh || found == FILES.len(), "a file of the earlier run is gone");
        complete_anew += u32::from(fresh && found > 0);
    }
    println!(
        "{killed} of {KILLS} runs of {whole:?} killed in time; {complete_anew} of those into an empty folder complete"
    );
    assert!(killed >= KILLS / 3, "{killed}");
    // What the killed runs left aside goes when the files are written again.
    place.done(&topics("12", "out"));
    check(&place, &[&new]);
    let mut names: Vec<String> = std::fs::read_dir(place.path("out"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut expected = [&FILES[..], &[RECORD]].concat();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

/// Sends Ctrl-C once an anchor is found, and waits for the end.
fn interrupted(place: &Place, arguments: &[&str]) -> Run {
    let saved = ["--checkpoint", "c.json", "--checkpoint-every", "1"];
    // That of an earlier run.
    let _ = std::fs::remove_file(place.path("c.json"));
    disturbed(place, &[arguments, &saved].concat(), "read", |child| {
        let start = Instant::now();
        while !place.path("c.json").exists() {
            assert!(start.elapsed() < Duration::from_secs(60), "no anchor in a minute");
            std::thread::sleep(Duration::from_millis(1));
        }
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("the program `kill`").success());
    })
}

/// Does something after the stage `after` has ended, and waits for the end.
fn disturbed(place: &Place, arguments: &[&str], after: &str, disturb: impl FnOnce(&Child)) -> Run {
    let mut command = place.listening(arguments);
    // A file takes any answer at once: nobody reads it before the program has ended.
    let answer = File::create(place.path("answer")).expect("a file");
    command.arg("--verbose").stdout(answer).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut stderr = String::new();
    while !stderr.lines().any(|line| line.starts_with(after)) {
        let length = errors.read_line(&mut stderr).expect("a pipe");
        assert!(length > 0, "{stderr}");
    }
    disturb(&child);
    errors.read_to_string(&mut stderr).expect("a pipe");
    let status = child.wait().expect("a child");
    let stdout = std::fs::read_to_string(place.path("answer")).expect("UTF-8");
    Run { status: status.code(), stdout, stderr }
}

#[test]
fn results_are_written_though_the_input_is_gone_or_another() {
    let place = Place::new();
    let text = corpus(2000);
    let runs = [
        ("texts.csv", ["topics", "-k", "12", "-o", "topics", "--threads", "1"]),
        ("x.npz", ["factorize", "-r", "60", "-o", "factors", "--threads", "1"]),
    ];
    for (file, arguments) in runs {
        for overwritten in [false, true] {
            place.write("texts.csv", &text);
            place.done(&["convert", "texts.csv", "x.npz"]);
            let stored = place.bytes(file);
            let path = place.path(file);
            let run = disturbed(&place, &[&arguments[..], &[file]].concat(), "read", |_| {
                // In place, so that whoever has the file open sees other bytes.
                match overwritten {
                    true => std::fs::write(&path, "id,text\n1,something else\n"),
                    false => std::fs::remove_file(&path),
                }
                .expect("it was there");
            });
            assert_eq!(run.status, Some(0), "{}", run.stderr);
            let model = place.path(arguments[4]).join("model.npz");
            let model = xray_data::Model::load(&model).expect("a model");
            let hash = xray_data::ContentHash::of(&stored).to_string();
            assert_eq!(model.provenance.input_hash, Some(hash));
        }
    }
}

#[test]
fn interrupted_fits_keep_the_anchors_found_so_far() {
    let place = Place::new();
    let fit = place.slow_fit(&["--threads", "2"]);
    let run = interrupted(&place, &fit);
    assert_eq!(run.status, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("press Ctrl-C again"), "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["termination"], "stopped");
    let found = json["anchors"].as_array().expect("anchors").len();
    assert!((1..SLOW_RANK).contains(&found), "{found}");
    println!("interrupted after {found} anchors");
    assert_eq!(records(&place.text("out/partial/anchors.csv")).len(), 1 + found);
    assert!(run.stderr.contains("--resume"), "{}", run.stderr);
    let columns = ["transform", "out/partial", "x.npy", "--columns", "-o", "h.npy"];
    place.done(&columns);
    // One file has its own name, too.
    let mut fit = fit;
    let out = fit.iter().position(|word| *word == "out").expect("an output");
    fit[out] = "m.npz";
    place.write("m.npz", "earlier");
    let run = interrupted(&place, &fit);
    assert_eq!(run.status, Some(130), "{}", run.stderr);
    assert_eq!(place.text("m.npz"), "earlier");
    place.done(&["transform", "m.partial.npz", "x.npy", "--columns", "-o", "h.npy"]);
}

#[test]
fn interrupted_topics_are_written() {
    let place = Place::new();
    place.write("corpus.csv", corpus(4000));
    let fit = [
        "topics",
        "corpus.csv",
        "-k",
        "250",
        "--engine",
        "direct",
        "--threads",
        "2",
        "--json",
        "-o",
        "out",
    ];
    place.done(&topics("3", "out"));
    let earlier = FILES.map(|file| place.bytes(&format!("out/{file}")));
    let run = interrupted(&place, &fit);
    assert_eq!(run.status, Some(130), "{}", run.stderr);
    assert!(run.stderr.contains("out/partial: what was found so far; out is as it was"));
    let json = run.json();
    assert_eq!(json["termination"], "stopped");
    let found = json["topics"].as_array().expect("topics").len();
    assert!((1..250).contains(&found), "{found}");
    assert_eq!(place.text("out/partial/documents.csv").lines().count(), 4001);
    assert_eq!(place.json("out/partial/topics.json")["termination"], "stopped");
    assert!(earlier == FILES.map(|file| place.bytes(&format!("out/{file}"))), "it was replaced");
    // A complete result takes its place.
    place.done(&topics("3", "out"));
    assert!(!place.path("out/partial").exists());
}

#[test]
fn two_runs_do_not_mix() {
    let place = Place::new();
    let fit = place.slow_fit(&["--quiet"]);
    let mut first = spawn(&place, &fit);
    while !place.path("out").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    // The folder is there a moment before it is locked.
    std::thread::sleep(Duration::from_millis(100));
    let second = place.xray(&["factorize", "x.npy", "-r", "2", "-o", "out"]);
    second.assert_error(1, &["out: another run is writing there", "-o"]);
    first.kill().expect("it runs");
    first.wait().expect("a child");
    place.done(&["factorize", "x.npy", "-r", "2", "-o", "out"]);
    let names = std::fs::read_dir(place.path("out")).expect("a folder").count();
    assert_eq!(names, 3, "something is left");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let place = Place::new();
    place.write("x.csv", "1,2\n3,4\n");
    place.write("texts.txt", "red green\nblue red\nblue green\n");
    for to in ["mtx", "npz", "npy", "mat", "svmlight", "csv"] {
        let run = place.xray(&["convert", "x.csv", "/dev/full", "--to", to]);
        run.assert_error(1, &["/dev/full", "No space left on device"]);
    }
    place.done(&["factorize", "x.csv", "-r", "1", "-o", "out"]);
    for line in [
        "demo --quiet",
        "demo --json",
        "factorize x.csv -r 1 --quiet",
        "factorize x.csv -r 1 --json",
        "transform out/model.npz x.csv",
        "rank x.csv --quiet",
        "synth y.npy --rank 3 --quiet",
        "topics texts.txt -k 1 -o topics --quiet",
        "completions bash",
        "man",
    ] {
        let run = place.shell(&format!("\"$XRAY\" {line} > /dev/full"));
        run.assert_error(1, &["No space left on device"]);
    }
}

/// A file system of 64 KB, gone at the end.
#[cfg(target_os = "linux")]
struct Small<'a>(&'a Path);

#[cfg(target_os = "linux")]
impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_what_was_there() {
    let place = Place::new();
    place.write("corpus.csv", corpus(2000));
    place.write("x.csv", "1,2,3\n".repeat(40_000));
    let disk = place.path("disk");
    std::fs::create_dir(&disk).expect("a folder");
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !mount.is_ok_and(|status| status.success()) {
        skipped("a full disk, as this user may not mount one");
        return;
    }
    let _small = Small(&disk);
    place.write("disk/x.npy", "old");
    let run = place.xray(&["convert", "x.csv", "disk/x.npy"]);
    run.assert_error(1, &["disk/x.npy", "No space left on device"]);
    assert_eq!(place.text("disk/x.npy"), "old");
    let names = || std::fs::read_dir(&disk).expect("a folder").count();
    assert_eq!(names(), 1, "something is left aside");
    let run = place.xray(&["topics", "corpus.csv", "-k", "8", "-o", "disk/out", "--quiet"]);
    run.assert_error(1, &["disk/out/", "No space left on device", "nothing was overwritten"]);
    assert!(run.stdout.contains("anchor"), "the answer is not told: {}", run.stdout);
    assert!(!place.path("disk/out").exists());
    place.write("few.csv", corpus(40));
    place.done(&["topics", "few.csv", "-k", "2", "-o", "disk/out", "--quiet"]);
    let content = || FILES.map(|file| place.bytes(&format!("disk/out/{file}")));
    let before = content();
    let run = place.xray(&["topics", "corpus.csv", "-k", "8", "-o", "disk/out", "--quiet"]);
    run.assert_error(1, &["disk/out/", "No space left on device", "nothing was overwritten"]);
    assert!(content() == before, "some files are new");
    let names = std::fs::read_dir(place.path("disk/out")).expect("a folder").count();
    assert_eq!(names, FILES.len() + 1, "something is left aside");
}
