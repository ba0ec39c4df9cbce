//! Long runs: outputs tried first, checkpoints that survive anything, folders with one result.

mod support;

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use support::{Draw, Place, Run, SLOW_RANK, articles_csv, records};

/// A matrix whose fit takes a while, step after step.
fn planted(place: &Place) {
    place.done(&["synth", "x.npy", "--rows", "120", "--rank", "60", "--columns", "900"]);
}

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let base = ["factorize", "x.npy", "-r", "60", "--engine", "direct", "--selection", "greedy"];
    [&base[..], &["--threads", "1", "--quiet"], more].concat()
}

fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// All columns of anchors.csv but the evaluations, which begin anew after a checkpoint.
fn anchors(place: &Place, folder: &str) -> Vec<String> {
    let csv = place.text(&format!("{folder}/anchors.csv"));
    records(&csv).iter().map(|record| record[..record.len() - 1].join(",")).collect()
}

#[test]
fn killed_runs_resume_to_the_same_bits() {
    const KILLS: usize = 4;
    let place = Place::new();
    planted(&place);
    let start = Instant::now();
    place.done(&fit(&["-o", "whole"]));
    let whole = start.elapsed();
    let expected = anchors(&place, "whole");
    let weights = |folder: &str| {
        let model = format!("{folder}/model.npz");
        place.done(&["transform", &model, "x.npy", "--columns", "--threads", "1"]).stdout
    };
    let all_weights = weights("whole");
    let checkpoint =
        ["--checkpoint", "run.json", "--checkpoint-every", "3", "--resume", "-o", "out"];
    let (mut draw, mut resumed) = (Draw(11), 0);
    for kill in 0..KILLS {
        let _ = std::fs::remove_file(place.path("run.json"));
        let _ = std::fs::remove_dir_all(place.path("out"));
        // Killed twice at random times, then left alone.
        for _ in 0..2 {
            let mut child = spawn(&place, &fit(&checkpoint));
            std::thread::sleep(whole.mul_f64(draw.below(1000) as f64 / 1500.0));
            let _ = child.kill();
            child.wait().expect("a child");
        }
        resumed += usize::from(place.path("run.json").exists());
        place.done(&fit(&checkpoint));
        assert_eq!(anchors(&place, "out"), expected, "kill {kill}");
        assert!(weights("out") == all_weights, "kill {kill}");
    }
    println!("{resumed} of {KILLS} runs of {whole:?} went on from a checkpoint");
    assert!(resumed >= KILLS / 4, "{resumed}");
}

