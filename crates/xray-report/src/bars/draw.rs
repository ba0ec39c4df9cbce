//! Lays out a bar chart and puts it on the picture.

use super::{BarChart, Bars};
use crate::axis::{Axis, Extent, Notation, Scale};
use crate::colour::{BACKGROUND, Colour, FRAME, INK, TEXT};
use crate::header::{Header, MARGIN};
use crate::look::{Key, Swatch};
use crate::plot::{TICK_GAP, TICK_SIZE, YAxis, crisp, edges, no_data, right_margin, y_ticks};
use crate::scene::{
    Anchor, Fill, Item, Rect, Scene, Stroke, TextStyle, Weight, elide, text_width, wrap,
};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 310.0;
/// The frame is not lower than this, whatever the caller chooses.
const LEAST: f64 = 90.0;
const LEGEND_HEIGHT: f64 = 160.0;
/// The part of a category's room that its bars take, and the widest bar.
const FILLED: f64 = 0.76;
const WIDEST: f64 = 64.0;
const NAME_LINE: f64 = 14.0;
const NAME_LINES: usize = 3;
/// Names that have to stand upright are cut at this height.
const UPRIGHT: f64 = 130.0;
const VALUE_SIZE: f64 = 10.5;

/// A bar chart, laid out.
struct Plan {
    frame: Rect,
    y: YAxis,
    names: Names,
    /// Widths of a category and of a bar.
    slot: f64,
    bar: f64,
    /// Of the values above bars, where they are shown.
    notation: Option<Notation>,
}

/// The names of the categories, in lines below each other, or turned upright.
enum Names {
    Flat(Vec<Vec<String>>),
    Upright(Vec<String>),
}

pub(super) fn draw(chart: &BarChart) -> Scene {
    let width = chart.size.map_or(WIDTH, |(width, _)| width);
    let legend = chart.size.map_or(LEGEND_HEIGHT, |(_, height)| height * 0.3);
    let header = Header::new(&chart.title, keys(chart), width, legend);
    let (plan, height) = lay_out(chart, width, header.height() + 4.0);
    let mut items = Vec::new();
    header.draw(&mut items);
    plan.y.draw(&plan.frame, MARGIN, &mut items);
    for i in 0..chart.categories.len() {
        plan.bars(chart, i, &mut items);
        plan.name(i, &mut items);
    }
    edges(&plan.frame, &mut items);
    plan.zero_line(&mut items);
    plan.y.references(&chart.horizontals, &plan.frame, width, &mut items);
    if plan.y.axis.ticks.is_empty() || chart.categories.is_empty() {
        no_data(&plan.frame, &mut items);
    }
    Scene { width, height, title: chart.title.clone(), items }
}

fn keys(chart: &BarChart) -> Vec<Key> {
    let named = chart.bars.iter().enumerate().filter(|(_, bars)| !bars.name.is_empty());
    named
        .map(|(k, bars)| Key { name: bars.name.clone(), swatch: Swatch::Block(colour(k, bars)) })
        .collect()
}

fn colour(k: usize, bars: &Bars) -> Colour {
    bars.colour.unwrap_or(Colour::series(k))
}

/// The frame, and the picture's height.
fn lay_out(chart: &BarChart, width: f64, top: f64) -> (Plan, f64) {
    let right = right_margin(chart.horizontals.iter(), width);
    let plot_height = |names: &Names| match chart.size {
        Some((_, height)) => (height - top - names.height() - MARGIN).max(LEAST),
        None => HEIGHT,
    };
    // Ticks decide the frame's width, which decides how names are set, which decides the height.
    let guess = y_axis(chart, plot_height(&Names::Flat(Vec::new())));
    let left = (MARGIN + guess.width()).min(0.45 * width).round();
    let plot_width = (width - right - left).round();
    let names = Names::new(&chart.categories, plot_width);
    let height = plot_height(&names).round();
    let y = y_axis(chart, height);
    let frame = Rect { left, top: top.round(), width: plot_width, height };
    let natural = frame.bottom() + names.height() + MARGIN;
    let height = chart.size.map_or(natural, |(_, height)| height.max(natural)).ceil();
    let slot = plot_width / chart.categories.len().max(1) as f64;
    let bar = (slot * FILLED / chart.bars.len().max(1) as f64).min(WIDEST);
    // A lone bar's value may reach into the gaps beside it.
    let room = if chart.bars.len() == 1 { slot - 4.0 } else { bar };
    (Plan { frame, y, names, slot, bar, notation: notation(chart, room) }, height)
}

/// All values that have a bar, with their deviations.
fn values(chart: &BarChart) -> impl Iterator<Item = (f64, f64)> {
    let categories = 0..chart.categories.len();
    categories.flat_map(|i| chart.bars.iter().filter_map(move |bars| bars.value(i)))
}

/// How values above bars are written, if they are and have room.
fn notation(chart: &BarChart, room: f64) -> Option<Notation> {
    let largest = values(chart).fold(0.0, |largest: f64, (value, _)| largest.max(value.abs()));
    let notation = Notation::new(largest, chart.digits?);
    let width = |value| text_width(&notation.text(value), VALUE_SIZE, Weight::Regular);
    let fit = values(chart).all(|(value, _)| width(value) <= room);
    fit.then_some(notation)
}

