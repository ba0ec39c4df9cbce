//! Guessing which column holds the text, the id and the class, where nothing was said.

use crate::error::{Error, Malformed, Result};
use crate::options::{ColumnChoice, LoadOptions};

/// What a column is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guess {
    Text,
    Id,
    Label,
}

/// Names that variables with the classes of rows usually have.
pub(crate) const LABEL_VARIABLES: [&str; 6] = ["gnd", "labels", "label", "classes", "class", "y"];

/// Names that columns of each kind usually have, most telling first.
fn usual_names(guess: Guess) -> &'static [&'static str] {
    match guess {
        Guess::Text => &[
            "text",
            "texts",
            "body",
            "content",
            "contents",
            "document",
            "abstract",
            "article",
            "message",
            "tweet",
            "review",
            "comment",
            "description",
            "sentence",
            "title",
        ],
        Guess::Id => &[
            "id",
            "doc_id",
            "document_id",
            "docid",
            "row_id",
            "rowid",
            "key",
            "uid",
            "index",
            "unnamed: 0",
        ],
        Guess::Label => &["label", "labels", "class", "category", "target"],
    }
}

/// Whether columns of some kind usually have this name.
pub(crate) fn is_usual(name: &str) -> bool {
    let mut all = [Guess::Text, Guess::Id, Guess::Label].into_iter().flat_map(usual_names);
    all.any(|usual| name.trim().eq_ignore_ascii_case(usual))
}

/// The place of the column with the most telling name; for text otherwise the longest one.
pub(crate) fn guess(names: &[String], lengths: &[u64], guess: Guess) -> Option<usize> {
    for usual in usual_names(guess) {
        if let Some(place) = names.iter().position(|name| name.trim().eq_ignore_ascii_case(usual)) {
            return Some(place);
        }
    }
    if guess != Guess::Text {
        return None;
    }
    let longest = lengths.iter().copied().max().filter(|&length| length > 0)?;
    lengths.iter().position(|&length| length == longest)
}

/// The place of a chosen column among `names` (from a header) or `n_columns` unnamed ones.
pub(crate) fn place(
    file: &str,
    choice: &ColumnChoice,
    names: Option<&[String]>,
    n_columns: usize,
) -> Result<usize> {
    let found = match choice {
        ColumnChoice::Position(place) => Some(*place).filter(|&place| place < n_columns),
        ColumnChoice::Name(name) => {
            let names = names.unwrap_or(&[]);
            let mut places = (0..names.len()).filter(|&k| names[k].trim() == name.trim());
            let first = places.next();
            if let (Some(first), Some(second)) = (first, places.next()) {
                let remedy = "choose one by its number, or rename one";
                return Err(called_alike(file, names, [first, second], remedy));
            }
            first
        }
    };
    found.ok_or_else(|| {
        let found = format!("no column {choice}");
        let expected = format!("one of {n_columns} columns");
        let remedy = match names {
            Some(names) => known(names),
            None => "there is no header: name the column by its number".to_owned(),
        };
        Malformed::new(file, found, expected).at_line(1).remedy(remedy).into()
    })
}

/// Which columns of a table of texts hold what.
pub(crate) struct TextColumns {
    pub text: Vec<usize>,
    pub id: Option<usize>,
    pub label: Option<usize>,
    pub time: Option<usize>,
}

impl TextColumns {
    /// What the options choose among `names` (from a header) or `n_columns` unnamed ones; where they
    /// leave it open, `guess_text` for the text and usual names for the rest.
    pub(crate) fn choose(
        file: &str,
        names: Option<&[String]>,
        n_columns: usize,
        options: &LoadOptions,
        guess_text: impl FnOnce() -> Result<usize>,
    ) -> Result<Self> {
        let place = |choice: &ColumnChoice| place(file, choice, names, n_columns);
        if let Some(layout) = &options.layout {
            let text = layout.text.iter().map(place).collect::<Result<Vec<_>>>()?;
            let id = layout.id.as_ref().map(place).transpose()?;
            let label = layout.label.as_ref().map(place).transpose()?;
            let time = layout.time.as_ref().map(place).transpose()?;
            return Ok(Self { text, id, label, time });
        }
        let mut text = options.text.iter().map(place).collect::<Result<Vec<_>>>()?;
        if text.is_empty() {
            text.push(guess_text()?);
        }
        let pick = |choice: &Option<ColumnChoice>, kind| match choice {
            Some(choice) => place(choice).map(Some),
            None => Ok(guess(names.unwrap_or(&[]), &[], kind).filter(|k| !text.contains(k))),
        };
        let id = pick(&options.id, Guess::Id)?;
        let label = pick(&options.label, Guess::Label)?;
        let time = options.time.as_ref().map(place).transpose()?;
        Ok(Self { text, id, label, time })
    }
}

