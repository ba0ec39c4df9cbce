//! The command lines that a page tells, so that its result can be had again.

use clap::{Arg, Command, CommandFactory};

use crate::args::Cli;

/// Options that say where results go and how they are told, not what they are.
const WITHOUT_EFFECT: [&str; 12] = [
    "output",
    "threads",
    "memory",
    "checkpoint",
    "checkpoint_every",
    "checkpoint_seconds",
    "resume",
    "shards",
    "single",
    "quiet",
    "verbose",
    "json",
];

/// What was typed, without what has no effect on the result.
pub(crate) fn repeated() -> String {
    let arguments: Vec<String> = typed();
    let Some((verb, rest)) = arguments.split_first() else { return "xray".to_owned() };
    let words = kept(rest, verb, |id| !WITHOUT_EFFECT.contains(&id));
    line(&[vec![verb.clone()], words].concat())
}

/// The arguments of the process.
fn typed() -> Vec<String> {
    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// The words that belong to no option, and those of the verb's options that are wanted.
fn kept(arguments: &[String], verb: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let program = Cli::command();
    let Some(command) = program.find_subcommand(verb) else { return arguments.to_vec() };
    let mut words = Vec::new();
    let mut left = arguments.iter().peekable();
    while let Some(word) = left.next() {
        if word == "--" {
            words.push(word.clone());
            words.extend(left.by_ref().cloned());
            break;
        }
        let Some((option, has_value)) = option(command, word) else {
            words.push(word.clone());
            continue;
        };
        let value = match option.get_action().takes_values() && !has_value {
            true => left.next(),
            false => None,
        };
        if wanted(option.get_id().as_str()) {
            words.push(word.clone());
            words.extend(value.cloned());
        }
    }
    words
}

/// The option that a word names, and whether it holds its value, too.
fn option<'a>(command: &'a Command, word: &str) -> Option<(&'a Arg, bool)> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, has_value) = match long.split_once('=') {
            Some((name, _)) => (name, true),
            None => (long, false),
        };
        let is_named = |arg: &&Arg| {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            arg.get_long() == Some(name) || aliases.contains(&name)
        };
        return command.get_arguments().find(is_named).map(|arg| (arg, has_value));
    }
    let short = word.strip_prefix('-')?;
    let letter = short.chars().next()?;
    let arg = command.get_arguments().find(|arg| arg.get_short() == Some(letter))?;
    Some((arg, short.chars().count() > 1 && arg.get_action().takes_values()))
}

