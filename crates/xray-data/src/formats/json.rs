//! A JSON list of objects; see [`objects`](super::objects) for what they may hold.
//!
//! It is read as a stream, an object at a time, however many lines that has. What is written is JSON Lines.

use std::io::BufRead;

use super::objects::{Fields, Objects};
use super::{Format, Parsed, Reader, Told};
use crate::error::{Error, Malformed, Result, io_error, quoted};
use crate::options::LoadOptions;
use crate::read::bad::BadRecords;
use crate::read::lines::Line;
use crate::schema::Layout;
use crate::source::Source;

pub(crate) static FORMAT: Format = Format {
    name: "json",
    words: "a JSON list of objects",
    endings: &["json"],
    beginning: None,
    told: Told::Content(is_list),
    has_columns: true,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: None,
    names_beside: None,
    decide: Some(decide),
    is_zero_based: None,
};

fn is_list(head: &[u8]) -> bool {
    let within = head.trim_ascii_start().strip_prefix(b"[").map(<[u8]>::trim_ascii_start);
    within.is_some_and(|within| within.starts_with(b"{") || within.starts_with(b"]"))
}

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let mut items = Items::new(source, options.limits.line_bytes);
    let mut objects = Objects::new(&items.file, options);
    let mut bad = BadRecords::new(options);
    while let Some(item) = items.next()? {
        let added = objects.add(item);
        bad.judge(added.map_err(|error| items.with_record(error)))?;
    }
    Ok(Parsed { noticed: bad.into_noticed(), ..objects.finish()? })
}

/// The fields of the first object.
fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    for source in sources {
        let mut items = Items::new(source?, options.limits.line_bytes);
        if let Some(item) = items.next()? {
            let fields = Fields::of(item, options);
            return fields.map(Fields::into_layout).map_err(|error| items.with_record(error));
        }
    }
    Ok(Layout::default())
}

/// The items of a list, as they stand in the file.
struct Items {
    file: String,
    reader: Box<dyn BufRead + Send>,
    longest: usize,
    /// The line of the next byte, and the number of items so far.
    line: u64,
    record: u64,
    item: Vec<u8>,
}

impl Items {
    fn new(source: Source, longest: usize) -> Self {
        let file = source.name.clone();
        let reader = source.into_reader();
        Self { file, reader, longest, line: 1, record: 0, item: Vec::new() }
    }

