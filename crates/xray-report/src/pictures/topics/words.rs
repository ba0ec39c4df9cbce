//! The words: bars for the first ones of each topic, dark where no other topic has them.

use super::{SOFT, STRONG, answer, label};
use crate::page::{PageTopic, TopicsPage};
use crate::pictures::colour::{INK, TEXT};
use crate::pictures::scene::{Anchor, Fill, Item, Rect, Scene, TextStyle, Weight, elide};

const ACROSS: usize = 4;
const WIDTH: f64 = 240.0;
const WORDS: usize = 8;
const LINE: f64 = 16.0;
const HEAD: f64 = 40.0;
const NAMES: f64 = 92.0;
const SIZE: f64 = 11.0;
const MARGIN: f64 = 14.0;

pub(super) fn draw(page: &TopicsPage) -> Scene {
    let topics = answer(page).map_or(&[][..], |level| &level.topics);
    let height = HEAD + WORDS as f64 * LINE + 12.0;
    let across = ACROSS.min(topics.len().max(1));
    let mut items = Vec::new();
    for (k, topic) in topics.iter().enumerate() {
        let x = MARGIN + (k % across) as f64 * WIDTH;
        let y = MARGIN + (k / across) as f64 * height;
        one(page, topic, (x, y), &mut items);
    }
    let rows = topics.len().div_ceil(across) as f64;
    Scene {
        width: 2.0 * MARGIN + across as f64 * WIDTH,
        height: 2.0 * MARGIN + rows * height,
        title: format!("Words of {} topics", topics.len()),
        items,
    }
}

fn one(page: &TopicsPage, topic: &PageTopic, (x, y): (f64, f64), items: &mut Vec<Item>) {
    let share = topic.documents as f64 / page.facts.documents.max(1) as f64;
    let name = elide(&label(topic, 3), SIZE + 1.0, Weight::Bold, WIDTH - 20.0);
    let style = TextStyle::new(SIZE + 1.0, Anchor::Start).bold().colour(INK);
    items.push(Item::text((x, y + 12.0), name, style));
    let told = format!("topic {}, {}", topic.id, crate::number::percent(share, 1));
    let style = TextStyle::new(SIZE - 1.0, Anchor::Start).colour(TEXT);
    items.push(Item::text((x, y + 26.0), told, style));
    let most = topic.words.iter().map(|word| word.1).fold(f64::MIN_POSITIVE, f64::max);
    let room = WIDTH - NAMES - 30.0;
    for (i, word) in topic.words.iter().take(WORDS).enumerate() {
        let top = y + HEAD - 6.0 + i as f64 * LINE;
        let text = elide(&page.words[word.0], SIZE, Weight::Regular, NAMES - 6.0);
        let style = TextStyle::new(SIZE, Anchor::End).colour(INK);
        items.push(Item::text((x + NAMES - 4.0, top + 9.0), text, style));
        let bar = |part: f64| Rect {
            left: x + NAMES,
            top,
            width: (room * word.1 / most * part).max(0.5),
            height: LINE - 5.0,
        };
        items.push(Item::rect(bar(1.0), Fill::solid(SOFT)));
        items.push(Item::rect(bar(word.2), Fill::solid(STRONG)));
    }
}
