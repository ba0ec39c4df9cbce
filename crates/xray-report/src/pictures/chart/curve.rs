//! One curve: its band or error bars, its line, its markers.

use super::Series;
use super::series::Spread;
use crate::pictures::axis::Axis;
use crate::pictures::look::Look;
use crate::pictures::plot::YAxis;
use crate::pictures::scene::{Fill, Item, Point, Rect, Stroke};

/// Curves with more points than this are thinned out to what can be seen.
const DENSE: usize = 4_000;
/// Half the width of the ends of error bars.
const CAP: f64 = 3.5;

/// From values to places in a frame.
pub(super) struct Place<'a> {
    pub x: &'a Axis,
    pub y: &'a YAxis,
    pub frame: &'a Rect,
}

impl Place<'_> {
    pub(super) fn x(&self, value: f64) -> Option<f64> {
        self.x.place(value).map(|part| self.frame.left + part * self.frame.width)
    }

    fn y(&self, value: f64) -> Option<f64> {
        self.y.place(value, self.frame)
    }

    fn point(&self, &(x, y): &(f64, f64)) -> Option<Point> {
        Some((self.x(x)?, self.y(y)?))
    }

    /// The place of a bound; one without a place reaches to the edge.
    fn bound(&self, value: f64, edge: f64) -> Option<f64> {
        if value.is_nan() { None } else { Some(self.y(value).unwrap_or(edge)) }
    }
}

/// The band or error bars, and the line.
pub(super) fn lines(series: &Series, look: Look, place: &Place<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    match series.spread {
        Spread::Bars => error_bars(series, look, place, &mut items),
        Spread::Band => band(series, look, place, &mut items),
    }
    if series.joined {
        let runs = runs(&places(series, place)).into_iter().filter(|run| run.len() > 1);
        items.extend(runs.map(|run| Item::line(thinned(run), look.stroke())));
    }
    items
}

/// The markers.
pub(super) fn points(series: &Series, look: Look, place: &Place<'_>) -> Vec<Item> {
    let mut points = places(series, place);
    if !series.has_markers() {
        // A point between gaps has no line to be seen by.
        let lonely = runs(&points).into_iter().filter(|run| run.len() == 1);
        points = lonely.map(|run| Some(run[0])).collect();
    }
    let shown = points.into_iter().flatten().filter(|&point| visible(point, place.frame));
    shown.map(|point| look.marker(point)).collect()
}

fn places(series: &Series, place: &Place<'_>) -> Vec<Option<Point>> {
    series.points.iter().map(|point| place.point(point)).collect()
}

fn visible((x, y): Point, frame: &Rect) -> bool {
    const SLACK: f64 = 0.5;
    (frame.left - SLACK..=frame.right() + SLACK).contains(&x)
        && (frame.top - SLACK..=frame.bottom() + SLACK).contains(&y)
}

/// Points between gaps.
fn runs<T: Copy>(points: &[Option<T>]) -> Vec<Vec<T>> {
    points
        .split(|point| point.is_none())
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().flatten().copied().collect())
        .collect()
}

/// Bounds of a point, where all of its numbers have a place.
fn bounds<'a>(
    series: &'a Series,
    place: &'a Place<'_>,
) -> impl Iterator<Item = Option<(f64, f64, f64)>> + 'a {
    series.points.iter().zip(&series.bounds).map(|(point, &(low, high))| {
        let (x, _) = place.point(point)?;
        let low = place.bound(low, place.frame.bottom())?;
        Some((x, low, place.bound(high, place.frame.top)?))
    })
}

fn error_bars(series: &Series, look: Look, place: &Place<'_>, items: &mut Vec<Item>) {
    let stroke = Stroke::solid(look.colour, 1.3);
    for (x, low, high) in bounds(series, place).flatten() {
        items.push(Item::line(vec![(x, low), (x, high)], stroke));
        for end in [low, high] {
            items.push(Item::line(vec![(x - CAP, end), (x + CAP, end)], stroke));
        }
    }
}

fn band(series: &Series, look: Look, place: &Place<'_>, items: &mut Vec<Item>) {
    let bounds: Vec<_> = bounds(series, place).collect();
    for run in runs(&bounds) {
        let upper = run.iter().map(|&(x, _, high)| (x, high)).collect();
        let lower = run.iter().map(|&(x, low, _)| (x, low)).collect();
        let mut points = thinned(upper);
        points.extend(thinned(lower).into_iter().rev());
        let fill = Some(Fill { colour: look.colour, opacity: 0.18 });
        items.push(Item::Polygon { points, fill, stroke: None });
    }
}

/// Of neighbours in the same half of a pixel column, the first, lowest, highest and last.
fn thinned(points: Vec<Point>) -> Vec<Point> {
    if points.len() <= DENSE {
        return points;
    }
    let column = |point: &Point| (point.0 * 2.0).floor();
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &&Point, b: &&Point| a.1.total_cmp(&b.1);
        let first = group[0];
        let low = *group.iter().min_by(by_height).expect("groups have points");
        let high = *group.iter().max_by(by_height).expect("groups have points");
        kept.extend([first, low, high, group[group.len() - 1]]);
    }
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_curves_keep_their_extremes() {
        let wave = |i: usize| (i as f64 * 1e-3, (i as f64 * 0.7).sin());
        let points: Vec<Point> = (0..100_000).map(wave).collect();
        let kept = thinned(points.clone());
        assert!(kept.len() <= 900);
        let top = |points: &[Point]| points.iter().fold(0.0, |top: f64, point| top.max(point.1));
        assert_eq!(top(&kept), top(&points));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[99_999]));
    }

    #[test]
    fn gaps_end_runs() {
        let points = [None, Some(1), Some(2), None, None, Some(3)];
        assert_eq!(runs(&points), [vec![1, 2], vec![3]]);
    }
}
