//! The page of an unmixed scene: endmembers, maps, spectra, and any pixel.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};

use super::Content;
use crate::ramp::RAMP;
use crate::table::Table;

const STYLES: [&str; 2] =
    [include_str!("../../page/chart.css"), include_str!("../../page/unmix.css")];
const SCRIPTS: [&str; 4] = [
    include_str!("../../page/chart.js"),
    include_str!("../../page/scene.js"),
    include_str!("../../page/spectra.js"),
    include_str!("../../page/unmix.js"),
];

/// Everything that was found in a scene, and the scene in small numbers.
#[derive(Debug, Clone, Serialize)]
pub struct UnmixPage<R> {
    /// What it says in a sentence.
    pub summary: String,
    /// What unmix.json has, with lists and names cut where they are long.
    pub unmix: R,
    /// Of how many bands one is shown.
    pub every: usize,
    /// What is in the pixels.
    pub scene: PageScene,
    /// The spectra of pixels.
    pub pixels: PageSpectra,
    /// From the lowest value to the highest.
    pub colours: PageColours,
    /// The first line.
    #[serde(skip)]
    pub heading: String,
    /// For those without a script.
    #[serde(skip)]
    pub plain: Table,
}

/// Maps: means of squares of pixels. A byte of 0 to 254 is a part of the highest value, 255 a square that was left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageScene {
    /// Pixels of a square's side; 1 if the maps have every pixel.
    pub side: usize,
    /// Rows of squares.
    pub rows: usize,
    /// Squares of a row.
    pub columns: usize,
    /// The abundance that 254 stands for.
    pub high: f64,
    /// For each endmember the squares, line after line.
    pub abundances: Vec<Bytes>,
    /// The part unexplained that 254 stands for.
    pub most_unexplained: f64,
    /// What is left unexplained of each square.
    pub unexplained: Bytes,
}

/// Mean spectra of squares that are as large as those of the maps, or larger.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageSpectra {
    /// Pixels of a square's side.
    pub side: usize,
    /// Squares of a row.
    pub columns: usize,
    /// The bands, as places among those that the page shows.
    pub bands: Vec<usize>,
    /// Two numbers of four bytes for each square, the lowest byte first: what 0 and 255 stand for.
    pub ranges: Bytes,
    /// A byte for each square and band.
    pub values: Bytes,
}

/// Bytes that are written in base 64.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

/// The colours of pictures, as lists of red, green and blue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageColours;

impl Serialize for PageColours {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RAMP.map(|code| [code >> 16, code >> 8 & 0xff, code & 0xff]).serialize(serializer)
    }
}

impl<R: Serialize> Content for UnmixPage<R> {
    const KIND: &'static str = "unmix";

    fn styles(&self) -> Vec<&'static str> {
        STYLES.to_vec()
    }

    fn scripts(&self) -> Vec<&'static str> {
        SCRIPTS.to_vec()
    }

    fn heading(&self) -> String {
        self.heading.clone()
    }

    fn tables(&self) -> Vec<(String, Table)> {
        vec![(self.summary.clone(), self.plain.clone())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{About, Page};

    #[test]
    fn bytes_are_text_and_the_page_is_small() {
        let content = UnmixPage {
            summary: "Nothing.".to_owned(),
            unmix: (),
            every: 1,
            scene: PageScene { unexplained: Bytes(vec![0, 254, 255]), ..PageScene::default() },
            pixels: PageSpectra::default(),
            colours: PageColours,
            heading: "No endmembers".to_owned(),
            plain: Table::new([]),
        };
        let page = Page::new(About::default(), content);
        let json = page.json();
        assert!(json.contains(r#""kind":"unmix""#) && json.contains(r#""unexplained":"AP7/""#));
        assert!(json.contains(r#""colours":[[11,16,56],"#), "{json}");
        assert!(page.code_bytes() <= 60 * 1024, "{}", page.code_bytes());
    }
}
