//! Topics changed by hand.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use xray_pipeline::TopicEdits;

use super::{CommonArgs, InputArgs};

const EDIT_HELP: &str = "\
Examples:
  xray edit out/model.npz --rename 3=Elections --drop 7 -o edited.npz
  xray edit out/model.npz news.csv --text body --merge 1,4 --split 2 -o new.npz
  xray edit out/model.npz --move-word striker=5 -o edited.npz
  xray transform edited.npz reviews.csv --text body

Numbers of topics are those of MODEL, whatever else is changed in the same call. With the data, the new model has the \
exact weights and clusters of its documents; without, `xray transform` gives them. The model keeps what was done.";

/// Arguments of `edit`.
#[derive(Debug, Args)]
#[command(after_help = EDIT_HELP)]
pub struct EditArgs {
    /// A model.npz written by `topics`
    #[arg(value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// Make one topic of several, in the place of the first
    #[arg(long, value_name = "K,K[,K...]", value_parser = numbers)]
    pub merge: Vec<Numbers>,
    /// Make two topics of the documents of one; takes the data
    #[arg(long, value_name = "K[,K...]", value_delimiter = ',')]
    pub split: Vec<usize>,
    /// Leave topics out
    #[arg(long, value_name = "K[,K...]", value_delimiter = ',')]
    pub drop: Vec<usize>,
    /// Give a topic a name
    #[arg(long, value_name = "K=NAME", value_parser = renamed)]
    pub rename: Vec<(usize, String)>,
    /// Give all weight of a word to one topic
    #[arg(long, value_name = "WORD=K", value_parser = moved)]
    pub move_word: Vec<(String, usize)>,
    /// The model file to write (.npz)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Words to list for each topic
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub words: usize,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// Numbers of topics.
#[derive(Debug, Clone)]
pub struct Numbers(Vec<usize>);

impl EditArgs {
    /// What is to be done.
    pub(crate) fn edits(&self) -> TopicEdits {
        TopicEdits {
            move_words: self.move_word.clone(),
            rename: self.rename.clone(),
            split: self.split.clone(),
            merge: self.merge.iter().map(|numbers| numbers.0.clone()).collect(),
            drop: self.drop.clone(),
        }
    }
}

fn numbers(text: &str) -> Result<Numbers, String> {
    let number = |part: &str| {
        part.trim().parse().map_err(|_| "give numbers of topics, as in 1,4".to_owned())
    };
    text.split(',').map(number).collect::<Result<_, _>>().map(Numbers)
}

fn renamed(text: &str) -> Result<(usize, String), String> {
    let parts = text
        .split_once('=')
        .and_then(|(topic, name)| Some((topic.trim().parse().ok()?, name.trim())));
    let parts = parts.filter(|(_, name)| !name.is_empty());
    parts
        .map(|(topic, name)| (topic, name.to_owned()))
        .ok_or_else(|| "give NUMBER=NAME, as in 3=Elections".to_owned())
}

fn moved(text: &str) -> Result<(String, usize), String> {
    let parts = text
        .rsplit_once('=')
        .and_then(|(word, topic)| Some((word.trim(), topic.trim().parse().ok()?)));
    let parts = parts.filter(|(word, _)| !word.is_empty());
    parts
        .map(|(word, topic)| (word.to_owned(), topic))
        .ok_or_else(|| "give WORD=NUMBER, as in striker=5".to_owned())
}
