//! The command line that a page tells, so that its result can be had again.

use std::ffi::OsString;

/// Options that say where results go and how they are told, not what they are: with a value, and without.
const WITH_VALUE: [&str; 7] = [
    "-o",
    "--output",
    "--threads",
    "--memory",
    "--checkpoint",
    "--checkpoint-every",
    "--checkpoint-seconds",
];
const ALONE: [&str; 7] = ["-q", "--quiet", "-v", "--verbose", "--json", "--resume", "--shards"];

/// What was typed, without what has no effect on the result.
pub(crate) fn repeated() -> String {
    line(std::env::args_os().skip(1))
}

fn line(arguments: impl Iterator<Item = OsString>) -> String {
    let mut words = vec!["xray".to_owned()];
    let mut arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        let is_value = |name: &&str| argument.starts_with(&format!("{name}="));
        if WITH_VALUE.contains(&argument.as_str()) {
            arguments.next();
        } else if !ALONE.contains(&argument.as_str()) && !WITH_VALUE.iter().any(is_value) {
            words.push(quoted(&argument));
        }
    }
    words.join(" ")
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_effect_is_left_out() {
        let typed =
            "topics my.csv --text body -k 5 -o out --threads=2 --exclude it's -v --memory 4G";
        let arguments = typed.split(' ').map(OsString::from);
        assert_eq!(line(arguments), "xray topics my.csv --text body -k 5 --exclude 'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
