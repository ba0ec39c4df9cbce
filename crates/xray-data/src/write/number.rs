//! Numbers as text: the shortest decimal that reads back as the same bits, or six digits where these will do.

use std::io::{self, Write};

/// How many digits of a number are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Digits {
    /// Six significant ones: more than any weight means, and half as long.
    #[default]
    Six,
    /// As many as it takes to read back the same bits.
    All,
}

impl Digits {
    /// Appends a finite number.
    ///
    /// # Examples
    /// ```
    /// use xray_data::Digits;
    /// let written = |digits: Digits, value| {
    ///     let mut text = Vec::new();
    ///     digits.push(value, &mut text);
    ///     String::from_utf8(text).expect("digits")
    /// };
    /// assert_eq!(written(Digits::Six, 2.0 / 3.0), "0.666667");
    /// assert_eq!(written(Digits::Six, 1.5), "1.5");
    /// assert_eq!(written(Digits::All, 2.0 / 3.0), "0.6666666666666666");
    /// ```
    pub fn push(self, value: f64, text: &mut Vec<u8>) {
        match self {
            _ if value == 0.0 => text.push(b'0'),
            Digits::Six => push_six(value, text),
            // Writing to memory cannot fail.
            Digits::All => drop(write_number(value, text)),
        }
    }
}

/// Powers of ten that are exact.
const POWERS: [f64; 12] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11];

/// Sizes that are written without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-5..1e6;

/// Six significant digits, without zeros at the end.
fn push_six(value: f64, text: &mut Vec<u8>) {
    if value < 0.0 {
        text.push(b'-');
    }
    let size = value.abs();
    if !PLAIN.contains(&size) {
        let written = format!("{size:.5e}");
        let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        text.extend_from_slice(digits.trim_end_matches('0').trim_end_matches('.').as_bytes());
        text.push(b'e');
        text.extend_from_slice(exponent.as_bytes());
        return;
    }
    // `size * 10^places` has six digits before the point.
    let mut places = (0..POWERS.len() - 1).find(|&p| size * POWERS[p] >= 1e5).unwrap_or(10);
    let mut number = (size * POWERS[places]).round_ties_even() as u32;
    if number == 1_000_000 && places == 0 {
        return text.extend_from_slice(b"1e6");
    }
    while places > 0 && number.is_multiple_of(10) {
        (number, places) = (number / 10, places - 1);
    }
    push_decimal(number, places, text);
}

/// Appends `number / 10^places`.
fn push_decimal(mut number: u32, places: usize, text: &mut Vec<u8>) {
    let mut digits = [b'0'; POWERS.len() + 1];
    let mut first = digits.len();
    while number > 0 {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    let point = digits.len() - places;
    text.extend_from_slice(&digits[first.min(point - 1)..point]);
    if places > 0 {
        text.push(b'.');
        text.extend_from_slice(&digits[point..]);
    }
}

/// Writes a finite number, with an exponent where that is shorter.
pub(crate) fn write_number(value: f64, out: &mut dyn Write) -> io::Result<()> {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: f64) -> String {
        let mut out = Vec::new();
        write_number(value, &mut out).expect("memory");
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn short_and_familiar() {
        let cases = [(2.0, "2"), (0.1, "0.1"), (-0.0, "-0"), (1e300, "1e300"), (5e-324, "5e-324")];
        for (value, text) in cases {
            assert_eq!(written(value), text);
        }
    }

    fn six(value: f64) -> String {
        let mut text = Vec::new();
        Digits::Six.push(value, &mut text);
        String::from_utf8(text).expect("digits")
    }

    #[test]
    fn six_digits_and_no_more() {
        let cases = [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (-1.0 / 3.0, "-0.333333"),
            (0.000_012_345_678, "0.0000123457"),
            (0.000_009_999_999_9, "1e-5"),
            (9.999_999e-5, "0.0001"),
            (0.999_999_6, "1"),
            (123_456.7, "123457"),
            (999_999.4, "999999"),
            (999_999.5, "1e6"),
            (1.0, "1"),
            (120_000.0, "120000"),
            (1.234_567e12, "1.23457e12"),
            (1e-300, "1e-300"),
        ];
        for (value, text) in cases {
            assert_eq!(six(value), text, "{value:e}");
        }
    }

    proptest! {
        #[test]
        fn six_digits_are_the_nearest(mantissa in 1.0..10.0_f64, exponent in -12..12_i32) {
            let value = mantissa * 10_f64.powi(exponent);
            let text = six(value);
            let read: f64 = text.parse().expect("a number");
            prop_assert!((read - value).abs() <= 0.500_001e-5 * 10_f64.powi(exponent), "{value:e} {text}");
            prop_assert_eq!(six(read), text);
        }

        #[test]
        fn every_number_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let parsed = crate::read::lines::parse_number(written(value).as_bytes());
            prop_assert_eq!(parsed.map(f64::to_bits), Some(bits));
        }
    }
}
