//! Numbers that are dates: which ones are, and as what they are read.

use crate::calendar::civil;

/// Days from the first of the year 1970 to the day 0 of the two ways in which days are counted.
const DAY_0_OF_1900: i64 = -25_569;
const DAY_0_OF_1904: i64 = -24_107;

/// 1900 was no leap year, but counts as one: days up to this one are a day early.
const LAST_EARLY_DAY: i64 = 60;

/// Whether numbers of a format are dates or times: some have numbers of their own, others letters for days, months, years,
/// hours and seconds outside of quotes and brackets.
pub(super) fn is_date_format(id: u32, code: Option<&str>) -> bool {
    let Some(code) = code else {
        return matches!(id, 14..=22 | 27..=36 | 45 | 47 | 50..=58);
    };
    let (mut quoted, mut bracketed, mut escaped) = (false, false, false);
    for letter in code.split(';').next().unwrap_or_default().chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' | '_' | '*' if !quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => bracketed = true,
            ']' if !quoted => bracketed = false,
            'd' | 'm' | 'y' | 'h' | 's' | 'D' | 'M' | 'Y' | 'H' | 'S' if !quoted && !bracketed => {
                return !code.eq_ignore_ascii_case("general");
            }
            _ => {}
        }
    }
    false
}

/// A number of days as `2024-03-05`, `2024-03-05T13:45:00` or `13:45:00`; none beyond the year 9999.
pub(super) fn date_text(days: f64, from_1904: bool) -> Option<String> {
    if !(0.0..3e6).contains(&days) {
        return None;
    }
    let seconds = (days * 86_400.0).round() as i64;
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let time = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
    if day == 0 && second > 0 {
        return Some(time);
    }
    let since_1970 = match from_1904 {
        true => day + DAY_0_OF_1904,
        false => day + DAY_0_OF_1900 + i64::from(day < LAST_EARLY_DAY),
    };
    let (year, month, day) = civil(since_1970);
    let date = format!("{year:04}-{month:02}-{day:02}");
    (year <= 9999).then(|| if second == 0 { date } else { format!("{date}T{time}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_spreadsheets_do() {
        for (days, from_1904, text) in [
            (45_356.0, false, "2024-03-05"),
            (45_356.572_916_666_664, false, "2024-03-05T13:45:00"),
            (1.0, false, "1900-01-01"),
            (59.0, false, "1900-02-28"),
            (61.0, false, "1900-03-01"),
            (0.5, false, "12:00:00"),
            (0.0, true, "1904-01-01"),
            (43_894.0, true, "2024-03-05"),
        ] {
            assert_eq!(date_text(days, from_1904).as_deref(), Some(text));
        }
        assert_eq!(date_text(-1.0, false), None);
        assert_eq!(date_text(2_958_466.0, false), None);
    }

    #[test]
    fn formats_of_dates_are_told_from_those_of_numbers() {
        for code in ["yyyy-mm-dd", "d/m/yy", "[$-409]h:mm AM/PM", "mmm"] {
            assert!(is_date_format(170, Some(code)), "{code}");
        }
        for code in ["0.00", "#,##0 \"days\"", "[Red]0", "General", "0.0\\d", "_d0"] {
            assert!(!is_date_format(170, Some(code)), "{code}");
        }
        assert!(is_date_format(14, None) && !is_date_format(4, None));
    }
}
