//! The curves of a chart.

use crate::pictures::axis::Scale;

/// More points than this are drawn without markers, unless asked for.
const MARKED: usize = 30;

/// A named curve.
///
/// Points are joined in the order given. Where a coordinate is missing (NaN), infinite, or has no
/// place on a logarithmic axis, the curve has a gap.
///
/// ```
/// use xray_report::Series;
/// let points = [(1.0, 0.9), (2.0, 0.5), (3.0, 0.4)];
/// let curve = Series::new("greedy", points).error_bars([0.05, 0.03, 0.02]);
/// ```
#[derive(Clone, Debug)]
pub struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// Lower and upper bounds of the points' y; a short list leaves the later points without.
    pub(crate) bounds: Vec<(f64, f64)>,
    pub(crate) spread: Spread,
    pub(crate) joined: bool,
    pub(crate) dashed: bool,
    markers: Option<bool>,
}

/// How bounds are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    Bars,
    Band,
}

impl Series {
    /// A curve through these points. Curves of the same name look the same in all panels and share
    /// one entry of the legend; an empty name has none.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self {
            name: name.into(),
            points: points.into_iter().collect(),
            bounds: Vec::new(),
            spread: Spread::Bars,
            joined: true,
            dashed: false,
            markers: None,
        }
    }

    /// Error bars from `y - d` to `y + d` for the deviations `d`, one for each point.
    #[must_use]
    pub fn error_bars(mut self, deviations: impl IntoIterator<Item = f64>) -> Self {
        let bounds = self.points.iter().zip(deviations);
        self.bounds = bounds.map(|(&(_, y), d)| (y - d, y + d)).collect();
        self.spread = Spread::Bars;
        self
    }

    /// A shaded band between lower and upper bounds, one pair for each point.
    #[must_use]
    pub fn band(mut self, bounds: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.bounds = bounds.into_iter().collect();
        self.spread = Spread::Band;
        self
    }

    /// Points only, not joined by a line.
    #[must_use]
    pub fn scattered(mut self) -> Self {
        self.joined = false;
        self
    }

    /// A dashed line.
    #[must_use]
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// With or without markers at the points. Left alone, up to 30 points have them.
    #[must_use]
    pub fn markers(mut self, shown: bool) -> Self {
        self.markers = Some(shown);
        self
    }

    pub(crate) fn has_markers(&self) -> bool {
        self.markers.unwrap_or(!self.joined || self.points.len() <= MARKED)
    }

    /// Values of y that the axis has to show, where x has a place.
    pub(crate) fn heights(&self, x: Scale) -> impl Iterator<Item = f64> {
        let bounds = self.points.iter().zip(&self.bounds);
        let bounds = bounds.filter(move |((at, _), _)| x.has(*at));
        let points = self.points.iter().filter(move |(at, _)| x.has(*at));
        points.map(|&(_, y)| y).chain(bounds.flat_map(|(_, &(low, high))| [low, high]))
    }
}
