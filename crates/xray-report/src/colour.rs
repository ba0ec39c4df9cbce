//! Colours that stay apart for readers with any kind of colour vision.

/// A colour, by its sRGB components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Colour {
    /// A colour from `0xRRGGBB`.
    ///
    /// ```
    /// use xray_report::Colour;
    /// assert_eq!(Colour::hex(0x0072b2), Colour { red: 0, green: 0x72, blue: 0xb2 });
    /// ```
    pub const fn hex(code: u32) -> Self {
        Self { red: (code >> 16) as u8, green: (code >> 8) as u8, blue: code as u8 }
    }

    /// The colour of the i-th series; they repeat after [`Colour::N_SERIES`].
    ///
    /// Neighbours differ in hue and lightness, so they stay apart in print and for colour-blind
    /// readers.
    pub const fn series(i: usize) -> Self {
        SERIES[i % SERIES.len()]
    }

    /// How many colours [`Colour::series`] has.
    pub const N_SERIES: usize = SERIES.len();
}

/// Blue, vermilion, green, purple, sky, orange, wine, grey.
const SERIES: [Colour; 8] = [
    Colour::hex(0x0072b2),
    Colour::hex(0xd55e00),
    Colour::hex(0x009e73),
    Colour::hex(0xb768a2),
    Colour::hex(0x56b4e9),
    Colour::hex(0xe69f00),
    Colour::hex(0x7a1f4b),
    Colour::hex(0x6e6e6e),
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
/// Values that are missing from an image: no colour map comes near.
pub(crate) const MISSING: Colour = Colour::hex(0xf3c6d8);

/// How the values of an image become colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourMap {
    /// From black to white.
    #[default]
    Grey,
    /// From white to black: dark is much, as in print.
    Ink,
    /// From dark blue over purple and orange to pale yellow; lightness rises evenly.
    Heat,
    /// From blue over white to orange, with zero in the middle.
    Diverging,
}

impl ColourMap {
    /// The colour of a part from 0 to 1; parts beyond have the end's colour.
    ///
    /// ```
    /// use xray_report::{Colour, ColourMap};
    /// assert_eq!(ColourMap::Grey.colour(0.0), Colour::hex(0x000000));
    /// assert_eq!(ColourMap::Ink.colour(7.0), Colour::hex(0x000000));
    /// ```
    pub fn colour(self, part: f64) -> Colour {
        let stops = self.stops();
        let place = part.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let i = (place as usize).min(stops.len() - 2);
        mix(stops[i], stops[i + 1], place - i as f64)
    }

    /// Colours at equal distances.
    fn stops(self) -> &'static [Colour] {
        const GREY: [Colour; 2] = [Colour::hex(0x000000), Colour::hex(0xffffff)];
        const INK: [Colour; 2] = [Colour::hex(0xffffff), Colour::hex(0x000000)];
        const HEAT: [Colour; 6] = [
            Colour::hex(0x060a26),
            Colour::hex(0x33206b),
            Colour::hex(0x84287c),
            Colour::hex(0xcf4a5e),
            Colour::hex(0xf59337),
            Colour::hex(0xfcf3b0),
        ];
        const DIVERGING: [Colour; 5] = [
            Colour::hex(0x123f73),
            Colour::hex(0x5b9bcf),
            Colour::hex(0xf7f7f7),
            Colour::hex(0xe8964a),
            Colour::hex(0x8a3a06),
        ];
        match self {
            Self::Grey => &GREY,
            Self::Ink => &INK,
            Self::Heat => &HEAT,
            Self::Diverging => &DIVERGING,
        }
    }

    /// The range of colours for values in this range: zero is always in it, and in the middle of a
    /// diverging one.
    pub(crate) fn range(self, low: f64, high: f64) -> (f64, f64) {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let size = high.max(-low);
        if self == Self::Diverging { (-size, size) } else { (low, high) }
    }
}

/// A colour between two.
fn mix(from: Colour, to: Colour, part: f64) -> Colour {
    let between =
        |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    Colour {
        red: between(from.red, to.red),
        green: between(from.green, to.green),
        blue: between(from.blue, to.blue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(colour: Colour) -> f64 {
        0.2126 * f64::from(colour.red)
            + 0.7152 * f64::from(colour.green)
            + 0.0722 * f64::from(colour.blue)
    }

    #[test]
    fn more_is_lighter() {
        for map in [ColourMap::Grey, ColourMap::Heat] {
            let shades: Vec<f64> =
                (0..=100).map(|i| lightness(map.colour(f64::from(i) / 100.0))).collect();
            assert!(shades.is_sorted(), "{map:?} {shades:?}");
        }
    }

    #[test]
    fn zero_is_in_the_middle() {
        assert_eq!(ColourMap::Diverging.range(-1.0, 3.0), (-3.0, 3.0));
        assert_eq!(ColourMap::Diverging.colour(0.5), Colour::hex(0xf7f7f7));
        assert_eq!(ColourMap::Grey.range(2.0, 3.0), (0.0, 3.0));
    }
}
