//! Records that cannot be read: the first is an error that names the remedy, or all are left out and counted.

use xray_data::{
    Documents, Error, Input, Limits, LoadOptions, Loaded, Noticed, Share, load, load_with_origin,
};

use crate::named;

fn read(name: &str, bytes: &[u8], options: LoadOptions) -> Result<(Loaded, Noticed), Error> {
    let options = LoadOptions { skip_bad_records: true, ..options };
    let input = Input::Bytes { name: name.into(), bytes: bytes.to_vec() };
    let (loaded, origin) = load_with_origin(&input, &options)?;
    Ok((loaded, origin.reading.expect("it was read").noticed))
}

/// Files with two good records and two bad ones on lines 3 and 4, and what is wrong with these.
const FILES: [(&str, &[u8], &str, &str); 5] = [
    ("x.csv", b"id,text\n1,one \xc3\xa9 \xc3\xa9\n2,too,many\n3,\xff\n4,two\n", "3 fields", "0xFF"),
    ("x.tsv", b"id\ttext\n1\tone \xc3\xa9 \xc3\xa9\nfew\n3\t\xff\n4\ttwo\n", "1 field", "0xFF"),
    (
        "x.jsonl",
        b"\n{\"id\": 1, \"text\": \"one \xc3\xa9 \xc3\xa9\"}\n{\"id\": 2, \"text\": \n{\"id\": 3}\n{\"id\": 4, \"text\": \"two\"}\n",
        "JSON",
        "no field \"text\"",
    ),
    (
        "x.json",
        b"[\n{\"id\": 1, \"text\": \"one \xc3\xa9 \xc3\xa9\"},\n{\"id\": 2, \"text\": x},\n{\"id\": 3},\n{\"id\": 4, \"text\": \"two\"}]",
        "in record 2",
        "in record 3",
    ),
    ("x.mallet", b"\n1 a one \xc3\xa9 \xc3\xa9\nfew\n3 a \xff\n4 b two\n", "a label after", "0xFF"),
];

