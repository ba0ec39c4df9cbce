//! The topics over time: when documents were written, and the picture of it.

use xray_nmf::comm::Communicator;
use xray_pipeline::report::TopicsReport;
use xray_pipeline::{Content, Dates, Folder, Period};
#[cfg(feature = "pictures")]
use xray_pipeline::{Day, GroupShares};
#[cfg(feature = "pictures")]
use xray_report::{Chart, Panel, Series};

use crate::agree::together;
use crate::args::TopicsArgs;
use crate::outcome::UsageError;
use crate::session::Session;

/// When the own documents were written.
pub(super) struct Times {
    pub(super) period: Period,
    /// The name of the period of each of them; empty where it has no date.
    pub(super) periods: Vec<String>,
}

/// The period of each own document, if times were asked for; collective.
pub(super) fn read(
    comm: &dyn Communicator,
    session: &Session,
    args: &TopicsArgs,
    content: &mut Content,
) -> anyhow::Result<Option<Times>> {
    let Some(column) = &args.time else { return Ok(None) };
    let refused = |message: String| together(comm, Err(UsageError(message).into()));
    let Some(texts) = content.take_times() else {
        return refused("--time names dates of rows, and --transpose makes columns of them".into());
    };
    let dates = Dates::read(comm, &texts);
    let dates = dates.map_err(|e| anyhow::Error::from(e).context(format!("--time {column}")))?;
    if dates.is_empty() {
        return refused(format!(
            "--time {column}: no document has a date there that can be read (such as {:?}); dates look like \
             2024-03-05, 5 March 2024, 3/5/2024 or 2024",
            dates.unknown_example()
        ));
    }
    if dates.n_unknown() > 0 {
        let unknown = dates.n_unknown();
        session.warn(format!("{unknown} documents have no date in {column:?} that can be read"));
    }
    if let Some(taken) = dates.open_order() {
        session.note(format!("--time {column}: {taken}"));
    }
    let period = args.period.unwrap_or_else(|| dates.fitting_period());
    Ok(Some(Times { period, periods: dates.periods(period) }))
}

/// Writes the picture, if there are periods.
#[cfg(feature = "pictures")]
pub(super) fn write_picture(
    report: &TopicsReport,
    period: Option<Period>,
    folder: &mut Folder,
) -> anyhow::Result<()> {
    let (Some(periods), Some(period)) = (&report.periods, period) else { return Ok(()) };
    crate::cmd::write_picture(folder, "periods", &chart(report, periods, period))
}

/// None: pictures are drawn with the feature `pictures` alone.
#[cfg(not(feature = "pictures"))]
pub(super) fn write_picture(
    _: &TopicsReport,
    _: Option<Period>,
    _: &mut Folder,
) -> anyhow::Result<()> {
    Ok(())
}

/// Topics whose lines can still be told apart.
#[cfg(feature = "pictures")]
const MOST_LINES: usize = 8;

/// Periods that are named on the axis, at most.
#[cfg(feature = "pictures")]
const MOST_NAMES: usize = 8;

/// The shares of the largest topics over time, each at the beginning of its period.
#[cfg(feature = "pictures")]
fn chart(report: &TopicsReport, periods: &GroupShares, period: Period) -> Chart {
    let mut largest: Vec<usize> = (0..report.topics.len()).collect();
    largest.sort_by(|&a, &b| {
        report.topics[b].share.total_cmp(&report.topics[a].share).then(a.cmp(&b))
    });
    largest.truncate(MOST_LINES);
    // Periods whose documents have no topic say nothing.
    let filled = |shares: &&Vec<f64>| shares.iter().any(|share| *share > 0.0);
    let days = periods.groups.iter().filter_map(|name| Day::parse(name));
    let points: Vec<(Day, &Vec<f64>)> =
        days.zip(&periods.shares).filter(|(_, shares)| filled(shares)).collect();
    let place = |day: Day| day.number() as f64;
    let mut panel = Panel::new("share of the documents");
    for k in largest {
        let line = points.iter().map(|(day, shares)| (place(*day), shares[k]));
        panel = panel.series(Series::new(report.topics[k].name.clone(), line));
    }
    let chart = Chart::new("Topics over time").x_label(period.to_string());
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
        return chart.panel(panel);
    };
    let named = period.ticks(*first, *last, MOST_NAMES);
    let named = named.into_iter().map(|day| (place(day), period.of(day)));
    chart.x_ticks(named).panel(panel)
}
