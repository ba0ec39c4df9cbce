//! Side files: one name, term or class a line.
//!
//! Lines at the start that begin with `%` are comments. Files in which every line has an index and a
//! class, as in `0 3`, with indices from 0 in order (the `.classes` files of the BBC collections),
//! give the classes; a comment `%Clusters 5 business,sport,...` gives their names.

use super::lines::{Lines, parse_count};
use crate::budget::string_bytes;
use crate::columns::{Guess, guess};
use crate::error::Result;
use crate::options::LoadOptions;
use crate::source::{Input, Source};

/// Reads one name a line; empty lines at the end do not count.
///
/// # Errors
/// If the file cannot be read or is not UTF-8.
///
/// # Examples
/// ```
/// use xray_data::{Input, LoadOptions, read_names};
/// let classes = b"%%Clustering hard\n%Clusters 2 sport,tech\n0 1\n1 0\n".to_vec();
/// let input = Input::Bytes { name: "bbc.classes".into(), bytes: classes };
/// assert_eq!(read_names(&input, &LoadOptions::default())?, ["tech", "sport"]);
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn read_names(input: &Input, options: &LoadOptions) -> Result<Vec<String>> {
    Ok(NameFile::read(input, options)?.names(0))
}

/// Reads names where `n` are needed: so many are given if the file allows it.
pub(crate) fn read_names_for(
    input: &Input,
    options: &LoadOptions,
    n: usize,
) -> Result<Vec<String>> {
    Ok(NameFile::read(input, options)?.names(n))
}

/// Reads the classes of `n` rows; a line more than that is a header if it says so.
pub(crate) fn read_labels(input: &Input, options: &LoadOptions, n: usize) -> Result<Vec<String>> {
    let mut labels = read_names_for(input, options, n)?;
    let named = labels.first().is_some_and(|first| is_label_name(first));
    if named && labels.len() == n + 1 {
        labels.remove(0);
    }
    Ok(labels)
}

/// Whether columns of classes usually have this name.
pub(crate) fn is_label_name(name: &str) -> bool {
    guess(&[name.to_owned()], &[], Guess::Label).is_some()
}

/// The lines of a side file.
struct NameFile {
    lines: Vec<String>,
    /// Lines at the start that begin with `%`.
    n_comments: usize,
}

impl NameFile {
    fn read(input: &Input, options: &LoadOptions) -> Result<Self> {
        let source = Source::open(input, options)?;
        let mut source = Lines::new(source, options.limits.line_bytes);
        let mut claim = options.limits.claim(source.file());
        let mut lines = Vec::new();
        while let Some(line) = source.next_line()? {
            claim.take(string_bytes(line.bytes.len()))?;
            lines.push(line.text_or_replaced(options.replace_invalid_utf8)?);
        }
        let n_comments = lines.iter().take_while(|line| line.starts_with('%')).count();
        Ok(Self { lines, n_comments })
    }

    /// The names. Where `n` are needed, names that look like comments count if they make up the
    /// number, and so do empty lines at the end.
    fn names(mut self, n: usize) -> Vec<String> {
        let n_comments = if self.lines.len() == n { 0 } else { self.n_comments };
        while self.lines.len() > n_comments + n && self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        let names = self.lines.split_off(n_comments);
        match classes_by_index(&names) {
            Some(classes) => with_class_names(classes, &self.lines),
            None => names,
        }
    }
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

/// Numbers of classes to their names, if a comment lists them.
fn with_class_names(classes: Vec<String>, comments: &[String]) -> Vec<String> {
    let listed = comments.iter().find_map(|comment| comment.strip_prefix("%Clusters "));
    let names = listed.and_then(|list| list.trim().split_once(' ')).map_or("", |(_, names)| names);
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let name = |class: &String| names.get(class.parse::<usize>().ok()?).copied();
    let named: Option<Vec<&str>> = classes.iter().map(name).collect();
    match named {
        Some(named) if named.iter().all(|name| !name.is_empty()) => {
            named.into_iter().map(str::to_owned).collect()
        }
        _ => classes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &str) -> Input {
        Input::Bytes { name: "names".into(), bytes: content.into() }
    }

    fn names(content: &str) -> Vec<String> {
        read_names(&file(content), &LoadOptions::default()).expect("valid")
    }

    #[test]
    fn plain_names_and_numbered_classes() {
        assert_eq!(names("a b\n\nc\n\n"), ["a b", "", "c"]);
        assert_eq!(names("\u{feff}a\r\nb\r\n"), ["a", "b"]);
        assert_eq!(names("%%Clustering hard\n0 4\n1 2\n"), ["4", "2"]);
        assert_eq!(names("0 4\n2 2\n"), ["0 4", "2 2"]);
        let clusters = "%Clusters 3 a,b c,d\n%Objects\n0 1\n1 0\n2 2\n";
        assert_eq!(names(clusters), ["b c", "a", "d"]);
        assert_eq!(names("%Clusters 2 a,b\n0 1\n1 2\n"), ["1", "2"]);
        assert_eq!(names("%Clusters 3 a,,b\n0 1\n1 2\n"), ["1", "2"]);
    }

    #[test]
    fn comments_stand_at_the_start_only() {
        assert_eq!(names("% note\nrate\n%\n"), ["rate", "%"]);
        let needed = |content: &str, n| {
            read_names_for(&file(content), &LoadOptions::default(), n).expect("valid")
        };
        assert_eq!(needed("%\nrate\n", 2), ["%", "rate"]);
        assert_eq!(needed("%\nrate\n", 1), ["rate"]);
        assert_eq!(needed("a\n\n\n", 2), ["a", ""]);
    }

    #[test]
    fn a_header_over_classes_is_dropped() {
        let labels = |content: &str, n| {
            read_labels(&file(content), &LoadOptions::default(), n).expect("valid")
        };
        assert_eq!(labels("Label\nx\ny\n", 2), ["x", "y"]);
        assert_eq!(labels("label\nx\n", 2), ["label", "x"]);
        assert_eq!(labels("z\nx\ny\n", 2), ["z", "x", "y"]);
    }
}