#[test]
fn they_are_left_out_told_and_counted() {
    for (name, bytes, first, second) in FILES {
        let (loaded, noticed) = read(name, bytes, LoadOptions::default()).expect("texts");
        let documents = loaded.into_documents().expect("texts");
        assert_eq!(documents.texts, ["one é é", "two"], "{name}");
        assert_eq!(documents.ids, ["1", "4"], "{name}");
        assert_eq!((noticed.bad_records, noticed.first_bad.len()), (2, 2), "{name}");
        for ((told, line), words) in noticed.first_bad.iter().zip([3, 4]).zip([first, second]) {
            assert!(told.starts_with(&format!("{name}:{line}")), "{told}");
            assert!(told.contains(words) && !told.contains("skip_bad_records"), "{told}");
        }
        let input = Input::Bytes { name: name.into(), bytes: bytes.to_vec() };
        let error = load(&input, &LoadOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{name}:3")), "{error}");
        assert!(error.contains(first) && error.contains("`skip_bad_records`"), "{error}");
    }
}

#[test]
fn dates_are_those_of_the_records_that_stay() {
    let options = || LoadOptions { time: Some("date".into()), ..LoadOptions::default() };
    let files: [(&str, &[u8]); 3] = [
        ("x.csv", b"date,text\n2001,one \xc3\xa9 \xc3\xa9\n2002,too,many\n,two\n2004,\xff\n2005,three\n"),
        ("x.jsonl", b"{\"date\": 2001, \"text\": \"one\"}\n{\"date\": 2002}\n{\"text\": \"two\"}\n{\"date\": [2005], \"text\": \"three\"}\n"),
        ("x.json", b"[{\"date\": 2001, \"text\": \"one\"}, {\"date\": 2002}, {\"date\": null, \"text\": \"two\"}, {\"date\": \"2005\", \"text\": \"three\"}]"),
    ];
    for (name, bytes) in files {
        let (loaded, _) = read(name, bytes, options()).expect("texts");
        let documents = loaded.into_documents().expect("texts");
        assert_eq!(documents.texts[1..], ["two", "three"], "{name}");
        assert_eq!(documents.times.expect("dates"), ["2001", "", "2005"], "{name}");
    }
    let numbers = b"a,date,b\n1,May 2024,2\n3,2025\n5,2026,6\n";
    let (loaded, _) = read("x.csv", numbers, options()).expect("numbers");
    let table = loaded.into_table().expect("numbers");
    assert_eq!(table.times.expect("dates"), ["May 2024", "2026"]);
    assert_eq!(table.column_names.expect("names"), ["a", "b"]);
    let missing = read("x.jsonl", b"{\"text\": \"one\"}\n", options()).map(|_| ()).unwrap_err();
    assert!(missing.to_string().contains("no object with a field \"date\""), "{missing}");
}

#[test]
fn rows_of_numbers_too() {
    let bytes = b"name,a,b\nx,1,2\ny,3\nz,4,oops\nv,5,\nw,6,7\n";
    let (loaded, noticed) = read("x.csv", bytes, LoadOptions::default()).expect("numbers");
    let table = loaded.into_table().expect("numbers");
    assert_eq!(table.row_names.expect("names"), ["x", "w"]);
    let mut row = [0.0; 2];
    table.matrix.copy_row(1, &mut row);
    assert_eq!((row, table.matrix.n_rows()), ([6.0, 7.0], 2));
    assert_eq!(noticed.bad_records, 3);
}

#[test]
fn broken_quotes_and_long_lines_end_with_their_line() {
    let long = format!("fine\n{}\nnext\n", "a".repeat(300_000));
    let mut options = LoadOptions { format: Some(named("lines")), ..LoadOptions::default() };
    options.limits = Limits { line_bytes: 200_000, ..Limits::default() };
    for text in [long.clone(), long.trim_end_matches("\nnext\n").to_owned()] {
        let (loaded, noticed) = read("x.txt", text.as_bytes(), options.clone()).expect("texts");
        let texts = loaded.into_documents().expect("texts").texts;
        assert_eq!(texts, if text == long { &["fine", "next"][..] } else { &["fine"] });
        assert_eq!(noticed.bad_records, 1);
        assert!(noticed.first_bad[0].starts_with("x.txt:2: found a line of more"), "{noticed:?}");
    }
    let quotes = "id,text\n1,\"a\"b\n2,two\n3,\"never\n4,closed\n";
    let (loaded, noticed) =
        read("x.csv", quotes.as_bytes(), LoadOptions::default()).expect("texts");
    assert_eq!(loaded.into_documents().expect("texts").texts, ["two"]);
    assert_eq!(noticed.bad_records, 2);
}

#[test]
fn only_the_first_are_told() {
    let text = "{\"text\": \"a\"}\n".to_owned() + &"{}\n".repeat(100);
    let (_, noticed) = read("x.jsonl", text.as_bytes(), LoadOptions::default()).expect("texts");
    assert_eq!((noticed.bad_records, noticed.first_bad.len()), (100, 5));
}

#[test]
fn damage_is_no_bad_record() {
    let text = "one\ntwo\n".repeat(50_000);
    let packed = zstd::encode_all(text.as_bytes(), 1).expect("memory");
    let cut = &packed[..packed.len() - 5];
    let message = read("x.txt.zst", cut, LoadOptions::default()).unwrap_err().to_string();
    assert!(message.contains("cut off or damaged"), "{message}");
    let error = read("x.jsonl", b"{\n{\n", LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no documents"), "{error}");
}

#[test]
fn all_machines_leave_out_the_same() {
    let line = |k: usize| match k % 7 {
        3 => b"\xff\xff\xff\n".to_vec(),
        _ => format!("text {k} é é é\n").into_bytes(),
    };
    let bytes: Vec<u8> = (0..30_000).flat_map(line).collect();
    let documents = |share: Option<Share>| -> (Documents, usize) {
        let options = LoadOptions { share, ..LoadOptions::default() };
        let (loaded, noticed) = read("x.txt", &bytes, options).expect("texts");
        (loaded.into_documents().expect("texts"), noticed.bad_records)
    };
    let (whole, n_bad) = documents(None);
    assert_eq!((whole.len(), n_bad), (25_714, 4_286));
    let mut found = 0;
    for part in 0..3 {
        let share = Share { part, parts: 3 };
        let (own, n_bad) = documents(Some(share));
        assert_eq!(n_bad, 4_286);
        for (k, text) in own.texts.iter().enumerate() {
            assert_eq!(*text, whole.texts[share.document(k)]);
        }
        found += own.len();
    }
    assert_eq!(found, whole.len());
}
