//! Where to put ticks, and what to write beside them.

use crate::number::{fixed, group};

/// A mark on an axis; minor ones have no label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub value: f64,
    pub label: Option<String>,
}

/// Multiples of 1, 2 or 5 times a power of ten; at least two if several are asked for.
pub(super) fn linear(low: f64, high: f64, n_ticks: usize, whole: bool) -> Vec<Tick> {
    // A few ticks more than asked for look better than half as many.
    let size = 0.75 * (high - low) / n_ticks.max(1) as f64;
    let steps = [size, 0.5 * size, 0.2 * size].map(|size| Step::least(size, whole));
    let enough = |step: &Step| n_ticks < 2 || step.multiples(low, high).len() >= 2;
    let step = steps.into_iter().find(enough).unwrap_or(steps[0]);
    let values = step.multiples(low, high);
    let labels = labels(&values, step);
    values
        .into_iter()
        .zip(labels)
        .map(|(value, label)| Tick { value, label: Some(label) })
        .collect()
}

/// `factor * 10^exponent`, with factor 1, 2 or 5.
#[derive(Clone, Copy)]
struct Step {
    factor: f64,
    exponent: i32,
}

impl Step {
    /// The smallest step of at least this size.
    fn least(size: f64, whole: bool) -> Self {
        let exponent = size.log10().floor() as i32;
        let unit = power_of_ten(exponent);
        let found = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * unit >= size * (1.0 - 1e-9));
        let step = match found {
            Some(factor) => Self { factor, exponent },
            None => Self { factor: 1.0, exponent: exponent + 1 },
        };
        if whole && step.exponent < 0 { Self { factor: 1.0, exponent: 0 } } else { step }
    }

    fn multiples(self, low: f64, high: f64) -> Vec<f64> {
        // A billionth of a step lets in ticks at the very ends.
        let first = (low / self.size() - 1e-9).ceil();
        let last = (high / self.size() + 1e-9).floor();
        let n = (last - first).clamp(-1.0, 100.0) as i64 + 1;
        (0..n).map(|i| (first + i as f64) * self.size()).collect()
    }

    fn size(self) -> f64 {
        self.factor * power_of_ten(self.exponent)
    }
}

/// Rounded correctly, unlike a power.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a number")
}

fn labels(values: &[f64], step: Step) -> Vec<String> {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let exponent = is_scientific(largest).then(|| {
        // 8×10⁶ and 10×10⁶ read better than 0.8×10⁷ and 1.0×10⁷.
        let is_short = largest < 12.5 * power_of_ten(step.exponent);
        if is_short { step.exponent } else { largest.log10().floor() as i32 }
    });
    // The step's last digit is the last one needed.
    let decimals = (exponent.unwrap_or(0) - step.exponent).clamp(0, 15) as usize;
    let notation = Notation { exponent, decimals };
    values.iter().map(|&value| notation.text(value)).collect()
}

fn is_scientific(largest: f64) -> bool {
    largest >= 1e7 || (largest > 0.0 && largest < 1e-3)
}

/// How several numbers are written alike: all with the same decimals and power of ten.
struct Notation {
    exponent: Option<i32>,
    decimals: usize,
}

impl Notation {
    fn text(&self, value: f64) -> String {
        let unit = power_of_ten(self.exponent.unwrap_or(0));
        let digits = fixed(value / unit, self.decimals).replace('-', "−");
        match self.exponent {
            None => digits,
            Some(_) if !digits.contains(|digit| ('1'..='9').contains(&digit)) => "0".into(),
            Some(exponent) => format!("{digits}×10{}", superscript(exponent)),
        }
    }
}

fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|digit| match digit {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '0' => '⁰',
            digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
        })
        .collect()
}

