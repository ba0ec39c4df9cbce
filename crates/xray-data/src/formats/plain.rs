//! One document a line. Blank lines are no documents; ids count documents from 1. Where they stood is
//! remembered, so that a file with a class for each line still fits.

use std::io::{self, Write};

use super::{BlankLines, DocumentWriter, Format, Parsed, Reader, Told};
use crate::error::Result;
use crate::options::LoadOptions;
use crate::read::bad::BadRecords;
use crate::read::lines::Lines;
use crate::source::Source;
use crate::table::Documents;
use crate::write::BYTE_ORDER_MARK;

pub(crate) static FORMAT: Format = Format {
    name: "lines",
    words: "one document a line",
    endings: &["txt"],
    beginning: None,
    told: Told::Otherwise,
    has_columns: false,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: Some(DocumentWriter::File { check, write }),
    names_beside: None,
    decide: None,
    is_zero_based: None,
};

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut claim = options.limits.claim(lines.file());
    let mut documents = Documents::default();
    let (mut n_read, mut places) = (0, Vec::new());
    let mut bad = BadRecords::new(options);
    while let Some(line) = lines.next_good_line(&mut bad)? {
        if line.is_blank() {
            places.push(n_read + places.len());
            continue;
        }
        let kept = options.keeps_document(n_read);
        if kept || bad.are_skipped() {
            let text = line.text_or_replaced(options.replace_invalid_utf8);
            let Some(text) = bad.judge(text)? else { continue };
            if kept {
                documents.ids.push((n_read + 1).to_string());
                documents.texts.push(text);
                claim.take(documents.last_bytes())?;
            }
        }
        n_read += 1;
    }
    let blank = BlankLines { places, n_documents: n_read };
    Ok(Parsed { blank, noticed: bad.into_noticed(), ..documents.into() })
}

/// Refuses texts that are no line of their own.
fn check(documents: &Documents) -> Result<(), String> {
    let broken = |t: &String| t.contains('\n') || t.ends_with('\r') || t.trim_ascii().is_empty();
    match documents.texts.iter().position(broken) {
        Some(d) => {
            let reason = "has a line break or nothing but white space; write jsonl";
            Err(format!("document {} {reason}", d + 1))
        }
        None => Ok(()),
    }
}

fn write(documents: &Documents, out: &mut (dyn Write + Send)) -> io::Result<()> {
    if documents.texts.first().is_some_and(|text| text.starts_with(BYTE_ORDER_MARK)) {
        write!(out, "{BYTE_ORDER_MARK}")?;
    }
    documents.texts.iter().try_for_each(|text| writeln!(out, "{text}"))
}
