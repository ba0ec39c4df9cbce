//! The page of `topics`, and the numbers of topics that it shows beside the answer.

use std::path::Path;

use xray_nmf::comm::Communicator;
use xray_pipeline::report::TopicsReport;
use xray_pipeline::{
    Anchors, Corpus, Level, PageSource, TopicOptions, Topics, find_levels, ladder,
};
use xray_report::{About, TopicsPage, number};
#[cfg(feature = "pictures")]
use xray_report::{Picture, TopicsPicture};

use crate::command;
use crate::session::Session;

/// The name of the page in its folder.
pub(crate) const NAME: &str = "report.html";

/// Characters of a command that are shown, at most.
const LONGEST_COMMAND: usize = 2_000;

/// What a page is about: the data by its name, without folders.
pub(crate) fn about(input: &str, corpus: Option<&Corpus>) -> About {
    let files = input.split(' ').map(|name| Path::new(name).file_name());
    let files: Vec<_> = files.flatten().map(|name| name.to_string_lossy().into_owned()).collect();
    About {
        title: if files.is_empty() { input.to_owned() } else { files.join(" ") },
        command: Some(command::repeated().chars().take(LONGEST_COMMAND).collect()),
        program: concat!("xray ", env!("CARGO_PKG_VERSION")).to_owned(),
        input: corpus
            .and_then(|corpus| corpus.origin.as_ref())
            .map(|origin| origin.hash().to_string()),
    }
}

/// What is made of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Files {
    pub(crate) html: bool,
    pub(crate) pictures: bool,
}

/// What is wanted beside the topics.
pub(crate) struct Wanted<'a> {
    /// Whether anything of a page is.
    pub(crate) shows_page: bool,
    pub(crate) files: Files,
    /// Numbers of topics that were asked for.
    pub(crate) ranks: &'a [usize],
    /// Those that a page shows without being asked, if not those that suit.
    pub(crate) ladder: Option<&'a [usize]>,
    /// How the own documents begin.
    pub(crate) texts: Option<&'a [String]>,
    pub(crate) about: About,
}

impl Wanted<'_> {
    /// Topics of the numbers that were asked for, or of those that a page shows; collective.
    pub(crate) fn levels(
        &self,
        comm: &dyn Communicator,
        session: &mut Session,
        corpus: &mut Corpus,
        options: &TopicOptions,
        (found, anchors): (&Topics, &Anchors),
    ) -> anyhow::Result<Vec<Level>> {
        let answer = (found, anchors);
        let levels = if !self.ranks.is_empty() {
            find_levels(comm, corpus, options, self.ranks, answer, &mut session.progress())
        } else if self.shows_page {
            let n_given = options.anchors.len();
            let suit = || ladder(found.rank(), n_given);
            let ranks = self.ladder.map_or_else(suit, <[usize]>::to_vec);
            find_levels(comm, corpus, options, &ranks, answer, &mut session.page_progress())
        } else {
            return Ok(Vec::new());
        };
        session.end();
        Ok(levels?)
    }

    /// The page and its pictures as files, on every rank; collective. None if none is wanted, or the run was cut short.
    pub(crate) fn page(
        &self,
        comm: &dyn Communicator,
        session: &mut Session,
        corpus: &Corpus,
        options: &TopicOptions,
        (found, levels, report): (&Topics, &[Level], &TopicsReport),
    ) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let has_answer = levels.iter().any(|level| level.topics.len() == found.rank());
        if !self.shows_page || !has_answer {
            return Ok(Vec::new());
        }
        let source = PageSource {
            corpus,
            levels,
            rank: found.rank(),
            h: &found.h,
            documents: &found.documents,
            excluded: &options.excluded,
            titles: &[],
            periods: report.periods.as_ref(),
            texts: self.texts,
        };
        let page = session.stage("page", || source.page(comm, &self.about))?;
        let mut files = Vec::new();
        if self.files.html {
            files.push((NAME.to_owned(), page.html().into_bytes()));
        }
        if self.files.pictures && comm.rank() == 0 {
            files.extend(pictures(&page.content)?);
        }
        Ok(files)
    }
}

/// Names and bytes of the pictures of a page.
#[cfg(feature = "pictures")]
fn pictures(page: &TopicsPage) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (name, picture) in TopicsPicture::all(page) {
        files.push((format!("{name}.svg"), picture.svg().into_bytes()));
        files.push((format!("{name}.png"), picture.png(2.0)?));
    }
    Ok(files)
}

/// None: `--figures` is there with the feature `pictures` alone.
#[cfg(not(feature = "pictures"))]
fn pictures(_: &TopicsPage) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    Ok(Vec::new())
}

/// Says what the page took.
pub(crate) fn tell_time(session: &Session) {
    let Some(spent) = session.time_of("page") else { return };
    let all = number::duration(session.elapsed());
    session.note(format!(
        "\nthe page took {} of {all} (--no-report leaves it out)",
        number::duration(spent)
    ));
}
