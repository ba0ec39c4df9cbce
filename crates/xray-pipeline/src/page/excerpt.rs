//! The part of a text that says most about a topic.

use std::collections::HashSet;

/// Characters of a text that are shown, at most.
pub(super) const SHOWN: usize = 300;

/// Characters of words, names and ids that are shown, at most.
const LONGEST: usize = 400;

/// The run of whole words with most of the wanted ones, the first of several; all of a short text. What is left out
/// is told by an ellipsis. Cost: one pass.
pub(super) fn excerpt(text: &str, wanted: &HashSet<&str>) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let lengths: Vec<usize> = words.iter().map(|word| word.chars().count() + 1).collect();
    if lengths.iter().sum::<usize>() <= SHOWN + 1 {
        return text.to_owned();
    }
    let hits: Vec<bool> = words.iter().map(|word| is_wanted(word, wanted)).collect();
    let (mut start, mut length, mut found) = (0, 0, 0);
    let (mut best, mut most) = (0..0, None);
    for end in 0..words.len() {
        length += lengths[end];
        found += usize::from(hits[end]);
        while length > SHOWN && start < end {
            length -= lengths[start];
            found -= usize::from(hits[start]);
            start += 1;
        }
        if most.is_none_or(|most| found > most) || (best.start == start && most == Some(found)) {
            (best, most) = (start..end + 1, Some(found));
        }
    }
    let shown = shortened(&words[best.clone()].join(" "), SHOWN);
    let before = if best.start > 0 { "… " } else { "" };
    let after = if best.end < words.len() && !shown.ends_with('…') { " …" } else { "" };
    format!("{before}{shown}{after}")
}

/// Whether the letters of a word are wanted.
fn is_wanted(word: &str, wanted: &HashSet<&str>) -> bool {
    let lower = word.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| wanted.contains(part))
}

/// A word, name or id, cut if it is very long.
pub(super) fn short(text: &str) -> String {
    shortened(text, LONGEST)
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_densest_part_is_shown() {
        let wanted: HashSet<&str> = ["cat", "dog"].into();
        assert_eq!(excerpt("a short cat", &wanted), "a short cat");
        let filler = "lorem ".repeat(120);
        let text = format!("{filler}the Cat's dog, a cat {filler}end");
        let shown = excerpt(&text, &wanted);
        assert!(shown.contains("Cat's dog, a cat") && shown.starts_with("… "), "{shown}");
        assert!(shown.chars().count() <= SHOWN + 4 && shown.ends_with(" …"));
        let start = excerpt(&filler, &wanted);
        assert!(start.starts_with("lorem lorem") && start.chars().count() > SHOWN - 10);
        let long = excerpt(&"x".repeat(5_000), &wanted);
        assert_eq!(long.chars().count(), SHOWN + 1);
        assert_eq!(short(&"é".repeat(500)).chars().count(), LONGEST + 1);
    }
}
