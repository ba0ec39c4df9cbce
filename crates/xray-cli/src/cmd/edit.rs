//! `xray edit`: topics changed by hand.

use xray_nmf::comm::OneRank;
use xray_pipeline::shards::{load_model, model_files};
use xray_pipeline::{corpus_under, edit_model, listed_topics};
use xray_report::{Cell, Column, Table};

use crate::args::EditArgs;
use crate::data::{about, read};
use crate::outcome::{Outcome, UsageError};
use crate::output::Guarded;
use crate::session::Session;

pub(crate) fn run(args: &EditArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    let edits = args.edits();
    if edits.is_empty() {
        let message = "nothing to do: give --merge, --split, --drop, --rename or --move-word";
        return Err(UsageError(message.into()).into());
    }
    if args.output.extension().is_none_or(|ending| ending != "npz") {
        return Err(UsageError("-o names the new model, which ends in .npz".into()).into());
    }
    let guarded = Guarded::new(&args.input).and(model_files(&args.model));
    guarded.check_file(&OneRank, &args.output)?;
    let model = session.stage("model", || load_model(&args.model))?;
    let mut corpus = None;
    if !args.input.data.is_empty() {
        let content = read(&OneRank, &mut session, &args.input)?;
        let read = session.stage("text", || corpus_under(&model, content));
        let read = about(&args.input, read.map_err(Into::into))?;
        let hash = read.origin.as_ref().map(|origin| origin.hash().to_string());
        if model.provenance.input_hash.is_some() && hash != model.provenance.input_hash {
            let others = "these are not the documents that the topics were found in";
            session.warn(format!(
                "{others}, or not as they were: what is told of documents is of these"
            ));
        }
        corpus = Some(read);
    }
    let edited = session.stage("edit", || edit_model(&model, &edits, corpus.as_mut()))?;
    session.stage("write", || edited.save(&args.output))?;
    let topics = listed_topics(&edited, args.words);
    if session.json {
        let topic = |(name, share, words): &(String, f64, Vec<String>)| serde_json::json!({ "name": name, "share": share, "words": words });
        let topics: Vec<_> = topics.iter().map(topic).collect();
        let answer = serde_json::json!({
            "rank": edited.rank(),
            "topics": topics,
            "edits": edited.parameters.get("edits"),
        });
        session.print_answer(&answer)?;
    } else {
        session.print_table(&table(&topics, edited.w.is_some()))?;
    }
    session.note(format!("wrote {}", args.output.display()));
    Ok(Outcome::Done)
}

fn table(topics: &[(String, f64, Vec<String>)], weighed: bool) -> Table {
    let mut table = Table::new([
        Column::right("topic"),
        Column::right("share"),
        Column::left("name").max_width(32),
        Column::left("words"),
    ]);
    for (k, (name, share, words)) in topics.iter().enumerate() {
        table.row([
            Cell::from((k + 1).to_string()),
            if weighed { Cell::percent(*share, 1) } else { Cell::missing() },
            Cell::from(name.as_str()),
            Cell::from(words.join(", ")),
        ]);
    }
    table
}
