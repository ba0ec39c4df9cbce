//! CSV, TSV and numbers between white space: a table of numbers, or a column of text.
//!
//! What is not said is guessed from the first records: whether they hold numbers or text, whether
//! the first one is a header, and which columns hold names, classes and texts.

mod header;
mod numbers;
mod sample;
mod texts;
pub(super) mod write;

use self::numbers::NumberLayout;
use self::sample::{Sample, has_decimal_comma, is_number};
use self::texts::TextLayout;
use super::Parsed;
use crate::error::Result;
use crate::options::LoadOptions;
use crate::read::lines::Lines;
use crate::read::records::{Dialect, Quoting, Records};
use crate::schema::Layout;
use crate::source::Source;

/// Reads records with the delimiter that was asked for or that the format has, otherwise with comma or
/// semicolon.
pub(super) fn read(mut source: Source, usual: Option<u8>, options: &LoadOptions) -> Result<Parsed> {
    let decided = options.layout.as_ref().and_then(|layout| layout.delimiter);
    let delimiter = decided.or(options.delimiter).or(usual);
    let delimiter = delimiter.unwrap_or_else(|| comma_or_semicolon(source.start()));
    let dialect = dialect(delimiter, options.quoting);
    let sample = Sample::of(&mut source, dialect)?;
    let name = source.name.clone();
    let longest = options.limits.line_bytes;
    let records = Records::new(Lines::new(source, longest), dialect, longest);
    let (read, layout): (Parsed, Layout) = match NumberLayout::choose(&name, &sample, options)? {
        Some(layout) => {
            let decided = layout.decided(&sample);
            (layout.read(records, options)?, decided)
        }
        None => {
            let layout = TextLayout::choose(&name, &sample, options)?;
            let decided = layout.decided(&sample);
            (layout.read(records, options)?, decided)
        }
    };
    Ok(Parsed { layout: Some(Layout { delimiter: Some(delimiter), ..layout }), ..read })
}

/// How records of several files are laid out; so many of the files are looked at as are needed for a sample.
pub(super) fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    usual: Option<u8>,
    options: &LoadOptions,
) -> Result<Layout> {
    let Some(mut first) = sources.next().transpose()? else { return Ok(Layout::default()) };
    let delimiter = options.delimiter.or(usual);
    let delimiter = delimiter.unwrap_or_else(|| comma_or_semicolon(first.start()));
    let dialect = dialect(delimiter, options.quoting);
    let mut sample = Sample::of(&mut first, dialect)?;
    while !sample.is_full()
        && let Some(mut source) = sources.next().transpose()?
    {
        sample.extend(Sample::of(&mut source, dialect)?);
    }
    let layout = match NumberLayout::choose(&first.name, &sample, options)? {
        Some(numbers) => numbers.decided(&sample),
        None => TextLayout::choose(&first.name, &sample, options)?.decided(&sample),
    };
    Ok(Layout { delimiter: Some(delimiter), ..layout })
}

fn dialect(delimiter: u8, quoting: Option<bool>) -> Dialect {
    let quoting = match (quoting, delimiter) {
        (Some(true), _) => Quoting::Fields,
        (Some(false), _) | (None, b' ') => Quoting::None,
        (None, b'\t') => Quoting::SameLine,
        (None, _) => Quoting::Fields,
    };
    Dialect { delimiter, quoting }
}

/// The delimiter of the first line: whichever occurs more often outside quotes. Semicolons between numbers
/// with decimal commas, of which there are as many or more, are the delimiter all the same.
fn comma_or_semicolon(head: &[u8]) -> u8 {
    let end = memchr::memchr(b'\n', head).unwrap_or(head.len());
    let fields: Vec<&[u8]> = head[..end].split(|&byte| byte == b';').collect();
    let number = |field: &&[u8]| is_number(field) || has_decimal_comma(field);
    if fields.len() > 1 && fields.iter().all(number) {
        return b';';
    }
    let outside = || head[..end].split(|&byte| byte == b'"').step_by(2).flatten();
    let count = |wanted: u8| outside().filter(|&&byte| byte == wanted).count();
    if count(b';') > count(b',') { b';' } else { b',' }
}

/// Whether the first records have the same number of fields, more than one, with this delimiter.
pub(super) fn looks_delimited(head: &[u8], delimiter: u8) -> bool {
    let Ok(sample) = Sample::take("", head, true, dialect(delimiter, None)) else { return false };
    let n = sample.first().len();
    n > 1 && sample.records.iter().all(|record| record.len() == n)
}

/// Whether the first lines hold nothing but numbers between white space, and none is missing between tabs.
pub(super) fn looks_like_spaced_numbers(head: &[u8]) -> bool {
    all_numbers(head) && !has_gaps_between_tabs(head)
}

