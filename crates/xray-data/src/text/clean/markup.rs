//! Tags and entities: from `<` and from `&`.
//!
//! `<` opens a tag where a name follows at once and the rest looks like one: a name of HTML, attributes with
//! `=`, or an element that is closed somewhere. So `a<b and c>d`, `<3`, and the `<IBM>` of news stay.

use memchr::memmem;
use rustc_hash::FxHashSet;

use super::{Scan, begins_with};

/// Elements of HTML.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdo",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "marquee",
    "menu",
    "meta",
    "nav",
    "nobr",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "picture",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "tt",
    "u",
    "ul",
    "video",
    "wbr",
];

/// Attributes that have no value.
const SWITCHES: &[&str] = &[
    "async",
    "autofocus",
    "autoplay",
    "checked",
    "compact",
    "controls",
    "defer",
    "disabled",
    "hidden",
    "multiple",
    "noshade",
    "nowrap",
    "readonly",
    "selected",
];

/// Characters with names that are no letters.
const MARKS: &[&str] = &[
    "amp", "apos", "asymp", "bdquo", "brvbar", "bull", "cent", "copy", "curren", "dagger", "deg",
    "divide", "emsp", "ensp", "euro", "frac12", "frac14", "frac34", "ge", "gt", "hellip", "iexcl",
    "iquest", "laquo", "larr", "ldquo", "le", "lsaquo", "lsquo", "lt", "mdash", "middot", "minus",
    "nbsp", "ndash", "ne", "not", "para", "plusmn", "pound", "quot", "raquo", "rarr", "rdquo",
    "reg", "rsquo", "sect", "shy", "times", "trade", "yen",
];

/// Characters with names that are told without a semicolon, too.
const OPEN_MARKS: [&str; 6] = ["amp", "apos", "gt", "lt", "nbsp", "quot"];

