//! The tree: a column of bars for each number of topics, and bands of documents between them.

use super::{BAND, BAR, label};
use crate::page::TopicsPage;
use crate::pictures::colour::{INK, TEXT};
use crate::pictures::scene::{Anchor, Fill, Item, Point, Rect, Scene, TextStyle, Weight, elide};

const WIDTH: f64 = 1000.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 14.0;
const LEFT: f64 = 14.0;
const BAR_WIDTH: f64 = 9.0;
const GAP: f64 = 9.0;
const SIZE: f64 = 11.0;

/// Rounds of moving columns to where their documents are.
const ROUNDS: usize = 4;

/// Pieces of a curve.
const PIECES: usize = 16;

struct Node {
    /// Its place among the topics.
    topic: usize,
    height: f64,
    y: f64,
    key: f64,
    /// What bands have taken of it, on either side.
    out: f64,
    into: f64,
}

struct Column {
    x: f64,
    nodes: Vec<Node>,
}

/// A flow between columns: topic before, topic after, documents.
type Link = (usize, usize, f64);

pub(super) fn draw(page: &TopicsPage) -> Scene {
    let most = page.tree.iter().copied().max().unwrap_or(1).max(1);
    let height = (24.0 * most as f64).max(440.0);
    let room = height - TOP - BOTTOM - GAP * (most - 1) as f64;
    let unit = room.max(100.0) / page.facts.documents.max(1) as f64;
    let (mut columns, links) = laid(page, height, unit);
    let mut items = Vec::new();
    for (c, list) in links.iter().enumerate() {
        let (left, right) = columns.split_at_mut(c + 1);
        bands(&mut left[c], &mut right[0], list, unit, &mut items);
    }
    for (c, column) in columns.iter().enumerate() {
        labelled(page, c, column, columns.get(c + 1), &mut items);
    }
    let title = "How topics split as their number grows".to_owned();
    Scene { width: WIDTH, height, title, items }
}

/// Columns with their nodes in place, and the flows between them.
fn laid(page: &TopicsPage, height: f64, unit: f64) -> (Vec<Column>, Vec<Vec<Link>>) {
    let step = (WIDTH - RIGHT - LEFT - BAR_WIDTH) / (page.tree.len() - 1).max(1) as f64;
    let column = |(c, k): (usize, &usize)| {
        let level = page.levels.iter().find(|level| level.k == *k);
        let topics = level.map_or(&[][..], |level| &level.topics);
        let node = |(topic, of): (usize, &crate::page::PageTopic)| Node {
            topic,
            height: (of.documents as f64 * unit).max(1.5),
            y: 0.0,
            key: of.place[1],
            out: 0.0,
            into: 0.0,
        };
        let nodes = topics.iter().enumerate().map(node).collect();
        Column { x: LEFT + c as f64 * step, nodes }
    };
    let mut columns: Vec<Column> = page.tree.iter().enumerate().map(column).collect();
    let links: Vec<Vec<Link>> = page.tree.windows(2).map(|pair| between(page, pair)).collect();
    for c in 0..columns.len() {
        if c > 0 {
            pull(&mut columns, c, c - 1, &links[c - 1], true);
        }
        lay(&mut columns[c], height);
    }
    for _ in 0..ROUNDS {
        for c in (0..columns.len().saturating_sub(1)).rev() {
            pull(&mut columns, c, c + 1, &links[c], false);
            lay(&mut columns[c], height);
        }
    }
    (columns, links)
}

fn between(page: &TopicsPage, pair: &[usize]) -> Vec<Link> {
    let flows = page.flows.iter().find(|flows| [flows.from, flows.to] == *pair);
    let documents = flows.map_or(&[][..], |flows| &flows.documents);
    let link = |&[from, to, n]: &[i64; 3]| {
        Some((usize::try_from(from).ok()?, usize::try_from(to).ok()?, n as f64))
    };
    documents.iter().filter_map(link).collect()
}

