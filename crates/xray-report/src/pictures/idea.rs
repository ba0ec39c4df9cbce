//! The idea of XRAY as a picture: a cone of points, and one step that finds its next extreme ray.
//!
//! Left, the columns of X in the cone of their anchors. Right, the same cut across (the plane `p'x = 1`): rays are points
//! there, cones are polygons, and faces are edges. An exterior point is projected onto the cone of the anchors found so
//! far; the residual R is normal to the face that sees it, and the column farthest along R, on the dashed line, is the
//! next anchor. Everything on the right is computed from the points, not drawn by hand.

use crate::pictures::colour::{BACKGROUND, Colour, FRAME, INK, TEXT};
use crate::pictures::scene::{Anchor, Fill, Item, Picture, Point, Scene, Stroke, TextStyle};

/// The picture.
///
/// ```
/// use xray_report::{Idea, Picture};
/// assert!(Idea.svg().contains("exterior point"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Idea;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 452.0;

/// Rays by their points in the plane, x to the right and y upwards: the anchors, in the order in which they are found.
const ANCHORS: [Point; 5] = [(0.10, 0.30), (0.52, 0.04), (0.62, 0.80), (0.98, 0.42), (0.22, 0.86)];

/// Anchors found before the step that is shown.
const FOUND: usize = 3;

/// Mixtures of anchors.
const POINTS: [Point; 13] = [
    (0.30, 0.30),
    (0.40, 0.45),
    (0.52, 0.30),
    (0.46, 0.18),
    (0.50, 0.58),
    (0.58, 0.66),
    (0.28, 0.42),
    (0.72, 0.50),
    (0.76, 0.36),
    (0.68, 0.26),
    (0.84, 0.44),
    (0.34, 0.68),
    (0.24, 0.58),
];

/// The mixture that the step looks from.
const EXTERIOR: usize = 7;

const DASHES: &[f64] = &[6.0, 4.0];

const RED: Colour = Colour::hex(0xc1272d);
const GREEN: Colour = Colour::hex(0x007a4d);
const BLUE: Colour = Colour::hex(0x0072b2);

impl Picture for Idea {
    fn scene(&self) -> Scene {
        let mut items = Vec::new();
        let title = TextStyle::new(15.0, Anchor::Start).bold().colour(INK);
        items.push(Item::text((16.0, 26.0), "All columns lie in the cone of a few", title));
        items.push(Item::text((500.0, 26.0), "One step: the next extreme ray", title));
        cone(&mut items);
        step(&mut items);
        let title =
            "The columns of X in the cone of their anchors, and how the next anchor is found"
                .into();
        Scene { width: WIDTH, height: HEIGHT, title, items }
    }
}

/// A point of the plane on the tilted lid of the cone.
fn on_lid((x, y): Point) -> Point {
    (60.0 + 340.0 * x, 175.0 - 110.0 * y)
}

/// The cone with its lid, seen from the side.
fn cone(items: &mut Vec<Item>) {
    let apex = (235.0, 395.0);
    let hull: Vec<Point> = [0, 1, 3, 2, 4].map(|k| on_lid(ANCHORS[k])).into();
    let fill = Some(Fill { colour: BLUE, opacity: 0.10 });
    items.push(Item::Polygon { points: hull, fill, stroke: Some(Stroke::solid(BLUE, 1.2)) });
    for anchor in ANCHORS {
        items.push(Item::line(vec![apex, on_lid(anchor)], Stroke::solid(BLUE, 1.2)));
    }
    for point in POINTS {
        // Columns of all lengths: each on its ray, somewhere between the apex and the lid.
        let lid = on_lid(point);
        let share = 0.72 + 0.28 * point.0;
        let at = (apex.0 + share * (lid.0 - apex.0), apex.1 + share * (lid.1 - apex.1));
        items.push(dot(at, TEXT, 3.2));
    }
    ANCHORS.iter().for_each(|&anchor| items.push(square(on_lid(anchor), RED)));
    let text = TextStyle::new(12.5, Anchor::Start);
    items.push(Item::text((apex.0 + 10.0, apex.1 + 2.0), "0", text));
    items.push(square((20.0, 345.0), RED));
    items.push(Item::text((30.0, 349.5), "anchors: extreme columns", text));
    items.push(dot((20.0, 367.0), TEXT, 3.2));
    items.push(Item::text((30.0, 371.5), "all other columns,", text));
    items.push(Item::text((30.0, 388.0), "nonnegative mixtures", text));
}

