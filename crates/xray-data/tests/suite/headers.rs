//! First records that name columns, whatever else is in them.

use xray_data::{Input, LoadOptions, load};

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
