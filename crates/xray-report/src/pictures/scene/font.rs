//! Widths and outlines of text in the embedded font, Noto Sans.
//!
//! It has Latin, Greek and Cyrillic letters. Bitmaps show a box for other scripts; SVG viewers
//! find a font of their own.

use std::sync::LazyLock;

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// The family names of the SVG, first the font with which text was measured.
pub(crate) const FAMILIES: &str =
    "'Noto Sans', 'Open Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

static REGULAR: LazyLock<Face> = LazyLock::new(|| Face::new(notosans::REGULAR_TTF));
static BOLD: LazyLock<Face> = LazyLock::new(|| Face::new(notosans::BOLD_TTF));

/// One font of the family. All lengths are in the font's own units.
struct Face {
    letters: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
    outlines: OutlineGlyphCollection<'static>,
    units_per_em: f64,
}

impl Face {
    fn new(bytes: &'static [u8]) -> Self {
        let font = FontRef::new(bytes).expect("the embedded font is sound");
        let (size, location) = (Size::unscaled(), LocationRef::default());
        Self {
            letters: font.charmap(),
            metrics: font.glyph_metrics(size, location),
            outlines: font.outline_glyphs(),
            units_per_em: f64::from(font.metrics(size, location).units_per_em),
        }
    }

    /// The glyph of a letter, if the font has it.
    fn glyph(&self, letter: char) -> Option<GlyphId> {
        self.letters.map(letter).filter(|&id| id != GlyphId::NOTDEF)
    }

    fn draw(&self, id: GlyphId, pen: &mut Pen<'_>) {
        let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
        if let Some(outline) = self.outlines.get(id) {
            outline.draw(settings, pen).expect("the embedded font is sound");
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    fn face(self) -> &'static Face {
        match self {
            Self::Regular => &REGULAR,
            Self::Bold => &BOLD,
        }
    }
}

/// The width of a line of text.
pub(crate) fn text_width(text: &str, size: f64, weight: Weight) -> f64 {
    let face = weight.face();
    text.chars().map(|letter| advance(face, letter)).sum::<f64>() * size
}

/// A letter's outline in the font, how large and how high it is to be drawn.
struct Shape {
    id: GlyphId,
    scale: f64,
    rise: f64,
}

/// How far a letter moves the pen, in ems.
fn advance(face: &Face, letter: char) -> f64 {
    match shape(face, letter) {
        Some(Shape { id, scale, .. }) => {
            let units = face.metrics.advance_width(id).unwrap_or(0.0);
            scale * f64::from(units) / face.units_per_em
        }
        None => missing_advance(letter),
    }
}

fn shape(face: &Face, letter: char) -> Option<Shape> {
    let whole = face.glyph(letter).map(|id| Shape { id, scale: 1.0, rise: 0.0 });
    // The font has raised digits, but no raised minus.
    let raised = || face.glyph('−').map(|id| Shape { id, scale: 0.62, rise: 0.3 });
    whole.or_else(|| if letter == '⁻' { raised() } else { None })
}

/// Letters that the font lacks: nothing for combining marks, a square for wide ones.
fn missing_advance(letter: char) -> f64 {
    match letter.width() {
        None | Some(0) => 0.0,
        Some(1) => 0.6,
        Some(_) => 1.0,
    }
}

/// Draws a line of text that starts at the origin of the builder's coordinates, y upwards.
pub(crate) fn outline(text: &str, size: f64, weight: Weight, builder: &mut dyn PenPath) {
    let face = weight.face();
    let scale = size / face.units_per_em;
    let mut x = 0.0;
    for letter in text.chars() {
        match shape(face, letter) {
            Some(Shape { id, scale: part, rise }) => {
                let mut pen = Pen { path: builder, x, y: rise * size, scale: scale * part };
                face.draw(id, &mut pen);
            }
            None => missing_box(builder, x, missing_advance(letter) * size, size),
        }
        x += advance(face, letter) * size;
    }
}

/// A frame in place of a letter that the font lacks.
fn missing_box(path: &mut dyn PenPath, x: f64, width: f64, size: f64) {
    if width == 0.0 {
        return;
    }
    let (left, right, top) = (x + 0.08 * size, x + width - 0.08 * size, 0.72 * size);
    let line = 0.07 * size;
    path.move_to(left, 0.0);
    path.line_to(right, 0.0);
    path.line_to(right, top);
    path.line_to(left, top);
    path.close();
    // The hole runs the other way around.
    path.move_to(left + line, line);
    path.line_to(left + line, top - line);
    path.line_to(right - line, top - line);
    path.line_to(right - line, line);
    path.close();
}

/// Where outlines go, in pixels.
pub(crate) trait PenPath {
    fn move_to(&mut self, x: f64, y: f64);
    fn line_to(&mut self, x: f64, y: f64);
    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64);
    fn curve_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, x: f64, y: f64);
    fn close(&mut self);
}

