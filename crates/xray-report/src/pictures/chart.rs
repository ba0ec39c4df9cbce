//! Line charts: one or more panels above each other, with a common x axis.

mod curve;
mod draw;
mod layout;
mod markers;
#[cfg(feature = "page")]
mod page;
mod series;

pub use series::Series;

use crate::pictures::axis::{Scale, Tick, Wish};
use crate::pictures::plot::Reference;
use crate::pictures::scene::{Picture, Scene};

/// A picture of curves.
///
/// ```
/// use xray_report::{Chart, Panel, Picture, Series};
///
/// let error = Series::new("greedy", (1..=9).map(|r| (r as f64, 1.0 / r as f64)));
/// let gain = Series::new("greedy", (2..=9).map(|r| (r as f64, 1.0 / (r * r) as f64)));
/// let chart = Chart::new("Error against rank")
///     .x_label("rank")
///     .panel(Panel::new("relative error").series(error).horizontal(0.1, "all features"))
///     .panel(Panel::new("gain").series(gain).height(0.5))
///     .vertical(5.0, "suggested rank 5");
/// assert!(chart.svg().contains("suggested rank 5"));
/// ```
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    x: Wish,
    panels: Vec<Panel>,
    verticals: Vec<Reference>,
    size: Option<(f64, f64)>,
}

impl Chart {
    /// A chart without panels; an empty title takes no room.
    pub fn new(title: impl Into<String>) -> Self {
        let (title, x) = (title.into(), Wish::default());
        Self { title, x, panels: Vec::new(), verticals: Vec::new(), size: None }
    }

    /// The name and unit of the x axis.
    #[must_use]
    pub fn x_label(mut self, label: impl Into<String>) -> Self {
        self.x.label = label.into();
        self
    }

    /// The scale of the x axis.
    #[must_use]
    pub fn x_scale(mut self, scale: Scale) -> Self {
        self.x.scale = scale;
        self
    }

    /// The ends of the x axis, instead of those of the data. Not used unless `low < high`, and both
    /// have a place on the axis.
    #[must_use]
    pub fn x_range(mut self, low: f64, high: f64) -> Self {
        self.x.range = Some((low, high));
        self
    }

    /// Ticks of the x axis at these places with these labels, instead of round numbers; some are left out where there is no
    /// room for all.
    #[must_use]
    pub fn x_ticks(mut self, ticks: impl IntoIterator<Item = (f64, String)>) -> Self {
        let tick = |(value, label)| Tick { value, label: Some(label) };
        self.x.ticks = Some(ticks.into_iter().map(tick).collect());
        self
    }

    /// Adds a panel, below those there are.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// Adds a vertical line through all panels, with a label above it, unless too many lines are
    /// near.
    #[must_use]
    pub fn vertical(mut self, x: f64, label: impl Into<String>) -> Self {
        self.verticals.push(Reference { at: x, label: label.into() });
        self
    }

    /// The size in pixels at scale 1, from 240 x 180 up, and higher where panels would become
    /// unreadable. Left alone, 720 wide, and as high as the panels call for.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = Some((f64::from(width.max(240)), f64::from(height.max(180))));
        self
    }
}

impl Picture for Chart {
    fn scene(&self) -> Scene {
        draw::draw(self)
    }

    #[cfg(feature = "page")]
    fn page_chart(&self) -> Option<crate::page::PageChart> {
        Some(self.into())
    }
}

/// A part of a [`Chart`] with its own y axis.
#[derive(Clone, Debug)]
pub struct Panel {
    y: Wish,
    series: Vec<Series>,
    horizontals: Vec<Reference>,
    height: f64,
}

impl Panel {
    /// A panel without curves, with the name and unit of its y axis.
    pub fn new(y_label: impl Into<String>) -> Self {
        let y = Wish { label: y_label.into(), zero: true, ..Wish::default() };
        Self { y, series: Vec::new(), horizontals: Vec::new(), height: 1.0 }
    }

    /// The scale of the y axis.
    #[must_use]
    pub fn y_scale(mut self, scale: Scale) -> Self {
        self.y.scale = scale;
        self
    }

    /// The ends of the y axis, instead of those of the data. Not used unless `low < high`, and both
    /// have a place on the axis.
    #[must_use]
    pub fn y_range(mut self, low: f64, high: f64) -> Self {
        self.y.range = Some((low, high));
        self
    }

    /// Adds a curve.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a horizontal line, with a label to the right of it.
    #[must_use]
    pub fn horizontal(mut self, y: f64, label: impl Into<String>) -> Self {
        self.horizontals.push(Reference { at: y, label: label.into() });
        self
    }

    /// How high the panel is, relative to others (1 unless told, at least 0.1).
    #[must_use]
    pub fn height(mut self, share: f64) -> Self {
        self.height = if share.is_finite() { share.max(0.1) } else { 1.0 };
        self
    }
}
