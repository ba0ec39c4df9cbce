//! An axis: from values to places, and the ticks that make it readable.

mod ticks;

pub(crate) use ticks::Tick;

/// Values beyond are not drawn: differences of them would overflow.
const LARGEST: f64 = 1e300;
/// Spans below are taken for none: powers of ten below are not normal numbers.
const SMALLEST: f64 = 1e-290;
/// Room between the outermost points and the frame, as a part of the span.
const PADDING: f64 = 0.04;

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences take equal room.
    #[default]
    Linear,
    /// Equal ratios take equal room. Values at zero or below have no place: they are left out, and
    /// a note below the chart counts them.
    Log,
}

impl Scale {
    /// Whether a value has a place on this axis.
    pub(crate) fn has(self, value: f64) -> bool {
        match self {
            Self::Linear => value.abs() <= LARGEST,
            Self::Log => (SMALLEST..=LARGEST).contains(&value),
        }
    }
}

/// What the caller asks of an axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wish {
    pub label: String,
    pub scale: Scale,
    pub range: Option<(f64, f64)>,
    /// Where ticks are, and what stands there, instead of numbers.
    pub ticks: Option<Vec<Tick>>,
    /// Heights are compared from zero: show it where it is near.
    pub zero: bool,
}

/// The smallest and largest of the values that have a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub low: f64,
    pub high: f64,
    /// All of them are whole numbers, so ticks between would mean nothing.
    pub whole: bool,
}

