//! One date as it is written, which may leave open whether the day or the month comes first.

use super::{Day, Period};

/// English names, told by their first three letters.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Which of two numbers before a year is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayFirst,
    MonthFirst,
}

/// What the text of a date says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// A day, or the first day of the month or year that is all that is told.
    Told(Day, Period),
    /// Two numbers before a year: the day with the first of them as the day, and as the month, as far as there are such days.
    Open { day_first: Option<Day>, month_first: Option<Day>, usual: Order },
}

impl Written {
    /// What a text says, if it is a date.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = whole(text.trim());
        if is_digits(text) {
            return Self::of_digits(text);
        }
        Self::of_numbers(text).or_else(|| Self::of_words(text))
    }

    /// The day, and how closely it is told. Where no order is given, it is the usual one unless there is no such day.
    pub(super) fn day(self, order: Option<Order>) -> Option<(Day, Period)> {
        let (day_first, month_first, usual) = match self {
            Self::Told(day, told) => return Some((day, told)),
            Self::Open { day_first, month_first, usual } => (day_first, month_first, usual),
        };
        let day = match (order, usual) {
            (Some(Order::DayFirst), _) => day_first,
            (Some(Order::MonthFirst), _) => month_first,
            (None, Order::DayFirst) => day_first.or(month_first),
            (None, Order::MonthFirst) => month_first.or(day_first),
        };
        day.map(|day| (day, Period::Day))
    }

    fn of_digits(text: &str) -> Option<Self> {
        let number: i64 = text.parse().ok()?;
        let day = match text.len() {
            4 => return Some(Self::Told(Day::new(number, 1, 1)?, Period::Year)),
            8 => Day::new(number / 10_000, number / 100 % 100, number % 100)?,
            9 | 10 => Day::from_number(number.div_euclid(86_400)),
            12 | 13 => Day::from_number(number.div_euclid(86_400_000)),
            _ => return None,
        };
        Some(Self::Told(day, Period::Day))
    }

    /// Numbers with marks between them; what follows the third is a time.
    fn of_numbers(text: &str) -> Option<Self> {
        let mark = text.chars().find(|c| !c.is_ascii_digit())?;
        if !matches!(mark, '-' | '/' | '.') {
            return None;
        }
        let mut parts = text.splitn(3, mark);
        let first: i64 = parts.next()?.parse().ok()?;
        let second: i64 = parts.next()?.parse().ok()?;
        let year_first = first > 31;
        let Some(third) = parts.next() else {
            let day = if year_first { Day::new(first, second, 1)? } else { return None };
            return Some(Self::Told(day, Period::Month));
        };
        let digits = third.bytes().take_while(u8::is_ascii_digit).count();
        let after = third[digits..].chars().next();
        if after.is_some_and(|c| !matches!(c, 'T' | 't' | ' ' | ',' | '_' | 'Z')) {
            return None;
        }
        let third: i64 = third[..digits].parse().ok()?;
        if year_first {
            return Some(Self::Told(Day::new(first, second, third)?, Period::Day));
        }
        let (day_first, month_first) =
            (Day::new(third, second, first), Day::new(third, first, second));
        let usual = if mark == '/' { Order::MonthFirst } else { Order::DayFirst };
        let is_date = digits == 4 && (day_first.is_some() || month_first.is_some());
        is_date.then_some(Self::Open { day_first, month_first, usual })
    }

    /// A month in letters, a day and a year.
    fn of_words(text: &str) -> Option<Self> {
        let (mut month, mut day, mut year) = (None, None, None);
        for word in text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '/' | '.')) {
            let letters = word.to_lowercase();
            let found = letters.get(..3).and_then(|start| MONTHS.iter().position(|m| *m == start));
            let ending = ["st", "nd", "rd", "th"].iter().find_map(|end| letters.strip_suffix(end));
            let of_day = ending.unwrap_or(&letters);
            match (found, of_day.parse::<i64>()) {
                (Some(place), _) if month.is_none() && word.chars().all(char::is_alphabetic) => {
                    month = Some(place as i64 + 1);
                }
                (_, Ok(number))
                    if word.len() == 4 && year.is_none() && !word.starts_with(['+', '0']) =>
                {
                    year = Some(number);
                }
                (_, Ok(number)) if day.is_none() && (1..=31).contains(&number) => {
                    day = Some(number)
                }
                _ => {}
            }
        }
        let told = if day.is_some() { Period::Day } else { Period::Month };
        Some(Self::Told(Day::new(year?, month?, day.unwrap_or(1))?, told))
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The whole part of a number that is a year, a day or seconds with a fraction, as columns of numbers with gaps are
/// often written: `2024.0`. `2024.03` is a month.
fn whole(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, fraction)) if is_digits(whole) && is_digits(fraction) => {
            let is_plain = fraction.bytes().all(|byte| byte == b'0') || whole.len() > 8;
            if is_plain { whole } else { text }
        }
        _ => text,
    }
}
