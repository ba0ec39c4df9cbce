//! Which colour, dash and marker a curve has.

use crate::pictures::chart::Series;
use crate::pictures::colour::{BACKGROUND, Colour};
use crate::pictures::scene::{Fill, Item, Point, Stroke};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    pub colour: Colour,
    dash: &'static [f64],
    shape: usize,
}

/// Solid for the first round of colours, then dashed in several ways.
const DASHES: [&[f64]; 4] = [&[], &[6.0, 3.0], &[2.0, 2.5], &[8.0, 3.0, 2.0, 3.0]];
const N_SHAPES: usize = 5;

impl Look {
    /// The look of the i-th name. Colours and shapes both tell curves apart; their numbers have no
    /// common divisor, so a pair comes back late.
    fn nth(i: usize) -> Self {
        let dash = DASHES[i / Colour::N_SERIES % DASHES.len()];
        Self { colour: Colour::series(i), dash, shape: i % N_SHAPES }
    }

    /// With what the curve itself asks for.
    fn adapted(self, series: &Series) -> Self {
        if series.dashed { Self { dash: DASHES[1], ..self } } else { self }
    }

    pub(super) fn stroke(&self) -> Stroke {
        Stroke { colour: self.colour, width: 2.0, dash: self.dash, opacity: 1.0 }
    }

    /// The marker, with a thin light rim where curves cross.
    pub(super) fn marker(&self, (x, y): Point) -> Item {
        let fill = Some(Fill::solid(self.colour));
        let stroke = Some(Stroke::solid(BACKGROUND, 0.8));
        let corners: &[Point] = match self.shape {
            0 => return Item::Circle { centre: (x, y), radius: 3.8, fill, stroke },
            1 => &[(-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)],
            2 => &[(0.0, -4.6), (4.3, 3.2), (-4.3, 3.2)],
            3 => &[(0.0, -4.9), (4.9, 0.0), (0.0, 4.9), (-4.9, 0.0)],
            _ => &[(0.0, 4.6), (4.3, -3.2), (-4.3, -3.2)],
        };
        let points = corners.iter().map(|&(dx, dy)| (x + dx, y + dy)).collect();
        Item::Polygon { points, fill, stroke }
    }
}

/// One entry of a legend.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub name: String,
    pub swatch: Swatch,
}

/// The sample before a legend's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swatch {
    look: Look,
    joined: bool,
    marked: bool,
}

impl Swatch {
    pub(super) const WIDTH: f64 = 26.0;

    /// The sample, from its left end at half height.
    pub(super) fn draw(&self, (x, y): Point, items: &mut Vec<Item>) {
        if self.joined {
            items.push(Item::line(vec![(x, y), (x + Self::WIDTH, y)], self.look.stroke()));
        }
        if self.marked {
            items.push(self.look.marker((x + Self::WIDTH / 2.0, y)));
        }
    }
}

/// The distinct names of curves, in order, with the look of each.
pub(crate) struct Looks(Vec<(String, Look, Swatch)>);

impl Looks {
    pub(super) fn of<'a>(series: impl Iterator<Item = &'a Series>) -> Self {
        let mut looks = Self(Vec::new());
        for series in series {
            if looks.find(series).is_none() {
                let look = Look::nth(looks.0.len());
                let (joined, marked) = (series.joined, series.has_markers());
                let swatch = Swatch { look: look.adapted(series), joined, marked };
                looks.0.push((series.name.clone(), look, swatch));
            }
        }
        looks
    }

    fn find(&self, series: &Series) -> Option<Look> {
        self.0.iter().find(|entry| entry.0 == series.name).map(|entry| entry.1)
    }

    /// The look of a curve among those these looks were made of.
    pub(super) fn look(&self, series: &Series) -> Look {
        self.find(series).unwrap_or(Look::nth(0)).adapted(series)
    }

    /// The legend: curves without a name are not in it.
    pub(super) fn keys(&self) -> Vec<Key> {
        let named = self.0.iter().filter(|(name, ..)| !name.is_empty());
        named.map(|(name, _, swatch)| Key { name: name.clone(), swatch: *swatch }).collect()
    }
}
