//! Mail and news: headers, quotes and signatures, told by lines.
//!
//! A text of one line has none of them.

use std::ops::Range;

use memchr::memchr;

use super::{Dropped, Drops, begins_with, ends_in};

/// Headers of mail and news; those that begin with `x-` or `list-` are known, too.
const HEADERS: &[&str] = &[
    "approved",
    "archive-name",
    "article-i.d.",
    "bcc",
    "cc",
    "content-length",
    "content-transfer-encoding",
    "content-type",
    "date",
    "delivered-to",
    "disclaimer",
    "distribution",
    "errors-to",
    "expires",
    "followup-to",
    "from",
    "in-reply-to",
    "keywords",
    "last-modified",
    "lines",
    "message-id",
    "mime-version",
    "news-software",
    "newsgroups",
    "nf-from",
    "nf-id",
    "nntp-posting-host",
    "nntp-posting-user",
    "organisation",
    "organization",
    "originator",
    "path",
    "posted-date",
    "precedence",
    "received",
    "references",
    "reply-to",
    "return-path",
    "sender",
    "sent",
    "subject",
    "summary",
    "supersedes",
    "to",
    "user-agent",
    "xref",
];

/// Headers whose words are words of the text.
const KEPT: [&str; 3] = ["subject", "summary", "keywords"];

/// The longest name of a header.
const LONGEST_NAME: usize = 40;

/// The longest line that says who is quoted, in bytes, and the most words of one that is a name alone.
const LONGEST_ATTRIBUTION: usize = 200;
const WORDS_OF_NAME: usize = 5;

/// The most lines of a signature after dashes without the space that tells it from a rule across the page.
const LINES_OF_SIGNATURE: usize = 20;

/// Where lines, or parts of them, are to be cut, ascending.
pub(super) fn cut(text: &str, drops: Drops, cuts: &mut Vec<Range<usize>>, dropped: &mut Dropped) {
    let bytes = text.as_bytes();
    if memchr(b'\n', bytes).is_none() {
        return;
    }
    let body = if drops.headers { cut_headers(bytes, cuts, dropped) } else { 0 };
    let end = if drops.signatures { signature(bytes, body) } else { bytes.len() };
    if drops.quotes {
        cut_quotes(bytes, body..end, cuts, dropped);
    }
    if end < bytes.len() {
        dropped.signatures += 1;
        cuts.push(end..bytes.len());
    }
}

/// The line that begins here, with its end.
fn line_at(bytes: &[u8], at: usize) -> Range<usize> {
    at..memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |step| at + step + 1)
}

