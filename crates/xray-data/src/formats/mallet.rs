//! The texts that MALLET imports: `name label text ...`, a document a line, between white space.
//!
//! It looks like prose, so it is read only if it is asked for. A line without text is an empty document.

use super::{Format, Parsed, Reader, Told};
use crate::budget::last_bytes;
use crate::error::Result;
use crate::options::LoadOptions;
use crate::read::bad::BadRecords;
use crate::read::lines::{Line, Lines};
use crate::schema::Layout;
use crate::source::Source;
use crate::table::Documents;

pub(crate) static FORMAT: Format = Format {
    name: "mallet",
    words: "name, label and text a line, as MALLET imports them",
    endings: &["mallet"],
    beginning: None,
    told: Told::Never,
    has_columns: false,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: None,
    names_beside: None,
    decide: Some(|_, _| Ok(layout())),
    is_zero_based: None,
};

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut claim = options.limits.claim(lines.file());
    let mut documents = Documents::default();
    let (mut labels, mut n_read) = (Vec::new(), 0);
    let mut bad = BadRecords::new(options);
    while let Some(line) = lines.next_good_line(&mut bad)? {
        if line.is_blank() {
            continue;
        }
        let Some([id, label, text]) = bad.judge(parts(line, options))? else { continue };
        n_read += 1;
        if options.keeps_document(n_read - 1) {
            documents.ids.push(id);
            documents.texts.push(text);
            labels.push(label);
            claim.take(documents.last_bytes() + last_bytes(&labels))?;
        }
    }
    documents.labels = Some(labels);
    let layout = Some(layout());
    Ok(Parsed { layout, noticed: bad.into_noticed(), ..documents.into() })
}

/// Documents have names and classes, which are not chosen.
fn layout() -> Layout {
    Layout { id: Some("name".into()), label: Some("label".into()), ..Layout::default() }
}

/// Name, label and text of a line.
fn parts(line: Line<'_>, options: &LoadOptions) -> Result<[String; 3]> {
    let mut fields = line.fields();
    let name = fields.expect("a name")?.bytes;
    let label = fields.expect("a label after the name")?.bytes;
    let text = fields.next().map_or(line.bytes.len(), |field| field.column as usize - 1);
    let of = |bytes| Line { bytes, ..line }.text_or_replaced(options.replace_invalid_utf8);
    Ok([of(name)?, of(label)?, of(&line.bytes[text..])?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;

    fn parse(content: &str) -> Result<Documents> {
        let options = LoadOptions::default();
        let input = Input::Bytes { name: "test".into(), bytes: content.into() };
        let read = read(Source::open(&input, &options)?, &options)?;
        Ok(read.loaded.into_documents().expect("texts"))
    }

    #[test]
    fn two_words_and_the_rest() {
        let documents =
            parse("d1 en some  words, here\r\n\n  d2\tde\tÜber uns \nd3 en\n").expect("valid");
        assert_eq!(documents.ids, ["d1", "d2", "d3"]);
        assert_eq!(documents.texts, ["some  words, here", "Über uns ", ""]);
        assert_eq!(documents.labels.expect("labels"), ["en", "de", "en"]);
    }

    #[test]
    fn a_name_alone_is_an_error() {
        let message = parse("d1 en words\nd2\n").unwrap_err().to_string();
        assert_eq!(
            message,
            "test:2:3: found the end of the line, expected a label after the name; repair it, or leave out such \
                             records with `skip_bad_records`"
        );
    }
}