fn y_axis(chart: &BarChart, height: f64) -> YAxis {
    let ends = values(chart).flat_map(|(value, d)| [value - d, value + d]);
    let lines = chart.horizontals.iter().map(|line| line.at);
    let extent = Extent::of(ends.chain(lines), Scale::Linear);
    // Values above bars need room; so much of the axis is left free for them.
    let room = if chart.digits.is_some() { 16.0 / height.max(32.0) } else { 0.0 };
    let extent = extent.map(|Extent { low, high, .. }| {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let free = (high - low) * room;
        let low = if low < 0.0 { low - free } else { low };
        Extent { low, high: if high > 0.0 { high + free } else { high }, whole: false }
    });
    YAxis::new(Axis::fit(&chart.y, extent, y_ticks(height)), &chart.y.label, height)
}

impl Names {
    fn new(categories: &[String], width: f64) -> Self {
        let room = width / categories.len().max(1) as f64 - 6.0;
        let lines: Vec<Vec<String>> = categories
            .iter()
            .map(|name| wrap(name, TICK_SIZE, Weight::Regular, room, NAME_LINES))
            .collect();
        if lines.iter().flatten().any(|line| line.is_empty() || line.ends_with('…')) {
            let cut = |name: &String| elide(name, TICK_SIZE, Weight::Regular, UPRIGHT);
            return Self::Upright(categories.iter().map(cut).collect());
        }
        Self::Flat(lines)
    }

    fn height(&self) -> f64 {
        let text = match self {
            Self::Flat(names) => names.iter().map(Vec::len).max().unwrap_or(1) as f64 * NAME_LINE,
            Self::Upright(names) => names
                .iter()
                .map(|name| text_width(name, TICK_SIZE, Weight::Regular))
                .fold(0.0, f64::max),
        };
        text + 2.0 * TICK_GAP
    }
}

impl Plan {
    fn name(&self, i: usize, items: &mut Vec<Item>) {
        let x = self.middle(i);
        let top = self.frame.bottom() + 2.0 * TICK_GAP;
        match &self.names {
            Names::Flat(names) => {
                let style = TextStyle::new(TICK_SIZE, Anchor::Middle);
                for (k, line) in names[i].iter().enumerate() {
                    let at = (x, top + 0.8 * TICK_SIZE + k as f64 * NAME_LINE);
                    items.push(Item::text(at, line, style));
                }
            }
            Names::Upright(names) => {
                // Rather than overlap, only every so many names are shown.
                let stride = (12.0 / self.slot).ceil().max(1.0) as usize;
                if i.is_multiple_of(stride) {
                    let style = TextStyle::new(TICK_SIZE, Anchor::End).upwards();
                    items.push(Item::text((x + 0.36 * TICK_SIZE, top), &names[i], style));
                }
            }
        }
    }

    /// The bars of a category.
    fn bars(&self, chart: &BarChart, i: usize, items: &mut Vec<Item>) {
        let bar = self.bar;
        let start = self.middle(i) - bar * chart.bars.len() as f64 / 2.0;
        for (k, bars) in chart.bars.iter().enumerate() {
            let Some((value, deviation)) = bars.value(i) else { continue };
            let gap = if bar > 6.0 { 1.0 } else { 0.0 };
            let (left, right) = (start + k as f64 * bar + gap, start + (k + 1) as f64 * bar - gap);
            let (Some(zero), Some(end)) = (self.place(0.0), self.place(value)) else { continue };
            let frame =
                Rect { left, top: zero.min(end), width: right - left, height: (zero - end).abs() };
            items.push(Item::rect(frame, Fill::solid(colour(k, bars))));
            let middle = (left + right) / 2.0;
            if deviation > 0.0 {
                self.error_bar(middle, value, deviation, items);
            }
            self.value(middle, value, deviation, items);
        }
    }

    /// The middle of a category.
    fn middle(&self, i: usize) -> f64 {
        self.frame.left + (i as f64 + 0.5) * self.slot
    }

    fn place(&self, value: f64) -> Option<f64> {
        self.y.place(value, &self.frame)
    }

    fn error_bar(&self, x: f64, value: f64, deviation: f64, items: &mut Vec<Item>) {
        let ends = (self.place(value - deviation), self.place(value + deviation));
        if let (Some(low), Some(high)) = ends {
            let cap = (0.2 * self.bar).min(4.0);
            let stroke = Stroke::solid(INK, 1.2);
            items.push(Item::line(vec![(x, low), (x, high)], stroke));
            for end in [low, high] {
                items.push(Item::line(vec![(x - cap, end), (x + cap, end)], stroke));
            }
        }
    }

    /// The value, beyond the end of its bar and error bar.
    fn value(&self, x: f64, value: f64, deviation: f64, items: &mut Vec<Item>) {
        let Some(notation) = &self.notation else { return };
        let text = notation.text(value);
        let width = text_width(&text, VALUE_SIZE, Weight::Regular);
        let is_up = value >= 0.0;
        let end = self.place(if is_up { value + deviation } else { value - deviation });
        if let Some(end) = end {
            let base = if is_up { end - 4.0 } else { end + 4.0 + 0.75 * VALUE_SIZE };
            // The grid does not strike through numbers.
            let top = base - 0.8 * VALUE_SIZE;
            let frame = Rect { left: x - width / 2.0, top, width, height: 0.9 * VALUE_SIZE };
            items.push(Item::rect(frame, Fill { colour: BACKGROUND, opacity: 0.8 }));
            let style = TextStyle::new(VALUE_SIZE, Anchor::Middle).colour(TEXT);
            items.push(Item::text((x, base), text, style));
        }
    }

    /// Where bars go down as well, zero is not the edge.
    fn zero_line(&self, items: &mut Vec<Item>) {
        if let Some(zero) = self.place(0.0).filter(|&zero| zero < self.frame.bottom() - 1.0) {
            let points = vec![(self.frame.left, crisp(zero)), (self.frame.right(), crisp(zero))];
            items.push(Item::line(points, Stroke::solid(FRAME, 1.0)));
        }
    }
}
