//! A column of dates, which tells more than each date by itself: whether the day or the month comes first, and how
//! closely dates are told.

use xray_nmf::comm::{Collectives, Communicator};

use super::written::{Order, Written};
use super::{Day, Period};
use crate::agree::together;
use crate::documents::sum_over_ranks;
use crate::error::{Error, Result};
use crate::read::{read_text, write_text};

/// Dates are taken for those of months or years if more than one in so many is.
const MANY: u64 = 10;

/// The dates of a column, read alike on all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Dates {
    /// The days of the own documents; none for what cannot be read.
    days: Vec<Option<Day>>,
    examples: Examples,
    /// Dates of all ranks that cannot be read, and that tell a day, a month and a year.
    counts: [u64; 4],
    /// The first day and the last one of all ranks.
    ends: Option<(Day, Day)>,
}

impl Dates {
    /// Reads the own dates of a column; collective. In dates such as `3/5/2024` the day comes first everywhere if it must
    /// in any of them (`25/2/2024`), and the month if that must; otherwise each is read as [`Day::parse`] does.
    ///
    /// # Errors
    /// If some dates have the day first and others the month, or the ranks cannot exchange data.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::comm::OneRank;
    /// use xray_pipeline::{Dates, Period};
    /// let dates = Dates::read(&OneRank, &["3/5/2024", "25/2/2024", "soon"])?;
    /// assert_eq!(dates.periods(Period::Day), ["2024-05-03", "2024-02-25", ""]);
    /// assert_eq!(dates.n_unknown(), 1);
    /// assert!(Dates::read(&OneRank, &["25/2/2024", "2/25/2024"]).is_err());
    /// # Ok::<(), xray_pipeline::Error>(())
    /// ```
    pub fn read<T: AsRef<str>>(comm: &dyn Communicator, own: &[T]) -> Result<Self> {
        let written: Vec<Option<Written>> =
            own.iter().map(|text| Written::read(text.as_ref())).collect();
        let mut examples = Examples::default();
        for (text, written) in own.iter().zip(&written) {
            examples.add(text.as_ref(), *written);
        }
        let examples = examples.of_all(comm)?;
        let order = together(comm, examples.order())?;
        let read: Vec<Option<(Day, Period)>> =
            written.into_iter().map(|written| written?.day(order)).collect();
        let days: Vec<Option<Day>> = read.iter().map(|read| read.map(|(day, _)| day)).collect();
        let told =
            |told| read.iter().filter(|read| read.map(|(_, told)| told) == told).count() as u64;
        let counts = [None, Some(Period::Day), Some(Period::Month), Some(Period::Year)].map(told);
        let counts = sum_over_ranks(comm, &counts)?.try_into().expect("four numbers");
        let ends = ends(comm, &days)?;
        Ok(Self { days, examples, counts, ends })
    }

    /// How many documents of all ranks have no date that can be read.
    pub fn n_unknown(&self) -> usize {
        self.counts[0] as usize
    }

    /// Whether no document of any rank has a date.
    pub fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    /// A text that is no date; empty if there is none but empty ones.
    pub fn unknown_example(&self) -> &str {
        &self.examples.unknown
    }

    /// How dates were taken that leave the order of day and month open, if no date of the column settles it.
    pub fn open_order(&self) -> Option<String> {
        let Examples { day_first, month_first, open, .. } = &self.examples;
        if open.is_empty() || !day_first.is_empty() || !month_first.is_empty() {
            return None;
        }
        let written = Written::read(open)?;
        let (day, _) = written.day(None)?;
        let first =
            if written.day(Some(Order::DayFirst)) == written.day(None) { "day" } else { "month" };
        Some(format!(
            "\"{open}\" is taken for {day}, the {first} first: no date of the column settles that (2024-03-05 leaves nothing open)"
        ))
    }

    /// The period that gives some tens of periods and is not shorter than what dates tell: a year where more than one date in
    /// ten tells no more than that.
    pub fn fitting_period(&self) -> Period {
        let [_, to_day, to_month, to_year] = self.counts;
        let all = to_day + to_month + to_year;
        let told = match () {
            () if MANY * to_year > all => Period::Year,
            () if MANY * (to_month + to_year) > all => Period::Month,
            () => Period::Day,
        };
        self.ends.map_or(told, |(first, last)| Period::for_span(first, last).max(told))
    }

    /// The name of the period of each own document; empty where it has no date.
    pub fn periods(&self, period: Period) -> Vec<String> {
        let name = |day: &Option<Day>| day.map_or(String::new(), |day| period.of(day));
        self.days.iter().map(name).collect()
    }
}

/// The first day and the last one of all ranks.
fn ends(comm: &dyn Communicator, own: &[Option<Day>]) -> Result<Option<(Day, Day)>> {
    let numbers = own.iter().flatten().map(|day| day.number());
    let own: Vec<i64> = numbers.clone().min().into_iter().chain(numbers.max()).collect();
    let all = comm.gather(&own)?;
    let ends = all.iter().min().zip(all.iter().max());
    Ok(ends.map(|(&first, &last)| (Day::from_number(first), Day::from_number(last))))
}

/// Texts of a column that are no dates, that can only have the day first, or the month, and that may have either; of each
/// kind the first in the order of letters, so that it does not depend on who has it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Examples {
    unknown: String,
    day_first: String,
    month_first: String,
    open: String,
}

impl Examples {
    fn add(&mut self, text: &str, written: Option<Written>) {
        let kind = match written {
            None => &mut self.unknown,
            Some(Written::Open { day_first, month_first, .. }) => match (day_first, month_first) {
                (Some(_), None) => &mut self.day_first,
                (None, Some(_)) => &mut self.month_first,
                (same, other) if same == other => return,
                _ => &mut self.open,
            },
            Some(Written::Told(..)) => return,
        };
        if !text.is_empty() && (kind.is_empty() || text < kind.as_str()) {
            text.clone_into(kind);
        }
    }

