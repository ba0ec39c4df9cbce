//! A system that refuses what the program needs, or changes under it. What other files try is listed beside these in
//! docs/faults.md.

#![cfg(unix)]

mod support;

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use support::{Place, Run, articles_csv, is_root, skipped};

fn place() -> Place {
    let place = Place::new();
    place.write("x.csv", "a,b,c\n1,2,0\n3,1,1\n0,1,2\n");
    place
}

#[test]
fn folders_that_may_not_be_written_are_refused_before_anything_is_read() {
    let place = place();
    place.write("locked/kept", "x");
    fs::set_permissions(place.path("locked"), Permissions::from_mode(0o555)).expect("changed");
    for line in [
        "\"$XRAY\" factorize x.csv -r 2 -o locked/out",
        "\"$XRAY\" factorize x.csv -r 2 -o locked",
        "\"$XRAY\" factorize x.csv -r 2 -o locked/m.npz",
        "\"$XRAY\" convert x.csv locked/x.npz",
    ] {
        let Some(run) = place.as_nobody(line) else { return };
        run.assert_error(1, &["locked", "Permission denied"]);
    }
    assert_eq!(place.text("locked/kept"), "x");
}

#[test]
fn fewer_threads_do_where_the_system_has_no_more() {
    let place = place();
    let expected = place.done(&["factorize", "x.csv", "-r", "2", "--json", "--threads", "1"]);
    // All threads of a person count, so nobody knows how many are left: none at first, enough in the end.
    let mut done = Vec::new();
    for limit in ["1", "2", "4", "8", "64", "512", "4096", "$(ulimit -H -u)"] {
        let fit = "exec \"$XRAY\" factorize x.csv -r 2 --json --threads 4";
        let Some(run) = place.as_nobody(&format!("ulimit -S -u {limit} && {fit}")) else { return };
        if run.stderr.contains("ulimit:") {
            continue;
        }
        done.push(run.status == Some(0));
        if run.status == Some(0) {
            assert_eq!(run.json()["anchors"], expected.json()["anchors"], "{limit}");
        } else {
            run.assert_error(1, &["thread", "ulimit -u"]);
        }
    }
    assert!(!done[0] && done[done.len() - 1], "{done:?}");
}

#[test]
fn threads_that_nobody_needs_are_not_started() {
    let place = place();
    let mut command = place.command(&["factorize", "x.csv", "-r", "2"]);
    let start = Instant::now();
    let run = Run::from(command.env("RAYON_NUM_THREADS", "10000").output().expect("it starts"));
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    // So many take a minute to start.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn a_system_without_proc_has_the_same_answer() {
    let place = place();
    let expected = place.done(&["factorize", "x.csv", "-r", "2"]).stdout;
    let hidden = "mount -t tmpfs none /proc && exec \"$XRAY\" factorize x.csv -r 2";
    let mut command = Command::new("unshare");
    command.current_dir(place.root()).env("XRAY", env!("CARGO_BIN_EXE_xray"));
    match command.args(["--mount", "sh", "-c", hidden]).output() {
        Ok(output) if is_root() => {
            let run = Run::from(output);
            assert_eq!((run.status, run.stdout), (Some(0), expected), "{}", run.stderr);
        }
        _ => skipped("a system without /proc (only root can hide it)"),
    }
}

#[test]
fn closed_descriptors_cost_no_files() {
    let place = place();
    // Rust's runtime puts /dev/null in the place of a closed standard output, so the status cannot tell.
    let run = place.shell("\"$XRAY\" factorize x.csv -r 2 --json -o out >&-");
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(place.path("out/model.npz").exists());
    assert_eq!(place.shell("\"$XRAY\" factorize x.csv -r 2 <&-").status, Some(0));
    // The descriptor that is free must not become that of a file.
    let run = place.shell("\"$XRAY\" factorize x.csv -r 2 -o all >&- 2>&- <&-");
    assert_eq!(run.status, Some(0));
    assert_eq!(place.bytes("all/anchors.csv"), place.bytes("out/anchors.csv"));
    place.shell("\"$XRAY\" factorize - -r 2 <&-").assert_error(1, &["standard input"]);
}

#[test]
fn files_that_change_while_they_are_read_end_in_an_answer_or_one_line() {
    let place = Place::new();
    let text = articles_csv(3000);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        place.write("articles.csv", &text);
        scope.spawn(|| {
            let path = place.path("articles.csv");
            while !done.load(Ordering::Relaxed) {
                // Cut within a record, longer by half a one, and whole again.
                let file = OpenOptions::new().write(true).open(&path).expect("there");
                file.set_len(text.len() as u64 / 3).expect("cut");
                (&file).write_all(b"\"").expect("written");
                fs::write(&path, &text).expect("written");
            }
        });
        for _ in 0..8 {
            let run = place.xray(&["topics", "articles.csv", "-k", "3", "--json", "-q"]);
            match run.status {
                Some(0) => assert!(run.json()["topics"].is_array()),
                _ => run.assert_error(1, &[]),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}
