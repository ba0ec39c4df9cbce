//! Signals are obeyed within a second, in every phase of every verb.
//!
//! `XRAY_SIGNALS=full` tries all signals on larger data and prints a table. The limits are for a machine that has
//! other work as well; on an idle one all phases end within a second.

#![cfg(unix)]

mod support;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Draw, Place, Run};

/// What is allowed on a busy machine.
const LIMIT: Duration = Duration::from_secs(3);

/// Pause between the beginning of a phase and the signal.
const PAUSE: Duration = Duration::from_millis(150);

/// When the phase that is to be disturbed has begun.
#[derive(Debug, Clone, Copy)]
enum Begun {
    /// With the program.
    AtOnce,
    /// When this stage has ended.
    After(&'static str),
    /// When the first anchor is saved.
    FirstAnchor,
}

/// How the run is to end.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Keeps {
    /// Without an answer.
    Nothing,
    /// With what was found so far.
    Answer,
    /// One of these: it is not known how far it had come.
    Either,
}

struct Phase {
    name: &'static str,
    arguments: Vec<&'static str>,
    begun: Begun,
    keeps: Keeps,
}

fn full() -> bool {
    std::env::var("XRAY_SIGNALS").is_ok_and(|value| value == "full")
}

/// Larger data on request.
fn sized(quick: usize, large: usize) -> usize {
    if full() { large } else { quick }
}

fn words(line: &'static str) -> Vec<&'static str> {
    line.split(' ').collect()
}

/// A file of uniform numbers: steps on them are long, and none is the last.
fn uniform(place: &Place, name: &str, m: usize, n: usize) {
    let mut draw = Draw(5);
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({m}, {n}), }}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let padded = format!("{header:<117}\n");
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.as_bytes());
    for _ in 0..m * n {
        bytes.extend((1.0 + draw.below(1 << 20) as f64).to_le_bytes());
    }
    place.write(name, bytes);
}

/// Data for all phases.
fn place() -> Place {
    let place = Place::new();
    let n = sized(1000, 4000);
    uniform(&place, "dense.npy", n, n);
    uniform(&place, "tall.npy", sized(80_000, 400_000), 100);
    uniform(&place, "low.npy", 400, 100);
    let mut draw = Draw(7);
    let mut text = String::from("id,text\n");
    for d in 0..sized(80_000, 800_000) {
        text += &format!("doc{d},");
        for _ in 0..40 {
            let range = 1 + draw.below(30_000);
            text += &format!("w{} ", draw.below(range));
        }
        text.push('\n');
    }
    let few: String = text.lines().take(3000).map(|line| format!("{line}\n")).collect();
    place.write("few.csv", few);
    place.write("texts.csv", text);
    place.done(&words("convert few.csv wide.npz"));
    place.done(&words("factorize low.npy -r 60 -o model.npz"));
    place
}

fn phases() -> Vec<Phase> {
    use Begun::{After, AtOnce, FirstAnchor};
    use Keeps::{Answer, Either, Nothing};
    let phase = |name, line, begun, keeps| Phase { name, arguments: words(line), begun, keeps };
    vec![
        phase("reading", "convert texts.csv out.npz", AtOnce, Nothing),
        phase("counting words", "topics texts.csv -k 9 -o out", After("read"), Nothing),
        phase("writing", "convert tall.npy out.csv", After("read"), Nothing),
        phase(
            "first step",
            "factorize dense.npy -r 9 --selection greedy --engine direct --json",
            After("read"),
            Nothing,
        ),
        phase(
            "second step, direct",
            "factorize dense.npy -r 900 --selection greedy --engine direct --checkpoint c.json --checkpoint-every 1",
            FirstAnchor,
            Answer,
        ),
        phase(
            "joint, lazy",
            "factorize dense.npy -r 900 --selection joint --checkpoint c.json --checkpoint-every 1",
            FirstAnchor,
            Answer,
        ),
        phase(
            "sparse, lazy",
            "factorize wide.npz -r 2000 --selection agg --checkpoint c.json --checkpoint-every 1",
            FirstAnchor,
            Answer,
        ),
        phase(
            "refinement, exact",
            "factorize dense.npy -r 12 --selection rand --refine 9999 --refine-method exact",
            After("anchors"),
            Answer,
        ),
        phase(
            "refinement, hals",
            "factorize dense.npy -r 12 --selection rand --refine 9999 --refine-method hals",
            After("anchors"),
            Answer,
        ),
        phase(
            "refinement, divergence",
            "factorize dense.npy -r 12 --selection rand --refine 9999 --refine-method kullback-leibler",
            After("anchors"),
            Answer,
        ),
        phase(
            "topics",
            "topics few.csv -k 900 -o out --json --checkpoint c.json --checkpoint-every 1",
            FirstAnchor,
            Answer,
        ),
        phase("topics, first step", "topics texts.csv -k 9 --json", After("text"), Either),
        phase("number of topics", "topics few.csv -o out --json", After("text"), Either),
        phase(
            "levels",
            "topics few.csv -k 2 --levels 2,100,200,300,400,500,600,700,800 -o out --json",
            After("weights"),
            Answer,
        ),
        phase("rank", "rank few.csv --max 900 --json", After("text"), Either),
        phase("transform", "transform model.npz tall.npy -o out.csv", After("read"), Nothing),
        #[cfg(feature = "experiments")]
        phase("compare", "compare dense.npy -r 200", After("read"), Nothing),
        #[cfg(feature = "experiments")]
        phase("reproduce", "reproduce all -o out", AtOnce, Nothing),
    ]
}

