//! `xray explore`: the page of topics, served on this machine, where a person changes them.

mod door;
mod server;

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;
use xray_data::{Model, ModelKind};
use xray_nmf::comm::OneRank;
use xray_pipeline::shards::{load_model, model_files};
use xray_pipeline::{Content, Corpus, Material, Studio, Work, corpus_under, kept_characters};
use xray_report::number;

use crate::args::{ExploreArgs, InputArgs, TopicsArgs};
use crate::cmd::topics::{page, request};
use crate::command;
use crate::data::{about, provenance, read, weigh_content};
use crate::interrupt;
use crate::memory;
use crate::outcome::{Outcome, UsageError};
use crate::output::Guarded;
use crate::session::Session;
use door::{Ask, Door, Job, Reply};

/// How often signals and idleness are looked at.
const LOOK: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &ExploreArgs) -> anyhow::Result<Outcome> {
    let topics = &args.topics;
    let mut session = Session::new(&topics.common);
    if let Some(option) = args.refused() {
        let message = format!("{option} is for results in a folder: `xray topics` takes it");
        return Err(UsageError(message).into());
    }
    let file = saved_file(args)?;
    let start = Start::new(&topics.input)?;
    let guarded = Guarded::new(&start.input).and_words(&topics.text);
    let guarded = guarded.and(start.model.iter().flat_map(|(path, _)| model_files(path)));
    guarded.check_file(&OneRank, &file)?;
    let listener = listen(args)?;
    let studio = start.studio(&mut session, topics)?;
    let door = Arc::new(Door::new(&listener, args.listen)?);
    let (jobs, waiting) = channel();
    server::start(listener, Arc::clone(&door), jobs)?;
    session.print_line(door.address())?;
    session.note("Open it in a browser on this machine; Ctrl-C ends.");
    if args.listen.is_some() {
        session.warn("others can reach this address: whoever has it can change the topics");
    }
    if !args.no_open {
        open_browser(&door.address());
    }
    let base = start.model.map(|(path, _)| command::Base::new(&path, &start.input));
    let outcome = Answering { session, studio, door, file, base, idle: args.idle }.run(&waiting);
    Ok(outcome)
}

/// What it begins with: documents, or a saved model and its documents.
struct Start {
    input: InputArgs,
    model: Option<(PathBuf, Model)>,
}

impl Start {
    fn new(input: &InputArgs) -> anyhow::Result<Self> {
        let Some((path, model)) = input.data.first().and_then(|path| saved_model(path)) else {
            return Ok(Self { input: input.clone(), model: None });
        };
        let mut data = input.data[1..].to_vec();
        if data.is_empty() {
            let known = PathBuf::from(&model.provenance.input);
            if !known.exists() {
                let place = path.display();
                let message = format!(
                    "{place} is a model: give its documents after it, as in xray explore MODEL DATA"
                );
                return Err(UsageError(message).into());
            }
            data.push(known);
        }
        Ok(Self { input: InputArgs { data, ..input.clone() }, model: Some((path, model)) })
    }

    /// Reads and weighs the documents, and finds the first topics unless a model has them.
    fn studio(&self, session: &mut Session, topics: &TopicsArgs) -> anyhow::Result<Studio> {
        let content = read(&OneRank, session, &self.input)?;
        let texts = content.beginnings(kept_characters(content.n_rows(), topics.common.memory()));
        let Some((_, model)) = &self.model else {
            return self.fitted(session, topics, content, texts);
        };
        if topics.rank.is_some() || !topics.anchor.is_empty() || !topics.exclude.is_empty() {
            let message = "-k, --anchor and --exclude find topics, and a saved model has its own: leave them out";
            return Err(UsageError(message.into()).into());
        }
        let corpus = session.stage("text", || corpus_under(model, content));
        let corpus = about(&self.input, corpus.map_err(Into::into))?;
        let material = self.material(corpus, texts, topics, None);
        let studio = session.stage("topics", || Studio::of_model(material, model.clone()));
        about(&self.input, studio.map_err(Into::into))
    }

    fn fitted(
        &self,
        session: &mut Session,
        topics: &TopicsArgs,
        content: Content,
        texts: Option<Vec<String>>,
    ) -> anyhow::Result<Studio> {
        let corpus = weigh_content(&OneRank, session, &self.input, &topics.text, content)?;
        let request = request(topics)?;
        let rank = request.topics.unwrap_or(request.max_topics);
        let work = Work { rank, refines: true, weighs: true, ..topics.engine.work() };
        let cache = memory::cache(&OneRank, session, &topics.common, &corpus, &work);
        let material = self.material(corpus, texts, topics, about(&self.input, cache)?);
        let studio =
            session.stage("topics", || Studio::new(material, request, &interrupt::request()));
        about(&self.input, studio.map_err(Into::into))
    }

