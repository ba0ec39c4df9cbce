//! Which periods to name on an axis of time.

use super::{Day, Period};

/// The distance of two names.
#[derive(Debug, Clone, Copy)]
enum Step {
    Days(i64),
    Months(i64),
}

/// From the shortest to the longest, with the longest period for which there are as short ones.
const STEPS: [(Period, Step); 16] = [
    (Period::Day, Step::Days(1)),
    (Period::Day, Step::Days(2)),
    (Period::Week, Step::Days(7)),
    (Period::Week, Step::Days(14)),
    (Period::Month, Step::Months(1)),
    (Period::Month, Step::Months(2)),
    (Period::Month, Step::Months(3)),
    (Period::Month, Step::Months(6)),
    (Period::Year, Step::Months(12)),
    (Period::Year, Step::Months(24)),
    (Period::Year, Step::Months(60)),
    (Period::Year, Step::Months(120)),
    (Period::Year, Step::Months(240)),
    (Period::Year, Step::Months(600)),
    (Period::Year, Step::Months(1_200)),
    (Period::Year, Step::Months(24_000)),
];

impl Step {
    /// The days of the calendar that are multiples of the step, in a span.
    fn days(self, first: Day, last: Day) -> impl Iterator<Item = Day> {
        let months = |day: Day| 12 * i64::from(day.year) + i64::from(day.month) - 1;
        let (from, to, length) = match self {
            // Weeks begin with Mondays, of which one came three days before day 0.
            Step::Days(length) => (first.number() + 3, last.number() + 3, length),
            Step::Months(length) => (months(first), months(last), length),
        };
        (from.div_euclid(length)..=to.div_euclid(length)).filter_map(move |k| match self {
            Step::Days(length) => Some(Day::from_number(length * k - 3)),
            Step::Months(length) => {
                Day::new((length * k).div_euclid(12), (length * k).rem_euclid(12) + 1, 1)
            }
        })
    }
}

impl Period {
    /// The first days of at most `most` periods from one to another, which stand at even distances in the calendar: every
    /// second Monday, the first of every third month, every tenth year.
    ///
    /// # Examples
    /// ```
    /// use xray_pipeline::{Day, Period};
    /// let [first, last] = ["1951-01-01", "2004-01-01"].map(|text| Day::parse(text).expect("a day"));
    /// let ticks: Vec<String> = Period::Year.ticks(first, last, 8).iter().map(|day| Period::Year.of(*day)).collect();
    /// assert_eq!(ticks, ["1960", "1970", "1980", "1990", "2000"]);
    /// ```
    pub fn ticks(self, first: Day, last: Day, most: usize) -> Vec<Day> {
        let ticks = |step: Step| -> Vec<Day> {
            let starts = step.days(first, last).map(|day| self.start(day));
            starts.filter(|day| (first..=last).contains(day)).take(most + 1).collect()
        };
        let mut steps = STEPS.into_iter().filter(|(longest, _)| self <= *longest);
        let found = steps.find_map(|(_, step)| Some(ticks(step)).filter(|days| days.len() <= most));
        found.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(period: Period, first: &str, last: &str) -> String {
        let [first, last] = [first, last].map(|text| Day::parse(text).expect("a day"));
        let names = period.ticks(first, last, 6).into_iter().map(|day| period.of(day));
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_periods_at_even_distances() {
        use Period::{Day, Month, Week, Year};
        assert_eq!(
            named(Day, "2024-02-28", "2024-03-02"),
            "2024-02-28 2024-02-29 2024-03-01 2024-03-02"
        );
        assert_eq!(
            named(Day, "2024-01-02", "2024-02-01"),
            "2024-01-08 2024-01-15 2024-01-22 2024-01-29"
        );
        assert_eq!(named(Week, "2024-01-01", "2024-01-15"), "2024-01-01 2024-01-08 2024-01-15");
        assert_eq!(
            named(Week, "2024-01-01", "2024-12-30"),
            "2024-01-01 2024-02-26 2024-04-29 2024-07-01 2024-08-26 2024-10-28"
        );
        assert_eq!(named(Month, "2003-11", "2005-10"), "2004-01 2004-07 2005-01 2005-07");
        assert_eq!(named(Year, "1999", "2003"), "1999 2000 2001 2002 2003");
        assert_eq!(named(Year, "0001", "9999"), "2000 4000 6000 8000");
        assert_eq!(named(Month, "2003-11", "2003-11"), "2003-11");
    }
}
