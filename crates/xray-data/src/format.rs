//! The formats, and how they are told apart by their content.

use std::path::Path;

use crate::error::{Error, Malformed, Result};
use crate::read::{delimited, docword, lines::Lines, svmlight};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Matrix Market, coordinate or array.
    MatrixMarket,
    /// NumPy archive: a scipy sparse matrix, or arrays.
    Npz,
    /// One NumPy array.
    Npy,
    /// MATLAB version 5 to 7.2.
    Mat,
    /// svmlight or libsvm.
    Svmlight,
    /// UCI bag of words.
    Docword,
    /// Fields between commas (or semicolons).
    Csv,
    /// Fields between tabs.
    Tsv,
    /// Numbers between white space.
    Spaced,
    /// One JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// One document a line.
    Lines,
    /// A folder of .txt files.
    Folder,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 13] = [
        Format::MatrixMarket,
        Format::Npz,
        Format::Npy,
        Format::Mat,
        Format::Svmlight,
        Format::Docword,
        Format::Csv,
        Format::Tsv,
        Format::Spaced,
        Format::Jsonl,
        Format::Parquet,
        Format::Lines,
        Format::Folder,
    ];

    /// The name by which the format is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Format::MatrixMarket => "mtx",
            Format::Npz => "npz",
            Format::Npy => "npy",
            Format::Mat => "mat",
            Format::Svmlight => "svmlight",
            Format::Docword => "docword",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Spaced => "spaced",
            Format::Jsonl => "jsonl",
            Format::Parquet => "parquet",
            Format::Lines => "lines",
            Format::Folder => "folder",
        }
    }

    /// The format with this name.
    ///
    /// ```
    /// use xray_data::Format;
    /// assert_eq!(Format::from_name("MTX").ok(), Some(Format::MatrixMarket));
    /// assert!(Format::from_name("docx").unwrap_err().to_string().contains("mtx, npz"));
    /// ```
    ///
    /// # Errors
    /// If there is none; the message lists all.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            let allowed = format!("use one of {}", names.join(", "));
            Error::Parameter { name: "format", value: name.to_owned(), allowed }
        })
    }

    /// The format that a file name ends in, after `.gz` or `.zst` is taken off.
    ///
    /// ```
    /// use xray_data::Format;
    /// assert_eq!(Format::from_path("out/x.mtx.gz".as_ref()), Some(Format::MatrixMarket));
    /// assert_eq!(Format::from_path("docword.kos.txt".as_ref()), Some(Format::Docword));
    /// assert_eq!(Format::from_path("notes".as_ref()), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        if name.starts_with("docword.") {
            return Some(Format::Docword);
        }
        match name.rsplit_once('.')?.1 {
            "mtx" | "mm" => Some(Format::MatrixMarket),
            "npz" => Some(Format::Npz),
            "npy" => Some(Format::Npy),
            "mat" => Some(Format::Mat),
            "svm" | "svmlight" | "libsvm" => Some(Format::Svmlight),
            "docword" => Some(Format::Docword),
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "parquet" => Some(Format::Parquet),
            "txt" => Some(Format::Lines),
            _ => None,
        }
    }
}

/// Lines at the start that must all look like svmlight.
const SVMLIGHT_LINES: usize = 5;

/// What the content is; the name decides only between text formats that the content leaves open.
pub(crate) fn detect(name: &str, head: &[u8]) -> Result<Format> {
    if head.is_empty() {
        return Err(Malformed::damaged(name, "an empty file", "data").into());
    }
    if let Some(format) = by_signature(name, head)? {
        return Ok(format);
    }
    if memchr::memchr(0, head).is_some() {
        return Err(unknown(name, "binary data of no known format"));
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if text.trim_ascii().is_empty() {
        return Err(Malformed::damaged(name, "nothing but white space", "data").into());
    }
    if let Some((found, remedy)) = unreadable_text(text) {
        return Err(Malformed::new(name, found, "lines of text").remedy(remedy).into());
    }
    Ok(by_first_lines(text, Format::from_path(Path::new(name))))
}

fn by_signature(name: &str, head: &[u8]) -> Result<Option<Format>> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if text.len() >= 14 && text[..14].eq_ignore_ascii_case(b"%%MatrixMarket") {
        return Ok(Some(Format::MatrixMarket));
    }
    let mat = head.starts_with(b"MATLAB 5.0")
        || head.len() >= 128 && matches!(&head[124..128], [0, 1, b'I', b'M'] | [1, 0, b'M', b'I']);
    match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Ok(Some(Format::Npz)),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Ok(Some(Format::Npy)),
        [b'P', b'A', b'R', b'1', ..] => Ok(Some(Format::Parquet)),
        _ if head.starts_with(b"MATLAB 7.3") || head.starts_with(b"\x89HDF") => {
            Err(Malformed::new(name, "an HDF5 file (MATLAB 7.3)", "MATLAB version 5 to 7.2")
                .remedy("save it with save(..., '-v7')")
                .into())
        }
        _ if mat => Ok(Some(Format::Mat)),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err(Malformed::new(name, "UTF-16 text", "UTF-8 text")
                .remedy("convert it with iconv -f UTF-16 -t UTF-8")
                .into())
        }
        [0xfd, b'7', b'z', b'X', b'Z', ..] | [b'B', b'Z', b'h', ..] => {
            Err(unknown(name, "xz or bzip2 compression"))
        }
        _ => Ok(None),
    }
}

