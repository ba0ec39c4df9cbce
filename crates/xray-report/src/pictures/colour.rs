//! Colours that stay apart for readers with any kind of colour vision.

use crate::ramp::RAMP;

/// A colour, by its sRGB components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
}

impl Colour {
    /// A colour from `0xRRGGBB`.
    pub(crate) const fn hex(code: u32) -> Self {
        Self { red: (code >> 16) as u8, green: (code >> 8) as u8, blue: code as u8 }
    }

    /// Black for 0, white for 1; parts beyond have the end's shade.
    pub(crate) fn grey(part: f64) -> Self {
        let shade = (255.0 * part.clamp(0.0, 1.0)).round() as u8;
        Self { red: shade, green: shade, blue: shade }
    }

    /// Dark blue for 0, pale yellow for 1, ever lighter between; parts beyond have the end's colour.
    pub(crate) fn ramp(part: f64) -> Self {
        let place = part.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
        let below = (place as usize).min(RAMP.len() - 2);
        let share = place - below as f64;
        let mixed = |from: u8, to: u8| {
            (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as u8
        };
        let [from, to] = [below, below + 1].map(|k| Self::hex(RAMP[k]));
        Self {
            red: mixed(from.red, to.red),
            green: mixed(from.green, to.green),
            blue: mixed(from.blue, to.blue),
        }
    }

    pub(crate) fn rgb(self) -> [u8; 3] {
        [self.red, self.green, self.blue]
    }

    /// The colour of the i-th series; they repeat after [`Colour::N_SERIES`].
    ///
    /// Neighbours differ in hue and lightness, so they stay apart in print and for colour-blind
    /// readers.
    pub(crate) const fn series(i: usize) -> Self {
        SERIES[i % SERIES.len()]
    }

    /// How many colours [`Colour::series`] has.
    pub(crate) const N_SERIES: usize = SERIES.len();
}

/// Blue, vermilion, green, purple, sky, orange, wine, grey, black.
const SERIES: [Colour; 9] = [
    Colour::hex(0x0072b2),
    Colour::hex(0xd55e00),
    Colour::hex(0x009e73),
    Colour::hex(0xb768a2),
    Colour::hex(0x56b4e9),
    Colour::hex(0xe69f00),
    Colour::hex(0x7a1f4b),
    Colour::hex(0x6e6e6e),
    Colour::hex(0x16181c),
];

pub(crate) const BACKGROUND: Colour = Colour::hex(0xffffff);
/// Titles.
pub(crate) const INK: Colour = Colour::hex(0x1f2328);
/// Axis labels, ticks, captions.
pub(crate) const TEXT: Colour = Colour::hex(0x4a5058);
/// Axis lines and tick marks.
pub(crate) const FRAME: Colour = Colour::hex(0x8b929a);
/// Grid lines.
pub(crate) const GRID: Colour = Colour::hex(0xe6e8eb);
/// Values that are missing from an image: no grey comes near.
pub(crate) const MISSING: Colour = Colour::hex(0xf3c6d8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_gets_lighter_all_the_way() {
        let lightness = |k: i32| {
            let [red, green, blue] = Colour::ramp(f64::from(k) / 100.0).rgb().map(f64::from);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        assert!((0..100).all(|k| lightness(k + 1) > lightness(k)));
        assert_eq!(Colour::ramp(-1.0), Colour::hex(0x0b1038));
        assert_eq!(Colour::ramp(2.0), Colour::hex(0xfdf3a8));
    }
}