/// Powers of ten, with labels at as many of their multiples as there is room for.
pub(super) fn log(low: f64, high: f64, n_ticks: usize) -> Vec<Tick> {
    let (first, last) = (low.log10(), high.log10());
    if last - first < 0.5 {
        return linear(low, high, n_ticks, false);
    }
    let span = last - first;
    let factors: &[i32] = match n_ticks as f64 / span {
        density if density >= 9.0 => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        density if density >= 5.0 => &[1, 2, 3, 5, 7],
        density if density >= 3.0 => &[1, 2, 5],
        density if density >= 2.2 => &[1, 3],
        _ => &[1],
    };
    let stride = (span / n_ticks.max(1) as f64 - 0.35).ceil().max(1.0) as i32;
    let inside = |value: f64| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(&value);
    let exponents = first.floor() as i32..=last.ceil() as i32;
    let plain = first.floor() >= -4.0 && last.ceil() <= 5.0;
    let mut ticks = Vec::new();
    for exponent in exponents {
        for factor in 1..10 {
            let value = f64::from(factor) * power_of_ten(exponent);
            let labelled = factors.contains(&factor) && exponent.rem_euclid(stride) == 0;
            let minor = if stride == 1 { span <= 10.0 } else { factor == 1 && span <= 30.0 };
            if inside(value) && (labelled || minor) {
                let label = labelled.then(|| log_label(factor, exponent, plain));
                ticks.push(Tick { value, label });
            }
        }
    }
    ticks
}

fn log_label(factor: i32, exponent: i32, plain: bool) -> String {
    if plain {
        let decimals = (-exponent).max(0) as usize;
        group(&format!("{:.decimals$}", f64::from(factor) * power_of_ten(exponent)))
    } else if factor == 1 {
        format!("10{}", superscript(exponent))
    } else {
        format!("{factor}×10{}", superscript(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().filter_map(|tick| tick.label.as_deref()).collect()
    }

    #[test]
    fn linear_labels() {
        assert_eq!(shown(&linear(0.0, 1.04, 6, false)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(shown(&linear(-1.0, 1.0, 4, false)), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(
            shown(&linear(0.0, 4000.0, 4, false)),
            ["0", "1,000", "2,000", "3,000", "4,000"]
        );
        assert_eq!(shown(&linear(0.6, 3.4, 10, true)), ["1", "2", "3"]);
        assert_eq!(shown(&linear(0.7, 9.3, 3, true)), ["2", "4", "6", "8"]);
        assert_eq!(shown(&linear(0.0, 2e8, 2, false)), ["0", "1×10⁸", "2×10⁸"]);
        assert_eq!(shown(&linear(0.0, 2.1e-6, 4, false))[..2], ["0", "0.5×10⁻⁶"]);
        assert_eq!(shown(&linear(8e6, 1.1e7, 2, false)), ["8×10⁶", "10×10⁶"]);
        assert_eq!(shown(&linear(1.0, 1.000_002, 2, false))[1], "1.000001");
    }

    #[test]
    fn log_labels() {
        assert_eq!(shown(&log(0.5, 2e3, 6)), ["1", "10", "100", "1,000"]);
        assert_eq!(shown(&log(1.0, 60.0, 6)), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(shown(&log(1e-9, 1e-6, 6)), ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶"]);
        let far = log(1e-280, 1e280, 6);
        assert!(far.len() <= 8 && far.iter().all(|tick| tick.label.is_some()));
        assert!(log(0.5, 2e3, 6).iter().any(|tick| tick.label.is_none()));
    }

    #[test]
    fn ticks_are_few_and_inside() {
        let mut size = 1e-280;
        while size < 1e280 {
            for n in [1, 5, 12] {
                for (low, high) in [(-size, size), (0.0, 3.0 * size), (0.7 * size, 0.9 * size)] {
                    let ticks = linear(low, high, n, false);
                    assert!(ticks.len() as f64 <= n as f64 / 0.75 + 1.0, "{low} {high}: {ticks:?}");
                    let room = (high - low) * 1e-6;
                    assert!(ticks.iter().all(|t| t.value >= low - room && t.value <= high + room));
                }
            }
            size *= 7.3e3;
        }
    }
}
