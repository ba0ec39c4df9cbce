//! Where everything goes: header, labels of vertical lines, panels, x axis, note.

use super::markers::{self, Marker};
use super::{Chart, Panel};
use crate::pictures::axis::{Axis, Extent};
use crate::pictures::header::{Header, MARGIN};
use crate::pictures::look::Key;
use crate::pictures::plot::{TICK, TICK_GAP, TICK_SIZE, YAxis, right_margin, y_ticks};
use crate::pictures::scene::{Rect, Weight, text_width};

/// Width, and height of a panel whose share is 1, unless the caller chooses.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 310.0;
/// A panel is not smaller than this, whatever the caller chooses.
const LEAST: f64 = 90.0;
/// Height of a legend, where the caller does not choose the size.
const LEGEND_HEIGHT: f64 = 160.0;
/// Between panels.
const PANEL_GAP: f64 = 16.0;
const NOTE_LINE: f64 = 20.0;
const X_LABEL_LINE: f64 = 20.0;

/// A chart, laid out.
pub(super) struct Plan {
    pub width: f64,
    pub height: f64,
    pub header: Header,
    pub x: Axis,
    /// The y axis and frame of each panel.
    pub panels: Vec<(YAxis, Rect)>,
    pub markers: Vec<Marker>,
    /// How many points cannot be shown.
    pub note: Option<String>,
}

/// The room for panels and what is to the left and right of them.
#[derive(Clone, Copy)]
struct Room {
    width: f64,
    top: f64,
    bottom: f64,
    right: f64,
}

impl Plan {
    pub(super) fn new(chart: &Chart, panels: &[Panel], keys: Vec<Key>) -> Self {
        let width = chart.size.map_or(WIDTH, |(width, _)| width);
        let legend = chart.size.map_or(LEGEND_HEIGHT, |(_, height)| height * 0.3);
        let header = Header::new(&chart.title, keys, width, legend);
        let note = note(chart, panels);
        let foot = foot(chart, note.is_some());
        let natural = header.height() + natural_height(panels) + foot;
        let least = header.height() + least_height(chart, panels) + foot;
        let height = chart.size.map_or(natural, |(_, height)| height.max(least)).ceil();
        let top = header.height() + 4.0;
        let right = right_margin(panels.iter().flat_map(|panel| &panel.horizontals), width);
        let room = Room { width, top, bottom: height - foot, right };
        let (x, panels, markers) = with_markers(chart, panels, room);
        Self { width, height, header, x, panels, markers, note }
    }
}

/// Labels of vertical lines need as many lines as keep them apart, and that depends on the frames
/// below them: so these are laid out until the labels fit.
fn with_markers(
    chart: &Chart,
    panels: &[Panel],
    room: Room,
) -> (Axis, Vec<(YAxis, Rect)>, Vec<Marker>) {
    let mut n_rows = 0;
    loop {
        let top = room.top + n_rows as f64 * markers::LINE;
        let (x, frames) = lay_out(chart, panels, Room { top, ..room });
        let labels = markers::place(&chart.verticals, &x, &frames[0].1, room.width);
        let needed = labels.iter().map(|label| label.row + 1).max().unwrap_or(0);
        if needed <= n_rows || n_rows == markers::ROWS {
            return (x, frames, labels);
        }
        n_rows = needed;
    }
}

/// What is below the panels: ticks' labels, the axis's name, the note.
fn foot(chart: &Chart, has_note: bool) -> f64 {
    let label = if chart.x.label.is_empty() { 0.0 } else { X_LABEL_LINE };
    let note = if has_note { NOTE_LINE } else { 0.0 };
    TICK + TICK_GAP + TICK_SIZE + label + note + MARGIN
}

fn natural_height(panels: &[Panel]) -> f64 {
    let shares: f64 = panels.iter().map(|panel| panel.height).sum();
    HEIGHT * shares + PANEL_GAP * (panels.len() - 1) as f64
}

