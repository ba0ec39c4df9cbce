//! Every figure and table of the paper, and the experiment with swimmers that its source describes.

mod designs;
mod figure1;
mod figure3;
mod figure4;
mod figure5;
mod figure6;
mod growth;
mod large;
mod noise;
mod rare;
mod sweep;
mod swimmer;
mod swimmers;
mod table1;
mod table2;
mod table3;
mod table4;
mod unmixing;
mod verdict;

use std::path::PathBuf;

use anyhow::{Result, bail};
use xray_report::Cell;

use crate::dataset::{DataFolder, DataSet};
use crate::page::Page;
use crate::preparation::{CountedSet, Preparation};
use crate::watch::Watch;

/// How experiments are run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Small versions on drawn data and the demo corpus, in seconds.
    pub quick: bool,
    /// The folder with the real data sets; most full versions need it.
    pub data: Option<PathBuf>,
    /// A small corpus with classes, for quick versions.
    pub demo: CountedSet,
    /// Everything random follows from it.
    pub seed: u64,
}

/// One figure or table.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// What users type, such as `figure3`.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Does the work.
    pub run: fn(&Settings, &mut dyn Watch) -> Result<Page>,
}

/// All experiments, in the paper's order.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment { name: "figure1", about: "the idea, as a picture", run: figure1::run },
    Experiment { name: "figure3", about: "recovery of anchors against noise", run: figure3::run },
    Experiment {
        name: "figure4",
        about: "accuracy against the number of topics",
        run: figure4::run,
    },
    Experiment { name: "figure5", about: "clusters over steps of refinement", run: figure5::run },
    Experiment { name: "figure6", about: "speed-up over threads", run: figure6::run },
    Experiment {
        name: "table1",
        about: "accuracy with and without scaled columns",
        run: table1::run,
    },
    Experiment {
        name: "sweep",
        about: "what thresholds and scalings of documents do to Table 1",
        run: sweep::run,
    },
    Experiment {
        name: "rare",
        about: "what it changes that rare words are no anchors",
        run: rare::run,
    },
    Experiment { name: "table2", about: "anchors and top words", run: table2::run },
    Experiment { name: "table3", about: "time and memory on large data", run: table3::run },
    Experiment { name: "table4", about: "XRAY against Hottopixx: time", run: table4::run },
    Experiment {
        name: "noise",
        about: "robust fits under noise of many kinds, and which anchors to trust",
        run: noise::run,
    },
    Experiment {
        name: "unmixing",
        about: "endmembers of real and drawn hyperspectral scenes, beside rivals",
        run: unmixing::run,
    },
    Experiment {
        name: "swimmer",
        about: "parts of drawn swimmers, as pictures",
        run: swimmer::run,
    },
    Experiment {
        name: "designs",
        about: "recovery on harder data than the paper's",
        run: designs::run,
    },
    Experiment {
        name: "growth",
        about: "what each step costs, and how the cost grows",
        run: growth::run,
    },
];

impl Settings {
    /// The real data sets.
    fn folder(&self) -> Result<DataFolder> {
        match &self.data {
            Some(path) => DataFolder::new(path),
            None => bail!(
                "this needs the real data sets: set XRAY_DATA to their folder (bbc, reuters, tdt2, tweets, \
                 acl, debian, swimmer), or add --quick"
            ),
        }
    }

    /// The three labelled corpora of the paper, or the demo corpus.
    fn counted_sets(&self) -> Result<Vec<CountedSet>> {
        if self.quick {
            return Ok(vec![self.demo.clone()]);
        }
        let folder = self.folder()?;
        Ok(vec![folder.tdt2()?, folder.bbc()?, folder.reuters10()?])
    }

    /// The demo corpus, weighed.
    fn demo(&self) -> Result<DataSet> {
        self.demo.prepared(Preparation::AllWords)
    }

    /// How a page is made.
    fn origin(&self, name: &str) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        format!(
            "Made by `xray reproduce {name}{quick}`, version {}, seed {}, {} threads on {cores} cores.",
            env!("CARGO_PKG_VERSION"),
            self.seed,
            rayon::current_num_threads(),
        )
    }

    /// A new page; it says so if this is the quick version.
    fn page(&self, name: &str, title: &str) -> Page {
        let mut page = Page::new(name, title, &self.origin(name));
        if self.quick {
            page.paragraph(
                "*Quick version: small data that comes with the program. The figures show that everything \
                 works; they are not evidence. Run without `--quick` for that.*",
            );
        }
        page
    }
}

/// Hottopixx where there are many words: its steps.
const HOTTOPIXX_ON_TEXT: &str = "hottopixx";

/// The methods of the paper's experiments on text.
const PAPER_ON_TEXT: [&str; 4] = ["xray-greedy", "xray-dist", "spa-l1", HOTTOPIXX_ON_TEXT];

/// Others that choose words; the last two begin with a singular value decomposition, which takes long on text.
const OTHERS_ON_TEXT: [&str; 6] =
    ["xray-max", "xray-agg", "xray-joint", "spa", DECOMPOSED[0], DECOMPOSED[1]];
const DECOMPOSED: [&str; 2] = ["xray-robust", "vca"];

/// What runs with a preparation: methods with a decomposition only with the fitted one.
fn methods_on_text(preparation: Preparation) -> impl Iterator<Item = &'static str> {
    let fitted = preparation == Preparation::Fitted;
    let all = PAPER_ON_TEXT.into_iter().chain(OTHERS_ON_TEXT);
    all.filter(move |name| fitted || !DECOMPOSED.contains(name))
}

/// The three preparations, in words.
fn about_preparations(settings: &Settings) -> String {
    let sets: &[&str] = if settings.quick { &["demo"] } else { &["TDT2", "BBC", "Reuters-10"] };
    let line = |preparation: Preparation| {
        let of = sets.iter().map(|set| format!("{set} {}", preparation.weighing(set).words()));
        format!("*{}* ({})", preparation.words(), of.collect::<Vec<_>>().join("; "))
    };
    format!(
        "The paper says \"standard tf-idf representation with document frequency thresholding\", and not which. Weights \
         here are (1 + ln tf) ln(N / df) of the words in at least so many documents (df), with three preparations: {}. \
         The first was found by trying about a hundred and keeping the nearest to the paper's Table 1: that it fits \
         is no evidence that the authors did so. The second has a round number and the usual length. The third keeps \
         rare words.",
        Preparation::ALL.map(line).join(", ")
    )
}

/// The middle one; the upper of two.
fn median(mut values: Vec<usize>) -> usize {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// A number that may be absent.
fn optional(value: Option<f64>, decimals: usize) -> Cell {
    value.map_or_else(Cell::missing, |value| Cell::fixed(value, decimals))
}