fn unknown(name: &str, found: &str) -> Error {
    let expected =
        "Matrix Market, .npz, .npy, .mat, Parquet, or text, plain or in gzip or Zstandard";
    Malformed::new(name, found, expected).remedy("convert it to one of these").into()
}

/// Text that looks as if it had lines but has none, and what to do about it.
fn unreadable_text(text: &[u8]) -> Option<(&'static str, &'static str)> {
    if let Some(rest) = text.trim_ascii_start().strip_prefix(b"[")
        && rest.trim_ascii_start().starts_with(b"{")
    {
        return Some(("a JSON list", "write one object a line, as with jq -c '.[]'"));
    }
    let old_mac =
        memchr::memchr(b'\n', text).is_none() && memchr::memchr_iter(b'\r', text).count() > 1;
    old_mac.then_some(("line ends without line feeds", "convert them with tr '\\r' '\\n'"))
}

fn by_first_lines(text: &[u8], named: Option<Format>) -> Format {
    let text_formats =
        [Format::Csv, Format::Tsv, Format::Jsonl, Format::Lines, Format::Docword, Format::Svmlight];
    let named = named.filter(|format| text_formats.contains(format));
    if text.trim_ascii_start().starts_with(b"{") {
        return Format::Jsonl;
    }
    if docword::looks_like_docword(text) {
        return Format::Docword;
    }
    if looks_like_svmlight(text) {
        return Format::Svmlight;
    }
    match named {
        Some(Format::Lines) | None => {}
        Some(format) => return format,
    }
    if delimited::looks_like_spaced_numbers(text) {
        return Format::Spaced;
    }
    if delimited::looks_delimited(text, b'\t') {
        return Format::Tsv;
    }
    let csv = delimited::looks_delimited(text, b',') || delimited::looks_delimited(text, b';');
    if named.is_none() && csv { Format::Csv } else { Format::Lines }
}

fn looks_like_svmlight(text: &[u8]) -> bool {
    let mut lines = Lines::of_bytes("", text);
    let mut rows = 0;
    while let Ok(Some(line)) = lines.next_line() {
        if line.is_blank() || line.bytes.starts_with(b"#") {
            continue;
        }
        if !svmlight::looks_like_row(line) {
            // A row may be empty, but the first may not: it could be anything.
            return false;
        }
        rows += 1;
        if rows == SVMLIGHT_LINES {
            break;
        }
    }
    rows > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let cases: [(&str, &str, Format); 14] = [
            ("x", "%%MatrixMarket matrix coordinate real general\n", Format::MatrixMarket),
            ("x", "{\"text\": \"a, b\"}\n", Format::Jsonl),
            ("x", "2\n2\n1\n1 2 3\n", Format::Docword),
            ("x.txt", "1 2:3 4:5\n-1 1:1\n", Format::Svmlight),
            ("x", "a,b\nc,d\n", Format::Csv),
            ("x", "a;b\nc;d\n", Format::Csv),
            ("x", "a\tb\nc\td\n", Format::Tsv),
            ("x.tsv", "text\nhello\n", Format::Tsv),
            ("x.csv.gz", "text\nhello\n", Format::Csv),
            ("x", "1 2 3\n4 5 6\n", Format::Spaced),
            ("x.txt", "1 2 3\n4 5 6\n", Format::Spaced),
            ("x.txt", "One, two.\nThree, four.\n", Format::Lines),
            ("x", "Some words\nand more, here\n", Format::Lines),
            ("x.mtx", "just words\n", Format::Lines),
        ];
        for (name, content, format) in cases {
            assert_eq!(detect(name, content.as_bytes()).expect("known"), format, "{content:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (content, word) in [
            (&b""[..], "empty"),
            (b" \n\n", "white space"),
            (b"a\0b", "binary"),
            (b"\x89HDF\r\n", "HDF5"),
            (b"\xff\xfea\0", "UTF-16"),
            (b"BZh91AY", "bzip2"),
            (b" [\n {\"text\": 1}]", "jq -c"),
            (b"a,b\rc,d\re,f", "tr '\\r' '\\n'"),
        ] {
            let message = detect("x", content).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
    }
}
