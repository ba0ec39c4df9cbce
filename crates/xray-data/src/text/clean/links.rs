//! Links and addresses: around `://`, `www.`, the slash after a host, and `@`.

use super::{Scan, begins_with, ends_in};

/// Schemes that are told from a word that they are glued to.
const SCHEMES: [&[u8]; 3] = [b"https", b"http", b"ftp"];

/// Last parts of hosts, by which `bit.ly/x` is told from `and/or` and `main.py/x`. Those that are words or
/// endings of files are left out.
const DOMAINS: &[&[u8]] = &[
    b"com", b"org", b"net", b"edu", b"gov", b"mil", b"int", b"info", b"biz", b"news", b"app",
    b"blog", b"co", b"io", b"ly", b"gl", b"gd", b"tv", b"fm", b"eu", b"us", b"uk", b"de", b"fr",
    b"es", b"nl", b"ch", b"se", b"dk", b"ca", b"au", b"nz", b"jp", b"cn", b"kr", b"br", b"mx",
    b"ru", b"pl", b"cz", b"ie", b"be", b"me",
];

fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-'
}

/// What stands before the `@` of an address.
fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte)
}

impl Scan<'_, '_> {
    /// A link whose scheme or host ends at this slash.
    pub(super) fn slash(&mut self, at: usize, end: usize) -> Option<usize> {
        let before = &self.bytes[self.floor..at];
        let start = if before.ends_with(b":") && self.bytes[at..end].starts_with(b"//") {
            self.scheme(at - 1)?
        } else {
            let start = self.run_before(at, is_host);
            is_public(&self.bytes[start..at]).then_some(start)?
        };
        self.dropped.urls += 1;
        let end = self.link_end(at, end);
        Some(self.replace(start..end, ' '))
    }

    /// Where the scheme before a colon begins.
    fn scheme(&self, colon: usize) -> Option<usize> {
        let start = self.run_before(colon, |b| b.is_ascii_alphabetic());
        let letters = &self.bytes[start..colon];
        match SCHEMES.iter().find(|scheme| ends_in(letters, scheme)) {
            Some(scheme) => Some(colon - scheme.len()),
            None => (letters.len() >= 2).then_some(start),
        }
    }

    /// A link that begins with `www.`, whose dot this is.
    pub(super) fn dot(&mut self, at: usize, end: usize) -> Option<usize> {
        let start = self.run_before(at, |b| b.is_ascii_alphanumeric());
        let host = self.bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !host || !self.bytes[start..at].eq_ignore_ascii_case(b"www") {
            return None;
        }
        self.dropped.urls += 1;
        let end = self.link_end(at, end);
        Some(self.replace(start..end, ' '))
    }

    /// Where a link ends: before a space, a quote, or the bracket around it. Marks that end a sentence may be
    /// taken for a part of it, as they are no words.
    fn link_end(&self, start: usize, end: usize) -> usize {
        let mut open = 0_usize;
        for (step, c) in self.text[start..end].char_indices() {
            let ends = match c {
                '(' | '[' => {
                    open += 1;
                    false
                }
                ')' | ']' if open > 0 => {
                    open -= 1;
                    false
                }
                ')' | ']' | '<' | '>' | '"' | '`' | '|' => true,
                '&' => self.is_escaped_end(start + step, end),
                c if c.is_ascii() => c.is_ascii_whitespace() || c.is_ascii_control(),
                // Links may have letters of alphabets; scripts without spaces go on after them.
                c => !c.is_alphanumeric() || c >= '\u{2e80}',
            };
            if ends {
                return start + step;
            }
        }
        end
    }

    /// Whether an escaped bracket or quote stands here.
    fn is_escaped_end(&self, at: usize, end: usize) -> bool {
        let rest = &self.bytes[at..end];
        [&b"&lt;"[..], b"&gt;", b"&quot;"].iter().any(|escaped| begins_with(rest, escaped))
    }

    /// An address around this `@`.
    pub(super) fn address(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut start = self.run_before(at, is_local);
        let stop = self.run_after(at + 1, end, is_host);
        let host = &self.bytes[at + 1..stop];
        let dots = host.iter().rev().take_while(|&&b| b == b'.' || b == b'-').count();
        let host = &host[..host.len() - dots];
        let last = host.rsplit(|&b| b == b'.').next()?;
        let named = last.len() >= 2 && last.iter().all(u8::is_ascii_alphabetic);
        if start == at || !named || last.len() + 1 >= host.len() {
            return None;
        }
        let before = &self.bytes[self.floor..start];
        if ends_in(before, b"mailto:") {
            start -= b"mailto:".len();
        }
        self.dropped.emails += 1;
        Some(self.replace(start..at + 1 + host.len(), ' '))
    }
}

/// Whether this is the name of a host that links have.
fn is_public(host: &[u8]) -> bool {
    let Some(dot) = host.iter().rposition(|&b| b == b'.') else { return false };
    let last = &host[dot + 1..];
    dot > 0
        && host[dot - 1] != b'.'
        && DOMAINS.iter().any(|domain| last.eq_ignore_ascii_case(domain))
}
