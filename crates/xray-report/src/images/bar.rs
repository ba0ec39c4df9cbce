//! The bar that explains colours.

use super::ImageGrid;
use crate::axis::{Axis, Wish};
use crate::colour::FRAME;
use crate::header::TEXT_SIZE;
use crate::plot::{HALF_LINE, TICK, TICK_GAP, TICK_SIZE, crisp};
use crate::scene::{Anchor, Item, Pixels, Rect, Stroke, TextStyle, Weight, elide, text_width};

/// Width of the strip of colours, and its number of shades.
const STRIP: f64 = 14.0;
const N_SHADES: usize = 256;
const N_TICKS: usize = 4;
const LABEL_LINE: f64 = 22.0;

pub(super) struct ColourBar<'a> {
    axis: Axis,
    label: &'a str,
}

impl<'a> ColourBar<'a> {
    pub fn new(grid: &ImageGrid, label: &'a str) -> Self {
        let range = grid.images.first().map(|image| grid.range_of(image));
        Self { axis: Axis::fit(&Wish { range, ..Wish::default() }, None, N_TICKS), label }
    }

    /// Of the strip, its ticks and its name.
    pub fn width(&self) -> f64 {
        let labels = self.axis.ticks.iter().filter_map(|tick| tick.label.as_deref());
        let widths = labels.map(|label| text_width(label, TICK_SIZE, Weight::Regular));
        let name = if self.label.is_empty() { 0.0 } else { LABEL_LINE };
        STRIP + TICK + TICK_GAP + widths.fold(0.0, f64::max) + name
    }

    /// Draws the bar, and says where it ends.
    pub fn draw(
        &self,
        grid: &ImageGrid,
        left: f64,
        top: f64,
        height: f64,
        items: &mut Vec<Item>,
    ) -> f64 {
        let frame = Rect { left, top, width: STRIP, height };
        let shade = |i| grid.colours.colour(1.0 - i as f64 / (N_SHADES - 1) as f64);
        let rgb = (0..N_SHADES).map(shade).flat_map(|c| [c.red, c.green, c.blue]).collect();
        let pixels = Pixels { width: 1, height: N_SHADES, rgb };
        items.push(Item::Image { frame, pixels });
        let stroke = Stroke::solid(FRAME, 1.0);
        let points =
            Rect { left: left - 0.5, top: top - 0.5, width: STRIP + 1.0, height: height + 1.0 }
                .corners();
        items.push(Item::Polygon { points, fill: None, stroke: Some(stroke) });
        let right = frame.right() + TICK;
        for tick in &self.axis.ticks {
            let (Some(part), Some(label)) = (self.axis.place(tick.value), &tick.label) else {
                continue;
            };
            let y = frame.bottom() - part * height;
            items.push(Item::line(vec![(frame.right(), crisp(y)), (right, crisp(y))], stroke));
            let at = (right + TICK_GAP, y + HALF_LINE);
            items.push(Item::text(at, label, TextStyle::new(TICK_SIZE, Anchor::Start)));
        }
        let name = elide(self.label, TEXT_SIZE, Weight::Regular, height);
        let at = (left + self.width() - 4.0, top + height / 2.0);
        items.push(Item::text(at, name, TextStyle::new(TEXT_SIZE, Anchor::Middle).upwards()));
        frame.bottom() + HALF_LINE
    }
}
