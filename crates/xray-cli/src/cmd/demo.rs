//! `xray demo`: the whole way from text to topics on the corpus inside the program.

use std::path::Path;

use xray_data::text::TextOptions;
use xray_data::{ColumnChoice, Format, Input, LoadOptions, Loaded, load_with_origin};
use xray_nmf::comm::{Counted, OneRank};
use xray_pipeline::report::{TopicsParameters, TopicsReport};
use xray_pipeline::{Corpus, Folder, Plan, Purpose, TopicOptions};

use crate::args::{DemoArgs, RunArgs};
use crate::cmd::topics::page::{self, Wanted};
use crate::cmd::topics::{FoundTopics, Output, find};
use crate::data::provenance;
use crate::outcome::Outcome;
use crate::session::Session;
use crate::stderr::say;

/// 288 short texts on 8 subjects, packed by the build script.
const CORPUS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/demo.tsv.gz"));

const SUBJECTS: usize = 8;

/// Numbers of topics that its page shows.
const LEVELS: [usize; 5] = [2, 3, 5, SUBJECTS, 12];

const NEXT: &str = "\nNext:
  xray topics FILE.csv --text COLUMN      your own texts: CSV, TSV, JSONL, Parquet, a folder of .txt
  xray topics --help                      all formats, options and examples";

/// The folder for the files, unless another is named.
const FOLDER: &str = "demo-topics";

pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    let folder = folder(&session, args)?;
    let (mut corpus, texts) = session.stage("text", corpus)?;
    let options = TopicOptions { rank: Some(SUBJECTS), ..TopicOptions::default() };
    let comm = &Counted::new(&OneRank);
    let answer = find(comm, &mut session, &mut corpus, &options, &RunArgs::none())?;
    let (found, anchors) = answer;
    let report = TopicsReport::new(comm, &corpus, &found)?;
    let wanted = Wanted {
        shows_page: folder.is_some(),
        files: page::Files { html: true, pictures: false },
        ranks: &[],
        ladder: Some(&LEVELS),
        texts: Some(&texts),
        about: page::about("demo", Some(&corpus)),
    };
    let levels = wanted.levels(comm, &mut session, &mut corpus, &options, (&found, &anchors))?;
    let page = wanted.page(comm, &mut session, &corpus, &options, (&found, &levels, &report))?;
    let parameters = TopicsParameters::new(&options, &found, Vec::new(), Vec::new());
    let told = !session.json && !args.common.quiet;
    let origin = provenance(&corpus, args.common.seed);
    let look = folder.as_ref().map(|folder| folder.path().join(page::NAME));
    let output = folder.map(|folder| Output { folder, origin, sharded: false, checkpoint: None });
    let outcome = FoundTopics::new(corpus, found, report, parameters).page(page);
    let outcome = outcome.finish(comm, session, output, 0)?;
    if told {
        if let Some(look) = look {
            say(format!("\nOpen {} in a browser to look around.", look.display()));
        }
        say(NEXT);
    }
    Ok(outcome)
}

/// The folder that was named, or one here; none with --json, or where nothing can be written.
fn folder(session: &Session, args: &DemoArgs) -> anyhow::Result<Option<Folder>> {
    let open = |path: &Path| Folder::open(&OneRank, path, Plan::new(Purpose::Topics));
    match &args.output {
        Some(path) => Ok(Some(open(path)?)),
        None if session.json => Ok(None),
        None => match open(Path::new(FOLDER)) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) => {
                session.warn(format!("no files are written: {error}"));
                Ok(None)
            }
        },
    }
}

fn input() -> Input {
    Input::Bytes { name: "demo corpus".into(), bytes: CORPUS.to_vec() }
}

/// The corpus, weighed, and its texts.
fn corpus() -> anyhow::Result<(Corpus, Vec<String>)> {
    read(TextOptions::default())
}

/// Its counts of words.
#[cfg(feature = "experiments")]
pub(crate) fn counts() -> anyhow::Result<Corpus> {
    Ok(read(TextOptions::counts())?.0)
}

/// The corpus, and its texts.
fn read(text: TextOptions) -> anyhow::Result<(Corpus, Vec<String>)> {
    let options = LoadOptions {
        format: Some(Format::from_name("tsv")?),
        text: vec![ColumnChoice::from("text")],
        label: Some(ColumnChoice::from("subject")),
        ..LoadOptions::default()
    };
    match load_with_origin(&input(), &options)? {
        (Loaded::Documents(documents), origin) => {
            let texts = documents.texts.clone();
            let corpus = Corpus::from_documents(documents, text)?;
            Ok((Corpus { origin: Some(origin), ..corpus }, texts))
        }
        (Loaded::Table(_), _) => Err(anyhow::anyhow!("the demo corpus is damaged")),
    }
}
