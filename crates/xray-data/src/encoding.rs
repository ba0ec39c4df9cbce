//! Character sets: whatever text is written in, readers see UTF-8.
//!
//! | found | read as |
//! |---|---|
//! | a byte-order mark of UTF-16 | UTF-16 |
//! | no mark, but every second byte of most characters is zero | UTF-16 |
//! | bytes that are not UTF-8, most of them alone among ASCII letters, no control characters | Latin-1 |
//! | anything else | UTF-8 |
//!
//! The first [`WINDOW`] bytes with other characters than ASCII decide, so that the answer depends on nothing but the
//! content. Letters of other alphabets stand beside each other: they are not taken for Latin-1, but refused by
//! those who expect UTF-8. Latin-1 is Windows-1252, which has quotes and dashes where Latin-1 has control characters.

use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

use xray_nmf::choices;

choices! {
    /// The character set of texts.
    #[derive(Default)]
    pub enum Encoding ("encoding") {
        #[default]
        Auto = "auto": "told by content",
        Utf8 = "utf-8" | "utf8": "Unicode, as nearly all files are",
        Latin1 = "latin-1" | "latin1" | "iso-8859-1" | "windows-1252" | "cp1252": "western European, one byte a character",
        Utf16 = "utf-16" | "utf16": "Unicode, two bytes a character",
    }
}

/// Bytes that are looked at together.
const WINDOW: usize = 1 << 16;

/// What 0x80 to 0x9F stand for in Windows-1252; where it has nothing, Latin-1's control characters.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// How bytes become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Code {
    Utf8,
    Latin1,
    Utf16 { big_endian: bool },
}

/// What was decided about a text, once it was read.
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<OnceLock<Code>>);

impl Told {
    /// The character set, if it is not UTF-8.
    pub(crate) fn other_than_utf8(&self) -> Option<Encoding> {
        match self.0.get()? {
            Code::Utf8 => None,
            Code::Latin1 => Some(Encoding::Latin1),
            Code::Utf16 { .. } => Some(Encoding::Utf16),
        }
    }
}

/// Text of any character set as UTF-8.
pub(crate) struct Decoder<R> {
    inner: R,
    asked: Encoding,
    /// Whether bytes that are not UTF-8 may be Latin-1.
    may_be_latin: bool,
    /// What was decided; while there is nothing but ASCII, nothing.
    told: Told,
    /// Stored bytes that are no characters yet.
    window: Vec<u8>,
    started: bool,
    /// UTF-8 that is ready to be read, from `at` on.
    ready: Vec<u8>,
    at: usize,
}

impl<R: Read> Decoder<R> {
    /// Text in an encoding; where that is told by content, `replace` says that what is not UTF-8 is left for others to
    /// replace.
    pub(crate) fn new(inner: R, asked: Encoding, replace: bool) -> Self {
        Self {
            inner,
            asked,
            may_be_latin: !replace,
            told: Told::default(),
            window: Vec::new(),
            started: false,
            ready: Vec::new(),
            at: 0,
        }
    }

    /// What was decided, to be asked once everything was read.
    pub(crate) fn told(&self) -> Told {
        self.told.clone()
    }

    /// Reads the next window and makes its characters ready: none at the end.
    fn advance(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.at = 0;
        while self.ready.is_empty() {
            let room = (WINDOW - self.window.len()) as u64;
            let ended = self.inner.by_ref().take(room).read_to_end(&mut self.window)? == 0;
            // What is judged does not end within a character.
            let mut more = if self.told.0.get().is_none() { 3 } else { 0 };
            while more > 0 && ends_early(&self.window) {
                self.inner.by_ref().take(1).read_to_end(&mut self.window)?;
                more -= 1;
            }
            let code = self.code();
            self.started = true;
            let used = match code {
                Code::Utf8 => {
                    self.ready.extend_from_slice(&self.window);
                    self.window.len()
                }
                Code::Latin1 => {
                    self.window.iter().for_each(|&byte| push(&mut self.ready, latin(byte)));
                    self.window.len()
                }
                Code::Utf16 { big_endian } => {
                    wide(&self.window, big_endian, ended, &mut self.ready)?
                }
            };
            self.window.drain(..used);
            if ended {
                break;
            }
        }
        Ok(())
    }

    /// How the window is to be read, from what was decided before or from what it holds.
    fn code(&self) -> Code {
        if let Some(&code) = self.told.0.get() {
            return code;
        }
        let code = match self.asked {
            Encoding::Utf8 => Some(Code::Utf8),
            Encoding::Latin1 => Some(Code::Latin1),
            Encoding::Utf16 => {
                let big_endian = end_of_mark(&self.window).or_else(|| end_by_zeros(&self.window));
                Some(Code::Utf16 { big_endian: big_endian.unwrap_or(false) })
            }
            Encoding::Auto => self.guess(),
        };
        code.map_or(Code::Utf8, |code| *self.told.0.get_or_init(|| code))
    }

