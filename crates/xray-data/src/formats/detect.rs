//! What a file is, by its content; by its name where the content leaves it open.

use std::path::Path;

use super::{FORMATS, Format, Told, plain};
use crate::error::{Malformed, Result, quoted};

/// What the content is; the name decides only between text formats that the content leaves open.
pub(crate) fn detect(name: &str, head: &[u8]) -> Result<&'static Format> {
    if head.is_empty() {
        return Err(Malformed::damaged(name, "an empty file", "data").into());
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if let Some(format) = signed(text) {
        return Ok(format);
    }
    if let Some((found, expected, remedy)) = unreadable_signature(head) {
        return Err(Malformed::new(name, found, expected).remedy(remedy).into());
    }
    if memchr::memchr(0, head).is_some() {
        let expected = format!("one of {}", Format::names(|_| true));
        return Err(Malformed::new(name, "binary data of no known format", expected)
            .remedy("convert it to one of these")
            .into());
    }
    if text.trim_ascii().is_empty() {
        return Err(Malformed::damaged(name, "nothing but white space", "data").into());
    }
    if let Some((found, remedy)) = unreadable_text(text) {
        return Err(Malformed::new(name, found, "lines of text").remedy(remedy).into());
    }
    let named = Format::from_path(Path::new(name));
    if let Some(promised) = named.filter(|format| matches!(format.told, Told::Signature(_))) {
        let begin = text.trim_ascii_start();
        let line = begin.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let found = format!("text that begins with {}", quoted(line.trim_ascii_end()));
        return Err(Malformed::new(name, found, format!("{}, as its name says", promised.words))
            .remedy("fetch or write it again, or say what it is with `format`")
            .into());
    }
    Ok(by_lines(text, named))
}

/// The format whose first bytes nothing else has.
fn signed(text: &[u8]) -> Option<&'static Format> {
    let mut formats = FORMATS.into_iter();
    formats.find(|format| matches!(format.told, Told::Signature(test) if test(text)))
}

/// Whether first bytes tell what it is: then it is no text of another character set.
pub(crate) fn is_signed(head: &[u8]) -> bool {
    signed(head).is_some() || unreadable_signature(head).is_some()
}

/// Signatures of what cannot be read, with what is expected and what to do about it.
fn unreadable_signature(head: &[u8]) -> Option<(&'static str, &'static str, &'static str)> {
    match head {
        _ if head.starts_with(b"MATLAB 7.3") || head.starts_with(b"\x89HDF") => Some((
            "an HDF5 file (MATLAB 7.3)",
            "MATLAB version 5 to 7.2",
            "save it with save(..., '-v7')",
        )),
        _ => None,
    }
}

/// Text that looks as if it had lines but has none, and what to do about it.
fn unreadable_text(text: &[u8]) -> Option<(&'static str, &'static str)> {
    let old_mac =
        memchr::memchr(b'\n', text).is_none() && memchr::memchr_iter(b'\r', text).count() > 1;
    old_mac.then_some(("line ends without line feeds", "convert them with tr '\\r' '\\n'"))
}

