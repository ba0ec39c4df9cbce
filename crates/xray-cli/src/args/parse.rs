//! Values of arguments.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use xray_data::Format;
use xray_nmf::Choice;
use xray_pipeline::Period;

/// A number of bytes, as in `4G`, `1.5g`, `500 MB` or `1048576`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub usize);

impl std::str::FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim().to_ascii_uppercase();
        let unit = unit.trim_end_matches('B').trim_end_matches('I');
        let factor = match unit {
            "" => Some(1.0),
            "K" => Some(1024.0),
            "M" => Some(1024.0 * 1024.0),
            "G" => Some(1024.0 * 1024.0 * 1024.0),
            "T" => Some(1024.0 * 1024.0 * 1024.0 * 1024.0),
            _ => None,
        };
        match (number.parse::<f64>(), factor) {
            (Ok(n), Some(factor)) if n * factor < 1e18 => Ok(Bytes((n * factor) as usize)),
            _ => Err("give a number of bytes, such as 500M or 4G".to_owned()),
        }
    }
}

/// How many topics there are to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicNumber {
    /// So many.
    Given(usize),
    /// What a quick look suggests.
    Fast,
}

impl std::str::FromStr for TopicNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("fast") {
            return Ok(Self::Fast);
        }
        let or_fast = |error: String| format!("{error}, or \"fast\" to have it suggested quickly");
        rank(text).map(Self::Given).map_err(or_fast)
    }
}

/// At least one; more than a matrix can have columns is refused.
pub(super) fn rank(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (1..=u32::MAX as usize).contains(&n) => Ok(n),
        _ if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && text != "0" => {
            Err(format!("no matrix has so many columns; give at most {}", u32::MAX))
        }
        _ => Err("give a whole number, 1 or more".to_owned()),
    }
}

/// Yes or no, in words.
pub(super) fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    let possible = [
        PossibleValue::new("yes").aliases(["true", "y", "on", "1"]),
        PossibleValue::new("no").aliases(["false", "n", "off", "0"]),
    ];
    PossibleValuesParser::new(possible)
        .map(|word| matches!(&*word, "yes" | "true" | "y" | "on" | "1"))
}

/// A character of one byte that no number, name or line needs; `\\t` and `tab` are a tab.
pub(super) fn delimiter(text: &str) -> Result<u8, String> {
    match (text.as_bytes(), text) {
        (_, "\\t" | "tab") => Ok(b'\t'),
        ([b'"' | b'\n' | b'\r' | b'.' | b'+' | b'-' | b'0'..=b'9'], _) => {
            Err("quotes, line ends and what numbers are written with cannot separate fields".into())
        }
        (&[byte], _) if byte.is_ascii() => Ok(byte),
        _ if text.chars().count() == 1 => Err(format!(
            "{text:?} takes {} bytes, and a delimiter is one ASCII character, such as , ; | or \\t",
            text.len()
        )),
        _ => Err("give one ASCII character, such as , ; | or \\t".to_owned()),
    }
}

/// From nothing to all, both included.
pub(super) fn strength(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(strength) if (0.0..=1.0).contains(&strength) => Ok(strength),
        _ => Err("give a number from 0 to 1".to_owned()),
    }
}

/// A number from 0.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a number, 0 or more".to_owned()),
    }
}

/// A number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 => Ok(number),
        _ => Err("give a number above 0".to_owned()),
    }
}

/// One of a table of choices, in any case of letters where the argument ignores it.
pub(super) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let possible = T::ALL.iter().map(|choice| {
        PossibleValue::new(choice.name()).help(choice.words()).aliases(choice.aliases())
    });
    PossibleValuesParser::new(possible).try_map(|name| T::named(&name.to_ascii_lowercase()))
}

/// A file format by its name.
pub(super) fn format(text: &str) -> Result<&'static Format, String> {
    Format::from_name(text).map_err(|_| format!("use one of {}", Format::names(|_| true)))
}

/// A period by its name.
pub(super) fn period(text: &str) -> Result<Period, String> {
    let found = Period::ALL.iter().find(|(name, _)| *name == text);
    let names = Period::ALL.map(|(name, _)| name).join(", ");
    found.map(|(_, period)| *period).ok_or_else(|| format!("give one of {names}"))
}

/// Rows, columns and bands, as in `400x500x200`.
#[cfg(feature = "experiments")]
pub(super) fn cube_size(text: &str) -> Result<[usize; 3], String> {
    let sizes: Option<Vec<usize>> =
        text.split(['x', 'X']).map(|part| part.trim().parse().ok().filter(|&n| n > 0)).collect();
    let sizes = sizes.and_then(|sizes| <[usize; 3]>::try_from(sizes).ok());
    sizes.ok_or_else(|| "give rows, columns and bands, as in 400x500x200".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("1048576", 1 << 20),
            ("4G", 4 << 30),
            ("1.5k", 1536),
            ("500 MB", 500 << 20),
            ("2GiB", 2 << 30),
            ("0", 0),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "G", "-1", "4X", "1e400", "1.2.3", "99999999999T"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_are_checked() {
        assert_eq!(rank("7"), Ok(7));
        assert!(rank("0").is_err() && rank("-1").is_err() && rank("5000000000").is_err());
        assert!(strength("1.1").is_err() && strength("nan").is_err() && strength("1") == Ok(1.0));
        assert_eq!("Fast".parse(), Ok(TopicNumber::Fast));
        assert_eq!("7".parse(), Ok(TopicNumber::Given(7)));
        assert!("quick".parse::<TopicNumber>().is_err_and(|error| error.contains("fast")));
        assert!(rank("18446744073709551615").unwrap_err().contains("at most 4294967295"));
        assert_eq!(
            (delimiter(";"), delimiter("\\t"), delimiter("|")),
            (Ok(b';'), Ok(b'\t'), Ok(b'|'))
        );
        for wrong in ["│", "§", "", ",,", "\"", "5"] {
            assert!(delimiter(wrong).is_err(), "{wrong}");
        }
        assert!(format("docx").unwrap_err().contains("mtx, npz"));
    }
}
