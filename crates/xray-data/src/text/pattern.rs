//! Tokens by a regular expression, as scikit-learn's `token_pattern` has it.
//!
//! What the whole expression matches is a token, or what its only group matches. It is matched in time that is linear
//! in the text, without looking back.

use regex::{Regex, RegexBuilder};

use crate::error::{Error, Result};

/// The memory that an expression may take once it is compiled, in bytes.
const LARGEST: usize = 10 << 20;

/// What tokens look like.
#[derive(Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    /// From the text of an expression.
    pub(super) fn new(expression: &str) -> Result<Self> {
        let refused = |allowed: String| {
            let value = expression.to_owned();
            Err(Error::Parameter { name: "token_pattern", value, allowed })
        };
        let regex = match RegexBuilder::new(expression).size_limit(LARGEST).build() {
            Ok(regex) => regex,
            Err(error) => {
                // The last line says what is wrong; those above point at it.
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ").to_owned();
                return refused(format!("it is no regular expression: {reason}"));
            }
        };
        if regex.captures_len() > 2 {
            return refused("use one group at most: (?: ) makes no group".to_owned());
        }
        Ok(Self(regex))
    }

    /// Calls `visit` with each token that is not empty, in order.
    pub(super) fn for_each_token<'a>(&self, text: &'a str, mut visit: impl FnMut(&'a str)) {
        if self.0.captures_len() == 1 {
            let tokens = self.0.find_iter(text).map(|found| found.as_str());
            tokens.filter(|token| !token.is_empty()).for_each(visit);
            return;
        }
        for groups in self.0.captures_iter(text) {
            match groups.get(1) {
                Some(token) if !token.is_empty() => visit(token.as_str()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens;

    fn found(expression: &str, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        let pattern = Pattern::new(expression).expect("an expression");
        pattern.for_each_token(text, |token| all.push(token.to_owned()));
        all
    }

    #[test]
    fn the_usual_pattern_gives_the_usual_tokens() {
        let text = "it's 7 o'clock: naïve_user, über x1 and a b";
        assert_eq!(found(r"(?u)\b\w\w+\b", text), tokens(text));
        assert_eq!(found("[a-z]+-[a-z]+", "well-known and so-called"), ["well-known", "so-called"]);
        assert_eq!(found("#([a-z]+)", "#one two #three"), ["one", "three"]);
        assert_eq!(found("x*", "axxb"), ["xx"]);
    }

    #[test]
    fn what_is_no_pattern_is_told() {
        for (expression, words) in
            [("(a", "unclosed group"), ("(a)(b)", "one group"), ("(?=a)", "look-around")]
        {
            let message = Pattern::new(expression).unwrap_err().to_string();
            assert!(
                message.starts_with("token_pattern = ") && message.contains(words),
                "{message}"
            );
        }
        assert!(Pattern::new("(?:a{1000}){1000}").is_err());
    }
}
