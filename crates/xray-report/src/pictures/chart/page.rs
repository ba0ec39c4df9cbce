//! A chart as the data of a page, whose script draws it.

use super::{Chart, Panel, Series};
use crate::page::{PageChart, PagePanel, PageSeries};
use crate::pictures::axis::Scale;
use crate::pictures::plot::Reference;

fn marks(lines: &[Reference]) -> Vec<(f64, String)> {
    lines.iter().map(|line| (line.at, line.label.clone())).collect()
}

impl From<&Chart> for PageChart {
    fn from(chart: &Chart) -> Self {
        Self {
            title: chart.title.clone(),
            x: chart.x.label.clone(),
            x_log: chart.x.scale == Scale::Log,
            panels: chart.panels.iter().map(PagePanel::from).collect(),
            marks: marks(&chart.verticals),
        }
    }
}

impl From<&Panel> for PagePanel {
    fn from(panel: &Panel) -> Self {
        Self {
            y: panel.y.label.clone(),
            y_log: panel.y.scale == Scale::Log,
            series: panel.series.iter().map(PageSeries::from).collect(),
            marks: marks(&panel.horizontals),
        }
    }
}

impl From<&Series> for PageSeries {
    fn from(series: &Series) -> Self {
        let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        Self {
            name: series.name.clone(),
            points: series.points.iter().filter(finite).copied().collect(),
            scattered: !series.joined,
        }
    }
}
