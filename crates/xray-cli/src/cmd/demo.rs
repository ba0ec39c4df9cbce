//! `xray demo`: the whole way from text to topics on the corpus inside the program.

use xray_data::text::TextOptions;
use xray_data::{ColumnChoice, Format, Input, LoadOptions, Loaded, load_with_origin};
use xray_nmf::comm::{Counted, OneRank};
use xray_pipeline::report::{TopicsParameters, TopicsReport};
use xray_pipeline::{Corpus, Folder, Plan, Purpose, TopicOptions};

use crate::args::{DemoArgs, RunArgs};
use crate::cmd::topics::{FoundTopics, Output, find};
use crate::data::provenance;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::stderr::say;

/// 288 short texts on 8 subjects, packed by the build script.
const CORPUS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/demo.tsv.gz"));

const SUBJECTS: usize = 8;

const NEXT: &str = "\nNext:
  xray topics FILE.csv --text COLUMN      your own texts: CSV, TSV, JSONL, Parquet, a folder of .txt
  xray topics --help                      all formats, options and examples";

pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    let plan = Plan::new(Purpose::Topics);
    let folder = args.output.as_ref().map(|path| Folder::open(&OneRank, path, plan)).transpose()?;
    let mut corpus = session.stage("text", corpus)?;
    let options = TopicOptions { rank: Some(SUBJECTS), ..TopicOptions::default() };
    let comm = &Counted::new(&OneRank);
    let found = find(comm, &mut session, &mut corpus, &options, &RunArgs::none())?;
    let report = TopicsReport::new(comm, &corpus, &found)?;
    let parameters = TopicsParameters::new(&options, &found, Vec::new(), Vec::new());
    let json = session.json;
    let origin = provenance(&corpus, args.common.seed);
    let output = folder.map(|folder| Output { folder, origin, sharded: false, checkpoint: None });
    let outcome = FoundTopics::new(corpus, found, report, parameters);
    let outcome = outcome.finish(comm, session, output, 0)?;
    if !json && !args.common.quiet {
        say(NEXT);
    }
    Ok(outcome)
}

fn input() -> Input {
    Input::Bytes { name: "demo corpus".into(), bytes: CORPUS.to_vec() }
}

/// The corpus, weighed.
fn corpus() -> anyhow::Result<Corpus> {
    read(TextOptions::default())
}

/// Its counts of words.
#[cfg(feature = "experiments")]
pub(crate) fn counts() -> anyhow::Result<Corpus> {
    read(TextOptions::counts())
}

fn read(text: TextOptions) -> anyhow::Result<Corpus> {
    let options = LoadOptions {
        format: Some(Format::from_name("tsv")?),
        text: vec![ColumnChoice::from("text")],
        label: Some(ColumnChoice::from("subject")),
        ..LoadOptions::default()
    };
    match load_with_origin(&input(), &options)? {
        (Loaded::Documents(texts), origin) => {
            let corpus = Corpus::from_documents(texts, text)?;
            Ok(Corpus { origin: Some(origin), ..corpus })
        }
        (Loaded::Table(_), _) => Err(anyhow::anyhow!("the demo corpus is damaged")),
    }
}