/// Waits until a phase has begun; returns what was printed on standard error by then.
fn await_phase(place: &Place, child: &mut Child, begun: Begun) -> String {
    let mut errors = BufReader::new(child.stderr.as_mut().expect("a pipe"));
    let mut stderr = String::new();
    match begun {
        Begun::AtOnce => {}
        Begun::After(stage) => {
            let ended = |line: &str| line.starts_with(stage) && !line.contains(" of ");
            while !stderr.lines().any(ended) {
                assert!(errors.read_line(&mut stderr).expect("a pipe") > 0, "{stderr}");
            }
        }
        Begun::FirstAnchor => {
            while !place.path("c.json").exists() {
                assert_eq!(child.try_wait().expect("a child"), None);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    stderr
}

/// Sends a signal within a phase; how long it took to obey, and how the run ended.
fn disturbed(place: &Place, phase: &Phase, signal: &str) -> (Duration, Run) {
    let _ = std::fs::remove_file(place.path("c.json"));
    let _ = std::fs::remove_dir_all(place.path("out"));
    let mut command = place.listening(&phase.arguments);
    // A file takes any answer at once: nobody reads it before the program has ended.
    let answer = File::create(place.path("answer")).expect("a file");
    command.arg("--verbose").stdout(answer).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stderr = await_phase(place, &mut child, phase.begun);
    std::thread::sleep(PAUSE);
    assert_eq!(child.try_wait().expect("a child"), None, "{}: too short", phase.name);
    let start = Instant::now();
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.expect("the program `kill`").success());
    let mut errors = child.stderr.take().expect("a pipe");
    errors.read_to_string(&mut stderr).expect("a pipe");
    let status = child.wait().expect("a child");
    let time = start.elapsed();
    let stdout = std::fs::read_to_string(place.path("answer")).expect("UTF-8");
    (time, Run { status: status.code(), stdout, stderr })
}

#[test]
fn signals_are_obeyed_in_every_phase() {
    let place = place();
    let signals = ["INT", "TERM", "HUP"];
    let mut slow = Vec::new();
    for (p, phase) in phases().iter().enumerate() {
        // One of them each in the quick version.
        let tried = if full() { &signals[..] } else { &signals[p % 3..][..1] };
        for signal in tried {
            let (time, run) = disturbed(&place, phase, signal);
            println!("{:<24}SIG{signal:<6}{:>8.0} ms", phase.name, time.as_secs_f64() * 1e3);
            assert_eq!(run.status, Some(130), "{}: {}", phase.name, run.stderr);
            let keeps = if run.stdout.is_empty() { Keeps::Nothing } else { Keeps::Answer };
            let expected = [keeps, Keeps::Either].contains(&phase.keeps);
            assert!(expected, "{} keeps {keeps:?}: {}", phase.name, run.stderr);
            assert!(!run.stderr.contains("bug in xray"), "{}", run.stderr);
            if time > LIMIT {
                slow.push(format!("{} took {time:?}", phase.name));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn ignored_signals_stay_ignored() {
    let place = Place::new();
    place.done(&words("synth x.npy --rows 200 --rank 60 --columns 3000"));
    let fit = "factorize x.npy -r 60 --engine direct --selection greedy --json --threads 1";
    // The program is at work when the signals come; the shell tells how it ended.
    let line = format!(
        "trap '' HUP INT; \"$XRAY\" {fit} >answer & sleep 0.3; kill -HUP $!; kill -INT $!; wait $!"
    );
    let run = place.shell(&line);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(place.json("answer")["termination"], "rank_reached");
}
