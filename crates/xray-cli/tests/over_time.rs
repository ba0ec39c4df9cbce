//! `xray topics --time`: which dates documents have, how long periods are, and what is drawn.

mod support;

use support::{Place, articles, articles_csv, records};

/// Periods and their numbers of documents.
fn periods(place: &Place) -> Vec<(String, usize)> {
    let text = place.text("out/periods.csv");
    let rows = records(&text);
    let row = |row: &Vec<&str>| (row[0].to_owned(), row[1].parse().expect("a count"));
    rows[1..].iter().map(row).collect()
}

fn names(place: &Place) -> Vec<String> {
    periods(place).into_iter().map(|(name, _)| name).collect()
}

/// Every subject has a year of its own: the documents of a period have one topic.
fn assert_a_topic_each(place: &Place, expected: &[(&str, usize)]) {
    let found = periods(place);
    let found: Vec<(&str, usize)> = found.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(found, expected);
    let text = place.text("out/periods.csv");
    for row in &records(&text)[1..] {
        let shares = row[2..].iter().map(|cell| cell.parse::<f64>().expect("a share"));
        assert!(shares.fold(0.0, f64::max) > 0.9, "{text}");
    }
}

const ARGUMENTS: [&str; 8] = ["--text", "text", "-k", "4", "--time", "date", "-o", "out"];

/// Topics of a file over time.
fn run(place: &Place, file: &str, more: &[&str]) -> support::Run {
    place.done(&[&["topics", file], &ARGUMENTS[..], more].concat())
}

/// Articles with these dates.
fn dated(place: &Place, n: usize, date: impl Fn(usize) -> String) {
    let csv = articles_csv(n);
    let mut lines = csv.lines();
    let header = format!("{},date\n", lines.next().expect("a header"));
    let lines = lines.enumerate().map(|(d, line)| format!("{line},{}\n", date(d)));
    place.write("x.csv", std::iter::once(header).chain(lines).collect::<String>());
}

#[test]
fn records_that_are_left_out_shift_no_dates() {
    let place = Place::new();
    let object = |(d, (id, _, text)): (usize, (String, String, String))| match d {
        3 | 18 | 33 | 48 | 63 => format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}\n"),
        7 | 22 => format!("{{\"id\": \"{id}\", \"text\": 1, \"date\": \"{}\"}}\n", 2001 + d % 4),
        _ => {
            format!("{{\"id\": \"{id}\", \"text\": \"{text}\", \"date\": \"{}\"}}\n", 2001 + d % 4)
        }
    };
    place.write("x.jsonl", articles(80).into_iter().enumerate().map(object).collect::<String>());
    let told = run(&place, "x.jsonl", &["--skip-bad-records"]);
    assert!(told.stderr.contains("5 documents have no date in \"date\""), "{}", told.stderr);
    assert!(told.stderr.contains("2 bad records left out"), "{}", told.stderr);
    // Of years 2004, 2003, 2002, 2001 and 2004 five have no date, and one of 2004 and of 2003 no text.
    assert_a_topic_each(&place, &[("2001", 19), ("2002", 19), ("2003", 18), ("2004", 17)]);

    let mut csv = b"id,text,date\n".to_vec();
    for (d, (id, _, text)) in articles(80).into_iter().enumerate() {
        csv.extend(format!("{id},{text}").as_bytes());
        csv.extend(if d % 15 == 3 && d < 70 { &b" \xff"[..] } else { b"" });
        csv.extend(format!(",{}-05-01\n", 2001 + d % 4).as_bytes());
    }
    place.write("x.csv", csv);
    let told =
        run(&place, "x.csv", &["--skip-bad-records", "--period", "year", "--encoding", "utf-8"]);
    assert!(!told.stderr.contains("have no date"), "{}", told.stderr);
    assert_a_topic_each(&place, &[("2001", 19), ("2002", 19), ("2003", 19), ("2004", 18)]);
}

#[test]
fn standard_input_and_tables_of_counts_have_dates_too() {
    let place = Place::new();
    dated(&place, 80, |d| (2001 + d % 4).to_string());
    run(&place, "x.csv", &[]);
    let expected = place.bytes("out/periods.csv");
    let piped = place.piped(&[&["topics", "-"], &ARGUMENTS[..]].concat(), &place.bytes("x.csv"));
    assert_eq!(piped.status, Some(0), "{}", piped.stderr);
    assert!(place.bytes("out/periods.csv") == expected);
    let counts: String = (0..80)
        .map(|d| format!("{},{},{}\n", 2001 + d % 2, 3 * (d % 2), 3 - 3 * (d % 2)))
        .collect();
    place.write("counts.csv", format!("when,oven,comet\n{counts}"));
    let base = ["topics", "counts.csv", "-k", "2", "-o", "out", "--max-df", "80", "--time", "when"];
    place.done(&base);
    assert_eq!(place.json("out/topics.json")["vocabulary"], 2, "the years are no word");
    assert_eq!(periods(&place), [("2001".to_owned(), 40), ("2002".to_owned(), 40)]);
    let turned = place.xray(&[&base[..], &["--transpose"]].concat());
    turned.assert_error(2, &["--time", "--transpose"]);
    place.write("lines.txt", "some words\nother words\n");
    let lines = place.xray(&["topics", "lines.txt", "--time", "date"]);
    lines.assert_error(2, &["--time", "the format lines has none"]);
}

