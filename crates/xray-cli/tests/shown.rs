//! What is shown: nothing from a file acts on a terminal, and what cannot be shown costs nothing.

mod support;

use std::io::Write;

use support::{Place, Run, articles_csv};

/// Characters that move cursors, set titles, and turn the direction of writing.
const ACTING: [char; 8] =
    ['\u{1b}', '\u{7}', '\u{9b}', '\u{200f}', '\u{202e}', '\u{2066}', '\u{2028}', '\u{7f}'];

fn assert_tame(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let wild = text.chars().find(|letter| ACTING.contains(letter));
        assert_eq!(wild, None, "{text:?}");
    }
}

fn wild_name() -> String {
    ACTING.iter().collect::<String>() + "x"
}

#[test]
fn names_from_files_cannot_act_on_a_terminal() {
    let place = Place::new();
    let name = wild_name();
    place.write("x.csv", format!("{name},b,c\n1,0,1\n0,2,1\n5,1,0\n"));
    for arguments in
        ["factorize x.csv -r 2 -o out", "factorize x.csv -r 2 --json", "rank x.csv --max 2"]
    {
        let run = place.done(&arguments.split(' ').collect::<Vec<_>>());
        assert_tame(&run);
        assert!(run.stdout.contains("u{1b}") || run.stdout.contains("u001b"), "{}", run.stdout);
    }
    // Files have the name as it is.
    assert!(place.text("out/anchors.csv").contains(&name));
    let run = place.done(&["factorize", "x.csv", "-r", "2", "--json"]);
    assert!(run.json()["anchor_names"].as_array().expect("names").iter().any(|n| *n == *name));
}

#[cfg(unix)]
#[test]
fn names_of_files_cannot_act_on_a_terminal() {
    let place = Place::new();
    place.write("texts/a.txt", "red green");
    place.write(&format!("texts/{}.txt", wild_name()), b"\xff\xfe\xfd");
    let run = place.xray(&["topics", "texts", "-k", "1"]);
    run.assert_error(1, &["\\u{1b}", "\\u{202e}"]);
    assert_tame(&run);
    let unknown = format!("--{}", wild_name());
    for words in [&["topics", "texts", &unknown][..], &["topics", "texts", "-k", &unknown[2..]]] {
        let run = place.xray(words);
        assert_eq!(run.status, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("--help"), "{}", run.stderr);
        assert_tame(&run);
    }
    let missing = format!("{}.csv", wild_name());
    let run = place.xray(&["factorize", &missing, "-r", "1"]);
    run.assert_error(1, &["\\u{1b}", "\\u{202e}"]);
    assert_tame(&run);
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_error_that_takes_nothing_costs_nothing() {
    let place = Place::new();
    place.write("x.csv", "a,b\n1,2\n3,1\n");
    let expected = place.done(&["factorize", "x.csv", "-r", "2"]).stdout;
    assert!(!expected.is_empty());
    for errors in ["2>/dev/full", "2>&-"] {
        for verbose in ["", "--verbose"] {
            let line = format!("\"$XRAY\" factorize x.csv -r 2 -o out {verbose} {errors}");
            let run = place.shell(&line);
            assert_eq!((run.status, &run.stdout), (Some(0), &expected), "{line}");
        }
        let run = place.shell(&format!("\"$XRAY\" factorize missing.csv -r 2 {errors}"));
        assert_eq!(run.status, Some(1), "{errors}");
        assert_eq!(place.shell(&format!("\"$XRAY\" demo {errors}")).status, Some(0));
    }
    // A log collector that is gone.
    let line =
        "{ \"$XRAY\" factorize x.csv -r 2 --verbose 2>&3; echo $? >status; } 3>&1 >answer | true";
    place.shell(line);
    assert_eq!((place.text("status").trim(), place.text("answer")), ("0", expected));
}

#[test]
fn formulas_become_text_on_request() {
    let place = Place::new();
    place.write("x.csv", "id,=1+1,-2,@c\n+r,1,0,1\n-9,0,2,1\n=s,5,1,0\n");
    let fit = ["factorize", "x.csv", "--header", "yes", "-r", "3", "-o"];
    place.done(&[&fit[..], &["plain"]].concat());
    place.done(&[&fit[..], &["safe", "--csv-safe"]].concat());
    let (plain, safe) = (place.text("plain/anchors.csv"), place.text("safe/anchors.csv"));
    assert!(plain.contains(",=1+1,") && plain.contains(",@c,"), "{plain}");
    assert!(safe.contains(",'=1+1,") && safe.contains(",'@c,") && safe.contains(",-2,"), "{safe}");
    let arguments = ["transform", "safe/model.npz", "x.csv", "--header", "yes"];
    let rows = place.done(&arguments).stdout;
    assert!(rows.contains("\n+r,") && rows.contains("\n=s,"), "{rows}");
    let rows = place.done(&[&arguments[..], &["--csv-safe"]].concat()).stdout;
    assert!(rows.contains("\n'+r,") && rows.contains("\n-9,") && rows.contains("\n'=s,"), "{rows}");
    let texts = "id,label,text\n=a,@one,=sum and red\n+b,@one,=sum and red\n-c,=two,green leaves\n=d,=two,green leaves\n";
    place.write("t.csv", texts);
    let topics = [
        "topics",
        "t.csv",
        "-k",
        "2",
        "--min-df",
        "1",
        "--stop-words",
        "none",
        "--token-pattern",
        "\\S+",
    ];
    place.done(&[&topics[..], &["-o", "t", "--csv-safe"]].concat());
    for name in ["documents.csv", "contingency.csv", "classes.csv", "topics.csv"] {
        let text = place.text(&format!("t/{name}"));
        let acts = |cell: &str| cell.starts_with(['=', '@', '+']);
        let cells = text.split(['\n', ',']).map(|cell| cell.trim_matches('"'));
        assert!(
            !cells.clone().any(acts) && cells.clone().any(|cell| cell.starts_with('\'')),
            "{name}: {text}"
        );
    }
}

#[test]
fn members_of_archives_cannot_act_on_a_terminal() {
    let place = Place::new();
    let entry = |name: &str, value: f64| {
        let header =
            format!("{:<117}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(value.to_le_bytes());
        (format!("{name}.npy"), bytes)
    };
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let (name, bytes) = entry(&wild_name(), f64::NAN);
    archive.start_file(name, zip::write::SimpleFileOptions::default()).expect("in memory");
    archive.write_all(&bytes).expect("in memory");
    place.write("x.npz", archive.finish().expect("in memory").into_inner());
    let run = place.xray(&["factorize", "x.npz", "-r", "1"]);
    run.assert_error(1, &["\\u{1b}", "NaN"]);
    assert_tame(&run);
}

#[test]
fn odd_environments_change_nothing() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(60));
    let arguments = ["topics", "articles.csv", "-k", "4", "-o", "out"];
    let expected = place.done(&arguments).stdout;
    let odd: [&[(&str, &str)]; 4] = [
        &[],
        &[("LC_ALL", "garbage"), ("LANG", "\u{fffd}"), ("TERM", "dumb")],
        &[("COLUMNS", "1"), ("LINES", "-1"), ("TERM", "")],
        &[("HOME", "/nowhere"), ("TMPDIR", "/nowhere"), ("TZ", "Nowhere/Land"), ("NO_COLOR", "1")],
    ];
    for variables in odd {
        let mut command = place.command(&arguments);
        command.env_clear().envs(variables.iter().copied());
        let run = Run::from(command.output().expect("the program starts"));
        assert_eq!((run.status, &run.stdout), (Some(0), &expected), "{variables:?} {}", run.stderr);
    }
}
