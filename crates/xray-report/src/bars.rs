//! Bar charts: groups of bars, one for each category.

mod draw;

use crate::axis::Wish;
use crate::colour::Colour;
use crate::plot::Reference;
use crate::scene::{Picture, Scene};

/// A picture of values by category, with bars of several kinds side by side.
///
/// ```
/// use xray_report::{BarChart, Bars, Picture};
///
/// let chart = BarChart::new("Agreement with the true topics", ["BBC", "Reuters", "TDT2"])
///     .y_label("NMI")
///     .bars(Bars::new("greedy", [0.81, 0.55, 0.74]).error_bars([0.02, 0.03, 0.01]))
///     .bars(Bars::new("dist", [0.78, 0.57, f64::NAN]))
///     .horizontal(1.0, "perfect");
/// assert!(chart.svg().contains("Reuters"));
/// ```
#[derive(Clone, Debug)]
pub struct BarChart {
    title: String,
    categories: Vec<String>,
    y: Wish,
    bars: Vec<Bars>,
    horizontals: Vec<Reference>,
    /// Significant digits of the largest value above bars.
    digits: Option<usize>,
    size: Option<(f64, f64)>,
}

/// The bars of one kind: one value for each category, in their order.
///
/// Values that are missing (NaN), infinite or not given have no bar.
#[derive(Clone, Debug)]
pub struct Bars {
    name: String,
    values: Vec<f64>,
    deviations: Vec<f64>,
    colour: Option<Colour>,
}

impl Bars {
    /// Bars of these heights; an empty name is not in the legend.
    pub fn new(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Self {
        let values = values.into_iter().collect();
        Self { name: name.into(), values, deviations: Vec::new(), colour: None }
    }

    /// Error bars from `y - d` to `y + d` for the deviations `d`, one for each value.
    #[must_use]
    pub fn error_bars(mut self, deviations: impl IntoIterator<Item = f64>) -> Self {
        self.deviations = deviations.into_iter().collect();
        self
    }

    /// A colour of its own, instead of the next one of the palette.
    #[must_use]
    pub fn colour(mut self, colour: Colour) -> Self {
        self.colour = Some(colour);
        self
    }

    /// The value for a category, and how far up and down its error bar goes.
    fn value(&self, category: usize) -> Option<(f64, f64)> {
        let value = self.values.get(category).copied().filter(|value| value.is_finite())?;
        let deviation = self.deviations.get(category).copied().unwrap_or(0.0);
        Some((value, if deviation.is_finite() { deviation.abs() } else { 0.0 }))
    }
}

impl BarChart {
    /// A chart without bars, with these names along its x axis.
    pub fn new<T: Into<String>>(
        title: impl Into<String>,
        categories: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            title: title.into(),
            categories: categories.into_iter().map(Into::into).collect(),
            y: Wish { zero: true, ..Wish::default() },
            bars: Vec::new(),
            horizontals: Vec::new(),
            digits: None,
            size: None,
        }
    }

    /// The name and unit of the y axis.
    #[must_use]
    pub fn y_label(mut self, label: impl Into<String>) -> Self {
        self.y.label = label.into();
        self
    }

    /// Adds bars of one kind, to the right of those there are.
    #[must_use]
    pub fn bars(mut self, bars: Bars) -> Self {
        self.bars.push(bars);
        self
    }

    /// Adds a horizontal line, with a label to the right of it.
    #[must_use]
    pub fn horizontal(mut self, y: f64, label: impl Into<String>) -> Self {
        self.horizontals.push(Reference { at: y, label: label.into() });
        self
    }

    /// Writes the values above their bars, if all have room, with as many decimals as give the
    /// largest value so many significant digits.
    #[must_use]
    pub fn values(mut self, digits: usize) -> Self {
        self.digits = Some(digits);
        self
    }

    /// The size in pixels at scale 1, from 240 x 180 up, and higher where the bars would become
    /// unreadable. Left alone, 720 wide, and as high as names and legend call for.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = Some((f64::from(width.max(240)), f64::from(height.max(180))));
        self
    }
}

impl Picture for BarChart {
    fn scene(&self) -> Scene {
        draw::draw(self)
    }
}