    fn fields(&mut self) -> [&mut String; 4] {
        [&mut self.unknown, &mut self.day_first, &mut self.month_first, &mut self.open]
    }

    /// Those of all ranks.
    fn of_all(mut self, comm: &dyn Communicator) -> Result<Self> {
        let mut message = Vec::new();
        self.fields().into_iter().for_each(|text| write_text(&mut message, text));
        let all = comm.gather(&message)?;
        let mut rest = all.as_slice();
        while !rest.is_empty() {
            for kind in self.fields() {
                let text = read_text(&mut rest);
                if !text.is_empty() && (kind.is_empty() || text < *kind) {
                    *kind = text;
                }
            }
        }
        Ok(self)
    }

    /// What comes first in all dates, if any of them tells.
    fn order(&self) -> Result<Option<Order>> {
        let Self { day_first, month_first, .. } = self;
        match (day_first.is_empty(), month_first.is_empty()) {
            (true, true) => Ok(None),
            (false, true) => Ok(Some(Order::DayFirst)),
            (true, false) => Ok(Some(Order::MonthFirst)),
            (false, false) => Err(Error::Mismatch(format!(
                "\"{day_first}\" has the day first and \"{month_first}\" the month: write dates as 2024-03-05"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use xray_nmf::Ownership;
    use xray_nmf::comm::{OneRank, run_local_ranks};

    use super::*;

    fn days(texts: &[&str]) -> Vec<String> {
        Dates::read(&OneRank, texts).expect("one order").periods(Period::Day)
    }

    #[test]
    fn one_date_that_tells_the_order_tells_that_of_all() {
        assert_eq!(days(&["3/5/2024", "25/2/2024"]), ["2024-05-03", "2024-02-25"]);
        assert_eq!(days(&["3/5/2024", "2/25/2024"]), ["2024-03-05", "2024-02-25"]);
        assert_eq!(days(&["3.5.2024", "2.25.2024"]), ["2024-03-05", "2024-02-25"]);
        assert_eq!(days(&["3/5/2024", "31/2/2024"]), ["2024-03-05", ""], "there is no such day");
        let mixed = ["3/5/2024", "25/2/2024", "26/2/2024", "2/27/2024", "x"];
        let error = Dates::read(&OneRank, &mixed).unwrap_err().to_string();
        assert!(error.contains("\"25/2/2024\" has the day first"), "{error}");
        assert!(error.contains("\"2/27/2024\" the month"), "{error}");
    }

    #[test]
    fn an_order_that_nothing_tells_is_told() {
        let told = |texts: &[&str]| Dates::read(&OneRank, texts).expect("one order").open_order();
        let slashes = told(&["3/5/2024", "3/3/2024", "2024"]).expect("open");
        assert!(slashes.contains("\"3/5/2024\" is taken for 2024-03-05, the month"), "{slashes}");
        let points = told(&["3.5.2024"]).expect("open");
        assert!(points.contains("\"3.5.2024\" is taken for 2024-05-03, the day"), "{points}");
        for settled in [&["3/5/2024", "25/2/2024"][..], &["3/3/2024"], &["2024-03-05", "soon"]] {
            assert_eq!(told(settled), None, "{settled:?}");
        }
    }

    #[test]
    fn periods_are_not_shorter_than_dates_tell() {
        let fitting = |texts: &[&str]| {
            Dates::read(&OneRank, texts).expect("one order").fitting_period().to_string()
        };
        assert_eq!(fitting(&["2003", "2004", "soon"]), "year");
        assert_eq!(fitting(&["2003-01", "March 2003"]), "month");
        assert_eq!(fitting(&["2003-01", "2040-01"]), "year");
        assert_eq!(fitting(&["2003-01-05", "2003-03-01"]), "day");
        // One in ten is an exception, more are not.
        let with = |n: usize, text| -> Vec<&str> { [vec!["2003-01-05"; n], vec![text]].concat() };
        assert_eq!(fitting(&with(9, "2003")), "day");
        assert_eq!(fitting(&with(8, "2003")), "year");
        assert_eq!(fitting(&with(8, "2003-02")), "month");
        assert_eq!(fitting(&[]), "day");
    }

    #[test]
    fn all_ranks_read_alike() {
        // Blocks of 4,096: each rank has some, and one date settles the order of all.
        let n = 20_000;
        let text = |d: usize| match d {
            9_000 => "25/2/2024".to_owned(),
            _ if d % 5_000 == 1 => "soon".to_owned(),
            _ => format!("{}/{}/2024", 1 + d % 12, 1 + d % 7),
        };
        let texts: Vec<String> = (0..n).map(text).collect();
        let whole = Dates::read(&OneRank, &texts).expect("one order");
        assert_eq!((whole.n_unknown(), whole.unknown_example()), (4, "soon"));
        let periods = whole.periods(whole.fitting_period());
        for size in [2, 3] {
            let parts = run_local_ranks(size, |comm| {
                let own = Ownership::rows(n, comm);
                let places: Vec<usize> = (0..own.n_own()).map(|place| own.global(place)).collect();
                let texts: Vec<&String> = places.iter().map(|&d| &texts[d]).collect();
                let own = Dates::read(comm, &texts).expect("one order");
                let names = own.periods(own.fitting_period());
                assert!(places.iter().zip(&names).all(|(&d, name)| periods[d] == *name));
                Dates { days: Vec::new(), ..own }
            });
            let expected = Dates { days: Vec::new(), ..whole.clone() };
            assert!(parts.iter().all(|part| *part == expected), "{size} ranks");
        }
    }
}