/// The lines of a part.
fn lines(bytes: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = part.start;
    std::iter::from_fn(move || {
        let line = (at < part.end).then(|| line_at(&bytes[..part.end], at))?;
        at = line.end;
        Some(line)
    })
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// A run of lines that may be headers.
#[derive(Default)]
struct Block {
    end: usize,
    /// Where the line of the last known header ends.
    last_known: usize,
    known: usize,
    /// Whether an empty line follows, or the text ends.
    closed: bool,
}

/// Cuts headers off the beginning, and returns where the body begins.
fn cut_headers(bytes: &[u8], cuts: &mut Vec<Range<usize>>, dropped: &mut Dropped) -> usize {
    let mut body = 0;
    loop {
        let mut start = body;
        while start < bytes.len() && is_blank(&bytes[line_at(bytes, start)]) {
            start = line_at(bytes, start).end;
        }
        let envelope = line_at(bytes, start);
        // Mailboxes begin each mail with a line of their own.
        let first = if bytes[start..].starts_with(b"From ") { envelope.end } else { start };
        let block = block_at(bytes, first);
        // A single line is one only where a text follows; articles of FAQs have a second block of them.
        let alone = body == 0 && first == start && block.closed && block.end < bytes.len();
        let enough = block.known >= 2 || (block.known == 1 && alone);
        if !enough {
            return body;
        }
        if first > start {
            cuts.push(envelope);
        }
        body = if block.closed { block.end } else { block.last_known };
        cut_block(bytes, first..body, block.closed && block.known >= 2, cuts, dropped);
    }
}

/// The run of headers that begins here.
fn block_at(bytes: &[u8], start: usize) -> Block {
    let mut block = Block { end: start, last_known: start, ..Block::default() };
    block.closed = true;
    for line in lines(bytes, start..bytes.len()) {
        let content = &bytes[line.clone()];
        if is_blank(content) {
            return block;
        }
        let continues = block.end > start && matches!(content[0], b' ' | b'\t');
        if !continues {
            let Some(name) = header_name(content) else {
                block.closed = false;
                return block;
            };
            if is_known(name) {
                block.known += 1;
                block.last_known = line.end;
            }
        }
        block.end = line.end;
    }
    block
}

/// Cuts the headers of a block, all of them or those that are known.
fn cut_block(
    bytes: &[u8],
    block: Range<usize>,
    all: bool,
    cuts: &mut Vec<Range<usize>>,
    dropped: &mut Dropped,
) {
    let mut cutting = false;
    for line in lines(bytes, block.clone()) {
        let content = &bytes[line.clone()];
        if let Some(name) = header_name(content).filter(|_| !matches!(content[0], b' ' | b'\t')) {
            let kept = KEPT.iter().any(|kept| kept.as_bytes().eq_ignore_ascii_case(name));
            cutting = !kept && (all || is_known(name));
            if kept {
                cuts.push(line.start..line.start + name.len() + 1);
            }
            dropped.headers += u64::from(cutting);
        }
        if cutting {
            cuts.push(line);
        }
    }
}

/// What stands before the colon, if a line looks like a header.
fn header_name(line: &[u8]) -> Option<&[u8]> {
    let colon = memchr(b':', &line[..line.len().min(LONGEST_NAME + 1)])?;
    let name = &line[..colon];
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
    let is_name = name.first()?.is_ascii_alphabetic() && name.iter().all(is_part);
    // `http://...` is no header.
    let apart = line[colon + 1..].first().is_none_or(u8::is_ascii_whitespace);
    (is_name && apart).then_some(name)
}

fn is_known(name: &[u8]) -> bool {
    begins_with(name, b"x-")
        || begins_with(name, b"list-")
        || HEADERS.iter().any(|header| header.as_bytes().eq_ignore_ascii_case(name))
}

/// Where the signature begins, or the end.
fn signature(bytes: &[u8], body: usize) -> usize {
    let mut said = false;
    for line in lines(bytes, body..bytes.len()) {
        let content = &bytes[line.clone()];
        let content = content.strip_suffix(b"\n").unwrap_or(content);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let is_signature = match content {
            b"-- " => true,
            b"--" => lines(bytes, line.end..bytes.len()).nth(LINES_OF_SIGNATURE).is_none(),
            _ => false,
        };
        // A text that begins with dashes is no signature.
        if is_signature && said {
            return line.start;
        }
        said |= !is_blank(content);
    }
    bytes.len()
}

/// Cuts initials in the marks of quoted lines, and lines that say who is quoted.
fn cut_quotes(
    bytes: &[u8],
    part: Range<usize>,
    cuts: &mut Vec<Range<usize>>,
    dropped: &mut Dropped,
) {
    for line in lines(bytes, part) {
        let content = &bytes[line.clone()];
        let marks = quote_marks(content);
        // What is quoted follows: a text that ends so is a text.
        if line.end < bytes.len() && is_attribution(&content[marks..]) {
            dropped.quotes += 1;
            cuts.push(line);
        } else if content[..marks].iter().any(u8::is_ascii_alphabetic) {
            // Marks alone are no words, and a `>` that begins a line may end a tag.
            cuts.push(line.start..line.start + marks);
        }
    }
}

/// How many bytes the marks before a quoted line take: `> `, `>> `, `|> `, and `AP> ` with initials.
fn quote_marks(line: &[u8]) -> usize {
    let (mut at, mut marks) = (0, 0);
    loop {
        at += line[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let rest = &line[at..];
        let initials = rest.iter().take_while(|b| b.is_ascii_uppercase()).count();
        at += match rest {
            [b'>', ..] => 1,
            [b'|' | b':', b'>', ..] => 2,
            _ if (1..=3).contains(&initials) && rest[initials..].starts_with(b">") => {
                // `AB>CD` is no quote.
                if rest[initials + 1..]
                    .first()
                    .is_some_and(|b| !b.is_ascii_whitespace() && *b != b'>')
                {
                    return marks;
                }
                initials + 1
            }
            _ => return marks,
        };
        marks = at;
    }
}

/// Whether a line says who wrote the lines after it.
fn is_attribution(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if line.len() > LONGEST_ATTRIBUTION {
        return false;
    }
    let article = begins_with(line, b"In article <") || begins_with(line, b"In <");
    if article && line.last().is_some_and(|b| b",>)".contains(b)) {
        return true;
    }
    if ![&b"writes:"[..], b"wrote:", b"writes..."].iter().any(|end| ends_in(line, end)) {
        return false;
    }
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    let dated = line.starts_with(b"On ") && line.iter().any(u8::is_ascii_digit);
    article
        || dated
        || begins_with(line, b"In article ")
        || line.contains(&b'@')
        || words <= WORDS_OF_NAME
}