/// A point of the plane on the right.
fn on_plane((x, y): Point) -> Point {
    (510.0 + 400.0 * x, 368.0 - 325.0 * y)
}

fn step(items: &mut Vec<Item>) {
    let found: Vec<Point> = ANCHORS[..FOUND].to_vec();
    let hull = found.iter().map(|&p| on_plane(p)).collect();
    let fill = Some(Fill { colour: BLUE, opacity: 0.13 });
    items.push(Item::Polygon { points: hull, fill, stroke: Some(Stroke::solid(BLUE, 1.5)) });
    let exterior = POINTS[EXTERIOR];
    let foot = projection(exterior, &found);
    let normal = (exterior.0 - foot.0, exterior.1 - foot.1);
    let next = farthest(normal);
    items.extend(supporting_line(normal, ANCHORS[next]));
    items.extend(face(foot, &found));
    for (k, &point) in POINTS.iter().enumerate() {
        let colour = if k == EXTERIOR { GREEN } else { TEXT };
        items.push(dot(on_plane(point), colour, if k == EXTERIOR { 5.0 } else { 3.2 }));
    }
    items.extend(arrow(on_plane(foot), on_plane(exterior), GREEN));
    let text = |size| TextStyle::new(size, Anchor::Start);
    for (k, &anchor) in ANCHORS.iter().enumerate() {
        let (x, y) = on_plane(anchor);
        let colour = if k < FOUND || k == next { RED } else { FRAME };
        items.push(square((x, y), colour));
        if k < FOUND || k == next {
            let number = format!("{}", k + 1);
            items.push(Item::text((x + 8.0, y - 6.0), number, text(13.0).bold().colour(INK)));
        }
    }
    legend(items);
}

/// What the marks on the right mean.
fn legend(items: &mut Vec<Item>) {
    let [first, second, column] = [408.0, 430.0, 748.0];
    let dashes = Stroke { colour: RED, width: 1.4, dash: DASHES, opacity: 1.0 };
    items.push(Item::line(vec![(504.0, first), (522.0, first)], Stroke::solid(INK, 2.6)));
    items.push(dot((513.0, second), GREEN, 5.0));
    items.push(Item::line(vec![(column, first), (column + 18.0, first)], dashes));
    items.push(square((column + 9.0, second), FRAME));
    let notes = [
        ((530.0, first), "face of the cone found so far"),
        ((530.0, second), "exterior point, and its residual R"),
        ((column + 26.0, first), "farthest along R: next ray"),
        ((column + 26.0, second), "anchor of a later step"),
    ];
    for ((x, y), note) in notes {
        items.push(Item::text((x, y + 4.5), note, TextStyle::new(12.5, Anchor::Start)));
    }
}

/// The face of the found cone that the foot of the residual lies on, drawn heavier.
fn face(foot: Point, found: &[Point]) -> Option<Item> {
    let edges = (0..found.len()).map(|k| (found[k], found[(k + 1) % found.len()]));
    let near = |(a, b): &(Point, Point)| {
        let on = nearest_on(foot, *a, *b);
        (on.0 - foot.0).hypot(on.1 - foot.1)
    };
    let (a, b) = edges.min_by(|e, f| near(e).total_cmp(&near(f)))?;
    Some(Item::line(vec![on_plane(a), on_plane(b)], Stroke::solid(INK, 2.6)))
}

