//! Side files: one name, term or class a line.
//!
//! Lines that begin with `%` are comments. Files in which every line has an index and a class, as
//! in `0 3`, with indices from 0 in order (the `.classes` files of the BBC collections), give the
//! classes.

use super::lines::{Lines, parse_count};
use crate::error::Result;
use crate::options::LoadOptions;
use crate::source::{Input, Source};

/// Reads one name a line; a last empty line does not count.
///
/// # Errors
/// If the file cannot be read or is not UTF-8.
pub fn read_names(input: &Input, options: &LoadOptions) -> Result<Vec<String>> {
    let mut lines = Lines::new(Source::open(input)?, options.limits.line_bytes);
    let mut names = Vec::new();
    while let Some(line) = lines.next_line()? {
        if line.bytes.first() != Some(&b'%') {
            names.push(line.text_or_replaced(options.replace_invalid_utf8)?);
        }
    }
    while names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    Ok(classes_by_index(&names).unwrap_or(names))
}

/// The second words, if the first ones are 0, 1, 2 and so on.
fn classes_by_index(names: &[String]) -> Option<Vec<String>> {
    let class = |(k, name): (usize, &String)| {
        let mut words = name.split_whitespace();
        let index = parse_count(words.next()?.as_bytes())?;
        let class = words.next()?;
        (index == k as u64 && words.next().is_none()).then(|| class.to_owned())
    };
    if names.is_empty() { None } else { names.iter().enumerate().map(class).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(content: &str) -> Vec<String> {
        let input = Input::Bytes { name: "names".into(), bytes: content.into() };
        read_names(&input, &LoadOptions::default()).expect("valid")
    }

    #[test]
    fn plain_names_and_numbered_classes() {
        assert_eq!(names("a b\n\nc\n\n"), ["a b", "", "c"]);
        assert_eq!(names("%%Clustering hard\n0 4\n1 2\n"), ["4", "2"]);
        assert_eq!(names("0 4\n2 2\n"), ["0 4", "2 2"]);
    }
}
