//! Arguments, help, exit statuses, and what becomes of output that nobody can take.

mod support;

use support::{Place, skipped};

const VERBS: [&str; 11] = [
    "demo",
    "topics",
    "factorize",
    "unmix",
    "transform",
    "explore",
    "rank",
    "compare",
    "reproduce",
    "synth",
    "convert",
];

#[test]
fn help_has_examples_and_goes_to_standard_output() {
    let place = Place::new();
    let run = place.done(&["--help"]);
    assert!(run.stdout.contains("Start here:") && run.stderr.is_empty());
    for verb in VERBS {
        let run = place.done(&[verb, "--help"]);
        assert!(run.stdout.contains("Examples:") && run.stderr.is_empty(), "{verb}");
        assert!(run.stdout.contains(&format!("  xray {verb} ")), "{verb}");
        // The main help names every verb.
        assert!(place.done(&["--help"]).stdout.contains(&format!("\n  {verb} ")), "{verb}");
    }
    for verb in ["completions", "man"] {
        assert!(place.done(&[verb, "--help"]).stdout.contains("Example"), "{verb}");
    }
    let version = place.done(&["--version"]).stdout;
    assert_eq!(version, format!("xray {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_is_status_2() {
    let place = Place::new();
    place.write("x.csv", "1,2\n3,4\n");
    place.write("texts.txt", "red green\nblue red\n");
    for arguments in [
        &[][..],
        &["topic"],
        &["factorize"],
        &["factorize", "x.csv"],
        &["factorize", "x.csv", "-r", "0"],
        &["factorize", "x.csv", "-r", "two"],
        &["factorize", "x.csv", "-r", "1", "--selection", "best"],
        &["factorize", "x.csv", "-r", "1", "--threads", "0"],
        &["factorize", "x.csv", "-r", "1", "--memory", "much"],
        &["factorize", "x.csv", "-r", "1", "--format", "docx"],
        &["factorize", "x.csv", "-r", "1", "--quiet", "--verbose"],
        &["topics", "texts.txt", "-k", "-1"],
        &["topics", "texts.txt", "-k", "1", "--transpose"],
        &["topics", "texts.txt", "-k", "1", "--min-df", "x"],
        &["topics", "texts.txt", "-k", "slow"],
        &["synth", "y.npy", "--design", "round"],
        &["synth", "y.npy", "--scale", "0.5"],
        &["convert", "x.csv"],
        &["completions", "basic"],
    ] {
        let run = place.xray(arguments);
        assert_eq!(run.status, Some(2), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(!run.stderr.is_empty() && !run.stderr.contains("panicked"), "{}", run.stderr);
    }
    // A parameter that no data fits is wrong usage or a failed run, never a success.
    for (name, value) in [("--tolerance", "nan"), ("--tolerance", "-1"), ("--min-improvement", "2")]
    {
        let run = place.xray(&["factorize", "x.csv", "-r", "1", name, value]);
        assert!(matches!(run.status, Some(1 | 2)), "{name} {value}: {:?}", run.status);
        let last = run.stderr.lines().last().expect("a message");
        assert!(last.starts_with("error: "), "{}", run.stderr);
    }
}

#[test]
fn quiet_says_nothing_and_verbose_tells_the_stages() {
    let place = Place::new();
    place.write("x.csv", "1,2\n3,4\n");
    let run = place.done(&["factorize", "x.csv", "-r", "2", "--quiet"]);
    assert!(run.stderr.is_empty() && !run.stdout.is_empty());
    let run = place.done(&["factorize", "x.csv", "-r", "2", "--verbose"]);
    assert!(run.stderr.contains("read") && run.stderr.contains("anchors"), "{}", run.stderr);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = place.done(&["completions", shell]);
        assert!(run.stdout.contains("factorize") && run.stdout.len() > 1000, "{shell}");
    }
    assert!(place.done(&["man"]).stdout.contains(".TH xray"));
    let run = place.done(&["man", "man/man1"]);
    assert_eq!(run.stdout, "");
    for verb in VERBS {
        let page = place.text(&format!("man/man1/xray-{verb}.1"));
        assert!(page.contains(".SH OPTIONS") && page.contains("Examples"), "{verb}");
    }
    assert!(place.path("man/man1/xray.1").is_file());
}

#[test]
fn outputs_that_cannot_be_made_are_named() {
    let place = Place::new();
    place.write("x.csv", "1,2\n3,4\n");
    place.write("texts.txt", "red green\nblue red\nblue green\n");
    place.write("file", "in the way");
    for (arguments, name) in [
        (&["topics", "texts.txt", "-k", "1", "-o", "file/out"][..], "file/out"),
        (&["demo", "-o", "file"], "file"),
        (&["factorize", "x.csv", "-r", "1", "-o", "file/out"], "file/out"),
        (&["rank", "x.csv", "-o", "file/out"], "file/out"),
        (&["man", "file/out"], "file/out"),
        (&["convert", "x.csv", "no/x.npz"], "no/x.npz"),
        (&["synth", "no/x.npz"], "no/x.npz"),
        (&["factorize", "x.csv", "-r", "1", "-o", "no/model.npz"], "no/model.npz"),
    ] {
        let run = place.xray(arguments);
        run.assert_error(1, &[name, "cannot"]);
        // Each cause is told once.
        assert_eq!(run.stderr.matches("os error").count(), 1, "{}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    assert_eq!(place.text("file"), "in the way");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    place.write("x.csv", "1,2,0\n0,4,5\n6,0,7\n8,9,1\n".repeat(20_000));
    place.done(&["factorize", "x.csv", "-r", "2", "-o", "out"]);
    for line in [
        "transform out/model.npz x.csv --quiet",
        "transform out/model.npz x.csv --json --quiet",
        "factorize x.csv -r 2 --quiet",
        "factorize x.csv -r 2 --json --quiet",
        "demo --quiet",
        "completions bash",
        "man",
        "--help",
        "topics --help",
    ] {
        // The status of the program, not of `head`; some runs end before the pipe is closed.
        let run = place.shell(&format!("{{ \"$XRAY\" {line}; echo $? > status; }} | head -c 1"));
        assert_eq!(run.stderr, "", "{line}");
        assert_eq!(place.text("status"), "0\n", "{line}");
        let run =
            place.shell(&format!("{{ sleep 0.1; \"$XRAY\" {line}; echo $? > status; }} | true"));
        assert_eq!(run.stderr, "", "{line}");
        assert_eq!(place.text("status"), "0\n", "{line}");
    }
}

#[test]
fn no_colours_outside_of_terminals() {
    let place = Place::new();
    for colour in ["", "1"] {
        for arguments in [&["demo"][..], &["topics", "missing.csv"], &["--help"], &["nonsense"]] {
            let mut command = place.command(arguments);
            command.env("NO_COLOR", colour).env("TERM", "xterm-256color");
            let run = support::Run::from(command.output().expect("the program starts"));
            assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{arguments:?}");
        }
    }
}

/// `script` gives the program a terminal, where it is installed.
#[cfg(target_os = "linux")]
#[test]
fn terminals_get_colours_unless_unwanted() {
    let place = Place::new();
    if place.shell("script --version").status != Some(0) {
        skipped("colours on a terminal, as there is no program `script`");
        return;
    }
    let run = |no_color: &str| {
        place.shell(&format!(
            "TERM=xterm NO_COLOR={no_color} script -qec '\"$XRAY\" topics missing.csv' /dev/null"
        ))
    };
    assert!(run("").stdout.contains("\x1b[1;31merror:"), "{}", run("").stdout);
    assert!(!run("1").stdout.contains("\x1b[1;"), "{}", run("1").stdout);
}
