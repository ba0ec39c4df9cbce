//! Lays out a grid of images and puts it on the picture.

use super::{Image, ImageGrid};
use crate::pictures::colour::{Colour, FRAME, MISSING};
use crate::pictures::header::{Header, MARGIN};
use crate::pictures::plot::{TICK_SIZE, no_data};
use crate::pictures::scene::{Anchor, Item, Pixels, Rect, Scene, Stroke, TextStyle};

/// Between images.
const GAP: f64 = 14.0;
/// The room for what stands above a row, and what of it is between the text and the images.
const ROW_LABEL: f64 = 18.0;
const LABEL_GAP: f64 = 5.0;
/// The bar of colours.
const BAR: (f64, f64) = (180.0, 10.0);
/// An image of few values is not blown up beyond this many pixels for each.
const LARGEST_ZOOM: f64 = 16.0;
/// Pictures are not narrower than this, for their title's sake.
const NARROWEST: f64 = 320.0;

/// Where images go.
struct Plan {
    n_columns: usize,
    n_rows: usize,
    /// The room of an image, and how many pixels a value takes.
    cell: (f64, f64),
    zoom: f64,
    row_label: f64,
}

pub(super) fn draw(grid: &ImageGrid) -> Scene {
    let plan = Plan::new(grid, grid.width - 2.0 * MARGIN);
    let width = (plan.width() + 2.0 * MARGIN).max(NARROWEST).min(grid.width).ceil();
    let header = Header::new(&grid.title, Vec::new(), width, 0.0);
    let top = (header.height() + 2.0).round();
    let mut items = Vec::new();
    header.draw(&mut items);
    if grid.images.is_empty() {
        no_data(&Rect { left: 0.0, top, width, height: 60.0 }, &mut items);
        return Scene { width, height: top + 60.0 + MARGIN, title: grid.title.clone(), items };
    }
    for (i, image) in grid.images.iter().enumerate() {
        plan.image(grid, i, image, top, &mut items);
    }
    let mut bottom = top + plan.height();
    if let Some(scale) = grid.scale {
        bottom = bar(scale, bottom + GAP, &mut items);
    }
    let height = (bottom + MARGIN).ceil();
    Scene { width, height, title: grid.title.clone(), items }
}

/// The bar that tells which colour is which value; returns where it ends.
fn bar((low, high): (f64, f64), top: f64, items: &mut Vec<Item>) -> f64 {
    let frame = Rect { left: MARGIN, top: top.round(), width: BAR.0, height: BAR.1 };
    let rgb = (0..256).flat_map(|shade| Colour::ramp(f64::from(shade) / 255.0).rgb()).collect();
    items.push(Item::Image { frame, pixels: Pixels { width: 256, height: 1, rgb } });
    let below = frame.top + BAR.1 + TICK_SIZE + 2.0;
    let ends = [(frame.left, low, Anchor::Start), (frame.left + BAR.0, high, Anchor::End)];
    for (x, value, anchor) in ends {
        items.push(Item::text((x, below), value.to_string(), TextStyle::new(TICK_SIZE, anchor)));
    }
    below
}

impl Plan {
    fn new(grid: &ImageGrid, room: f64) -> Self {
        let n = grid.images.len().max(1);
        let widest = grid.images.iter().map(|image| image.width).max().unwrap_or(0).max(1) as f64;
        let highest = grid.images.iter().map(|image| image.height).max().unwrap_or(0).max(1) as f64;
        // About half as wide again as high.
        let balanced = (1.5 * n as f64 * highest / widest).sqrt().round();
        let n_columns = grid.columns.unwrap_or((balanced as usize).clamp(1, 10)).min(n);
        let slot = room / n_columns as f64 - GAP;
        // Whole numbers of pixels for each value look even.
        let zoom = (slot / widest).clamp(f64::MIN_POSITIVE, LARGEST_ZOOM);
        let zoom = if zoom >= 1.0 { zoom.floor() } else { zoom };
        let cell = ((widest * zoom).max(1.0), (highest * zoom).max(1.0));
        let unlabelled = grid.row_labels.is_empty() && grid.labels.is_empty();
        let row_label = if unlabelled { 0.0 } else { ROW_LABEL };
        Self { n_columns, n_rows: n.div_ceil(n_columns), cell, zoom, row_label }
    }

    fn width(&self) -> f64 {
        self.n_columns as f64 * (self.cell.0 + GAP) - GAP
    }

    fn height(&self) -> f64 {
        self.n_rows as f64 * self.row_height() - GAP
    }

    fn row_height(&self) -> f64 {
        self.row_label + self.cell.1 + GAP
    }

    fn image(&self, grid: &ImageGrid, i: usize, image: &Image, top: f64, items: &mut Vec<Item>) {
        let (row, column) = (i / self.n_columns, i % self.n_columns);
        let (width, height) = (image.width as f64 * self.zoom, image.height as f64 * self.zoom);
        let middle = MARGIN + column as f64 * (self.cell.0 + GAP) + self.cell.0 / 2.0;
        let top = (top + row as f64 * self.row_height() + self.row_label).round();
        let frame = Rect { left: (middle - width / 2.0).round(), top, width, height };
        let of_row = grid.row_labels.get(row).filter(|_| column == 0);
        if let Some(label) = grid.labels.get(i).or(of_row) {
            let at = (frame.left, top - LABEL_GAP);
            items.push(Item::text(at, label, TextStyle::new(TICK_SIZE, Anchor::Start)));
        }
        items.push(Item::Image { frame, pixels: pixels(image, grid.scale) });
        let rim = Rect {
            left: frame.left - 0.5,
            top: top - 0.5,
            width: width + 1.0,
            height: height + 1.0,
        };
        let stroke = Some(Stroke::solid(FRAME, 1.0));
        items.push(Item::Polygon { points: rim.corners(), fill: None, stroke });
    }
}

fn pixels(image: &Image, scale: Option<(f64, f64)>) -> Pixels {
    let (low, high) = scale.unwrap_or_else(|| image.range());
    let span = if high > low { high - low } else { 1.0 };
    let shade = if scale.is_some() { Colour::ramp } else { Colour::grey };
    let colour = |&value: &f64| {
        if value.is_nan() { MISSING.rgb() } else { shade((value - low) / span).rgb() }
    };
    let rgb = image.values.iter().flat_map(colour).collect();
    Pixels { width: image.width, height: image.height, rgb }
}