    /// What the window tells; ASCII tells nothing.
    fn guess(&self) -> Option<Code> {
        let wide = || end_of_mark(&self.window).or_else(|| end_by_zeros(&self.window));
        if !self.started
            && let Some(big_endian) = wide()
        {
            return Some(Code::Utf16 { big_endian });
        }
        match self.window.is_ascii() {
            true => None,
            false if self.may_be_latin && is_latin(&self.window) => Some(Code::Latin1),
            false => Some(Code::Utf8),
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Nothing to do: no copy.
        if self.at == self.ready.len()
            && self.window.is_empty()
            && self.told.0.get() == Some(&Code::Utf8)
        {
            return self.inner.read(buffer);
        }
        if self.at == self.ready.len() {
            self.advance()?;
        }
        let n = (&self.ready[self.at..]).read(buffer)?;
        self.at += n;
        Ok(n)
    }
}

/// Whether bytes end within a character of UTF-8.
fn ends_early(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let start = tail.iter().rposition(|&byte| byte >= 0xc0).unwrap_or(0);
    std::str::from_utf8(&tail[start..]).is_err_and(|error| error.error_len().is_none())
}

/// Whether a mark says that the high byte comes first.
fn end_of_mark(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xfe, 0xff, ..] => Some(true),
        [0xff, 0xfe, ..] => Some(false),
        _ => None,
    }
}

/// The same, told by zeros: at least half of the characters are ASCII, and none is zero.
fn end_by_zeros(bytes: &[u8]) -> Option<bool> {
    let units = bytes.as_chunks::<2>().0;
    let ascii = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
    let plain = |big_endian: bool| {
        let split = |&[a, b]: &[u8; 2]| if big_endian { (a, b) } else { (b, a) };
        let fits = |unit: &&[u8; 2]| matches!(split(unit), (0, low) if ascii(low));
        2 * units.iter().filter(fits).count() >= units.len()
    };
    if units.is_empty() || units.contains(&[0, 0]) || memchr::memchr(0, bytes).is_none() {
        return None;
    }
    [false, true].into_iter().find(|&big_endian| plain(big_endian))
}

/// Whether bytes that are not all ASCII are Latin-1: not UTF-8, no control characters, and letters beyond ASCII stand
/// alone rather than in rows, as they do in other alphabets. Where most of them make UTF-8, it is that with mistakes.
fn is_latin(bytes: &[u8]) -> bool {
    let (mut letters, mut others) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        others += usize::from(!chunk.invalid().is_empty());
    }
    if others == 0 || letters >= others {
        return false;
    }
    let control = |&byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let undefined = |&byte: &u8| byte >= 0x80 && latin(byte).is_control();
    if bytes.iter().any(|byte| control(byte) || undefined(byte)) {
        return false;
    }
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let beside = bytes.windows(2).filter(|pair| !pair[0].is_ascii() && !pair[1].is_ascii()).count();
    2 * beside < high
}

