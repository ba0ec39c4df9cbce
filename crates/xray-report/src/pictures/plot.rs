//! The frame of a plot with its y axis, shared by all panels of a chart.

use crate::pictures::axis::Axis;
use crate::pictures::colour::{Colour, FRAME, GRID, INK, TEXT};
use crate::pictures::header::{MARGIN, TEXT_SIZE};
use crate::pictures::scene::{
    Anchor, Item, Point, Rect, Stroke, TextStyle, Weight, elide, text_width, wrap,
};

pub(crate) const TICK_SIZE: f64 = 11.0;
/// Length of tick marks, and from there to the label.
pub(crate) const TICK: f64 = 4.0;
pub(crate) const TICK_GAP: f64 = 4.0;
/// From the middle of a line of ticks' text to its base line.
pub(crate) const HALF_LINE: f64 = 0.36 * TICK_SIZE;
/// Straight lines that are neither grid nor curve.
pub(crate) const REFERENCE: Stroke =
    Stroke { colour: TEXT, width: 1.2, dash: &[5.0, 3.0], opacity: 1.0 };
/// Lines of a y label, and room for each.
const Y_LABEL_LINES: usize = 2;
const Y_LABEL_LINE: f64 = 15.0;

/// To the right of the frame, at least, and from there to names of lines.
const RIGHT: f64 = 22.0;
const RIGHT_GAP: f64 = 8.0;
/// Frames are placed on whole pixels.
const ROUNDING: f64 = 2.0;
/// From name to name.
const NAME_LINE: f64 = 15.0;

/// A straight line across a plot, and what it means.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub at: f64,
    pub label: String,
}

/// Room for the names of horizontal lines.
pub(crate) fn right_margin<'a>(lines: impl Iterator<Item = &'a Reference>, width: f64) -> f64 {
    let widths = lines.map(|line| text_width(&line.label, TEXT_SIZE, Weight::Regular));
    widths.map(|width| width + RIGHT_GAP + MARGIN + ROUNDING).fold(RIGHT, f64::max).min(0.3 * width)
}

/// The centre of the pixel: lines of odd width are sharp there.
pub(crate) fn crisp(place: f64) -> f64 {
    place.floor() + 0.5
}

/// How many labelled ticks are comfortable.
pub(crate) fn y_ticks(height: f64) -> usize {
    ((height / 44.0) as usize).clamp(2, 8)
}

/// A y axis with its label, broken into lines.
pub(crate) struct YAxis {
    pub axis: Axis,
    label: Vec<String>,
}

impl YAxis {
    pub(super) fn new(axis: Axis, label: &str, height: f64) -> Self {
        Self { axis, label: wrap(label, TEXT_SIZE, Weight::Regular, height, Y_LABEL_LINES) }
    }

    /// Room for ticks' labels and marks, to the left of the frame.
    fn ticks_width(&self) -> f64 {
        let labels = self.axis.ticks.iter().filter_map(|tick| tick.label.as_deref());
        let widths = labels.map(|label| text_width(label, TICK_SIZE, Weight::Regular));
        widths.fold(0.0, f64::max) + TICK_GAP + TICK
    }

    /// Room for all that is to the left of the frame.
    pub(super) fn width(&self) -> f64 {
        let label = self.label.len() as f64 * Y_LABEL_LINE;
        self.ticks_width() + if self.label.is_empty() { 0.0 } else { label + 6.0 }
    }

    /// Where a value is in the frame.
    pub(super) fn place(&self, value: f64, frame: &Rect) -> Option<f64> {
        self.axis.place(value).map(|part| frame.bottom() - part * frame.height)
    }

    /// Grid, marks and labels; the axis's name is `labels_left` from the picture's edge.
    pub(super) fn draw(&self, frame: &Rect, labels_left: f64, items: &mut Vec<Item>) {
        let style = TextStyle::new(TICK_SIZE, Anchor::End);
        for tick in &self.axis.ticks {
            let Some(y) = self.place(tick.value, frame) else { continue };
            let line = crisp(y);
            let mark = if tick.label.is_some() { TICK } else { TICK / 2.0 };
            if let Some(label) = &tick.label {
                items.push(horizontal((frame.left, line), frame.right(), GRID));
                let at = (frame.left - TICK - TICK_GAP, y + HALF_LINE);
                items.push(Item::text(at, label, style));
            }
            items.push(horizontal((frame.left - mark, line), frame.left, FRAME));
        }
        let style = TextStyle::new(TEXT_SIZE, Anchor::Middle).upwards();
        for (i, line) in self.label.iter().enumerate() {
            let at = (labels_left + 12.0 + i as f64 * Y_LABEL_LINE, frame.top + frame.height / 2.0);
            items.push(Item::text(at, line, style));
        }
    }

    /// Horizontal lines, with their names to the right of the frame.
    pub(super) fn references(
        &self,
        lines: &[Reference],
        frame: &Rect,
        width: f64,
        items: &mut Vec<Item>,
    ) {
        let inside = |place: &f64| (frame.top..=frame.bottom()).contains(place);
        let mut shown: Vec<(f64, &Reference)> = lines
            .iter()
            .filter_map(|line| Some((self.place(line.at, frame).filter(inside)?, line)))
            .collect();
        shown.sort_by(|a, b| a.0.total_cmp(&b.0));
        let places: Vec<f64> = shown.iter().map(|line| line.0).collect();
        let style = TextStyle::new(TEXT_SIZE, Anchor::Start).colour(INK);
        let left = frame.right() + RIGHT_GAP;
        for ((line, reference), middle) in shown.into_iter().zip(apart(&places, frame.bottom())) {
            let points = vec![(frame.left, crisp(line)), (frame.right() + 4.0, crisp(line))];
            items.push(Item::line(points, REFERENCE));
            // Above the frame there is no room for more names.
            if middle < frame.top {
                continue;
            }
            let label = elide(&reference.label, TEXT_SIZE, Weight::Regular, width - MARGIN - left);
            items.push(Item::text((left, middle + HALF_LINE), label, style));
        }
    }
}

/// Places in rising order, moved as little as keeps names apart.
fn apart(places: &[f64], bottom: f64) -> Vec<f64> {
    let mut moved = places.to_vec();
    for i in 1..moved.len() {
        moved[i] = moved[i].max(moved[i - 1] + NAME_LINE);
    }
    let mut limit = bottom;
    for place in moved.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - NAME_LINE;
    }
    moved
}

/// The left and bottom edges.
pub(crate) fn edges(frame: &Rect, items: &mut Vec<Item>) {
    let (left, bottom) = (crisp(frame.left), crisp(frame.bottom()));
    let points = vec![(left, frame.top), (left, bottom), (frame.right(), bottom)];
    items.push(Item::line(points, Stroke::solid(FRAME, 1.0)));
}

pub(crate) fn no_data(frame: &Rect, items: &mut Vec<Item>) {
    let at = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
    items.push(Item::text(at, "no data", TextStyle::new(TEXT_SIZE, Anchor::Middle)));
}

fn horizontal(from: Point, to: f64, colour: Colour) -> Item {
    Item::line(vec![from, (to, from.1)], Stroke::solid(colour, 1.0))
}
