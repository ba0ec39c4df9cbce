//! The frame of a plot with its y axis, as charts and bar charts share it.

use crate::axis::Axis;
use crate::colour::{FRAME, GRID, TEXT};
use crate::header::TEXT_SIZE;
use crate::scene::{Anchor, Item, Point, Rect, Stroke, TextStyle, Weight, text_width, wrap};

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
    pub fn new(axis: Axis, label: &str, height: f64) -> Self {
        Self { axis, label: wrap(label, TEXT_SIZE, Weight::Regular, height, Y_LABEL_LINES) }
    }

    /// Room for ticks' labels and marks, to the left of the frame.
    fn ticks_width(&self) -> f64 {
        let labels = self.axis.ticks.iter().filter_map(|tick| tick.label.as_deref());
        let widths = labels.map(|label| text_width(label, TICK_SIZE, Weight::Regular));
        widths.fold(0.0, f64::max) + TICK_GAP + TICK
    }

    /// Room for all that is to the left of the frame.
    pub fn width(&self) -> f64 {
        let label = self.label.len() as f64 * Y_LABEL_LINE;
        self.ticks_width() + if self.label.is_empty() { 0.0 } else { label + 6.0 }
    }

    /// Where a value is in the frame.
    pub fn place(&self, value: f64, frame: &Rect) -> Option<f64> {
        self.axis.place(value).map(|part| frame.bottom() - part * frame.height)
    }

    /// Grid, marks and labels; the axis's name is `labels_left` from the picture's edge.
    pub fn draw(&self, frame: &Rect, labels_left: f64, items: &mut Vec<Item>) {
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
}

/// The left and bottom edges.
pub(crate) fn edges(frame: &Rect, items: &mut Vec<Item>) {
    let (left, bottom) = (crisp(frame.left), crisp(frame.bottom()));
    let points = vec![(left, frame.top), (left, bottom), (frame.right(), bottom)];
    items.push(Item::line(points, Stroke::solid(FRAME, 1.0)));
}

fn horizontal(from: Point, to: f64, colour: crate::Colour) -> Item {
    Item::line(vec![from, (to, from.1)], Stroke::solid(colour, 1.0))
}
