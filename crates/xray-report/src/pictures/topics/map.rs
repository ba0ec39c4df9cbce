//! The map: circles where the page has them, with labels that cover nothing.

use super::{SOFT, STRONG, answer, label};
use crate::page::{PageTopic, TopicsPage};
use crate::pictures::colour::INK;
use crate::pictures::scene::{
    Anchor, Fill, Item, Rect, Scene, Stroke, TextStyle, Weight, text_width,
};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 620.0;
const SCALE: f64 = 540.0;
const SIZE: f64 = 12.0;

pub(super) fn draw(page: &TopicsPage) -> Scene {
    let topics = answer(page).map_or(&[][..], |level| &level.topics);
    let circles: Vec<(f64, f64, f64)> = topics.iter().map(circle).collect();
    let mut items: Vec<Item> = circles
        .iter()
        .map(|&(x, y, radius)| Item::Circle {
            centre: (x, y),
            radius,
            fill: Some(Fill::solid(SOFT)),
            stroke: Some(Stroke::solid(STRONG, 0.6)),
        })
        .collect();
    let mut order: Vec<usize> = (0..topics.len()).collect();
    order.sort_by_key(|&k| (std::cmp::Reverse(topics[k].documents), k));
    let mut taken: Vec<Rect> = Vec::new();
    for k in order {
        let others = circles.iter().enumerate().filter(|(other, _)| *other != k);
        let others: Vec<Rect> = others.map(|(_, circle)| around(circle)).collect();
        if let Some((at, text, frame)) = place(&topics[k], circles[k], &others, &taken) {
            let style = TextStyle::new(SIZE, Anchor::Middle).colour(INK);
            items.push(Item::text(at, text, style));
            taken.push(frame);
        }
    }
    let title = format!("Map of {} topics: near means similar words, area is share", topics.len());
    Scene { width: WIDTH, height: HEIGHT, title, items }
}

fn circle(topic: &PageTopic) -> (f64, f64, f64) {
    let [x, y, r] = topic.place;
    let left = (WIDTH - 1.5 * SCALE) / 2.0;
    (left + SCALE * x, (HEIGHT - SCALE) / 2.0 + SCALE * y, (SCALE * r).max(3.0))
}

fn around(&(x, y, r): &(f64, f64, f64)) -> Rect {
    let q = 0.9 * r;
    Rect { left: x - q, top: y - q, width: 2.0 * q, height: 2.0 * q }
}

/// Where a label is, what it says, and the room that it takes: two words where they fit, else one, else none.
fn place(
    topic: &PageTopic,
    (x, y, r): (f64, f64, f64),
    others: &[Rect],
    taken: &[Rect],
) -> Option<((f64, f64), String, Rect)> {
    for words in [2, 1] {
        let text = label(topic, words);
        let half = text_width(&text, SIZE, Weight::Regular) / 2.0;
        let spots = if r > half + 3.0 {
            vec![(0.0, 0.35 * SIZE)]
        } else {
            let side = r + half + 6.0;
            vec![(0.0, r + SIZE + 1.0), (0.0, -r - 6.0), (side, 0.35 * SIZE), (-side, 0.35 * SIZE)]
        };
        for (dx, dy) in spots {
            let frame = Rect {
                left: x + dx - half - 2.0,
                top: y + dy - SIZE,
                width: 2.0 * half + 4.0,
                height: SIZE + 4.0,
            };
            let inside = frame.left > 0.0 && frame.right() < WIDTH && frame.top > 0.0;
            let free = others.iter().chain(taken).all(|other| !overlap(&frame, other));
            if inside && frame.bottom() < HEIGHT && free {
                return Some(((x + dx, y + dy), text, frame));
            }
        }
    }
    None
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom()
}
