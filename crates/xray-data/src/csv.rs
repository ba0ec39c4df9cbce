//! The one writer of CSV (RFC 4180, with line feeds as line ends), and of other delimited records.
//!
//! It is here, and not beside the tables for people in `xray-report`, because files of any size are
//! written with it, too; those tables give their [records](csv_text) to it.

use std::borrow::Cow;
use std::io::{self, Write};

/// How cells of CSV files are written that a spreadsheet would take for formulas.
///
/// # Examples
/// ```
/// use xray_data::Cells;
/// assert_eq!(Cells::Safe.shown("=1+1"), "'=1+1");
/// assert_eq!(Cells::Safe.shown("-1.5"), "-1.5");
/// assert_eq!(Cells::AsTheyAre.shown("=1+1"), "=1+1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cells {
    /// As they are.
    #[default]
    AsTheyAre,
    /// With an apostrophe before them. Numbers are left as they are.
    Safe,
}

impl Cells {
    /// The cell as it is written.
    pub fn shown(self, cell: &str) -> Cow<'_, str> {
        let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        if self == Cells::Safe && formula && cell.parse::<f64>().is_err() {
            return Cow::Owned(format!("'{cell}"));
        }
        Cow::Borrowed(cell)
    }
}

/// Writes one record; fields that need quotes get them. A record that would be a blank line, which is no
/// record to readers, begins with a field in quotes.
///
/// # Errors
/// If the stream refuses.
///
/// # Examples
/// ```
/// let mut out = Vec::new();
/// xray_data::write_record(["a", "b, c", "say \"d\""], b',', &mut out)?;
/// xray_data::write_record([""], b',', &mut out)?;
/// assert_eq!(out, b"a,\"b, c\",\"say \"\"d\"\"\"\n\"\"\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_record<'a>(
    fields: impl IntoIterator<Item = &'a str, IntoIter: Clone>,
    delimiter: u8,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let fields = fields.into_iter();
    let blank = |field: &str| field.trim_ascii().is_empty();
    let open = delimiter.is_ascii_whitespace() || fields.clone().nth(1).is_none();
    let mut quoted = open && fields.clone().all(blank);
    for (k, field) in fields.enumerate() {
        if k > 0 {
            out.write_all(&[delimiter])?;
        }
        if quoted {
            write!(out, "\"{field}\"")?;
            quoted = false;
        } else {
            write_field(field, delimiter, out)?;
        }
    }
    out.write_all(b"\n")
}

/// Writes one field of a record, in quotes if it needs them.
///
/// # Errors
/// If the stream refuses.
pub fn write_field(field: &str, delimiter: u8, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let special = |byte: &u8| matches!(byte, b'"' | b'\n' | b'\r') || *byte == delimiter;
    if !field.as_bytes().iter().any(special) {
        return out.write_all(field.as_bytes());
    }
    write!(out, "\"{}\"", field.replace('"', "\"\""))
}

/// Records as the text of a CSV file.
///
/// # Examples
/// ```
/// use xray_data::{Cells, csv_text};
/// let records = [vec!["name", "number"], vec!["x, y", "1"]];
/// assert_eq!(csv_text(Cells::AsTheyAre, records), "name,number\n\"x, y\",1\n");
/// ```
pub fn csv_text<'a>(cells: Cells, records: impl IntoIterator<Item = Vec<&'a str>>) -> String {
    let mut out = Vec::new();
    for record in records {
        let record: Vec<Cow<'_, str>> = record.into_iter().map(|cell| cells.shown(cell)).collect();
        // Writing to memory cannot fail.
        let _ = write_record(record.iter().map(|cell| &**cell), b',', &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(fields: &[&str], delimiter: u8) -> String {
        let mut out = Vec::new();
        write_record(fields.iter().copied(), delimiter, &mut out).expect("memory");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn fields_are_quoted_where_they_need_it() {
        assert_eq!(written(&["a b", "c;d", "e\tf"], b','), "a b,c;d,e\tf\n");
        assert_eq!(
            written(&["a,b", "c\rd", "e\nf", "\""], b','),
            "\"a,b\",\"c\rd\",\"e\nf\",\"\"\"\"\n"
        );
        assert_eq!(written(&["a,b", "c\td"], b'\t'), "a,b\t\"c\td\"\n");
    }

    #[test]
    fn formulas_become_text() {
        let text = |cells| csv_text(cells, [vec!["=A1", "+x", "-x,y", "@", "\ty", "\rz", "a=b"]]);
        assert_eq!(text(Cells::Safe), "'=A1,'+x,\"'-x,y\",'@,'\ty,\"'\rz\",a=b\n");
        assert_eq!(text(Cells::AsTheyAre), "=A1,+x,\"-x,y\",@,\ty,\"\rz\",a=b\n");
        let numbers = vec!["-1", "+2.5", "-3e-7", ""];
        assert_eq!(csv_text(Cells::Safe, [numbers]), "-1,+2.5,-3e-7,\n");
    }

    #[test]
    fn no_record_is_a_blank_line() {
        assert_eq!(written(&[""], b','), "\"\"\n");
        assert_eq!(written(&[" ", ""], b'\t'), "\" \"\t\n");
        assert_eq!(written(&["", ""], b','), ",\n");
        assert_eq!(written(&["", "x"], b'\t'), "\tx\n");
    }
}