/// Moves and scales font units to pixels.
struct Pen<'a> {
    path: &'a mut dyn PenPath,
    x: f64,
    y: f64,
    scale: f64,
}

impl Pen<'_> {
    fn place(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + f64::from(x) * self.scale, self.y + f64::from(y) * self.scale)
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2)) = (self.place(x1, y1), self.place(x2, y2));
        let (x, y) = self.place(x, y);
        self.path.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// The text, or as much of it as fits with an ellipsis.
pub(crate) fn elide(text: &str, size: f64, weight: Weight, width: f64) -> String {
    // A little slack, because the width may have been computed from this very text.
    if text_width(text, size, weight) <= width + 0.01 {
        return text.to_owned();
    }
    let mut kept: Vec<&str> = text.graphemes(true).collect();
    while kept.pop().is_some() {
        let shorter = format!("{}…", kept.concat().trim_end());
        if text_width(&shorter, size, weight) <= width {
            return shorter;
        }
    }
    String::new()
}

/// The text in at most so many lines, broken at spaces; the last one ends in an ellipsis if more
/// would follow.
pub(crate) fn wrap(text: &str, size: f64, weight: Weight, width: f64, lines: usize) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let mut line = word.to_owned();
        let last = done.len() + 1 == lines;
        while let Some(next) = words.peek() {
            let longer = format!("{line} {next}");
            if !last && text_width(&longer, size, weight) > width {
                break;
            }
            line = longer;
            words.next();
        }
        done.push(elide(&line, size, weight, width));
        if last {
            break;
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_what_axes_need() {
        for letter in "0123456789−×⁰¹²³⁴⁵⁶⁷⁸⁹⁻–…µσαΣжéł≤≥".chars()
        {
            for weight in [Weight::Regular, Weight::Bold] {
                assert!(shape(weight.face(), letter).is_some(), "{letter}");
            }
        }
    }

    #[test]
    fn text_is_cut_to_its_width() {
        let text = "suggested rank of the factorization";
        let whole = text_width(text, 12.0, Weight::Regular);
        assert_eq!(elide(text, 12.0, Weight::Regular, whole), text);
        let cut = elide(text, 12.0, Weight::Regular, whole / 2.0);
        assert!(cut.ends_with('…') && text_width(&cut, 12.0, Weight::Regular) <= whole / 2.0);
        assert_eq!(elide(text, 12.0, Weight::Regular, 1.0), "");
    }

    #[test]
    fn text_is_broken_at_spaces() {
        let text = "one two three four five six";
        let width = text_width("one two three", 12.0, Weight::Regular);
        let lines = wrap(text, 12.0, Weight::Regular, width, 9);
        assert!(lines.len() >= 2 && lines.join(" ") == text);
        let lines = wrap(text, 12.0, Weight::Regular, width, 1);
        assert!(lines.len() == 1 && lines[0].ends_with('…'));
        assert!(wrap("", 12.0, Weight::Regular, width, 3).is_empty());
    }
}
