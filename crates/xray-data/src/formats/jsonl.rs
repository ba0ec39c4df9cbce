//! JSON Lines: one object a line; see [`objects`](super::objects) for what it may hold.

use std::io::{self, Write};

use serde::Serialize;

use super::objects::{Fields, Objects};
use super::{DocumentWriter, Format, Parsed, Reader, Told};
use crate::error::Result;
use crate::options::LoadOptions;
use crate::read::bad::BadRecords;
use crate::read::lines::Lines;
use crate::schema::Layout;
use crate::source::Source;
use crate::table::Documents;

pub(crate) static FORMAT: Format = Format {
    name: "jsonl",
    words: "one JSON object a line",
    endings: &["jsonl", "ndjson"],
    beginning: None,
    told: Told::Content(|head| head.trim_ascii_start().starts_with(b"{")),
    has_columns: true,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: Some(DocumentWriter::File { check: |_| Ok(()), write }),
    names_beside: None,
    decide: Some(decide),
    is_zero_based: None,
};

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut objects = Objects::new(lines.file(), options);
    let mut bad = BadRecords::new(options);
    while let Some(line) = lines.next_good_line(&mut bad)? {
        if !line.is_blank() {
            bad.judge(objects.add(line))?;
        }
    }
    Ok(Parsed { noticed: bad.into_noticed(), ..objects.finish()? })
}

/// The fields of the first object.
fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    for source in sources {
        let mut lines = Lines::new(source?, options.limits.line_bytes);
        while let Some(line) = lines.next_line()? {
            if !line.is_blank() {
                return Fields::of(line, options).map(Fields::into_layout);
            }
        }
    }
    Ok(Layout::default())
}

fn write(documents: &Documents, out: &mut (dyn Write + Send)) -> io::Result<()> {
    #[derive(Serialize)]
    struct Record<'a> {
        id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<&'a str>,
        text: &'a str,
    }
    for (d, (id, text)) in documents.ids.iter().zip(&documents.texts).enumerate() {
        let label = documents.labels.as_ref().map(|labels| labels[d].as_str());
        serde_json::to_writer(&mut *out, &Record { id, label, text })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;

    fn parse_all(content: &str, options: &LoadOptions) -> Result<Documents> {
        let input = Input::Bytes { name: "test.jsonl".into(), bytes: content.into() };
        let read = read(Source::open(&input, options)?, options)?;
        Ok(read.loaded.into_documents().expect("texts"))
    }

    #[test]
    fn labels_may_be_strings_numbers_or_lists() {
        let content = r#"{"id": 7, "text": "one", "topic": "a"}

{"id": "x", "text": "two", "topic": 3}
{"id": null, "text": null, "topic": ["b", "c"]}
{"text": "four \u00e9", "topic": []}
"#;
        let options = LoadOptions { label: Some("topic".into()), ..LoadOptions::default() };
        let documents = parse_all(content, &options).expect("valid");
        assert_eq!(documents.ids, ["7", "x", "", ""]);
        assert_eq!(documents.texts, ["one", "two", "", "four é"]);
        let labels = ["a", "3", "b", ""].map(String::from);
        assert_eq!(documents.labels.as_deref(), Some(&labels[..]));
    }

    #[test]
    fn the_first_text_may_be_null() {
        let content = "{\"text\": null, \"note\": \"a longer string\"}\n{\"text\": \"one\"}\n";
        let documents = parse_all(content, &LoadOptions::default()).expect("valid");
        assert_eq!(documents.texts, ["", "one"]);
    }

    #[test]
    fn fields_within_objects_have_both_names() {
        let content = "{\"doc\": {\"body\": {\"text\": \"one\"}, \"key\": 7}, \"a.b\": \"x\", \"n\": {\"b\": 1}}\n";
        let read = |text: &str, id: &str, label: &str| {
            let (id, label) = (Some(id.into()), Some(label.into()));
            parse_all(
                content,
                &LoadOptions { text: vec![text.into()], id, label, ..LoadOptions::default() },
            )
        };
        let documents = read("doc.body.text", "doc.key", "a.b").expect("valid");
        assert_eq!(
            (&documents.texts[..], &documents.ids[..]),
            (&["one".into()][..], &["7".into()][..])
        );
        assert_eq!(documents.labels.expect("labels"), ["x"]);
        for (text, id) in
            [("doc.text", "doc.key"), ("doc.body.text", "doc.id"), ("doc.body", "doc.key")]
        {
            let told = read(text, id, "n.b").unwrap_err().to_string();
            assert!(
                told.contains("there are: a.b, doc.body.text, doc.key, n.b")
                    || told.contains("there are: doc.body.text, doc.key, a.b, n.b"),
                "{told}"
            );
        }
        let told = parse_all("{\"body\": {\"text\": \"a\"}}", &LoadOptions::default()).unwrap_err();
        assert!(told.to_string().contains("there are: body.text"), "{told}");
    }

    #[test]
    fn errors_say_where() {
        let options = LoadOptions::default();
        let message = |content| parse_all(content, &options).unwrap_err().to_string();
        assert!(message("{\"text\": \"a\"}\n{\"text\": \n").starts_with("test.jsonl:2:"));
        assert!(message("{\"text\": \"a\"}\n{\"body\": \"b\"}").contains("no field \"text\""));
        assert!(message("[1, 2]").contains("one JSON object"));
        let options = LoadOptions { label: Some("topic".into()), ..LoadOptions::default() };
        let missing = parse_all("{\"text\": \"a\", \"topics\": 1}", &options).unwrap_err();
        assert!(missing.to_string().contains("there are: text, topics"), "{missing}");
    }
}