/// Letters with accents: how their names end, the letters without, and with them.
const ACCENTS: [(&str, &str, &str); 8] = [
    ("acute", "aeiouyAEIOUY", "áéíóúýÁÉÍÓÚÝ"),
    ("grave", "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
    ("circ", "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
    ("uml", "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
    ("tilde", "anoANO", "ãñõÃÑÕ"),
    ("cedil", "cC", "çÇ"),
    ("ring", "aA", "åÅ"),
    ("slash", "oO", "øØ"),
];

/// Letters with names of their own.
const LETTERS: [(&str, char); 11] = [
    ("szlig", 'ß'),
    ("aelig", 'æ'),
    ("AElig", 'Æ'),
    ("oelig", 'œ'),
    ("OElig", 'Œ'),
    ("eth", 'ð'),
    ("ETH", 'Ð'),
    ("thorn", 'þ'),
    ("THORN", 'Þ'),
    ("scaron", 'š'),
    ("Scaron", 'Š'),
];

/// The longest name of an entity that is looked at.
const LONGEST_NAME: usize = 10;

/// The longest escaped tag, so that a text of their beginnings takes linear time.
const LONGEST_ESCAPED: usize = 512;

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-:_.".contains(&byte)
}

/// Whether HTML has the element.
fn is_element(name: &[u8]) -> bool {
    ELEMENTS.iter().any(|element| element.as_bytes().eq_ignore_ascii_case(name))
}

impl<'t> Scan<'t, '_> {
    /// A tag that begins here.
    pub(super) fn tag(&mut self, at: usize, end: usize) -> Option<usize> {
        let stop = match self.bytes[at + 1..end].first()? {
            b'!' => self.declaration(at, end)?,
            b'?' if self.is_letter(at + 2) => self.tag_end(at + 2, end)?,
            b'/' if self.is_letter(at + 2) => {
                let name = self.run_after(at + 2, end, is_name);
                let close = self.run_after(name, end, |b| b.is_ascii_whitespace());
                (close < end && self.bytes[close] == b'>').then_some(close + 1)?
            }
            byte if byte.is_ascii_alphabetic() => self.opening(at, end)?,
            _ => return None,
        };
        self.dropped.tags += 1;
        Some(self.replace(at..stop, ' '))
    }

    fn is_letter(&self, at: usize) -> bool {
        self.bytes.get(at).is_some_and(u8::is_ascii_alphabetic)
    }

    /// A comment, `<!DOCTYPE ...>`, or the mark before text that is no markup.
    fn declaration(&mut self, at: usize, end: usize) -> Option<usize> {
        const COMMENT: &[u8] = b"<!--";
        const TEXT: &[u8] = b"<![CDATA[";
        let rest = &self.bytes[at..end];
        if rest.starts_with(COMMENT) {
            return self.after(b"-->", at + COMMENT.len(), end);
        }
        if rest.starts_with(TEXT) {
            return Some(at + TEXT.len());
        }
        if self.is_letter(at + 2) { self.tag_end(at + 2, end) } else { None }
    }

    /// The place after these bytes. Whoever looks for them in vain is the last to look.
    fn after(&mut self, mark: &[u8], at: usize, end: usize) -> Option<usize> {
        if self.endless {
            return None;
        }
        let found = memmem::find(&self.bytes[at..end], mark);
        self.endless = found.is_none();
        found.map(|step| at + step + mark.len())
    }

    /// The place after the `>` of a tag; one in quotes is part of a value. A `<` is in no tag, so that no byte is
    /// looked at for two tags.
    fn tag_end(&self, at: usize, end: usize) -> Option<usize> {
        let (mut quote, mut quoted) = (None, None);
        for k in at..end {
            match (self.bytes[k], quote) {
                (b'<', _) => break,
                (b'>', None) => return Some(k + 1),
                (b'>', Some(_)) => quoted = quoted.or(Some(k + 1)),
                (mark @ (b'"' | b'\''), None) if self.bytes[k - 1] == b'=' => quote = Some(mark),
                (byte, Some(mark)) if byte == mark => quote = None,
                _ => {}
            }
        }
        // A value whose quote is left open.
        quoted
    }

    /// A tag that opens an element; scripts and styles go with all they have.
    fn opening(&mut self, at: usize, end: usize) -> Option<usize> {
        let after = self.run_after(at + 1, end, is_name);
        let stop = self.tag_end(after, end)?;
        let name = &self.bytes[at + 1..after];
        let inside = self.bytes[after..stop - 1].trim_ascii();
        let (inside, ends) = match inside.strip_suffix(b"/") {
            Some(inside) => (inside.trim_ascii_end(), true),
            None => (inside, false),
        };
        let is_tag = if inside.is_empty() {
            ends || is_element(name) || self.is_closed(name)
        } else {
            let has_value = |mark| memmem::find(inside, mark).is_some();
            let spaced = self.bytes[after].is_ascii_whitespace();
            let plain = || has_value(b"=") || are_switches(inside);
            spaced && (has_value(b"=\"") || has_value(b"='") || is_element(name) && plain())
        };
        if !is_tag {
            return None;
        }
        let hidden = [&b"script"[..], b"style"].iter().any(|h| h.eq_ignore_ascii_case(name));
        if hidden && !ends {
            // What closes it is a tag of its own.
            let close = self.closing_of(name, stop, end);
            return Some(close.unwrap_or(stop));
        }
        Some(stop)
    }

    /// Where the tag begins that closes an element.
    fn closing_of(&mut self, name: &[u8], at: usize, end: usize) -> Option<usize> {
        if self.endless {
            return None;
        }
        let bytes = self.bytes;
        let mut closings = memmem::find_iter(&bytes[at..end], b"</").map(|step| at + step);
        let found = closings.find(|&k| begins_with(&bytes[k + 2..end], name));
        self.endless = found.is_none();
        found
    }

    /// Whether an element is closed anywhere in the text.
    fn is_closed(&mut self, name: &'t [u8]) -> bool {
        let bytes = self.bytes;
        let closed = self.closed.get_or_insert_with(|| {
            let names = memmem::find_iter(bytes, b"</").map(|k| {
                let rest = &bytes[k + 2..];
                &rest[..rest.iter().take_while(|&&b| is_name(b)).count()]
            });
            names.collect::<FxHashSet<_>>()
        });
        closed.contains(name)
    }

    /// A character that is written as an entity, or a tag that is written with entities.
    pub(super) fn entity(&mut self, at: usize, end: usize) -> Option<usize> {
        let (mut stop, mut letter) = self.character(at + 1, end)?;
        // What was escaped twice: `&amp;lt;`.
        while self.bytes[at..stop].ends_with(b"amp;") {
            let Some(next) = self.character(stop, end) else { break };
            (stop, letter) = next;
        }
        if self.bytes[at..stop].ends_with(b"lt;") {
            stop = self.escaped_tag(stop, end).unwrap_or(stop);
        }
        if letter == ' ' {
            self.dropped.tags += 1;
        }
        Some(self.replace(at..stop, letter))
    }

    /// The end of what follows the `&` of an entity, and its letter, or a space for what is no letter.
    fn character(&self, at: usize, end: usize) -> Option<(usize, char)> {
        if self.bytes[at..end].starts_with(b"#") {
            return self.numbered(at + 1, end);
        }
        let most = end.min(at + LONGEST_NAME);
        let stop = self.run_after(at, most, |b| b.is_ascii_alphanumeric());
        let name = &self.text[at..stop];
        let next = self.bytes[stop..end].first();
        if next == Some(&b';') {
            let known = letter_of(name).or_else(|| MARKS.contains(&name).then_some(' '));
            return known.map(|letter| (stop + 1, letter));
        }
        let alone = next.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'=');
        (alone && OPEN_MARKS.contains(&name)).then_some((stop, ' '))
    }

    /// A character by its number, which begins here.
    fn numbered(&self, at: usize, end: usize) -> Option<(usize, char)> {
        let hexadecimal = matches!(self.bytes[at..end].first(), Some(b'x' | b'X'));
        let (at, base) = if hexadecimal { (at + 1, 16) } else { (at, 10) };
        let is_digit = |b: u8| char::from(b).is_digit(base);
        let stop = self.run_after(at, end.min(at + LONGEST_NAME), is_digit);
        let number = u32::from_str_radix(&self.text[at..stop], base).ok()?;
        let letter = char::from_u32(number).filter(|c| c.is_alphanumeric()).unwrap_or(' ');
        match self.bytes[stop..end].first() {
            Some(b';') => Some((stop + 1, letter)),
            Some(byte) if byte.is_ascii_alphanumeric() => None,
            _ => Some((stop, letter)),
        }
    }

    /// The end of a tag of HTML whose brackets are entities; it begins after the first.
    fn escaped_tag(&self, at: usize, end: usize) -> Option<usize> {
        const BRACKET: &[u8] = b"&gt;";
        let rest = &self.bytes[at..end.min(at + LONGEST_ESCAPED)];
        let slash = usize::from(rest.starts_with(b"/"));
        let name = rest[slash..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let inside = &rest[slash + name..];
        let close = memmem::find(inside, BRACKET)?;
        let value = inside[..close].trim_ascii();
        let is_tag = value.is_empty() || value == b"/" || value.contains(&b'=');
        let is_tag = is_tag && !value.contains(&b'<') && is_element(&rest[slash..slash + name]);
        is_tag.then_some(at + slash + name + close + BRACKET.len())
    }
}

/// Whether these are attributes without values.
fn are_switches(inside: &[u8]) -> bool {
    let mut words = inside.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.all(|word| SWITCHES.iter().any(|switch| switch.as_bytes().eq_ignore_ascii_case(word)))
}

/// The letter that a name stands for.
fn letter_of(name: &str) -> Option<char> {
    if let Some((_, letter)) = LETTERS.iter().find(|(known, _)| *known == name) {
        return Some(*letter);
    }
    let base = name.chars().next()?;
    let (_, bases, letters) =
        ACCENTS.iter().find(|(accent, ..)| name[base.len_utf8()..] == **accent)?;
    bases.chars().zip(letters.chars()).find(|(b, _)| *b == base).map(|(_, letter)| letter)
}