impl Extent {
    pub(super) fn of(values: impl Iterator<Item = f64>, scale: Scale) -> Option<Self> {
        values.filter(|&value| scale.has(value)).fold(None, |extent, value| {
            let whole = value.fract() == 0.0;
            Some(match extent {
                None => Self { low: value, high: value, whole },
                Some(Self { low, high, whole: all }) => {
                    Self { low: low.min(value), high: high.max(value), whole: all && whole }
                }
            })
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// An axis that shows the extent, with about `n_ticks` labelled ticks.
    ///
    /// Without an extent there is nothing to label.
    pub(super) fn fit(wish: &Wish, extent: Option<Extent>, n_ticks: usize) -> Self {
        let scale = wish.scale;
        let asked =
            wish.range.filter(|&(low, high)| scale.has(low) && scale.has(high) && low < high);
        let whole = scale == Scale::Linear && extent.is_some_and(|extent| extent.whole);
        let (low, high) = match (asked, extent) {
            (Some(range), _) => range,
            (None, Some(extent)) => padded(extent, wish),
            (None, None) => return Self { scale, low: 1.0, high: 2.0, ticks: vec![] },
        };
        let ticks = match scale {
            _ if wish.ticks.is_some() => thinned(wish.ticks.as_deref(), (low, high), n_ticks),
            Scale::Linear => ticks::linear(low, high, n_ticks, whole),
            Scale::Log => ticks::log(low, high, n_ticks),
        };
        Self { scale, low, high, ticks }
    }

    /// The place of a value, from 0 at the axis's start to 1 at its end.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let part = match self.scale {
            _ if !self.scale.has(value) => return None,
            Scale::Linear => (value - self.low) / (self.high - self.low),
            // Quotients of the values could overflow.
            Scale::Log => {
                let start = self.low.log10();
                (value.log10() - start) / (self.high.log10() - start)
            }
        };
        // Far outside, all places are alike; renderers compute in single precision.
        Some(part.clamp(-50.0, 50.0))
    }
}

/// Those that were asked for between the ends of the axis, or as few of them as there is room for, at even distances.
fn thinned(asked: Option<&[Tick]>, (low, high): (f64, f64), n_ticks: usize) -> Vec<Tick> {
    let inside = |tick: &&Tick| (low..=high).contains(&tick.value);
    let ticks: Vec<&Tick> = asked.unwrap_or_default().iter().filter(inside).collect();
    let stride = ticks.len().div_ceil(n_ticks.max(1)).max(1);
    ticks.into_iter().step_by(stride).cloned().collect()
}

/// The extent with some room around it.
fn padded(extent: Extent, wish: &Wish) -> (f64, f64) {
    let Extent { low, high, .. } = extent;
    if wish.scale == Scale::Log {
        let span = (high.log10() - low.log10()) * PADDING;
        let factor = if span < 1e-9 { 2.0 } else { 10f64.powf(span) };
        return ((low / factor).max(SMALLEST), (high * factor).min(LARGEST));
    }
    let size = low.abs().max(high.abs());
    if high - low <= (size * 1e-9).max(SMALLEST) {
        let room = if size <= SMALLEST { 1.0 } else { size * 0.1 };
        return (low - room, high + room);
    }
    if !wish.zero {
        let room = (high - low) * PADDING;
        return (low - room, high + room);
    }
    let start = if low > 0.0 && low < 0.35 * high { 0.0 } else { low };
    let end = if high < 0.0 && high > 0.35 * low { 0.0 } else { high };
    // Nothing beyond zero where the data has nothing there.
    let room = (end - start) * PADDING;
    let low = if start >= 0.0 { (start - room).max(0.0) } else { start - room };
    let high = if end <= 0.0 { (end + room).min(0.0) } else { end + room };
    (if start == 0.0 { 0.0 } else { low }, if end == 0.0 { 0.0 } else { high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(values: &[f64], scale: Scale) -> Option<Extent> {
        Extent::of(values.iter().copied(), scale)
    }

    #[test]
    fn extents_skip_what_has_no_place() {
        let values = [f64::NAN, 2.0, 0.0, f64::INFINITY, -1.5, 1e308];
        let all = extent(&values, Scale::Linear).unwrap();
        assert_eq!((all.low, all.high, all.whole), (-1.5, 2.0, false));
        let positive = extent(&values, Scale::Log).unwrap();
        assert_eq!((positive.low, positive.high), (2.0, 2.0));
        assert_eq!(extent(&[f64::NAN], Scale::Linear), None);
    }

    #[test]
    fn every_value_lies_inside() {
        let cases: &[&[f64]] = &[
            &[5.0],
            &[0.0],
            &[-3.0, -3.0],
            &[1e300, -1e300],
            &[1e-299, 2e-299],
            &[1.0, 1.0 + 1e-8],
            &[0.2, 1.0],
            &[-5.0, -1.0],
            &[1e-12, 1e12],
        ];
        for values in cases {
            for scale in [Scale::Linear, Scale::Log] {
                let wish = Wish { scale, zero: true, ..Wish::default() };
                let axis = Axis::fit(&wish, extent(values, scale), 6);
                for place in values.iter().filter_map(|&value| axis.place(value)) {
                    assert!((-1e-9..=1.0 + 1e-9).contains(&place), "{values:?} {scale:?} {place}");
                }
                assert!(axis.ticks.len() < 200, "{values:?} {scale:?}");
            }
        }
    }

    #[test]
    fn zero_is_shown_where_near() {
        let wish = Wish { zero: true, ..Wish::default() };
        let axis = |values| Axis::fit(&wish, extent(values, Scale::Linear), 6);
        assert_eq!(axis(&[0.2, 1.0]).place(0.0), Some(0.0));
        assert!(axis(&[0.8, 1.0]).place(0.0).unwrap() < -1.0);
        assert_eq!(axis(&[-1.0, -0.1]).place(0.0), Some(1.0));
    }

    #[test]
    fn ticks_that_were_asked_for_are_thinned_evenly() {
        let tick = |value: i32| Tick { value: value.into(), label: Some(format!("no. {value}")) };
        let ticks = Some((0..10).map(tick).collect());
        let wish = Wish { range: Some((1.5, 8.0)), ticks, ..Wish::default() };
        let shown = |n_ticks| -> Vec<f64> {
            let axis = Axis::fit(&wish, extent(&[0.0, 9.0], Scale::Linear), n_ticks);
            axis.ticks.iter().map(|tick| tick.value).collect()
        };
        assert_eq!(shown(12), [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(shown(4), [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(shown(1), [2.0]);
    }

    #[test]
    fn a_range_that_makes_no_sense_is_not_used() {
        let wish = Wish { range: Some((2.0, 1.0)), zero: true, ..Wish::default() };
        let axis = Axis::fit(&wish, extent(&[0.0, 1.0], Scale::Linear), 6);
        assert_eq!(axis.place(0.0), Some(0.0));
    }
}