/// The keys of a column are the mean places of those that its nodes exchange documents with.
fn pull(columns: &mut [Column], own: usize, other: usize, links: &[Link], after: bool) {
    let middle = |topic: usize| {
        let node = columns[other].nodes.iter().find(|node| node.topic == topic);
        node.map_or(0.0, |node| node.y + node.height / 2.0)
    };
    let mut sums = vec![(0.0, 0.0); columns[own].nodes.len()];
    for &(from, to, n) in links {
        let (mine, theirs) = if after { (to, from) } else { (from, to) };
        if let Some((sum, weight)) = sums.get_mut(mine) {
            *sum += n * middle(theirs);
            *weight += n;
        }
    }
    for node in &mut columns[own].nodes {
        let (sum, weight) = sums[node.topic];
        node.key = if weight > 0.0 { sum / weight } else { node.y };
    }
}

/// Puts the nodes of a column below each other, in the order of their keys.
fn lay(column: &mut Column, height: f64) {
    column.nodes.sort_by(|a, b| a.key.total_cmp(&b.key).then(a.topic.cmp(&b.topic)));
    let room = height - TOP - BOTTOM;
    let used: f64 = column.nodes.iter().map(|node| node.height).sum();
    let gaps = column.nodes.len().saturating_sub(1) as f64;
    let space = if gaps > 0.0 { ((room - used) / gaps).min(60.0) } else { 0.0 };
    let mut y = TOP + (room - used - space * gaps) / 2.0;
    for node in &mut column.nodes {
        node.y = y;
        y += node.height + space;
    }
}

fn bands(left: &mut Column, right: &mut Column, links: &[Link], unit: f64, items: &mut Vec<Item>) {
    let place = |column: &Column, topic: usize| column.nodes.iter().position(|n| n.topic == topic);
    let mut sorted: Vec<(usize, usize, f64)> = links
        .iter()
        .filter_map(|&(from, to, n)| Some((place(left, from)?, place(right, to)?, n)))
        .collect();
    sorted.sort_by_key(|&(from, to, _)| (from, to));
    for (from, to, n) in sorted {
        let width = n * unit;
        let start = (left.x + BAR_WIDTH, left.nodes[from].y + left.nodes[from].out);
        let end = (right.x, right.nodes[to].y + right.nodes[to].into);
        left.nodes[from].out += width;
        right.nodes[to].into += width;
        if width >= 0.3 {
            let fill = Some(Fill { colour: BAND, opacity: 0.85 });
            items.push(Item::Polygon { points: band(start, end, width), fill, stroke: None });
        }
    }
}

/// The outline of a band between two heights.
fn band((x0, y0): Point, (x1, y1): Point, width: f64) -> Vec<Point> {
    let at = |piece: usize, down: f64| {
        let t = piece as f64 / PIECES as f64;
        (x0 + t * (x1 - x0), y0 + t * t * (3.0 - 2.0 * t) * (y1 - y0) + down)
    };
    let above = (0..=PIECES).map(|piece| at(piece, 0.0));
    let below = (0..=PIECES).rev().map(|piece| at(piece, width));
    above.chain(below).collect()
}

fn labelled(
    page: &TopicsPage,
    c: usize,
    column: &Column,
    next: Option<&Column>,
    items: &mut Vec<Item>,
) {
    let k = page.tree[c];
    let head = if c == 0 { format!("k = {k}") } else { k.to_string() };
    let style = TextStyle::new(SIZE + 1.0, Anchor::Start).colour(TEXT);
    items.push(Item::text((column.x, 18.0), head, style));
    let Some(level) = page.levels.iter().find(|level| level.k == k) else { return };
    for node in &column.nodes {
        let frame = Rect { left: column.x, top: node.y, width: BAR_WIDTH, height: node.height };
        items.push(Item::rect(frame, Fill::solid(BAR)));
        let room = next.map_or(RIGHT - 20.0, |next| next.x - column.x - BAR_WIDTH - 14.0);
        if next.is_some() && node.height < 10.0 {
            continue;
        }
        let text = label(&level.topics[node.topic], if next.is_some() { 2 } else { 3 });
        let text = elide(&text, SIZE, Weight::Regular, room);
        let at = (column.x + BAR_WIDTH + 6.0, node.y + node.height / 2.0 + 4.0);
        items.push(Item::text(at, text, TextStyle::new(SIZE, Anchor::Start).colour(INK)));
    }
}
