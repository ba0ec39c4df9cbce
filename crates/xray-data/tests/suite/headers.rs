//! First records that name columns, whatever else is in them.

use xray_data::{Input, LoadOptions, load};

use crate::named;

fn texts(content: &str) -> (Vec<String>, Vec<String>) {
    let input = Input::Bytes { name: "x.csv".into(), bytes: content.into() };
    let loaded = load(&input, &LoadOptions::default()).expect("readable");
    let documents = loaded.into_documents().expect("texts");
    (documents.ids, documents.texts)
}

#[test]
fn odd_names_beside_usual_ones_do_not_make_a_document_of_the_header() {
    let question = "How satisfied are you with the service overall?";
    for (header, rest) in [
        ("id,label,text,", "x,cat fur,"),
        ("id,flag,text,flag", "0,cat fur,1"),
        (&format!("id,{question},text"), "very,cat fur"),
        ("id,2020,text", "7,cat fur"),
        (",1,text", "7,cat fur"),
    ] {
        let (ids, texts) = texts(&format!("{header}\nd1,{rest}\nd2,{rest}\n"));
        assert_eq!(texts, ["cat fur"; 2], "{header}");
        assert!(header.starts_with(',') || ids == ["d1", "d2"], "{header}: {ids:?}");
    }
}

#[test]
fn how_records_are_written_is_not_said_where_there_are_none() {
    let message = |content: &str, options: LoadOptions| {
        let input = Input::Bytes { name: "x.txt".into(), bytes: content.into() };
        load(&input, &options).map(|_| ()).unwrap_err().to_string()
    };
    let open = LoadOptions::default;
    for (name, options) in [
        ("delimiter = |", LoadOptions { delimiter: Some(b'|'), ..open() }),
        ("header = no", LoadOptions { header: Some(false), ..open() }),
        ("quoting = yes", LoadOptions { quoting: Some(true), ..open() }),
    ] {
        let lines = message("cat fur\nbond bank\n", options.clone());
        assert!(lines.starts_with(name) && lines.contains("lines"), "{lines}");
        assert!(lines.contains("`format` csv"), "{lines}");
        let json = message("{\"text\": \"cat fur\"}\n", options.clone());
        assert!(json.contains("the format jsonl"), "{json}");
        // Where there are records it is taken as it is said.
        let input = Input::Bytes { name: "x.txt".into(), bytes: b"1,cat|fur\n2,dog|paw\n".into() };
        let options = LoadOptions { format: Some(named("csv")), ..options };
        assert!(load(&input, &options).is_ok(), "{name}");
    }
}