/// Whether the first lines hold numbers between tabs, some of which are missing: read by white space the others
/// would move up.
pub(super) fn looks_like_numbers_with_gaps(head: &[u8]) -> bool {
    has_gaps_between_tabs(head) && all_numbers(head)
}

fn all_numbers(head: &[u8]) -> bool {
    match Sample::take("", head, true, dialect(b' ', None)) {
        Ok(sample) => sample.records.iter().flatten().all(|field| is_number(field)),
        Err(_) => false,
    }
}

/// Whether tabs alone separate fields and some are empty. A tab at the end of every line, as loops write it, is not
/// followed by a field.
fn has_gaps_between_tabs(head: &[u8]) -> bool {
    if memchr::memchr(b'\t', head).is_none() || memchr::memchr(b' ', head).is_some() {
        return false;
    }
    let (lines, cut) = match memchr::memrchr(b'\n', head) {
        Some(end) => (&head[..end], &head[end + 1..]),
        None => (&head[..0], head),
    };
    let without_end = |line: &[u8]| line.len() - usize::from(line.ends_with(b"\r"));
    let lines = lines.split(|&byte| byte == b'\n').map(|line| &line[..without_end(line)]);
    let lines = lines.filter(|line| !line.trim_ascii().is_empty());
    let closed = lines.clone().all(|line| line.ends_with(b"\t"));
    let whole = lines.map(|line| if closed { &line[..line.len() - 1] } else { line });
    // The last line may go on beyond what is looked at.
    let cut = cut.strip_suffix(b"\t").unwrap_or(cut);
    let gap = |line: &[u8]| {
        line.starts_with(b"\t") || line.ends_with(b"\t") || line.windows(2).any(|w| w == b"\t\t")
    };
    whole.chain([cut]).any(gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;
    use crate::table::{Loaded, Table};

    fn parse(content: &str, options: &LoadOptions) -> Result<Loaded> {
        let input = Input::Bytes { name: "test".into(), bytes: content.into() };
        Ok(read(Source::open(&input, options)?, None, options)?.loaded)
    }

    fn table(content: &str) -> Table {
        let loaded = parse(content, &LoadOptions::default()).expect("valid");
        loaded.into_table().expect("numbers")
    }

    fn strings(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn numbers_with_and_without_names() {
        let plain = table("1,2\n3,4\n5,6\n");
        assert_eq!((plain.matrix.n_rows(), plain.matrix.n_columns()), (3, 2));
        assert_eq!((plain.row_names, plain.column_names), (None, None));
        let header = table("a,b\n3,4\n5,6\n");
        assert_eq!((header.row_names, header.column_names), (None, strings(&["a", "b"])));
        let both = table("name,a,b\nx,3,4\ny,5,6\n");
        assert_eq!(
            (both.row_names, both.column_names),
            (strings(&["x", "y"]), strings(&["a", "b"]))
        );
        let pandas = table(",a,b\n0,3,4\n1,5,6\n");
        assert_eq!(pandas.row_names, strings(&["0", "1"]));
        let rows = table("x;3;4\ny;5;6\n");
        assert_eq!((rows.row_names, rows.column_names), (strings(&["x", "y"]), None));
    }

    #[test]
    fn text_columns_by_name_number_or_guess() {
        let content = "label,text\nred,\"one, two\"\nblue,three\n";
        let documents = |options: &LoadOptions, content: &str| {
            parse(content, options).expect("valid").into_documents().expect("text")
        };
        let guessed = documents(&LoadOptions::default(), content);
        assert_eq!(guessed.texts, ["one, two", "three"]);
        assert_eq!(guessed.labels, strings(&["red", "blue"]));
        assert_eq!(guessed.ids, ["1", "2"]);
        let by_number =
            LoadOptions { text: vec![crate::ColumnChoice::Position(1)], ..LoadOptions::default() };
        let headless = documents(&by_number, "p1,A longer text here\np2,And another one\n");
        assert_eq!(headless.texts, ["A longer text here", "And another one"]);
    }

    #[test]
    fn columns_of_numbers_may_be_classes_or_names() {
        let content = "width,length,species\n1,2,setosa\n3,4,virginica\n";
        let labelled = |content: &str, label: &str, id: Option<&str>| {
            let (label, id) = (Some(label.into()), id.map(Into::into));
            let options = LoadOptions { label, id, ..LoadOptions::default() };
            parse(content, &options).expect("valid").into_table().expect("numbers")
        };
        let iris = labelled(content, "species", None);
        assert_eq!(iris.labels, strings(&["setosa", "virginica"]));
        assert_eq!(iris.column_names, strings(&["width", "length"]));
        let both = labelled("y,a,b,n\n0,1,2,7\n1,3,4,8\n", "y", Some("n"));
        assert_eq!((both.labels, both.row_names), (strings(&["0", "1"]), strings(&["7", "8"])));
        assert_eq!((both.matrix.n_columns(), both.column_names), (2, strings(&["a", "b"])));
        // Words that are classes are no numbers; numbers under a usual name may be variables.
        let guessed = table("a,b,Class\n1,2,x\n3,4,y\n");
        assert_eq!((guessed.matrix.n_columns(), guessed.labels), (2, strings(&["x", "y"])));
        assert_eq!(table("a,b,class\n1,2,0\n3,4,1\n").matrix.n_columns(), 3);
        let numbered = table("id,a,b\n1001,0.5,2\n1002,3,4\n");
        assert_eq!(
            (numbered.matrix.n_columns(), numbered.row_names),
            (2, strings(&["1001", "1002"]))
        );
        // Numbers that repeat, or have fractions, name nothing.
        assert_eq!(table("a,key\n1,7\n3,7\n").matrix.n_columns(), 2);
        assert_eq!(table("a,key\n1,7.5\n3,8.5\n").matrix.n_columns(), 2);
        let options = LoadOptions { label: Some("kind".into()), ..LoadOptions::default() };
        let missing = parse(content, &options).map(|_| ()).unwrap_err().to_string();
        assert!(missing.contains("no column \"kind\""), "{missing}");
        assert!(missing.contains("there are: width, length, species"), "{missing}");
    }

    #[test]
    fn sentences_are_texts_and_not_names_of_rows() {
        let documents = |content: &str| {
            let loaded = parse(content, &LoadOptions::default()).expect("valid");
            loaded.into_documents().expect("text")
        };
        let found = documents("text,label\ngood film,1\nbad film,0\n");
        assert_eq!((found.len(), found.labels), (2, strings(&["1", "0"])));
        let found = documents("a longer text of six words,1\nand another one of six words,0\n");
        assert_eq!(found.len(), 2);
        let found = documents(",Tweet text,Label\n0,hello world,a\n1,good day,b\n");
        assert_eq!((found.texts.len(), found.labels), (2, strings(&["a", "b"])));
        assert_eq!(found.texts[0], "hello world");
        let named = table("document,red,green\nNew York,1,2\nParis,3,4\n");
        assert_eq!(named.row_names, strings(&["New York", "Paris"]));
    }

    #[test]
    fn what_is_said_of_the_header_counts() {
        let said = |header| LoadOptions { header: Some(header), ..LoadOptions::default() };
        let mixed = parse("1,b\n3,4\n", &said(true)).expect("valid").into_table();
        assert_eq!(mixed.expect("numbers").column_names, strings(&["1", "b"]));
        let twice = parse("text,text\nhello world,more\n", &said(false)).expect("valid");
        assert_eq!(twice.into_documents().expect("text").len(), 2);
        assert!(parse("text,text\nhello world,more\n", &said(true)).is_err());
        assert!(parse("text,text\nhello world,more\n", &LoadOptions::default()).is_err());
        // Two columns are enough for names of rows.
        let cities = table("who,n\nNew York,1\nLos Angeles,2\n");
        assert_eq!(cities.row_names, strings(&["New York", "Los Angeles"]));
    }

    #[test]
    fn several_files_have_the_columns_of_the_first() {
        let options = LoadOptions::default();
        let open = |content: &str| {
            Source::open(&Input::Bytes { name: "x".into(), bytes: content.into() }, &options)
        };
        // Without a name over the names of rows.
        let files = ["a,b\nx,1,2\ny,3,4\n", "a,b\nz,5,6\n"];
        let layout = decide(&mut files.map(open).into_iter(), None, &options).expect("alike");
        assert_eq!((layout.n_fields, &layout.numbers), (Some(3), &strings(&["a", "b"])));
        let later = LoadOptions { layout: Some(layout), ..LoadOptions::default() };
        let found = parse(files[1], &later).expect("valid").into_table().expect("numbers");
        assert_eq!((found.row_names, found.column_names), (strings(&["z"]), strings(&["a", "b"])));
        assert!(parse("a,c\nz,5,6\n", &later).is_err());

        let files = ["1,2\n3,4\n", "5,6\n"];
        let layout = decide(&mut files.map(open).into_iter(), None, &options).expect("alike");
        assert_eq!((layout.n_fields, layout.header, &layout.numbers), (Some(2), false, &None));
    }

    #[test]
    fn machines_share_documents_by_their_places() {
        let content = format!("id,text\n{}", "x,some words\n".repeat(4_097));
        let kept = [0, 1].map(|part| {
            let share = Some(crate::Share { part, parts: 2 });
            let options = LoadOptions { share, ..LoadOptions::default() };
            parse(&content, &options).expect("valid").into_documents().expect("text").len()
        });
        assert_eq!(kept, [4_096, 1]);
    }

    #[test]
    fn a_long_first_text_does_not_hide_that_there_is_a_header() {
        let long = "many words\n".repeat(1 << 14);
        let content = format!("who,said\nme,\"{long}\"\nyou,less\n");
        let documents = parse(&content, &LoadOptions::default()).expect("valid").into_documents();
        assert_eq!(documents.expect("text").len(), 2);
    }

    #[test]
    fn numbers_that_are_missing_between_tabs_are_told() {
        for (content, gaps) in [
            ("1\t\t3\n4\t5\t\n\t8\t9\n", true),
            ("1\t2\t3\r\n4\t5\t\r\n7\t8\t9\r\n", true),
            ("1\t2\n\t3\n", true),
            ("1\t2\n4\t\t5", true),
            ("1\t2\n3\t4\n", false),
            // The last line may be cut; and loops write a tab after every number.
            ("1\t2\t3\n4\t5\t", false),
            ("1\t2\t\n3\t4\t\n", false),
            ("1\t2\t\r\n3\t4\t\r\n5\t", false),
            ("1\t2\t\n3\t\t\n", true),
            // Columns that are aligned.
            (" 1  2\n30 40\n", false),
            ("1\t\t 2\n30\t 40\n", false),
            ("1 2\n\n3 4\n", false),
            ("5\n\n6\n", false),
        ] {
            assert_eq!(looks_like_numbers_with_gaps(content.as_bytes()), gaps, "{content:?}");
            assert_eq!(looks_like_spaced_numbers(content.as_bytes()), !gaps, "{content:?}");
        }
        assert!(!looks_like_numbers_with_gaps(b"a\t\tb\n"));
    }

    #[test]
    fn windows_files_read_the_same() {
        let content = "\u{feff}id,text\r\n1,\"two\r\nlines\"\r\n2,plain\r\n";
        let loaded = parse(content, &LoadOptions::default()).expect("valid");
        let documents = loaded.into_documents().expect("text");
        assert_eq!(
            (&documents.ids[..], &documents.texts[0][..]),
            (&["1".into(), "2".into()][..], "two\r\nlines")
        );
        let numbers = table("\u{feff}a,b\r\n3,4\r\n5,6\r\n");
        assert_eq!(numbers.column_names, strings(&["a", "b"]));
    }

    #[test]
    fn delimiters_within_quotes_do_not_count() {
        let content = "\"a, b, c\";text\n\"1, 2, 3\";one two\n";
        let loaded = parse(content, &LoadOptions::default()).expect("valid");
        assert_eq!(loaded.into_documents().expect("text").texts, ["one two"]);
    }

    #[test]
    fn one_record_under_a_header_is_enough() {
        assert_eq!(table("a,b\n3,4\n").column_names, strings(&["a", "b"]));
        let loaded = parse("id,text\nx,hello\n", &LoadOptions::default());
        assert_eq!(loaded.expect("valid").into_documents().expect("text").ids, ["x"]);
    }

    #[test]
    fn errors_say_where() {
        let message = |content: &str| {
            let options = LoadOptions::default();
            parse(content, &options).map(|_| ()).unwrap_err().to_string()
        };
        assert_eq!(
            message("1,2\n3\n5,6\n"),
            "test:2: found 1 field, expected 2, as on the lines before; check delimiter and quotes; or leave out such \
             records with `skip_bad_records`"
        );
        assert!(message("1,2\n3,\n").starts_with("test:2:3: found an empty field"));
        assert!(message("1,2\n3,4\nnan,4\n5,6\n").starts_with("test:3:1"));
        for missing in ["NA,2,3\n4,5,6\n7,8,9\n", "1,NaN,3\n4,5,6\n", "1,2,null\n4,5,6\n7,8,9\n"] {
            let told = message(missing);
            assert!(told.starts_with("test:1:") && told.contains("missing"), "{told}");
        }
        assert!(message("a,b\n1,NA\n2,NA\n3,NA\n").starts_with("test:2:3: found \"NA\""));
        let mixed = message("1,2,x\n4,5,6\n7,8,9\n");
        assert!(mixed.starts_with("test:1:3: found \"x\" beside numbers"), "{mixed}");
        assert!(mixed.contains("`header`"), "{mixed}");
        for commas in
            ["a;b;c\n1,5;2,5;3,5\n", "1,5;2,5\n3;4\n", "a;b\n1,5;2\n3;4\n", "1,5;2\n3;4\n"]
        {
            let told = message(commas);
            assert!(told.contains("found \"1,5\"") && told.contains("a point"), "{told}");
        }
        let options = LoadOptions { text: vec!["body".into()], ..LoadOptions::default() };
        let missing = parse("a,b\nc,d\n", &options).map(|_| ()).unwrap_err();
        assert!(missing.to_string().contains("there are: a, b"));
    }
}
