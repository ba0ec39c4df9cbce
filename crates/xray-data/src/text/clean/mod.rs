//! Texts without what is no word of theirs: the step before tokens.
//!
//! | what | example | becomes |
//! |---|---|---|
//! | links | `https://a.org/b`, `www.a.org`, `t.co/b` | a space |
//! | addresses | `a.person@b.org` | a space |
//! | tags and entities | `<br>`, `&amp;`, `caf&eacute;` | a space, or the letter that is meant |
//! | mail headers | `From: A. Person`, before the first empty line | a space; the words of `Subject:` stay |
//! | quotes | `AP> ` before a line, `A. Person writes:` | a space; `> ` has no words and may stay |
//! | signatures | from a line `-- ` to the end | a space |
//! | numbers | `1992`, `10:30`, but not `2nd` | dropped as tokens |
//!
//! Mail is recognised by its lines ([`mail`]); in what is left, a scan stops at the few characters that links, addresses
//! ([`links`]), tags and entities ([`markup`]) cannot do without, and looks around. Time is linear: what is looked
//! at from such a character ends where the look from the one before began. A text in which nothing is found is not
//! copied. What is doubtful stays: a word too many does less harm than a text that is gone.

mod links;
mod mail;
mod markup;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use xray_nmf::choices;

choices! {
    /// What texts have beside their words, which is dropped unless it is to be kept.
    pub enum Keep ("keep") {
        Urls = "urls": "links, with or without http://",
        Emails = "emails": "e-mail addresses",
        Tags = "tags": "tags of HTML and XML, and characters written like &amp; or &#39;",
        Headers = "headers": "lines such as From: and Date: before a mail (words of Subject: stay anyway)",
        Signatures = "signatures": "what follows a line with two dashes alone",
        Quotes = "quotes": "initials before quoted lines, and lines such as \"A. Person writes:\"",
        Numbers = "numbers": "words of digits alone",
        All = "all": "all of these: texts exactly as they are",
    }
}

/// What was dropped on the way from texts to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// Terms in too few documents, each counted once.
    pub rare: u64,
    /// Terms in too many documents, each counted once.
    pub frequent: u64,
    /// Terms beyond the most frequent ones, each counted once.
    pub surplus: u64,
    /// Stop words, as often as they stood in the texts.
    pub stop_words: u64,
    /// Numbers, as often as they stood in the texts.
    pub numbers: u64,
    /// Links.
    pub urls: u64,
    /// E-mail addresses.
    pub emails: u64,
    /// Tags, and characters written like tags.
    pub tags: u64,
    /// Lines of mail headers.
    pub headers: u64,
    /// Lines that say who wrote what is quoted.
    pub quotes: u64,
    /// Signatures.
    pub signatures: u64,
}

impl Dropped {
    /// All counts, in the order of the fields: what ranks add up.
    pub fn counts(&self) -> [u64; 11] {
        [
            self.rare,
            self.frequent,
            self.surplus,
            self.stop_words,
            self.numbers,
            self.urls,
            self.emails,
            self.tags,
            self.headers,
            self.quotes,
            self.signatures,
        ]
    }

    /// From what [`counts`](Self::counts) gave.
    pub fn from_counts(counts: [u64; 11]) -> Self {
        let [
            rare,
            frequent,
            surplus,
            stop_words,
            numbers,
            urls,
            emails,
            tags,
            headers,
            quotes,
            signatures,
        ] = counts;
        Self {
            rare,
            frequent,
            surplus,
            stop_words,
            numbers,
            urls,
            emails,
            tags,
            headers,
            quotes,
            signatures,
        }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (mut sum, other) = (self.counts(), other.counts());
        sum.iter_mut().zip(other).for_each(|(sum, count)| *sum += count);
        Self::from_counts(sum)
    }
}

/// What is to be dropped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Drops {
    urls: bool,
    emails: bool,
    tags: bool,
    headers: bool,
    signatures: bool,
    quotes: bool,
    pub(super) numbers: bool,
}

impl Drops {
    /// All but what is to be kept.
    pub(super) fn but(keep: &[Keep]) -> Self {
        let drops = |what: Keep| !keep.contains(&what) && !keep.contains(&Keep::All);
        Self {
            urls: drops(Keep::Urls),
            emails: drops(Keep::Emails),
            tags: drops(Keep::Tags),
            headers: drops(Keep::Headers),
            signatures: drops(Keep::Signatures),
            quotes: drops(Keep::Quotes),
            numbers: drops(Keep::Numbers),
        }
    }
}

/// Whether a token is a number: digits of any script, and nothing else but underscores.
pub(super) fn is_number(token: &str) -> bool {
    let digits = token.chars().all(|c| c == '_' || c.is_numeric());
    digits && token.chars().any(char::is_numeric)
}

/// Cleans one text after the other in the same memory.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    drops: Drops,
    out: String,
    /// Where lines of mail are cut, ascending.
    cuts: Vec<Range<usize>>,
    /// What was dropped so far.
    pub(super) dropped: Dropped,
}

