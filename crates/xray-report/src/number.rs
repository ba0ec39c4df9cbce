//! Numbers as people read them: `1,234,567`, `45 ms`, `1.4 GB`, `12.3 %`.
//!
//! Two rules hold everywhere: a number that rounds to zero has no sign, and what is not a number is
//! shown as [`MISSING`].

use std::time::Duration;

/// Shown in place of a value that is missing or not a number.
pub const MISSING: &str = "–";

/// A count, with its digits in groups of three.
///
/// ```
/// assert_eq!(xray_report::number::count(1_234_567), "1,234,567");
/// ```
pub fn count(value: u64) -> String {
    group(&value.to_string())
}

/// A value with a fixed number of decimals.
///
/// ```
/// use xray_report::number::fixed;
/// assert_eq!(fixed(1234.567, 2), "1,234.57");
/// assert_eq!(fixed(-0.001, 2), "0.00");
/// assert_eq!(fixed(f64::NAN, 2), "–");
/// ```
pub fn fixed(value: f64, decimals: usize) -> String {
    not_finite(value).unwrap_or_else(|| signed(value, &format!("{:.decimals$}", value.abs())))
}

/// A value rounded to so many significant digits (at least one), as decimals where that is readable
/// and with a power of ten elsewhere.
///
/// ```
/// use xray_report::number::significant;
/// assert_eq!(significant(0.012345, 3), "0.0123");
/// assert_eq!(significant(1_234_567.0, 3), "1,230,000");
/// assert_eq!(significant(9.996, 3), "10.0");
/// assert_eq!(significant(1.5e-9, 3), "1.50e-9");
/// ```
pub fn significant(value: f64, digits: usize) -> String {
    if let Some(text) = not_finite(value) {
        return text;
    }
    let digits = digits.clamp(1, 17);
    // Rounded once, here: 9.996 has become 1.00e1 before its decimals are counted.
    let scientific = format!("{:.*e}", digits - 1, value.abs());
    let (mantissa, exponent) = scientific.split_once('e').expect("the form 1.23e4");
    let exponent: i32 = exponent.parse().expect("a whole exponent");
    if value == 0.0 || (-5..15).contains(&exponent) {
        let figures: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        signed(value, &place_point(&figures, exponent))
    } else {
        signed(value, &scientific)
    }
}

/// A fraction as a percentage.
///
/// ```
/// assert_eq!(xray_report::number::percent(0.1234, 1), "12.3 %");
/// ```
pub fn percent(fraction: f64, decimals: usize) -> String {
    let number = fixed(100.0 * fraction, decimals);
    if number == MISSING { number } else { format!("{number} %") }
}

/// A time span in the units one would say it in.
///
/// ```
/// use std::time::Duration;
/// use xray_report::number::duration;
/// assert_eq!(duration(Duration::from_millis(45)), "45 ms");
/// assert_eq!(duration(Duration::from_millis(1234)), "1.23 s");
/// assert_eq!(duration(Duration::from_secs(123)), "2 min 3 s");
/// assert_eq!(duration(Duration::from_secs(3720)), "1 h 2 min");
/// ```
pub fn duration(span: Duration) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    // The next larger unit starts where rounding would reach it: 59.996 s is 1 min.
    let micros = (span.as_nanos() + 500) / 1_000;
    let seconds = span.as_secs().saturating_add(u64::from(span.subsec_millis() >= 500));
    let minutes = seconds.saturating_add(30) / MINUTE;
    if micros == 0 {
        "0 s".into()
    } else if micros < 1_000 {
        format!("{micros} µs")
    } else if micros < 999_500 {
        let digits = if micros < 99_500 { 2 } else { 3 };
        format!("{} ms", significant(micros as f64 / 1e3, digits))
    } else if micros < 59_950_000 {
        format!("{} s", significant(micros as f64 / 1e6, 3))
    } else if seconds < HOUR {
        two_units(seconds, MINUTE, "min", 1, "s")
    } else if minutes * MINUTE < DAY {
        two_units(minutes * MINUTE, HOUR, "h", MINUTE, "min")
    } else {
        two_units(seconds.saturating_add(HOUR / 2) / HOUR * HOUR, DAY, "d", HOUR, "h")
    }
}

