//! Places that text takes in a terminal.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::printable;

/// The number of places of a line of text.
pub(super) fn width(text: &str) -> usize {
    text.graphemes(true).map(places).sum()
}

/// A cluster of a letter and its marks takes at most two places.
fn places(cluster: &str) -> usize {
    cluster.width().min(2)
}

/// One line: ends of lines and tabs are blanks, and nothing in it acts on the terminal.
pub(super) fn one_line(text: &str) -> String {
    let blank = |letter: char| matches!(letter, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
    printable(&text.replace(blank, " ")).into_owned()
}

/// The text, or as much of it as fits with an ellipsis.
pub(super) fn elide(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    if room == 0 {
        return String::new();
    }
    let mut kept = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        used += places(cluster);
        if used >= room {
            break;
        }
        kept.push_str(cluster);
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}