    fn material(
        &self,
        corpus: Corpus,
        texts: Option<Vec<String>>,
        topics: &TopicsArgs,
        memory: Option<usize>,
    ) -> Material {
        Material {
            about: page::about(&self.input.name(), Some(&corpus)),
            provenance: provenance(&corpus, topics.common.seed),
            memory,
            corpus,
            texts,
        }
    }
}

/// The model of topics that a file or a folder with results is, if it is one.
fn saved_model(path: &Path) -> Option<(PathBuf, Model)> {
    let is_result = path.is_dir() && path.join(xray_data::RESULT_RECORD).is_file();
    let is_file = path.is_file() && path.extension().is_some_and(|ending| ending == "npz");
    let model = if is_result || is_file { load_model(path).ok()? } else { return None };
    (model.kind == ModelKind::Topics).then(|| (path.to_owned(), model))
}

/// Where models are saved.
fn saved_file(args: &ExploreArgs) -> anyhow::Result<PathBuf> {
    let stem = || PathBuf::from(format!("{}-explored.npz", args.topics.input.stem()));
    let file = args.save.clone().unwrap_or_else(stem);
    if file.extension().is_none_or(|ending| ending != "npz") {
        return Err(UsageError("--save names a model, which ends in .npz".into()).into());
    }
    Ok(file)
}

fn listen(args: &ExploreArgs) -> anyhow::Result<TcpListener> {
    let place = args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let port = args.port;
    TcpListener::bind((place, port))
        .with_context(|| format!("cannot listen at {place}, port {port}: choose another --port"))
}

/// Answers one request after the other, on the thread that has the pool.
struct Answering {
    session: Session,
    studio: Studio,
    door: Arc<Door>,
    file: PathBuf,
    base: Option<command::Base>,
    /// Minutes.
    idle: u64,
}

impl Answering {
    fn run(mut self, jobs: &Receiver<Job>) -> Outcome {
        interrupt::stop_politely();
        let idle = Duration::from_secs(60 * self.idle);
        loop {
            match jobs.recv_timeout(LOOK) {
                Ok(job) => {
                    let reply = self.answer(&job);
                    // Whoever asked may have gone.
                    let _ = job.reply.send(reply);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Outcome::Done,
            }
            if interrupt::requested() {
                return Outcome::Done;
            }
            if self.door.unseen_for() > idle {
                self.session.note("the page has been closed for a while: done");
                return Outcome::Done;
            }
        }
    }

    fn answer(&mut self, job: &Job) -> Reply {
        if job.stop.is_made() {
            return Reply::Superseded;
        }
        let start = Instant::now();
        let done = match &job.ask {
            Ask::Page => return self.page(None, true),
            Ask::Save => return self.save(),
            Ask::Change(change) => self.studio.change(change.clone(), &job.stop),
            Ask::Undo(times) => (0..*times).try_for_each(|_| self.studio.undo(&job.stop)),
            Ask::Redo => self.studio.redo(&job.stop),
        };
        match done {
            Ok(()) => self.page(Some(start.elapsed()), false),
            Err(xray_pipeline::Error::Fit(xray_nmf::Error::Stopped)) => Reply::Superseded,
            Err(error) => Reply::Refused(error.to_string()),
        }
    }

    /// What is shown, as a page or as its data.
    fn page(&self, spent: Option<Duration>, html: bool) -> Reply {
        let asked = self.studio.asked();
        let page = self.studio.page().map(|mut page| {
            page.content.live = Some(json!({
                "changes": self.studio.changes().map(|change| change.sentence()).collect::<Vec<_>>(),
                "undone": self.studio.n_undone(),
                "commands": command::of_topics(asked, self.base.as_ref()),
                "seeds": asked.request.anchor,
                "excluded": asked.request.exclude,
                "moved": self.studio.moved(),
                "spent": spent.map(number::duration),
                "file": self.file.display().to_string(),
            }));
            page
        });
        match page {
            Ok(page) if html => Reply::Html(page.html()),
            Ok(page) => Reply::Json(page.json()),
            Err(error) => Reply::Refused(error.to_string()),
        }
    }

    fn save(&self) -> Reply {
        match self.studio.model().save(&self.file) {
            Ok(()) => {
                self.session.note(format!("wrote {}", self.file.display()));
                Reply::Json(json!({ "saved": self.file.display().to_string() }).to_string())
            }
            Err(error) => Reply::Refused(error.to_string()),
        }
    }
}

/// Opens an address in the browser of this machine, if there is one.
fn open_browser(address: &str) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = if cfg!(windows) { Command::new("explorer") } else { Command::new(opener) };
    let command = command.arg(Path::new(address));
    // The address was told: those without a browser here go there by themselves.
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