/// A column of a file as it is chosen in others: by its name, if that tells it from the others.
pub(crate) fn choice(names: Option<&[String]>, column: usize) -> ColumnChoice {
    let names = names.unwrap_or(&[]);
    let alike = |name: &str| names.iter().filter(|other| other.trim() == name.trim()).count();
    match names.get(column) {
        Some(name) if !name.trim().is_empty() && alike(name) == 1 => {
            ColumnChoice::Name(name.clone())
        }
        _ => ColumnChoice::Position(column),
    }
}

/// Refuses a header in which a name that columns usually have stands twice, where nothing was said of what these hold:
/// which one is meant?
pub(crate) fn check_distinct(file: &str, names: &[String], options: &LoadOptions) -> Result<()> {
    let open = [
        (Guess::Text, options.text.is_empty()),
        (Guess::Id, options.id.is_none()),
        (Guess::Label, options.label.is_none()),
    ];
    let open = || open.iter().filter(|(_, open)| *open).map(|(kind, _)| *kind);
    let same = |a: &str, b: &str| a.trim().eq_ignore_ascii_case(b.trim());
    let is_open = |name: &str| open().flat_map(usual_names).any(|usual| same(usual, name));
    for (place, name) in names.iter().enumerate().filter(|(_, name)| is_open(name)) {
        if let Some(first) = names[..place].iter().position(|other| same(other, name)) {
            let remedy = "rename one, or choose by number";
            return Err(called_alike(file, names, [first, place], remedy));
        }
    }
    Ok(())
}

/// About two columns with one name.
pub(crate) fn called_alike(
    file: &str,
    names: &[String],
    [first, second]: [usize; 2],
    remedy: &str,
) -> Error {
    let found = format!("columns {} and {} called {:?}", first + 1, second + 1, names[second]);
    Malformed::new(file, found, "each name once").at_line(1).remedy(remedy).into()
}

/// What there is to choose from.
pub(crate) fn known(names: &[String]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(12).map(|n| n.escape_debug().take(40).collect()).collect();
    if names.len() > 12 {
        shown.push(format!("{} more", names.len() - 12));
    }
    if shown.is_empty() {
        "there are none".to_owned()
    } else {
        format!("there are: {}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn columns_are_chosen_by_the_names_that_tell_them_apart() {
        let names = strings(&["a", "b ", " a", " "]);
        let chosen: Vec<ColumnChoice> = (0..5).map(|k| choice(Some(&names), k)).collect();
        let position = ColumnChoice::Position;
        let expected =
            [position(0), ColumnChoice::Name("b ".into()), position(2), position(3), position(4)];
        assert_eq!(chosen, expected);
        assert_eq!(choice(None, 1), position(1));
    }

    #[test]
    fn places_are_below_the_number_of_columns() {
        let found = |k: usize| place("x", &ColumnChoice::Position(k), None, 2).ok();
        assert_eq!([found(0), found(1), found(2)], [Some(0), Some(1), None]);
    }

    #[test]
    fn a_name_that_stands_twice_chooses_nothing() {
        let names = strings(&["a", "b", "a "]);
        let message = place("x", &"a".into(), Some(&names), 3).unwrap_err().to_string();
        assert!(message.starts_with("x:1: found columns 1 and 3 called \"a \""), "{message}");
        assert!(message.contains("choose one by its number"), "{message}");
        assert_eq!(place("x", &"b".into(), Some(&names), 3).expect("once"), 1);
        assert_eq!(place("x", &ColumnChoice::Position(2), Some(&names), 3).expect("there"), 2);
    }

    #[test]
    fn usual_names_may_stand_twice_where_something_was_said() {
        let names = strings(&["Text", "text", "n"]);
        let open = LoadOptions::default();
        let message = check_distinct("x", &names, &open).unwrap_err().to_string();
        assert!(message.contains("columns 1 and 2 called \"text\""), "{message}");
        let said = LoadOptions { text: vec![ColumnChoice::Position(1)], ..LoadOptions::default() };
        assert!(check_distinct("x", &names, &said).is_ok());
    }

    #[test]
    fn a_dozen_names_are_shown() {
        let shown = |n: usize| known(&vec!["x".to_owned(); n]);
        assert_eq!(shown(0), "there are none");
        assert!(shown(12).ends_with(": x, x, x, x, x, x, x, x, x, x, x, x"), "{}", shown(12));
        assert!(shown(13).ends_with(" x, 1 more"), "{}", shown(13));
    }

    #[test]
    fn the_longest_column_is_the_text_unless_a_name_tells() {
        let names = strings(&["who", "said", "Body "]);
        assert_eq!(guess(&names, &[1, 9, 2], Guess::Text), Some(2));
        assert_eq!(guess(&names[..2], &[1, 9], Guess::Text), Some(1));
        assert_eq!(guess(&names[..2], &[0, 0], Guess::Text), None);
        assert_eq!(guess(&names[..2], &[1, 9], Guess::Id), None);
        let both = strings(&["title", "text"]);
        assert_eq!(guess(&both, &[9, 1], Guess::Text), Some(1), "the more telling one");
    }
}