impl Cleaner {
    pub(super) fn new(drops: Drops) -> Self {
        Self { drops, ..Self::default() }
    }

    /// The text without what is to be dropped, but for numbers: those are told among tokens.
    pub(super) fn clean<'t>(&'t mut self, text: &'t str) -> &'t str {
        self.cuts.clear();
        self.out.clear();
        mail::cut(text, self.drops, &mut self.cuts, &mut self.dropped);
        let mut scan = Scan {
            text,
            bytes: text.as_bytes(),
            drops: self.drops,
            out: &mut self.out,
            copied: 0,
            floor: 0,
            dropped: &mut self.dropped,
            closed: None,
            endless: false,
        };
        let mut start = 0;
        for cut in &self.cuts {
            scan.run(start, cut.start);
            scan.replace(cut.clone(), ' ');
            start = cut.end;
        }
        scan.run(start, text.len());
        match scan.copied {
            0 => text,
            copied => {
                self.out.push_str(&text[copied..]);
                &self.out
            }
        }
    }
}

/// A text as words are told in it, but for numbers, which are told later.
///
/// # Examples
/// ```
/// use xray_data::text::{Keep, cleaned};
/// let text = "Salt &amp; pepper, see <b>https://a.org/b</b>";
/// let words = |keep: &[Keep]| cleaned(text, keep).split_whitespace().collect::<Vec<_>>().join(" ");
/// assert_eq!(words(&[]), "Salt pepper, see");
/// assert_eq!(words(&[Keep::Urls]), "Salt pepper, see https://a.org/b");
/// assert_eq!(cleaned(text, &[Keep::All]), text);
/// ```
pub fn cleaned<'t>(text: &'t str, keep: &[Keep]) -> Cow<'t, str> {
    let mut cleaner = Cleaner::new(Drops::but(keep));
    // Only a text in which nothing was found comes back as it is, and then nothing was written.
    cleaner.clean(text);
    if cleaner.out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(cleaner.out) }
}

/// The characters that what is looked for cannot do without.
const SIGNS: [bool; 256] = {
    let mut table = [false; 256];
    let signs = b"/.@<&";
    let mut k = 0;
    while k < signs.len() {
        table[signs[k] as usize] = true;
        k += 1;
    }
    table
};

/// One text on its way to what is left of it.
struct Scan<'t, 'o> {
    text: &'t str,
    bytes: &'t [u8],
    drops: Drops,
    out: &'o mut String,
    /// How much of the text is in `out`, or dropped; nothing was found yet if it is 0.
    copied: usize,
    /// What lies before this place is settled.
    floor: usize,
    dropped: &'o mut Dropped,
    /// Names of elements that are closed somewhere, once somebody has asked.
    closed: Option<FxHashSet<&'t [u8]>>,
    /// Whether the rest has no end of a comment or of a script.
    endless: bool,
}

impl Scan<'_, '_> {
    /// Looks through a part of the text.
    fn run(&mut self, start: usize, end: usize) {
        self.floor = start;
        let mut at = start;
        while let Some(step) = self.bytes[at..end].iter().position(|&b| SIGNS[usize::from(b)]) {
            let sign = at + step;
            let found = match self.bytes[sign] {
                b'/' if self.drops.urls => self.slash(sign, end),
                b'.' if self.drops.urls => self.dot(sign, end),
                b'@' if self.drops.emails => self.address(sign, end),
                b'<' if self.drops.tags => self.tag(sign, end),
                b'&' if self.drops.tags => self.entity(sign, end),
                _ => None,
            };
            at = found.unwrap_or(sign + 1);
        }
    }

    /// Writes one character for a part of the text, and returns its end.
    fn replace(&mut self, part: Range<usize>, with: char) -> usize {
        self.out.push_str(&self.text[self.copied..part.start]);
        self.out.push(with);
        self.copied = part.end;
        self.floor = part.end;
        part.end
    }

    /// Where the run of such bytes begins that ends at a place.
    fn run_before(&self, at: usize, is_part: impl Fn(u8) -> bool) -> usize {
        let run = self.bytes[self.floor..at].iter().rev().take_while(|&&b| is_part(b)).count();
        at - run
    }

    /// Where the run of such bytes ends that begins at a place.
    fn run_after(&self, at: usize, end: usize, is_part: impl Fn(u8) -> bool) -> usize {
        let run = self.bytes[at..end].iter().take_while(|&&b| is_part(b)).count();
        at + run
    }
}

/// Whether bytes end in others, whatever their case.
fn ends_in(bytes: &[u8], end: &[u8]) -> bool {
    bytes.len() >= end.len() && bytes[bytes.len() - end.len()..].eq_ignore_ascii_case(end)
}

/// Whether bytes begin with others, whatever their case.
fn begins_with(bytes: &[u8], start: &[u8]) -> bool {
    bytes.len() >= start.len() && bytes[..start.len()].eq_ignore_ascii_case(start)
}