/// A size in decimal units: 1 GB is 10^9 bytes.
///
/// ```
/// use xray_report::number::bytes;
/// assert_eq!(bytes(999), "999 B");
/// assert_eq!(bytes(1_400_000_000), "1.4 GB");
/// ```
pub fn bytes(size: u64) -> String {
    let mut value = size as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        if value < 999.5 {
            break;
        }
        value /= 1e3;
        unit = larger;
    }
    if unit == "B" || value >= 99.95 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

fn two_units(seconds: u64, large: u64, large_name: &str, small: u64, small_name: &str) -> String {
    let rest = seconds % large / small;
    format!("{} {large_name} {rest} {small_name}", count(seconds / large))
}

/// What to show for infinities and what is not a number.
fn not_finite(value: f64) -> Option<String> {
    if value.is_nan() {
        Some(MISSING.into())
    } else if value.is_infinite() {
        Some(if value > 0.0 { "∞".into() } else { "-∞".into() })
    } else {
        None
    }
}

/// The value's sign before its digits, unless all of them are zero.
fn signed(value: f64, magnitude: &str) -> String {
    let mantissa = magnitude.split('e').next().expect("split yields something");
    let is_zero = !mantissa.bytes().any(|digit| (b'1'..=b'9').contains(&digit));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    format!("{sign}{}", group(magnitude))
}

/// Figures `d1 d2 d3 ...` that stand for `d1.d2d3... 10^exponent`, written out.
fn place_point(figures: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{figures}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if figures.len() <= whole {
        format!("{figures}{}", "0".repeat(whole - figures.len()))
    } else {
        format!("{}.{}", &figures[..whole], &figures[whole..])
    }
}

/// Commas between groups of three digits of the whole part.
pub(crate) fn group(digits: &str) -> String {
    let end = digits.find(['.', 'e']).unwrap_or(digits.len());
    let mut text = String::with_capacity(digits.len() + end / 3);
    for (i, digit) in digits[..end].chars().enumerate() {
        if i > 0 && (end - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + &digits[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (12_345, "12,345")];
        for (value, text) in cases {
            assert_eq!(count(value), text);
        }
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn no_negative_zero_and_no_nan() {
        assert_eq!(fixed(-0.0, 0), "0");
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(-0.06, 1), "-0.1");
        assert_eq!(significant(-0.0, 3), "0.00");
        assert_eq!(percent(-1e-9, 1), "0.0 %");
        assert_eq!(percent(f64::NAN, 1), MISSING);
        assert_eq!(significant(f64::NAN, 3), MISSING);
        assert_eq!(fixed(f64::NEG_INFINITY, 3), "-∞");
    }

    #[test]
    fn significant_digits_survive_rounding() {
        let cases = [
            (0.0, "0.00"),
            (999.6, "1,000"),
            (0.00099996, "0.00100"),
            (-12.34, "-12.3"),
            (123_456.0, "123,000"),
            (1e-5, "0.0000100"),
            (9.999e-6, "0.0000100"),
            (1e15, "1.00e15"),
            (-2.5e-300, "-2.50e-300"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value, 3), text, "{value}");
        }
        assert_eq!(significant(5.0, 1), "5");
    }

    #[test]
    fn spans_change_unit_where_rounding_does() {
        let cases = [
            (0, "0 s"),
            (400, "0 s"),
            (600, "1 µs"),
            (999_400, "999 µs"),
            (999_600, "1.0 ms"),
            (9_994_000, "10 ms"),
            (45_400_000, "45 ms"),
            (999_600_000, "1.00 s"),
            (12_340_000_000, "12.3 s"),
            (59_960_000_000, "1 min 0 s"),
            (3_599_600_000_000, "1 h 0 min"),
            (86_399_000_000_000, "1 d 0 h"),
            (100_000_000_000_000, "1 d 4 h"),
        ];
        for (nanos, text) in cases {
            assert_eq!(duration(Duration::from_nanos(nanos)), text, "{nanos} ns");
        }
        assert!(duration(Duration::MAX).ends_with(" h"));
    }

    #[test]
    fn sizes_change_unit_where_rounding_does() {
        let cases = [(0, "0 B"), (1000, "1.0 kB"), (999_600, "1.0 MB"), (123_456, "123 kB")];
        for (size, text) in cases {
            assert_eq!(bytes(size), text);
        }
        assert_eq!(bytes(u64::MAX), "18.4 EB");
    }
}