/// What lines of text are. A name counts where the content leaves it open; one that says no more than
/// "text" rules out what prose might look like.
fn by_lines(text: &[u8], named: Option<&'static Format>) -> &'static Format {
    let find = |fits: fn(&Told, &[u8]) -> bool| {
        FORMATS.into_iter().find(|format| fits(&format.told, text))
    };
    let telling = named.filter(|format| !matches!(format.told, Told::Otherwise));
    let fits = |told: &Told, text: &[u8]| matches!(told, Told::Content(test) if test(text));
    // Of several that fit, the one that the name tells.
    named
        .filter(|format| fits(&format.told, text))
        .or_else(|| find(|told, text| matches!(told, Told::Content(test) if test(text))))
        .or(telling)
        .or_else(|| find(|told, text| matches!(told, Told::Guess(test) if test(text))))
        .or(named)
        .or_else(|| find(|told, text| matches!(told, Told::LastGuess(test) if test(text))))
        .or_else(|| find(|told, _| matches!(told, Told::Otherwise)))
        .unwrap_or(&plain::FORMAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        let cases: [(&str, &str, &str); 26] = [
            ("x", "%%MatrixMarket matrix coordinate real general\n", "mtx"),
            ("x", "{\"text\": \"a, b\"}\n", "jsonl"),
            ("x", "[\n {\"text\": \"a\"}]\n", "json"),
            ("x.json", "{\"text\": \"a\"}\n", "jsonl"),
            ("x", "2\n2\n1\n1 2 3\n", "docword"),
            ("x.txt", "1 2:3 4:5\n-1 1:1\n", "svmlight"),
            ("ap.dat", "3 0:1 5:2 3:1\n1 0:1\n", "ldac"),
            ("x.svm", "3 1:1 5:2 7:1\n1 2:1\n", "svmlight"),
            ("x", "a,b\nc,d\n", "csv"),
            ("x", "a;b\nc;d\n", "csv"),
            ("x", "a\tb\nc\td\n", "tsv"),
            ("x.tsv", "text\nhello\n", "tsv"),
            ("x.csv.gz", "text\nhello\n", "csv"),
            ("x", "1 2 3\n4 5 6\n", "spaced"),
            ("x.txt", "1 2 3\n4 5 6\n", "spaced"),
            ("x.txt", "One, two.\nThree, four.\n", "lines"),
            ("x", "Some words\nand more, here\n", "lines"),
            ("x", "one\ntwo\nthree\nfour five six\n", "lines"),
            ("x", "2\n2\n1\n1 2\n", "spaced"),
            ("x", "# a comment\n\n1 2:3 4:5\n-1 1:1\n", "svmlight"),
            ("x", "# a comment\n", "lines"),
            ("x", "1 2:3 4:5\nwords\n", "lines"),
            ("x", "1 0:5\nwords\n", "lines"),
            ("x", "words", "lines"),
            ("x", "words\r", "lines"),
            ("x", "[1, 2]\n", "csv"),
        ];
        for (name, content, format) in cases {
            assert_eq!(
                detect(name, content.as_bytes()).expect("known").name,
                format,
                "{content:?}"
            );
        }
    }

    #[test]
    fn first_bytes_tell_what_is_no_text() {
        let marked =
            |head: &[u8], mark: &[u8]| [head, &vec![b' '; 124 - head.len()], mark].concat();
        for (head, format) in [
            (b"\x93NUMPY\x01\0".to_vec(), Some("npy")),
            (b"PK\x03\x04".to_vec(), Some("npz")),
            ([&b"PK\x03\x04"[..], &[0; 26], b"xl/workbook.xml"].concat(), Some("xlsx")),
            ([&[0; 30][..], b"xl/workbook.xml"].concat(), None),
            (b"MATLAB 5.0 MAT-file".to_vec(), Some("mat")),
            (marked(b"written by somebody", b"\0\x01IM"), Some("mat")),
            (marked(b"written by somebody", b"\x01\0MI"), Some("mat")),
            (marked(b"written by somebody", b"    "), None),
            (b"PAR1".to_vec(), Some("parquet")),
            (b"words".to_vec(), None),
        ] {
            assert_eq!(signed(&head).map(|found| found.name), format, "{head:?}");
            assert_eq!(is_signed(&head), format.is_some(), "{head:?}");
        }
        // What cannot be read has a signature, too.
        for head in [b"\x89HDF\r\n".to_vec(), marked(b"MATLAB 7.3 MAT-file", b"\0\x02IM")] {
            assert!(signed(&head).is_none() && is_signed(&head));
        }
        assert!(signed(&marked(b"MATLAB 7.3 MAT-file", b"\0\x01IM")).is_none());
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (content, word) in [
            (&b""[..], "empty"),
            (b" \n\n", "white space"),
            (b"a\0b", "binary"),
            (b"\x89HDF\r\n", "HDF5"),
            (b"a,b\rc,d\re,f", "tr '\\r' '\\n'"),
        ] {
            let message = detect("x", content).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
        for name in ["x.mtx", "x.npy", "x.npz.gz", "x.mat", "x.parquet"] {
            let content = b"%MatrixMarket matrix coordinate real general\n1 1 0\n";
            let message = detect(name, content).unwrap_err().to_string();
            assert!(message.contains("\"%MatrixMarket matrix"), "{message}");
            assert!(message.contains("as its name says"), "{message}");
        }
    }
}