/// Words as a shell reads them, after the name of the program.
fn line(words: &[String]) -> String {
    let words = words.iter().map(|word| quoted(word));
    ["xray".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A saved model that was changed by hand, and its documents.
#[cfg(feature = "explore")]
#[derive(Debug)]
pub(crate) struct Base {
    model: String,
    data: Vec<String>,
}

#[cfg(feature = "explore")]
impl Base {
    pub(crate) fn new(model: &std::path::Path, input: &crate::args::InputArgs) -> Self {
        let data = input.data.iter().map(|path| path.display().to_string());
        Self { model: model.display().to_string(), data: data.collect() }
    }
}

/// The commands that give what was asked for by hand: one for the fit, unless there is a saved model, and one for each
/// change after it.
#[cfg(feature = "explore")]
pub(crate) fn of_topics(asked: &xray_pipeline::Asked, base: Option<&Base>) -> Vec<String> {
    let arguments = typed();
    commands(arguments.get(1..).unwrap_or_default(), asked, base)
}

#[cfg(feature = "explore")]
fn commands(
    arguments: &[String],
    asked: &xray_pipeline::Asked,
    base: Option<&Base>,
) -> Vec<String> {
    const FOLDER: &str = "explored";
    let program = Cli::command();
    let has = |verb: &str, id: &str| {
        let command = program.find_subcommand(verb);
        command.is_some_and(|command| command.get_arguments().any(|arg| arg.get_id() == id))
    };
    let of_fit = |id: &str| {
        let changed = ["rank", "anchor", "exclude"].contains(&id);
        has("topics", id) && !changed && !WITHOUT_EFFECT.contains(&id)
    };
    let xray_pipeline::Asked { request, edits } = asked;
    let mut words = [vec!["topics".to_owned()], kept(arguments, "explore", of_fit)].concat();
    let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
    if let Some(rank) = request.topics {
        add("-k", rank.to_string());
    }
    request.anchor.iter().for_each(|list| add("--anchor", list.join(",")));
    if !request.exclude.is_empty() {
        add("--exclude", request.exclude.join(","));
    }
    add("-o", FOLDER.to_owned());
    let of_data = |id: &str| has("edit", id) && !WITHOUT_EFFECT.contains(&id) && id != "words";
    let data = kept(arguments, "explore", of_data);
    let (mut lines, first, data) = match base {
        // The model and its documents stand first in what was typed, or the documents are known to it.
        Some(Base { model, data: known }) => {
            let options = data.into_iter().filter(|word| word != model && !known.contains(word));
            (Vec::new(), model.clone(), known.iter().cloned().chain(options).collect())
        }
        None => (vec![line(&words)], format!("{FOLDER}/model.npz"), data),
    };
    for (place, edit) in edits.iter().enumerate() {
        let name = |n: usize| format!("{FOLDER}-{n}.npz");
        let before = if place == 0 { first.clone() } else { name(place) };
        let mut words = [vec!["edit".to_owned(), before], data.clone()].concat();
        for told in edit.history() {
            let (what, value) = told.split_once(' ').unwrap_or((told.as_str(), ""));
            let option =
                if what == "move" { "--move-word".to_owned() } else { format!("--{what}") };
            words.extend([option, value.to_owned()]);
        }
        words.extend(["-o".to_owned(), name(place + 1)]);
        lines.push(line(&words));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_has_no_effect_is_left_out() {
        let typed = split(
            "my.csv --text body -k 5 -oout --threads=2 --exclude it's -v --memory 4G --labels=x -- -o",
        );
        let words = kept(&typed, "topics", |id| !WITHOUT_EFFECT.contains(&id));
        assert_eq!(
            line(&words),
            "xray my.csv --text body -k 5 --exclude 'it'\\''s' --labels=x -- -o"
        );
        assert_eq!(quoted(""), "''");
    }

    #[cfg(feature = "explore")]
    #[test]
    fn changes_by_hand_are_commands() {
        use xray_pipeline::{Asked, TopicEdits, TopicsRequest};
        let request = TopicsRequest {
            topics: Some(8),
            anchor: vec![vec!["ball".into(), "fans".into()]],
            exclude: vec!["said".into()],
            ..TopicsRequest::default()
        };
        let edits = vec![
            TopicEdits { merge: vec![vec![1, 4]], ..TopicEdits::default() },
            TopicEdits { rename: vec![(2, "My sport".into())], ..TopicEdits::default() },
            TopicEdits { move_words: vec![("cat".into(), 3)], ..TopicEdits::default() },
        ];
        let typed = split(
            "a.csv --text body -k 5 --port 80 --no-open --save x.npz --refine 3 --exclude it",
        );
        assert_eq!(
            commands(&typed, &Asked { request: request.clone(), edits: edits.clone() }, None),
            [
                "xray topics a.csv --text body --refine 3 -k 8 --anchor ball,fans --exclude said -o explored",
                "xray edit explored/model.npz a.csv --text body --merge 1,4 -o explored-1.npz",
                "xray edit explored-1.npz a.csv --text body --rename '2=My sport' -o explored-2.npz",
                "xray edit explored-2.npz a.csv --text body --move-word cat=3 -o explored-3.npz",
            ]
        );
        let base = Base { model: "out/model.npz".into(), data: vec!["a.csv".into()] };
        let typed = split("out/model.npz a.csv --text body --port 80");
        let asked = Asked { request, edits: edits[..1].to_vec() };
        assert_eq!(
            commands(&typed, &asked, Some(&base)),
            ["xray edit out/model.npz a.csv --text body --merge 1,4 -o explored-1.npz"]
        );
    }
}