#[test]
fn the_whole_column_tells_whether_the_day_comes_first() {
    let place = Place::new();
    dated(&place, 80, |d| format!("{:02}/{:02}/2021", 1 + d % 28, 1 + d / 30));
    let told = run(&place, "x.csv", &["--period", "month"]);
    assert_eq!(names(&place), ["2021-01", "2021-02", "2021-03"]);
    assert!(!told.stderr.contains("is taken for"), "{}", told.stderr);
    dated(&place, 80, |d| format!("{:02}/{:02}/2021", 1 + d % 3, 1 + d / 30));
    let told = run(&place, "x.csv", &["--period", "month"]);
    assert_eq!(names(&place), ["2021-01", "2021-02", "2021-03"]);
    let line = "--time date: \"01/02/2021\" is taken for 2021-01-02, the month first";
    assert!(told.stderr.contains(line), "{}", told.stderr);
    dated(&place, 80, |d| if d % 2 == 0 { "25/02/2021" } else { "02/26/2021" }.to_owned());
    let mixed = place.xray(&[&["topics", "x.csv"], &ARGUMENTS[..]].concat());
    mixed.assert_error(1, &["--time date", "\"25/02/2021\"", "\"02/26/2021\""]);
}

#[test]
fn numbers_are_years_and_seconds_in_json_too() {
    let place = Place::new();
    let write = |date: &dyn Fn(usize) -> String| {
        let object = |(d, (_, _, text)): (usize, (String, String, String))| {
            format!("{{\"text\": \"{text}\", \"date\": {}}}\n", date(d))
        };
        place
            .write("x.jsonl", articles(40).into_iter().enumerate().map(object).collect::<String>());
    };
    write(&|d| (2004 + d % 2).to_string());
    run(&place, "x.jsonl", &[]);
    assert_eq!(names(&place), ["2004", "2005"]);
    write(&|d| {
        if d == 5 { "null".into() } else { format!("{}.0", 1_704_067_200 + 86_400 * (d % 2)) }
    });
    let told = run(&place, "x.jsonl", &[]);
    assert_eq!(names(&place), ["2024-01-01", "2024-01-02"]);
    assert!(told.stderr.contains("1 documents have no date"), "{}", told.stderr);
}

#[test]
fn periods_are_not_shorter_than_dates_tell() {
    let place = Place::new();
    dated(&place, 40, |d| (2003 + d % 2).to_string());
    run(&place, "x.csv", &[]);
    assert_eq!(names(&place), ["2003", "2004"]);
    run(&place, "x.csv", &["--period", "month"]);
    assert_eq!(names(&place), ["2003-01", "2004-01"], "as it was asked for");
    dated(&place, 40, |d| format!("2003-0{}", 1 + d % 2));
    run(&place, "x.csv", &[]);
    assert_eq!(names(&place), ["2003-01", "2003-02"]);
}

/// Where the labels of the x axis stand, and the points of the first curve.
#[cfg(feature = "pictures")]
fn drawn(place: &Place, is_label: impl Fn(&str) -> bool) -> (Vec<(String, f64)>, Vec<f64>) {
    let svg = place.text("out/periods.svg");
    let label = |line: &str| {
        let (before, name) = line.strip_suffix("</text>")?.rsplit_once('>')?;
        let x = before.strip_prefix("<text x=\"")?.split('"').next()?.parse().ok()?;
        is_label(name).then(|| (name.to_owned(), x))
    };
    let points = |line: &str| -> Option<Vec<f64>> {
        let (path, look) = line.trim().strip_prefix("<path d=\"M")?.split_once('"')?;
        if !look.contains("fill=\"none\" stroke=\"#0072b2\"") {
            return None;
        }
        path.split('L').map(|point| point.split(' ').next()?.parse().ok()).collect()
    };
    let curve = svg.lines().filter_map(points).find(|points| points.len() > 2);
    (svg.lines().filter_map(label).collect(), curve.expect("a curve"))
}

#[test]
#[cfg(feature = "pictures")]
fn pictures_have_true_positions_in_time() {
    let place = Place::new();
    let of_digits = |name: &str| name.starts_with(['1', '2']);
    dated(&place, 80, |d| [1950, 1951, 2004][d % 3].to_string());
    run(&place, "x.csv", &[]);
    let (labels, curve) = drawn(&place, of_digits);
    let names: Vec<&str> = labels.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["1950", "1960", "1970", "1980", "1990", "2000"]);
    let year = (labels[5].1 - labels[0].1) / 50.0;
    let years = |k: usize| (curve[k] - curve[0]) / year;
    assert!((years(1) - 1.0).abs() < 0.1 && (years(2) - 54.0).abs() < 0.1, "{curve:?}");

    dated(&place, 80, |d| ["2021-02-26", "2021-02-27", "2021-03-13"][d % 3].to_owned());
    run(&place, "x.csv", &[]);
    let (labels, curve) = drawn(&place, of_digits);
    let names: Vec<&str> = labels.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names.len(), names[0], names[7]), (8, "2021-02-27", "2021-03-13"));
    let day = (labels[7].1 - labels[0].1) / 14.0;
    let days = |k: usize| (curve[k] - labels[0].1) / day;
    assert!((days(0) + 1.0).abs() < 0.05 && (days(2) - 14.0).abs() < 0.05, "{curve:?}");
}