/// What panels need to be readable, with the labels above them.
fn least_height(chart: &Chart, panels: &[Panel]) -> f64 {
    let labels = chart.verticals.len().min(markers::ROWS) as f64 * markers::LINE;
    labels + natural_height(panels) * LEAST / HEIGHT
}

/// The axes, and the frames between them.
fn lay_out(chart: &Chart, panels: &[Panel], room: Room) -> (Axis, Vec<(YAxis, Rect)>) {
    let gaps = PANEL_GAP * (panels.len() - 1) as f64;
    let shares: f64 = panels.iter().map(|panel| panel.height).sum();
    let unit = ((room.bottom - room.top - gaps) / shares).max(20.0);
    let axes: Vec<YAxis> = panels.iter().map(|panel| y_axis(chart, panel, unit)).collect();
    let left = MARGIN + axes.iter().map(YAxis::width).fold(0.0, f64::max);
    let left = left.min(0.45 * room.width).round();
    let width = (room.width - room.right - left).round();
    let mut top = room.top.round();
    let frames = panels.iter().zip(axes).map(|(panel, axis)| {
        let height = (unit * panel.height).round();
        let frame = Rect { left, top, width, height };
        top += height + PANEL_GAP;
        (axis, frame)
    });
    let frames = frames.collect();
    (x_axis(chart, panels, width), frames)
}

fn y_axis(chart: &Chart, panel: &Panel, unit: f64) -> YAxis {
    let (x, y) = (chart.x.scale, panel.y.scale);
    let curves = panel.series.iter().flat_map(|series| series.heights(x));
    let lines = panel.horizontals.iter().map(|line| line.at);
    let extent = Extent::of(curves.chain(lines), y);
    let height = unit * panel.height;
    YAxis::new(Axis::fit(&panel.y, extent, y_ticks(height)), &panel.y.label, height)
}

fn x_axis(chart: &Chart, panels: &[Panel], width: f64) -> Axis {
    let curves = panels.iter().flat_map(|panel| {
        let shown = |&&(_, y): &&(f64, f64)| panel.y.scale.has(y);
        panel.series.iter().flat_map(move |series| series.points.iter().filter(shown))
    });
    let lines = chart.verticals.iter().map(|line| line.at);
    let extent = Extent::of(curves.map(|&(x, _)| x).chain(lines), chart.x.scale);
    let most = ((width / 55.0) as usize).clamp(2, 12);
    let fit = |n_ticks| Axis::fit(&chart.x, extent, n_ticks);
    (2..=most).rev().map(fit).find(|axis| labels_fit(axis, width)).unwrap_or_else(|| fit(1))
}

/// Whether neighbouring labels stay apart.
fn labels_fit(axis: &Axis, width: f64) -> bool {
    let mut end = f64::NEG_INFINITY;
    axis.ticks.iter().all(|tick| {
        let (Some(label), Some(part)) = (&tick.label, axis.place(tick.value)) else { return true };
        let half = text_width(label, TICK_SIZE, Weight::Regular) / 2.0;
        let free = part * width - half > end + 8.0;
        end = part * width + half;
        free
    })
}

/// Points that are numbers and yet have no place.
fn note(chart: &Chart, panels: &[Panel]) -> Option<String> {
    let points = panels.iter().flat_map(|panel| {
        let scale = panel.y.scale;
        panel.series.iter().flat_map(move |series| series.points.iter().map(move |p| (p, scale)))
    });
    let (mut n_numbers, mut n_hidden) = (0, 0);
    for (&(x, y), scale) in points.filter(|((x, y), _)| !x.is_nan() && !y.is_nan()) {
        n_numbers += 1;
        n_hidden += usize::from(!chart.x.scale.has(x) || !scale.has(y));
    }
    (n_hidden > 0).then(|| {
        format!(
            "Not shown: {n_hidden} of {n_numbers} points \
             (zero or negative on a logarithmic axis, or infinite)"
        )
    })
}