    /// The next item with the line that it begins on; none after the last.
    fn next(&mut self) -> Result<Option<Line<'_>>> {
        let expected = if self.record == 0 { "[" } else { ", or ]" };
        match (self.visible()?, self.record) {
            (Some(b'['), 0) => match self.visible()? {
                Some(b']') => return self.end(),
                first => self.collect(first)?,
            },
            (Some(b','), 1..) => {
                let first = self.visible()?;
                self.collect(first)?;
            }
            (Some(b']'), 1..) => return self.end(),
            (found, _) => return Err(self.error(found, expected)),
        };
        self.record += 1;
        let number = self.line - memchr::memchr_iter(b'\n', &self.item).count() as u64;
        Ok(Some(Line { file: &self.file, number, bytes: &self.item }))
    }

    /// Reads the item that begins with this byte: up to the end of its last bracket or string.
    fn collect(&mut self, first: Option<u8>) -> Result<()> {
        let Some(first) = first.filter(|byte| matches!(byte, b'{' | b'[' | b'"')) else {
            return Err(self.error(first, "an object"));
        };
        self.item.clear();
        self.item.push(first);
        let (mut depth, mut in_string, mut escaped) =
            (usize::from(first != b'"'), first == b'"', false);
        while depth > 0 || in_string {
            let Some(byte) = self.byte()? else {
                return Err(self.error(None, "the end of the object"));
            };
            self.item.push(byte);
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            if self.item.len() > self.longest {
                let found = format!("a record of more than {} bytes", self.longest);
                let remedy = "check its brackets and quotes, or raise --memory, which limits them";
                let error = Malformed::new(&self.file, found, "shorter ones").at_line(self.line);
                return Err(error.remedy(remedy).into());
            }
        }
        Ok(())
    }

    /// Nothing may follow a list.
    fn end(&mut self) -> Result<Option<Line<'_>>> {
        match self.visible()? {
            None => Ok(None),
            found => Err(self.error(found, "nothing after the list")),
        }
    }

    /// The next byte that is no white space.
    fn visible(&mut self) -> Result<Option<u8>> {
        loop {
            match self.byte()? {
                Some(byte) if byte.is_ascii_whitespace() => {}
                // A byte-order mark.
                Some(0xef | 0xbb | 0xbf) if self.record == 0 => {}
                found => return Ok(found),
            }
        }
    }

    fn byte(&mut self) -> Result<Option<u8>> {
        let buffer = self.reader.fill_buf().map_err(|e| io_error(&self.file, "read", e))?;
        let Some(&byte) = buffer.first() else { return Ok(None) };
        self.reader.consume(1);
        self.line += u64::from(byte == b'\n');
        Ok(Some(byte))
    }

    fn error(&self, found: Option<u8>, expected: &str) -> Error {
        let place = format!("{expected}, after record {}", self.record);
        let expected = if self.record == 0 { expected.to_owned() } else { place };
        let error = match found {
            Some(byte) => Malformed::new(&self.file, quoted(&[byte]), expected),
            None => Malformed::damaged(&self.file, "the end of the file", expected),
        };
        error.at_line(self.line).into()
    }

    /// Says which record an error is about.
    fn with_record(&self, error: Error) -> Error {
        match error {
            Error::Malformed(mut error) => {
                error.found += &format!(" in record {}", self.record);
                Error::Malformed(error)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;
    use crate::table::Documents;

    fn parse(content: &str, options: &LoadOptions) -> Result<Documents> {
        let input = Input::Bytes { name: "test.json".into(), bytes: content.into() };
        let read = read(Source::open(&input, options)?, options)?;
        Ok(read.loaded.into_documents().expect("texts"))
    }

    #[test]
    fn items_may_have_any_shape() {
        let content = "\u{feff} [\n  {\"id\": 1, \"text\": \"a ] } \\\" [ b\"},{\"text\": \"c\",\n \"id\": [\"x\", {}]}\n]\n\n";
        let documents = parse(content, &LoadOptions::default()).expect("valid");
        assert_eq!(documents.texts, ["a ] } \" [ b", "c"]);
        assert_eq!(documents.ids, ["1", "x"]);
        assert!(parse("[]", &LoadOptions::default()).expect("valid").is_empty());
    }

    #[test]
    fn errors_say_line_and_record() {
        let message =
            |content: &str| parse(content, &LoadOptions::default()).unwrap_err().to_string();
        for (content, start, words) in [
            (
                "[{\"text\": \"a\"},\n{\"text\": 3}]",
                "test.json:2:",
                "a number in field \"text\" in record 2",
            ),
            ("[{\"text\": \"a\"},\n{\"text\":\n \"b\", }]", "test.json:3:", "in record 2"),
            (
                "[{\"text\": \"a\"}\n{\"text\": \"b\"}]",
                "test.json:2:",
                "expected , or ], after record 1",
            ),
            ("[{\"text\": \"a\"},\n5]", "test.json:2:", "expected an object, after record 1"),
            ("[{\"text\": \"a\"},\n{\"text\": \"b", "test.json:2:", "cut off or damaged"),
            ("[{\"text\": \"a\"}] x", "test.json:1:", "nothing after the list"),
            ("[{\"text\": \"a\"}, [1]]", "test.json:1:", "one JSON object"),
            ("{\"text\": \"a\"}", "test.json:1:", "expected ["),
        ] {
            let told = message(content);
            assert!(told.starts_with(start) && told.contains(words), "{told}");
        }
    }

    #[test]
    fn endless_items_are_refused() {
        let mut options = LoadOptions::default();
        options.limits.line_bytes = 100;
        let told = parse(&format!("[{{\"text\": \"{}", "a".repeat(200)), &options).unwrap_err();
        assert!(told.to_string().contains("more than 100 bytes"), "{told}");
    }
}
