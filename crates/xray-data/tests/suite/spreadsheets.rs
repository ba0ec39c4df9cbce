//! Spreadsheets: one that openpyxl has written, and some that no program would write.

use std::io::Write;

use xray_data::{Budget, Error, Input, Limits, LoadOptions, Loaded, load};

const OPENPYXL: &[u8] = include_bytes!("../data/openpyxl.xlsx");

fn read(bytes: Vec<u8>, options: &LoadOptions) -> Result<Loaded, Error> {
    load(&Input::Bytes { name: "book.xlsx".into(), bytes }, options)
}

/// A workbook with one sheet: its cells, and the strings that they share.
fn workbook(cells: &str, strings: &str) -> Vec<u8> {
    workbook_of(&[
        ("sharedStrings.xml", &format!("<sst>{strings}</sst>")),
        ("worksheets/s.xml", &format!("<worksheet><sheetData>{cells}</sheetData></worksheet>")),
    ])
}

/// A workbook with one sheet, unless these parts say otherwise.
fn workbook_of(parts: &[(&str, &str)]) -> Vec<u8> {
    let own = [
        ("workbook.xml", "<workbook><sheets><sheet name='One' r:id='a'/></sheets></workbook>"),
        (
            "_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='a' Target='worksheets/s.xml'/></Relationships>",
        ),
    ];
    let own = own.iter().filter(|(name, _)| parts.iter().all(|(other, _)| name != other));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("[Content_Types].xml", options).expect("memory");
    for (name, content) in own.chain(parts) {
        archive.start_file(format!("xl/{name}"), options).expect("memory");
        archive.write_all(content.as_bytes()).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

#[test]
fn texts_are_read_as_from_csv() {
    let documents = read(OPENPYXL.to_vec(), &LoadOptions::default()).expect("texts");
    let documents = documents.into_documents().expect("texts");
    assert_eq!(documents.ids, ["1", "2", "3"]);
    assert_eq!(documents.texts, ["good film, \"really\" & <fine>", "bad\nfilm é", "naïve & long"]);
    assert_eq!(documents.labels.expect("labels"), ["a", "b", "a"]);
    let options = LoadOptions { text: vec!["date".into()], ..LoadOptions::default() };
    let dates = read(OPENPYXL.to_vec(), &options).expect("texts").into_documents().expect("texts");
    assert_eq!(dates.texts, ["2024-03-05", "2024-03-05T13:45:00", ""]);
}

#[test]
fn another_sheet_has_numbers() {
    let options = LoadOptions { sheet: Some("Numbers".into()), ..LoadOptions::default() };
    let table = read(OPENPYXL.to_vec(), &options).expect("numbers").into_table().expect("numbers");
    assert_eq!(table.column_names.expect("names"), ["x", "y"]);
    let mut rows = [[0.0; 2]; 3];
    (0..3).for_each(|d| table.matrix.copy_row(d, &mut rows[d]));
    assert_eq!(rows, [[1.1, 2.0], [0.3, 1e-7], [3.0, 4.0]]);
    let options = LoadOptions { sheet: Some("Other".into()), ..LoadOptions::default() };
    let message = read(OPENPYXL.to_vec(), &options).unwrap_err().to_string();
    assert!(message.contains("no sheet \"Other\""), "{message}");
    assert!(message.contains("there are: Reviews, Numbers"), "{message}");
}

#[test]
fn a_sheet_is_for_spreadsheets() {
    let options = LoadOptions { sheet: Some("One".into()), ..LoadOptions::default() };
    let input = Input::Bytes { name: "x.csv".into(), bytes: b"1,2\n3,4\n".to_vec() };
    let message = load(&input, &options).unwrap_err().to_string();
    assert!(message.starts_with("sheet = One is not allowed"), "{message}");
}

#[test]
fn cells_without_places_and_of_all_kinds() {
    let cells = "<row><c t='inlineStr'><is><t>text</t></is></c><c t='inlineStr'><is><t>flag</t></is></c></row>\
        <row r='5'><c t='s'><v>0</v></c><c t='b'><v>1</v></c></row>\
        <row><c r='A6' t='str'><f>x&amp;y</f><v>a&#233;&amp;b</v></c><c r='B6' t='e'><v>#N/A</v></c></row>";
    let strings = "<si><r><t>two </t></r><r><t>runs</t></r><rPh><t>note</t></rPh></si>";
    let options = LoadOptions { label: Some("flag".into()), ..LoadOptions::default() };
    let documents = read(workbook(cells, strings), &options).expect("texts");
    let documents = documents.into_documents().expect("texts");
    assert_eq!(documents.texts, ["two runs", "aé&b"]);
    assert_eq!(documents.labels.expect("labels"), ["true", "#N/A"]);
}

#[test]
fn what_does_not_fit_together_is_told() {
    let cell = |place: &str, row: &str| format!("<row r='{row}'><c r='{place}'><v>1</v></c></row>");
    for (cells, words) in [
        ("<row r='1'><c t='s'><v>7</v></c></row>".to_owned(), "string \"7\" of 0"),
        (cell("A2", "2") + &cell("A1", "1"), "out of order"),
        (cell("B1", "0"), "out of order"),
        (cell("ZZZZZZ1", "1"), "out of order"),
        (cell("A9999999", "9999999"), "out of order"),
        ("<row><c><v>1</c></row>".to_owned(), "s.xml"),
        (String::new(), "no records"),
    ] {
        let message = read(workbook(&cells, ""), &LoadOptions::default()).unwrap_err().to_string();
        assert!(message.starts_with("book.xlsx") && message.contains(words), "{message}");
    }
    let error = read(OPENPYXL[..OPENPYXL.len() / 2].to_vec(), &LoadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    // A number where the table has text: the line is the row.
    let row = |n: usize, v: &str| {
        format!("<row r='{n}'><c><v>{n}</v></c><c t='str'><v>{v}</v></c></row>")
    };
    let cells: String = (1..9).map(|n| row(n, if n == 7 { "x" } else { "2" })).collect();
    let message = read(workbook(&cells, ""), &LoadOptions::default()).unwrap_err().to_string();
    assert!(message.starts_with("book.xlsx:7:3: found \"x\""), "{message}");
}

#[test]
fn what_expands_beyond_the_memory_is_refused() {
    let within = |bytes: u64| LoadOptions {
        limits: Limits::within(Budget::new(bytes)),
        ..LoadOptions::default()
    };
    let row = |n: usize| format!("<row r='{n}'><c r='A{n}'><v>1</v></c></row>");
    let long: String = (1..=60_000).map(row).collect();
    let wide = format!(
        "{}<row r='60001'><c r='XFD60001'><v>1</v></c></row>",
        (1..=60_000).map(row).collect::<String>()
    );
    let strings = "<si><t>a</t></si>".repeat(200_000);
    let one = format!("<row><c t='str'><v>{}</v></c></row>", "a".repeat(6 << 20));
    // No part of these is larger than the memory.
    let long_text = "a".repeat(1 << 20);
    let pieces = format!("<t>{}</t>", "a".repeat(1000)).repeat(1000);
    let formats: String = (0..75_000).map(|k| format!("<numFmt numFmtId='{k}'/>")).collect();
    let sheets = |n: usize| {
        let sheet = |k: usize| format!("<sheet name='s{k}' r:id='a'/>");
        format!("<workbook>{}</workbook>", (0..n).map(sheet).collect::<String>())
    };
    let far = format!("<r><Relationship Id='a' Target='worksheets/{}'/></r>", "a".repeat(60_000));
    let target = |k: usize| format!("<Relationship Id='r{k}' Target='s.xml'/>");
    let targets: String = (0..40_000).map(target).collect();
    for (name, bytes) in [
        ("a long sheet", workbook(&long, "")),
        ("a wide sheet", workbook(&wide, "")),
        ("many strings", workbook(&row(1), &strings)),
        ("a long cell", workbook(&one, "")),
        ("a long tag", workbook(&format!("<row a='{long_text}'/>"), "")),
        ("a long place", workbook(&format!("<row><c r='{long_text}'/></row>"), "")),
        ("a long string", workbook(&row(1), &format!("<si><t>{long_text}</t></si>"))),
        ("a string of many texts", workbook(&row(1), &format!("<si>{pieces}</si>"))),
        ("many formats", workbook_of(&[("styles.xml", &format!("<s>{formats}</s>"))])),
        ("many sheets", workbook_of(&[("workbook.xml", &sheets(50_000))])),
        (
            "many sheets in one long part",
            workbook_of(&[("workbook.xml", &sheets(100)), ("_rels/workbook.xml.rels", &far)]),
        ),
        ("many targets", workbook_of(&[("_rels/workbook.xml.rels", &format!("<r>{targets}</r>"))])),
    ] {
        assert!(bytes.len() < 1 << 20, "{name}: {}", bytes.len());
        let options = within(2 << 20);
        match read(bytes, &options) {
            Err(Error::Memory { .. }) => {}
            other => panic!("{name}: {:?}", other.map(|_| "was read").map_err(|e| e.to_string())),
        }
        assert_eq!(options.limits.loaded_bytes.taken(), 0, "{name}");
    }
    assert!(read(workbook(&long, ""), &within(64 << 20)).is_ok());
}