fn latin(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Adds the characters of UTF-16; how many bytes were used. Half a character stays, unless the text has ended.
fn wide(bytes: &[u8], big_endian: bool, ended: bool, text: &mut Vec<u8>) -> io::Result<usize> {
    let unit = |pair: &[u8; 2]| match big_endian {
        true => u16::from_be_bytes(*pair),
        false => u16::from_le_bytes(*pair),
    };
    let mut units = bytes.as_chunks::<2>().0;
    if let [before @ .., last] = units
        && !ended
        && (0xd800..0xdc00).contains(&unit(last))
    {
        units = before;
    }
    for character in char::decode_utf16(units.iter().map(unit)) {
        let broken = |_| io::Error::new(io::ErrorKind::InvalidData, "half a character of UTF-16");
        push(text, character.map_err(broken)?);
    }
    let used = 2 * units.len();
    if ended && used < bytes.len() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "half a character of UTF-16"));
    }
    Ok(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], asked: Encoding) -> (Vec<u8>, Option<Encoding>) {
        let mut decoder = Decoder::new(bytes, asked, false);
        let told = decoder.told();
        let mut text = Vec::new();
        decoder.read_to_end(&mut text).expect("whole characters");
        (text, told.other_than_utf8())
    }

    fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
        let bytes = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf16_is_told_by_its_mark_or_by_zeros() {
        let text = "id,text\n1,naïve 🚨 Ω\n".repeat(9_000);
        for big_endian in [false, true] {
            for mark in ["\u{feff}", ""] {
                let (found, told) =
                    decoded(&utf16(&format!("{mark}{text}"), big_endian), Encoding::Auto);
                assert_eq!(found, format!("{mark}{text}").as_bytes());
                assert_eq!(told, Some(Encoding::Utf16));
            }
        }
        // Without ASCII and without a mark it may be anything, unless it is asked for.
        let foreign = utf16("中文\n文字", false);
        assert_eq!(decoded(&foreign, Encoding::Auto).1, None);
        assert_eq!(decoded(&foreign, Encoding::Utf16).0, "中文\n文字".as_bytes());
    }

    #[test]
    fn a_mark_is_enough_and_pairs_may_cross_windows() {
        for big_endian in [false, true] {
            let marked = utf16("\u{feff}中文", big_endian);
            let (found, told) = decoded(&marked, Encoding::Auto);
            assert_eq!((&found[..], told), ("\u{feff}中文".as_bytes(), Some(Encoding::Utf16)));
            for before in [WINDOW / 2 - 2, WINDOW / 2 - 1, WINDOW / 2] {
                let text = format!("{}🚨🚨", "a".repeat(before));
                assert_eq!(decoded(&utf16(&text, big_endian), Encoding::Auto).0, text.as_bytes());
            }
        }
    }

    #[test]
    fn half_a_character_is_an_error() {
        for bytes in [&b"\xff\xfea"[..], b"\xff\xfe\x00\xd8", b"\xff\xfe\x00\xdca\0"] {
            let error = Decoder::new(bytes, Encoding::Auto, false).read_to_end(&mut Vec::new());
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn latin_letters_stand_alone() {
        let latin = b"na\xefve caf\xe9 \x93quoted\x94 \x80 5";
        let (text, told) = decoded(latin, Encoding::Auto);
        assert_eq!(String::from_utf8(text).expect("UTF-8"), "naïve café “quoted” € 5");
        assert_eq!(told, Some(Encoding::Latin1));
        for other in [
            &b"\xcf\xf0\xe8\xe2\xe5\xf2"[..],              // Cyrillic
            b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd",   // Shift_JIS
            b"\xb0\xa1\xb3\xaa",                           // Korean
            b"mostly ASCII, and \xcf\xf0\xe8\xe2\xe5\xf2", // Cyrillic
            b"cr\xe9\xe9",                                 // half of them stand alone, not most
            b"caf\xe9\x01",                                // a control character
            b"caf\x81",                                    // nothing in Windows-1252
            "Übel naïve \u{fe}".as_bytes(),                // UTF-8
            b"na\xc3\xafve caf\xc3\xa9 and \xe9 mistake",  // UTF-8 but for one byte
        ] {
            let (text, told) = decoded(other, Encoding::Auto);
            assert_eq!((text.as_slice(), told), (other, None), "{other:?}");
        }
        assert_eq!(decoded(b"\xe9", Encoding::Utf8).0, b"\xe9");
        assert_eq!(decoded(b"\xcf\xf0", Encoding::Latin1).0, "Ïð".as_bytes());
    }

    #[test]
    fn the_last_character_may_be_cut() {
        for (bytes, text) in [(&b"caf\xc3"[..], "cafÃ"), (b"caf\xe2\x82", "cafâ‚")] {
            assert_eq!(decoded(bytes, Encoding::Latin1).0, text.as_bytes());
            assert_eq!(decoded(bytes, Encoding::Utf8).0, bytes);
        }
        assert_eq!(decoded(b"caf\xc3", Encoding::Auto).1, Some(Encoding::Latin1));
        assert_eq!(
            decoded("naïve é\u{e9}".as_bytes().split_last().expect("bytes").1, Encoding::Auto).1,
            None
        );
    }

    #[test]
    fn zeros_that_are_characters_are_no_utf16() {
        for other in [&b"a\0b\0\0\0c\0"[..], b"a\0", b"\0a", b"\0\0"] {
            let expected = (other.len() == 2 && other != b"\0\0").then_some(Encoding::Utf16);
            assert_eq!(decoded(other, Encoding::Auto).1, expected, "{other:?}");
        }
        // At least half of the characters are ASCII.
        assert_eq!(decoded(&utf16("a文", false), Encoding::Auto).1, Some(Encoding::Utf16));
        assert_eq!(decoded(&utf16("a文字", false), Encoding::Auto).1, None);
    }

    #[test]
    fn the_first_window_beyond_ascii_decides() {
        for length in [WINDOW - 1, WINDOW, 3 * WINDOW + 5] {
            let plain = vec![b'a'; length];
            let latin = [&plain[..], b" caf\xe9 ", &plain].concat();
            let (text, told) = decoded(&latin, Encoding::Auto);
            assert_eq!((text.len(), told), (latin.len() + 1, Some(Encoding::Latin1)));
            // A character across the end of a window is whole.
            let unicode = [&plain[..], "é and more é".as_bytes()].concat();
            assert_eq!(decoded(&unicode, Encoding::Auto), (unicode, None));
        }
    }

    #[test]
    fn what_is_to_be_replaced_stays() {
        let mut decoder = Decoder::new(&b"caf\xe9"[..], Encoding::Auto, true);
        let mut text = Vec::new();
        decoder.read_to_end(&mut text).expect("memory");
        assert_eq!(text, b"caf\xe9");
    }
}
