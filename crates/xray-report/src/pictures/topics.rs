//! The pictures of a page of topics, for print: the map, the tree, and the words.

mod map;
mod tree;
mod words;

use crate::page::{PageLevel, PageTopic, TopicsPage};
use crate::pictures::colour::Colour;
use crate::pictures::scene::{Picture, Scene};

/// What a picture of topics shows: area, bars and bands in one colour and its light.
const STRONG: Colour = Colour::hex(0x0a5cad);
const SOFT: Colour = Colour::hex(0xd3e5f8);
const BAND: Colour = Colour::hex(0xe4e8ec);
const BAR: Colour = Colour::hex(0xa9b4c0);

/// Which picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Map,
    Tree,
    Words,
}

/// A picture of topics.
///
/// ```
/// use xray_report::{Picture, TopicsPage, TopicsPicture};
/// let page = TopicsPage::default();
/// let names: Vec<&str> = TopicsPicture::all(&page).map(|(name, _)| name).collect();
/// assert!(names.is_empty(), "nothing to draw");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TopicsPicture<'a> {
    page: &'a TopicsPage,
    kind: Kind,
}

impl<'a> TopicsPicture<'a> {
    /// The pictures that a page has something for, with names for their files.
    pub fn all(page: &'a TopicsPage) -> impl Iterator<Item = (&'static str, Self)> {
        let topics = answer(page).map_or(0, |level| level.topics.len());
        let kinds = [
            ("topics-map", Kind::Map, topics > 2),
            ("topics-tree", Kind::Tree, page.tree.len() > 1),
            ("topics-words", Kind::Words, topics > 0),
        ];
        let has = move |(name, kind, has): (&'static str, Kind, bool)| {
            has.then_some((name, Self { page, kind }))
        };
        kinds.into_iter().filter_map(has)
    }
}

impl Picture for TopicsPicture<'_> {
    fn scene(&self) -> Scene {
        match self.kind {
            Kind::Map => map::draw(self.page),
            Kind::Tree => tree::draw(self.page),
            Kind::Words => words::draw(self.page),
        }
    }
}

fn answer(page: &TopicsPage) -> Option<&PageLevel> {
    page.levels.iter().find(|level| level.k == page.k)
}

/// The name that a person gave, or so many words.
fn label(topic: &PageTopic, words: usize) -> String {
    match &topic.title {
        Some(title) => title.clone(),
        None => topic.name.iter().take(words).cloned().collect::<Vec<_>>().join(", "),
    }
}
