//! Labels of vertical lines, above the first panel.

use crate::pictures::axis::Axis;
use crate::pictures::colour::{BACKGROUND, INK};
use crate::pictures::header::{MARGIN, TEXT_SIZE};
use crate::pictures::plot::{REFERENCE, Reference, crisp};
use crate::pictures::scene::{Anchor, Fill, Item, Rect, TextStyle, Weight, elide, text_width};

/// The height of a line of labels.
pub(super) const LINE: f64 = 16.0;
/// The most lines of labels.
pub(super) const ROWS: usize = 8;
/// From the frame to the lowest base line.
const RISE: f64 = 8.0;
/// Between labels, and between a line and its flag.
const GAP: f64 = 8.0;
const FLAG_GAP: f64 = 4.0;

/// The label of a vertical line.
pub(super) struct Marker {
    /// Where the line is.
    line: f64,
    left: f64,
    width: f64,
    /// Counted from the bottom.
    pub row: usize,
    label: String,
}

impl Marker {
    fn new(line: f64, label: &str, picture_width: f64) -> Self {
        let label = elide(label, TEXT_SIZE, Weight::Regular, picture_width - 2.0 * MARGIN);
        let width = text_width(&label, TEXT_SIZE, Weight::Regular);
        Self { line, left: 0.0, width, row: 0, label }
    }

    /// Starts at this place, or as near to it as the picture allows.
    fn start(mut self, left: f64, picture_width: f64) -> Self {
        self.left = left.clamp(MARGIN, picture_width - MARGIN - self.width);
        self
    }
}

/// Centred over their lines where all labels have room, else as flags.
pub(super) fn place(lines: &[Reference], x: &Axis, frame: &Rect, width: f64) -> Vec<Marker> {
    let mut shown: Vec<(f64, &str)> = lines
        .iter()
        .filter(|line| !line.label.is_empty())
        .filter_map(|line| Some((x.place(line.at)?, line.label.as_str())))
        .filter(|(part, _)| (0.0..=1.0).contains(part))
        .map(|(part, label)| (frame.left + part * frame.width, label))
        .collect();
    shown.sort_by(|a, b| a.0.total_cmp(&b.0));
    let markers = || shown.iter().map(|&(line, label)| Marker::new(line, label, width));
    let centre = |marker: Marker| {
        let left = marker.line - marker.width / 2.0;
        marker.start(left, width)
    };
    let centred: Vec<Marker> = markers().map(centre).collect();
    if centred.is_sorted_by(|a, b| a.left + a.width + GAP <= b.left) {
        return centred;
    }
    let flag = |marker: Marker| {
        let left = marker.line + FLAG_GAP;
        marker.start(left, width)
    };
    flags(markers().map(flag).collect())
}

/// From the right, each flag goes to the lowest row where it is free, so that no line has to pass a
/// label on its way up. Flags for which no row is free are left out.
fn flags(markers: Vec<Marker>) -> Vec<Marker> {
    let mut starts = [f64::INFINITY; ROWS];
    let place = |mut marker: Marker| {
        let end = marker.left + marker.width + GAP;
        marker.row = starts.iter().position(|&start| end <= start)?;
        starts[marker.row] = marker.left;
        Some(marker)
    };
    markers.into_iter().rev().filter_map(place).collect()
}

pub(super) fn draw(markers: &[Marker], top: f64, items: &mut Vec<Item>) {
    let base = |marker: &Marker| top - RISE - marker.row as f64 * LINE;
    for marker in markers.iter().filter(|marker| marker.row > 0) {
        let x = crisp(marker.line);
        items.push(Item::line(vec![(x, top), (x, base(marker) - 9.0)], REFERENCE));
    }
    let style = TextStyle::new(TEXT_SIZE, Anchor::Start).colour(INK);
    for marker in markers {
        // Near the right edge a flag may lie across other lines.
        let (left, width) = (marker.left - 1.0, marker.width + 2.0);
        let frame = Rect { left, top: base(marker) - 11.0, width, height: LINE - 1.0 };
        items.push(Item::rect(frame, Fill::solid(BACKGROUND)));
        items.push(Item::text((marker.left, base(marker)), &marker.label, style));
    }
}