#[cfg(unix)]
#[test]
fn a_signal_saves_the_last_step() {
    let place = Place::new();
    // The clock saves an anchor after a second; what comes after it is left to the signal.
    let checkpoint = ["--checkpoint", "run.json", "--checkpoint-every", "1000"];
    let checkpoint = [&checkpoint[..], &["--checkpoint-seconds", "1"]].concat();
    let arguments = place.slow_fit(&[&["--quiet"], &checkpoint[..]].concat());
    let mut command = place.command(&arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().expect("the program starts");
    while !place.path("run.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("the program `kill`").success());
    let run = Run::from(child.wait_with_output().expect("a child"));
    assert_eq!(run.status, Some(130), "{}", run.stderr);
    let found = run.json()["anchors"].as_array().expect("anchors").len();
    assert!((1..SLOW_RANK).contains(&found), "{found}");
    let saved = place.json("run.json")["state"]["steps"].as_array().expect("steps").len();
    assert_eq!(saved, found);
}

#[test]
fn topics_and_factors_resume_from_their_checkpoints() {
    let place = Place::new();
    place.write("texts.csv", articles_csv(90));
    place.write("x.csv", "1,0,0,1\n0,2,0,2\n0,0,3,1\n1,1,1,1\n");
    let save = ["--checkpoint", "run.json", "--checkpoint-every", "1"];
    for (verb, result) in [
        (&["topics", "texts.csv", "-k", "5"][..], "topics.json"),
        (&["factorize", "x.csv", "-r", "3"], "anchors.csv"),
    ] {
        let _ = std::fs::remove_file(place.path("run.json"));
        let _ = std::fs::remove_dir_all(place.path("whole"));
        place.done(&[verb, &["-o", "whole"]].concat());
        let short = [verb, &["--rank", "2"], &save, &["-o", "short"]].concat();
        let short: Vec<&str> =
            short.into_iter().filter(|word| !["-k", "-r", "5", "3"].contains(word)).collect();
        place.done(&short);
        let resumed = place.done(&[verb, &save, &["--resume", "-o", "out"]].concat());
        assert!(resumed.stderr.contains("resuming after 2 anchors"), "{}", resumed.stderr);
        assert_eq!(place.text(&format!("out/{result}")), place.text(&format!("whole/{result}")));
    }
    // Nothing to resume from: the run begins anew and says so.
    let _ = std::fs::remove_file(place.path("run.json"));
    let fit = ["factorize", "x.csv", "-r", "3", "--checkpoint", "run.json", "--resume"];
    let run = place.done(&fit);
    assert!(run.stderr.contains("run.json: no checkpoint yet, starting anew"), "{}", run.stderr);
    place
        .xray(&[&fit[..], &["--seed", "4"]].concat())
        .assert_error(1, &["seed = 0, and this run 4"]);
    let old = place.text("run.json").replace("\"version\":2", "\"version\":1");
    place.write("run.json", old);
    place.xray(&fit).assert_error(1, &["run.json", "version 1, expected 2"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_checkpoint_that_cannot_be_written_costs_no_anchors() {
    let place = Place::new();
    place.write("x.csv", "1,0,0,1\n0,2,0,2\n0,0,3,1\n1,1,1,1\n");
    let fit = ["factorize", "x.csv", "-r", "3", "-o", "out", "--checkpoint", "/dev/full"];
    let run = place.xray(&[&fit[..], &["--checkpoint-every", "1"]].concat());
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("warning: /dev/full: cannot write the checkpoint"),
        "{}",
        run.stderr
    );
    assert_eq!(records(&place.text("out/anchors.csv")).len(), 4);
    assert!(place.path("out/model.npz").exists());
}

#[test]
fn outputs_are_tried_before_anything_is_read() {
    let place = Place::new();
    place.write("taken", "x");
    // The data does not exist: the output is refused first.
    for arguments in [
        &["topics", "none.csv", "-o", "taken"][..],
        &["topics", "none.csv", "-o", "taken/out"],
        &["factorize", "none.csv", "-r", "2", "-o", "taken/out"],
        &["factorize", "none.csv", "-r", "2", "-o", "taken/m.npz"],
        &["factorize", "none.csv", "-r", "2", "--checkpoint", "taken/c.json"],
        &["rank", "none.csv", "-o", "taken/out"],
        &["compare", "none.csv", "-r", "2", "-o", "taken/out"],
        &["transform", "none.npz", "none.csv", "-o", "taken/w.csv"],
    ] {
        place.xray(arguments).assert_error(1, &["taken"]);
    }
    // And nothing is left where nothing came of it.
    place.xray(&["topics", "none.csv", "-o", "out"]).assert_error(1, &["none.csv"]);
    assert!(!place.path("out").exists());
}

#[test]
fn shards_are_read_back() {
    let place = Place::new();
    place.write("texts.csv", articles_csv(90));
    place.write("x.csv", "red,green,blue,grey\n1,0,0,1\n0,2,0,2\n0,0,3,1\n1,1,1,1\n");
    let names = |folder: &str| {
        let entries = std::fs::read_dir(place.path(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    };
    place.done(&["topics", "texts.csv", "-k", "4", "-o", "one"]);
    place.done(&["topics", "texts.csv", "-k", "4", "-o", "many", "--shards"]);
    let shards = ["documents-00000-of-00001.csv", "manifest.json", "model.npz", "report.html"];
    let rest = ["topics.csv", "topics.json", "w-00000-of-00001.npz"];
    let labelled = ["classes.csv", "contingency.csv"];
    assert_eq!(names("many"), [&labelled[..], &shards, &rest].concat());
    assert_eq!(place.text("many/documents-00000-of-00001.csv"), place.text("one/documents.csv"));
    for refine in ["0", "2"] {
        let fit = ["factorize", "x.csv", "-r", "3", "--refine", refine];
        place.done(&[&fit[..], &["-o", "one"]].concat());
        place.done(&[&fit[..], &["-o", "many", "--shards"]].concat());
        for more in [&[][..], &["--columns"]] {
            let weigh =
                |model| place.done(&[&["transform", model, "x.csv"][..], more].concat()).stdout;
            assert_eq!(weigh("many"), weigh("one"), "{refine} {more:?}");
        }
    }
    let manifest = place.json("many/manifest.json");
    assert_eq!(manifest["version"], 2);
    std::fs::remove_file(place.path("many/w-00000-of-00001.npz")).expect("a shard");
    place
        .xray(&["transform", "many", "x.csv"])
        .assert_error(1, &["w-00000-of-00001.npz", "missing"]);
    place
        .xray(&["transform", ".", "x.csv"])
        .assert_error(1, &["neither model.npz nor the manifest"]);
}
