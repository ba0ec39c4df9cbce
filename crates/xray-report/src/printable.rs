//! Text from files as it is shown: nothing in it can act on a terminal or change the order of what is read.

use std::borrow::Cow;

/// Whether a character does something other than to be seen: moves the cursor, changes colours or titles, ends a line,
/// turns the direction of writing, or hides.
fn acts(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            // Marks, embeddings, overrides and isolates of direction.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Ends of lines and paragraphs.
            | '\u{2028}' | '\u{2029}'
            // Annotations, tags, and the mark of byte order.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{feff}')
}

/// The text with every character that acts in escaped form, as in `\u{1b}` or `\n`.
///
/// # Examples
/// ```
/// use xray_report::printable;
/// assert_eq!(printable("naïve 日本"), "naïve 日本");
/// assert_eq!(printable("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\\n\\u{202e}b");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\n' | '\t' | '\r' => shown.extend(letter.escape_default()),
            letter if acts(letter) => shown.extend(letter.escape_unicode()),
            letter => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// The same for the text of JSON: the characters are escaped as JSON has it, so that it says the same.
///
/// # Examples
/// ```
/// use xray_report::printable_json;
/// assert_eq!(printable_json("{\n  \"a\": \"\u{202e}b\"\n}"), "{\n  \"a\": \"\\u202eb\"\n}");
/// ```
pub fn printable_json(text: &str) -> Cow<'_, str> {
    let escaped = |letter: char| acts(letter) && letter != '\n';
    if !text.chars().any(escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if escaped(letter) {
            let units = letter.encode_utf16(&mut [0; 2]).to_vec();
            shown.extend(units.into_iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_is_left() {
        let every = (0..=0x10ffff).filter_map(char::from_u32).filter(|letter| acts(*letter));
        let text: String = every.collect();
        for letter in ['\0', '\u{7}', '\u{1b}', '\u{7f}', '\u{9b}', '\u{200f}', '\u{2067}'] {
            assert!(text.contains(letter), "{letter:?}");
        }
        assert!(printable(&text).is_ascii());
        assert!(!printable(&text).chars().any(acts));
    }

    #[test]
    fn letters_of_all_scripts_stay() {
        for text in ["", "café", "שלום", "می‌خواهم", "👩‍🔬", "C:\\new"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }
}
