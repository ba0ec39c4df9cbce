//! Text that stays text.

/// JSON between the tags of a script: the same value, and nothing in it that could end or open one.
pub(super) fn json_text(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    for letter in json.chars() {
        match letter {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            letter => text.push(letter),
        }
    }
    text
}

/// Text for the template, which escapes markup: what no page may contain is replaced.
pub(super) fn shown_text(text: &str) -> String {
    let shown = |letter: char| {
        let refused = letter.is_control() && !matches!(letter, '\n' | '\t');
        if refused { char::REPLACEMENT_CHARACTER } else { letter }
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_says_the_same() {
        let value = serde_json::json!({"</script>": ["<!--", "&amp;", "\u{2028}\u{2029}\0\u{202e}", "__proto__"]});
        let text = json_text(&value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\0']));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
        assert_eq!(shown_text("a\0\u{1b}b\nc"), "a\u{fffd}\u{fffd}b\nc");
    }
}
