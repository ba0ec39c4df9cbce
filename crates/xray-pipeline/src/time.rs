//! Days in the forms in which people write them, columns of them, and the periods that they are in.

mod column;
mod ticks;
mod written;

pub use column::Dates;

use std::fmt;

use written::Written;

/// A day of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: i32,
    /// From 1.
    month: u32,
    /// From 1.
    day: u32,
}

/// How long a period is, or how closely a date is told; longer ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Period {
    /// Days, as 2024-03-05.
    Day,
    /// Weeks from Monday to Sunday, called by their Monday.
    Week,
    /// Months, as 2024-03.
    Month,
    /// Years.
    Year,
}

impl Period {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Period); 4] = [
        ("day", Period::Day),
        ("week", Period::Week),
        ("month", Period::Month),
        ("year", Period::Year),
    ];

    /// The one that gives some tens of periods between two days. Dates may be told less closely than that
    /// ([`Dates::fitting_period`]).
    pub fn for_span(first: Day, last: Day) -> Self {
        let lengths = [(62, Period::Day), (400, Period::Week), (3_700, Period::Month)];
        let days = last.number() - first.number();
        lengths.iter().find(|(most, _)| days <= *most).map_or(Period::Year, |(_, period)| *period)
    }

    /// The first day of the period of a day.
    pub fn start(self, day: Day) -> Day {
        match self {
            Period::Day => day,
            Period::Week => Day::from_number(day.number() - (day.number() + 3).rem_euclid(7)),
            Period::Month => Day { day: 1, ..day },
            Period::Year => Day { month: 1, day: 1, ..day },
        }
    }

    /// What the period of a day is called; names sort by time.
    pub fn of(self, day: Day) -> String {
        match self {
            Period::Day | Period::Week => self.start(day).to_string(),
            Period::Month => format!("{:04}-{:02}", day.year, day.month),
            Period::Year => format!("{:04}", day.year),
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.iter().find(|(_, period)| period == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Day {
    fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        let is_there = (1..=9999).contains(&year) && (1..=length).contains(&day);
        is_there.then_some(Self { year: year as i32, month: month as u32, day: day as u32 })
    }

    /// The day that a text tells by itself; where the order of day and month is open, a column tells more ([`Dates`]):
    ///
    /// | | |
    /// |---|---|
    /// | year first | `2024-03-05`, `2024/3/5`, `2024.03.05`, `20240305`, with or without a time after it |
    /// | of a month or year only | `2024-03`, `March 2024`, `2024`: its first day |
    /// | month in letters | `5 March 2024`, `Mar 5, 2024`, `Tue Mar 05 12:00:00 +0000 2024` |
    /// | day or month first | `5.3.2024` is a day in March; `3/5/2024` too, as in the United States, unless the first number cannot be a month |
    /// | seconds or milliseconds since 1970 | `1709640000`, `1709640000000`, with or without a fraction |
    ///
    /// # Examples
    /// ```
    /// use xray_pipeline::Day;
    /// for text in ["2024-03-05T10:00:00Z", "5 March 2024", "Mar 5, 2024", "5.3.2024", "3/5/2024", "1709640000"] {
    ///     assert_eq!(Day::parse(text).map(|day| day.to_string()).as_deref(), Some("2024-03-05"), "{text}");
    /// }
    /// assert_eq!(Day::parse("soon"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        Written::read(text)?.day(None).map(|(day, _)| day)
    }

    /// Days since 1970-01-01.
    pub fn number(self) -> i64 {
        // Years begin in March, so that leap days come last.
        let shifted = i64::from(self.month <= 2);
        let year = i64::from(self.year) - shifted;
        let month = i64::from(self.month) + 12 * shifted - 3;
        let in_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + in_year
            - 719_468
    }

    fn from_number(number: i64) -> Self {
        let days = number + 719_468;
        let era = days.div_euclid(146_097);
        let in_era = days.rem_euclid(146_097);
        let year = (in_era - in_era / 1_460 + in_era / 36_524 - in_era / 146_096) / 365;
        let in_year = in_era - (365 * year + year / 4 - year / 100);
        let month = (5 * in_year + 2) / 153;
        let day = in_year - (153 * month + 2) / 5 + 1;
        let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        Self { year: (era * 400 + year + next) as i32, month: month as u32, day: day as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        Day::parse(text).map_or("none".to_owned(), |day| day.to_string())
    }

    #[test]
    fn days_in_many_forms() {
        let cases = [
            ("2024-02-29", "2024-02-29"),
            ("2023-02-29", "none"),
            ("2024-03-05 10:11:12", "2024-03-05"),
            ("2024-03-05T10:11:12.5+02:00", "2024-03-05"),
            ("20240305", "2024-03-05"),
            ("2024/3/5", "2024-03-05"),
            ("2024-03", "2024-03-01"),
            ("2024", "2024-01-01"),
            ("05.03.2024", "2024-03-05"),
            ("3/5/2024", "2024-03-05"),
            ("25/3/2024", "2024-03-25"),
            ("Tue Mar 05 12:00:00 +0000 2024", "2024-03-05"),
            ("Tue, 5 Mar 2024 12:00:00 +0100", "2024-03-05"),
            ("March 5th, 2024", "2024-03-05"),
            ("5-Mar-2024", "2024-03-05"),
            ("March 2024", "2024-03-01"),
            ("0", "none"),
            ("-3", "none"),
            ("99/99/2024", "none"),
            ("2024-03-05x", "none"),
            ("", "none"),
            ("marvellous", "none"),
            ("1709640000", "2024-03-05"),
            ("1709640000123", "2024-03-05"),
            ("1709640000.75", "2024-03-05"),
            ("2024.0", "2024-01-01"),
            ("2024.03", "2024-03-01"),
            ("5.0", "none"),
            ("3.25.2024", "2024-03-25"),
            ("03-25-2024", "2024-03-25"),
        ];
        for (text, day) in cases {
            assert_eq!(parsed(text), day, "{text}");
        }
    }

    #[test]
    fn numbers_of_days_come_back() {
        for number in (-800_000..800_000).step_by(37) {
            assert_eq!(Day::from_number(number).number(), number);
        }
        assert_eq!(Day::from_number(0).to_string(), "1970-01-01");
    }

    #[test]
    fn periods_have_names_that_sort() {
        let day = Day::parse("2024-03-05").expect("a day");
        let names: Vec<String> = Period::ALL.iter().map(|(_, period)| period.of(day)).collect();
        assert_eq!(names, ["2024-03-05", "2024-03-04", "2024-03", "2024"]);
        let monday = Day::parse("2024-03-04").expect("a day");
        assert_eq!(Period::Week.of(monday), "2024-03-04");
        assert_eq!(Period::Month.start(day).to_string(), "2024-03-01");
        assert_eq!(Period::Year.start(day).to_string(), "2024-01-01");
        assert_eq!(Period::for_span(monday, day), Period::Day);
        assert_eq!(Period::for_span(day, Day::parse("2026-01-01").expect("a day")), Period::Month);
    }
}