/// The anchor with the largest product with R.
fn farthest((u, v): Point) -> usize {
    let product = |k: &usize| u * ANCHORS[*k].0 + v * ANCHORS[*k].1;
    (0..ANCHORS.len()).max_by(|a, b| product(a).total_cmp(&product(b))).unwrap_or(0)
}

/// Through a point, along the face that R is normal to.
fn supporting_line((u, v): Point, (x, y): Point) -> Option<Item> {
    let length = u.hypot(v);
    (length > 0.0).then(|| {
        let (dx, dy) = (-v / length, u / length);
        let ends = [-0.42, 0.42].map(|t| on_plane((x + t * dx, y + t * dy)));
        let stroke = Stroke { colour: RED, width: 1.4, dash: DASHES, opacity: 1.0 };
        Item::line(ends.into(), stroke)
    })
}

/// The nearest point of a segment.
fn nearest_on((x, y): Point, a: Point, b: Point) -> Point {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let t = (((x - a.0) * dx + (y - a.1) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    (a.0 + t * dx, a.1 + t * dy)
}

/// The nearest point on the edges of a polygon, of a point outside.
fn projection(point: Point, polygon: &[Point]) -> Point {
    let distance = |at: &Point| (at.0 - point.0).hypot(at.1 - point.1);
    let edges = (0..polygon.len()).map(|k| (polygon[k], polygon[(k + 1) % polygon.len()]));
    let feet = edges.map(|(a, b)| nearest_on(point, a, b));
    feet.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(point)
}

fn dot(centre: Point, colour: Colour, radius: f64) -> Item {
    let stroke = Some(Stroke::solid(BACKGROUND, 0.8));
    Item::Circle { centre, radius, fill: Some(Fill::solid(colour)), stroke }
}

fn square((x, y): Point, colour: Colour) -> Item {
    let corners = [(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)];
    let points = corners.map(|(dx, dy)| (x + dx, y + dy)).into();
    let stroke = Some(Stroke::solid(BACKGROUND, 0.8));
    Item::Polygon { points, fill: Some(Fill::solid(colour)), stroke }
}

/// A line with a head that ends just before the second point.
fn arrow(from: Point, to: Point, colour: Colour) -> Vec<Item> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1.0);
    let (u, v) = (dx / length, dy / length);
    let tip = (to.0 - 6.0 * u, to.1 - 6.0 * v);
    let back = (tip.0 - 8.0 * u, tip.1 - 8.0 * v);
    let head =
        vec![tip, (back.0 - 3.5 * v, back.1 + 3.5 * u), (back.0 + 3.5 * v, back.1 - 3.5 * u)];
    vec![
        Item::line(vec![from, back], Stroke::solid(colour, 2.0)),
        Item::Polygon { points: head, fill: Some(Fill::solid(colour)), stroke: None },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_finds_an_anchor_that_was_not_found() {
        let exterior = POINTS[EXTERIOR];
        let foot = projection(exterior, &ANCHORS[..FOUND]);
        let normal = (exterior.0 - foot.0, exterior.1 - foot.1);
        assert!(normal.0.hypot(normal.1) > 0.05, "outside of the cone");
        // Lemma 2.1: R'X_A <= 0 relative to the face; Theorem 2.1: the farthest is a new extreme ray.
        let height = |p: Point| normal.0 * (p.0 - foot.0) + normal.1 * (p.1 - foot.1);
        assert!(ANCHORS[..FOUND].iter().all(|&anchor| height(anchor) < 1e-12));
        assert_eq!(farthest(normal), FOUND);
        let farthest = height(ANCHORS[FOUND]);
        assert!(POINTS.iter().all(|&point| height(point) < farthest));
    }

    #[test]
    fn the_picture_names_its_parts() {
        let svg = Idea.svg();
        for part in ["exterior point", "residual R", "face", "next ray", "anchors"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(Idea.png(1.0).expect("a picture").len() > 10_000);
    }
}
