//! What stands above the data: the title and the legend, so that neither covers anything.

use crate::pictures::colour::INK;
use crate::pictures::look::{Key, Swatch};
use crate::pictures::scene::{Anchor, Item, TextStyle, Weight, elide, text_width, wrap};

/// Free space along the edges of a picture.
pub(crate) const MARGIN: f64 = 14.0;
pub(crate) const TITLE_SIZE: f64 = 16.0;
pub(crate) const TEXT_SIZE: f64 = 12.0;

const TITLE_LINE: f64 = 22.0;
const LEGEND_LINE: f64 = 19.0;
const TITLE_LINES: usize = 3;
/// A legend may always have this many.
const LEGEND_LINES: usize = 4;
/// Between a sample and its text, and between entries.
const GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;

/// A title and legend, broken into lines.
pub(crate) struct Header {
    title: Vec<String>,
    /// Where each entry starts, and the entry.
    rows: Vec<Vec<(f64, Key)>>,
    /// Entries for which there was no room.
    n_hidden: usize,
}

impl Header {
    /// The legend takes at most `max_height` or a few lines; it ends by saying how many entries
    /// are not shown.
    pub(super) fn new(title: &str, keys: Vec<Key>, width: f64, max_height: f64) -> Self {
        let room = width - 2.0 * MARGIN;
        let title = wrap(title, TITLE_SIZE, Weight::Bold, room, TITLE_LINES);
        let mut rows = rows(keys, room);
        let max_rows = ((max_height / LEGEND_LINE) as usize).max(LEGEND_LINES);
        let n_hidden = if rows.len() > max_rows {
            rows.drain(max_rows - 1..).map(|row| row.len()).sum()
        } else {
            0
        };
        Self { title, rows, n_hidden }
    }

    pub(super) fn height(&self) -> f64 {
        let n_rows = self.rows.len() + usize::from(self.n_hidden > 0);
        let legend = if n_rows == 0 { 0.0 } else { n_rows as f64 * LEGEND_LINE + 8.0 };
        let title =
            if self.title.is_empty() { 0.0 } else { self.title.len() as f64 * TITLE_LINE + 6.0 };
        MARGIN + title + legend
    }

    pub(super) fn draw(&self, items: &mut Vec<Item>) {
        let style = TextStyle::new(TITLE_SIZE, Anchor::Start).bold().colour(INK);
        let mut y = MARGIN;
        for line in &self.title {
            items.push(Item::text((MARGIN, y + 15.0), line, style));
            y += TITLE_LINE;
        }
        if !self.title.is_empty() {
            y += 6.0;
        }
        let style = TextStyle::new(TEXT_SIZE, Anchor::Start).colour(INK);
        for row in &self.rows {
            for (x, key) in row {
                let x = MARGIN + x;
                key.swatch.draw((x, y + 8.0), items);
                items.push(Item::text((x + Swatch::WIDTH + GAP, y + 12.3), &key.name, style));
            }
            y += LEGEND_LINE;
        }
        if self.n_hidden > 0 {
            let text = format!("… and {} more", self.n_hidden);
            items.push(Item::text((MARGIN, y + 12.3), text, style));
        }
    }
}

/// Entries in columns of equal width, so that they line up.
fn rows(keys: Vec<Key>, room: f64) -> Vec<Vec<(f64, Key)>> {
    let entry = |key: Key| {
        let lead = Swatch::WIDTH + GAP;
        let name = elide(&key.name, TEXT_SIZE, Weight::Regular, room - lead);
        (lead + text_width(&name, TEXT_SIZE, Weight::Regular), Key { name, ..key })
    };
    let entries: Vec<(f64, Key)> = keys.into_iter().map(entry).collect();
    let total: f64 = entries.iter().map(|(width, _)| width + ENTRY_GAP).sum();
    let widest = entries.iter().fold(0.0, |widest: f64, (width, _)| widest.max(*width)) + ENTRY_GAP;
    if total - ENTRY_GAP <= room {
        let mut x = 0.0;
        let place = |(width, key)| {
            let start = x;
            x += width + ENTRY_GAP;
            (start, key)
        };
        let row: Vec<_> = entries.into_iter().map(place).collect();
        return if row.is_empty() { Vec::new() } else { vec![row] };
    }
    let n_columns = (((room + ENTRY_GAP) / widest) as usize).max(1);
    let mut rows: Vec<Vec<(f64, Key)>> = Vec::new();
    for (i, (_, key)) in entries.into_iter().enumerate() {
        if i % n_columns == 0 {
            rows.push(Vec::new());
        }
        let row = rows.last_mut().expect("pushed above");
        row.push(((i % n_columns) as f64 * widest, key));
    }
    rows
}
