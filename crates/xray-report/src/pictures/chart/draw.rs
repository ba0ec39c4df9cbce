//! Puts a chart that was laid out on the picture.

use super::curve::{Place, lines, points};
use super::layout::Plan;
use super::{Chart, Panel, markers};
use crate::pictures::colour::FRAME;
use crate::pictures::header::{MARGIN, TEXT_SIZE};
use crate::pictures::look::Looks;
use crate::pictures::plot::{REFERENCE, TICK, TICK_GAP, TICK_SIZE, crisp, edges, no_data};
use crate::pictures::scene::{
    Anchor, Item, Rect, Scene, Stroke, TextStyle, Weight, elide, text_width,
};

const NOTE_SIZE: f64 = 10.5;

pub(super) fn draw(chart: &Chart) -> Scene {
    let empty = [Panel::new("")];
    let panels = if chart.panels.is_empty() { &empty } else { chart.panels.as_slice() };
    let looks = Looks::of(panels.iter().flat_map(|panel| &panel.series));
    let plan = Plan::new(chart, panels, looks.keys());
    let mut items = Vec::new();
    plan.header.draw(&mut items);
    for (panel, (y, frame)) in panels.iter().zip(&plan.panels) {
        let place = Place { x: &plan.x, y, frame };
        y.draw(frame, MARGIN, &mut items);
        x_marks(&place, &mut items);
        edges(frame, &mut items);
        verticals(chart, &place, &mut items);
        y.references(&panel.horizontals, frame, plan.width, &mut items);
        let curves = panel.series.iter().map(|series| (series, looks.look(series)));
        let lines = curves.clone().flat_map(|(series, look)| lines(series, look, &place));
        items.push(Item::Clip { frame: grown(frame), items: lines.collect() });
        items.extend(curves.flat_map(|(series, look)| points(series, look, &place)));
        if y.axis.ticks.is_empty() || plan.x.ticks.is_empty() {
            no_data(frame, &mut items);
        }
    }
    labels(chart, &plan, &mut items);
    Scene { width: plan.width, height: plan.height, title: chart.title.clone(), items }
}

/// Lines along the edge are shown whole.
fn grown(frame: &Rect) -> Rect {
    const RIM: f64 = 1.5;
    let (width, height) = (frame.width + 2.0 * RIM, frame.height + 2.0 * RIM);
    Rect { left: frame.left - RIM, top: frame.top - RIM, width, height }
}

fn x_marks(place: &Place<'_>, items: &mut Vec<Item>) {
    let bottom = place.frame.bottom();
    for tick in &place.x.ticks {
        let Some(x) = place.x(tick.value) else { continue };
        let length = if tick.label.is_some() { TICK } else { TICK / 2.0 };
        let points = vec![(crisp(x), bottom), (crisp(x), bottom + length)];
        items.push(Item::line(points, Stroke::solid(FRAME, 1.0)));
    }
}

fn verticals(chart: &Chart, place: &Place<'_>, items: &mut Vec<Item>) {
    let frame = place.frame;
    for line in &chart.verticals {
        let inside = |x: &f64| (frame.left..=frame.right()).contains(x);
        if let Some(x) = place.x(line.at).filter(inside) {
            let points = vec![(crisp(x), frame.top), (crisp(x), frame.bottom())];
            items.push(Item::line(points, REFERENCE));
        }
    }
}

/// What is written around the panels.
fn labels(chart: &Chart, plan: &Plan, items: &mut Vec<Item>) {
    let frame = plan.panels.last().expect("at least one panel").1;
    let mut base = frame.bottom() + TICK + TICK_GAP + 0.8 * TICK_SIZE;
    for tick in &plan.x.ticks {
        let (Some(label), Some(part)) = (&tick.label, plan.x.place(tick.value)) else { continue };
        let half = text_width(label, TICK_SIZE, Weight::Regular) / 2.0;
        let x = (frame.left + part * frame.width).min(plan.width - half - 2.0);
        items.push(Item::text((x, base), label, TextStyle::new(TICK_SIZE, Anchor::Middle)));
    }
    if !chart.x.label.is_empty() {
        base += 20.0;
        let label = elide(&chart.x.label, TEXT_SIZE, Weight::Regular, plan.width - 2.0 * MARGIN);
        let half = text_width(&label, TEXT_SIZE, Weight::Regular) / 2.0;
        let middle = frame.left + frame.width / 2.0;
        let x = middle.min(plan.width - MARGIN - half).max(MARGIN + half);
        items.push(Item::text((x, base), label, TextStyle::new(TEXT_SIZE, Anchor::Middle)));
    }
    if let Some(note) = &plan.note {
        let note = elide(note, NOTE_SIZE, Weight::Regular, plan.width - 2.0 * MARGIN);
        let at = (MARGIN, base + 20.0);
        items.push(Item::text(at, note, TextStyle::new(NOTE_SIZE, Anchor::Start)));
    }
    markers::draw(&plan.markers, plan.panels[0].1.top, items);
}
