//! One document a line. Blank lines are no documents; ids are line numbers.

use super::lines::Lines;
use crate::error::Result;
use crate::options::LoadOptions;
use crate::source::Source;
use crate::table::Documents;

pub(crate) fn read(source: Source, options: &LoadOptions) -> Result<Documents> {
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut documents = Documents::default();
    let mut n_read = 0;
    while let Some(line) = lines.next_line()? {
        if line.is_blank() {
            continue;
        }
        n_read += 1;
        if options.keeps_document(n_read - 1) {
            documents.ids.push(line.number.to_string());
            documents.texts.push(line.text_or_replaced(options.replace_invalid_utf8)?);
        }
    }
    Ok(documents)
}
