//! Tokens: runs of at least two word characters of the lowercased text.
//!
//! A word character is what Python's `\w` matches: general category L* or N*, or `_`. Lowercasing
//! is Unicode's full mapping, with the Greek final sigma, as in Python's `str.lower`.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// Whether Python's `\w` matches the character.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return ASCII_WORD[c as usize];
    }
    matches!(
        get_general_category(c),
        Category::UppercaseLetter
            | Category::LowercaseLetter
            | Category::TitlecaseLetter
            | Category::ModifierLetter
            | Category::OtherLetter
            | Category::DecimalNumber
            | Category::LetterNumber
            | Category::OtherNumber
    )
}

const ASCII_WORD: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

/// Writes the lowercased text into `out`, which is emptied first.
pub(super) fn lowercase_into(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else if text.contains('Σ') {
        // Whether a sigma is final depends on its neighbours: leave it to the standard library.
        out.push_str(&text.to_lowercase());
    } else {
        out.reserve(text.len());
        for c in text.chars() {
            if c.is_ascii() {
                out.push(c.to_ascii_lowercase());
            } else {
                out.extend(c.to_lowercase());
            }
        }
    }
}

/// Calls `visit` with each run of at least `min_characters` word characters, in order.
pub(super) fn for_each_token<'a>(
    text: &'a str,
    min_characters: usize,
    mut visit: impl FnMut(&'a str),
) {
    let bytes = text.as_bytes();
    let (mut start, mut characters, mut at) = (0, 0, 0);
    while at < bytes.len() {
        let (word, width) = match bytes[at] {
            byte @ 0..=127 => (ASCII_WORD[byte as usize], 1),
            _ => match text[at..].chars().next() {
                Some(c) => (is_word(c), c.len_utf8()),
                None => break,
            },
        };
        if word {
            characters += 1;
        } else {
            if characters >= min_characters && characters > 0 {
                visit(&text[start..at]);
            }
            characters = 0;
            start = at + width;
        }
        at += width;
    }
    if characters >= min_characters && characters > 0 {
        visit(&text[start..]);
    }
}

/// The tokens of a text as it is, lowercased: neither [cleaned](super::cleaned) nor without stop words.
///
/// # Examples
/// ```
/// use xray_data::text::tokens;
/// assert_eq!(tokens("It's 7 o'clock: ΟΔΟΣ, naïve_user"), ["it", "clock", "οδος", "naïve_user"]);
/// ```
pub fn tokens(text: &str) -> Vec<String> {
    let mut lowercase = String::new();
    lowercase_into(text, &mut lowercase);
    let mut tokens = Vec::new();
    for_each_token(&lowercase, 2, |token| tokens.push(token.to_owned()));
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_characters_are_no_tokens() {
        assert_eq!(tokens("a I x1 é éa"), ["x1", "éa"]);
    }

    #[test]
    fn sigma_is_final_only_at_the_end_of_a_word() {
        assert_eq!(tokens("ΣΑΣ ΣΑΣΑ"), ["σας", "σασα"]);
    }

    #[test]
    fn dotted_capital_i_breaks_the_word_as_in_python() {
        // "İstanbul".lower() is "i" + combining dot + "stanbul"; the dot is no word character.
        assert_eq!(tokens("İstanbul"), ["stanbul"]);
    }

    #[test]
    fn fast_lowercasing_equals_the_standard_library() {
        let mut lowercase = String::new();
        for text in ["Straße ẞ ǅ İ ÀÉ", "ASCII Only", "ΑΣ", "", "K Å Ω"] {
            lowercase_into(text, &mut lowercase);
            assert_eq!(lowercase, text.to_lowercase());
        }
    }
}
