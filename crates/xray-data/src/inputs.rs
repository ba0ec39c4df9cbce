//! Which files the arguments stand for: files, folders, patterns and lists, as one list in one order.
//!
//! | argument | stands for |
//! |---|---|
//! | `part-0.csv` | itself |
//! | `'part-*.csv'`, `'2024-0[1-3].npz'`, `'**/*.parquet'` | the files that fit, sorted; `*`, `?` and `[ ]` stay within a folder, `**` does not |
//! | `@files.txt` | what its lines stand for, in their order; paths are relative to the list, blank lines and lines with `#` at their start are left out |
//! | a folder with `.txt` files, or without data files | its texts, one document a file |
//! | any other folder | its data files, sorted, those of folders within it too (`year=2024/part-0.parquet`); names that begin with `.` or `_`, and results of runs, are left out |
//! | `-` | standard input, alone |
//!
//! Arguments are taken in the order in which they are given.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use crate::error::{Error, Malformed, Result, io_error};
use crate::formats::{Format, is_text};
use crate::identity::FileIdentity;
use crate::source::Input;

/// Folders within folders that are searched; links to folders are not followed.
const DEEPEST: usize = 32;

/// What a folder of results has: those are no data of the folder that they are in.
pub const RESULT_RECORD: &str = ".xray.json";

/// What a pattern has and a plain name has not.
const SPECIAL: [char; 4] = ['*', '?', '[', '{'];

/// The inputs of a run, in one order.
///
/// # Examples
/// ```
/// use xray_data::Inputs;
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// for name in ["part-2.csv", "part-1.csv", "notes.md"] {
///     std::fs::write(folder.path().join(name), "text\nhello\n").expect("written");
/// }
/// let pattern = folder.path().join("part-[0-9].csv");
/// let inputs = Inputs::resolve(&[pattern])?;
/// assert_eq!(inputs.len(), 2);
/// assert!(inputs.parts()[0].name().ends_with("part-1.csv"));
/// assert_eq!(inputs.stem(), "part");
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    name: String,
    stem: String,
    parts: Vec<Input>,
    /// Whether they are parts of one whole, even if there is only one of them.
    many: bool,
}

impl From<Input> for Inputs {
    fn from(input: Input) -> Self {
        let name = input.name();
        let stem = match &input {
            Input::Stdin => Self::stem_of(Path::new("-")),
            Input::Path(path) => Self::stem_of(path),
            Input::Bytes { name, .. } => Self::stem_of(Path::new(name)),
        };
        Self { name, stem, parts: vec![input], many: false }
    }
}

impl Inputs {
    /// What arguments stand for.
    ///
    /// # Errors
    /// If nothing fits a pattern, a list or folder cannot be read or is empty, a file is there twice, or
    /// standard input is not alone.
    pub fn resolve(arguments: &[impl AsRef<Path>]) -> Result<Self> {
        let arguments: Vec<&Path> = arguments.iter().map(AsRef::as_ref).collect();
        let mut parts = Vec::new();
        let mut many = arguments.len() > 1;
        for argument in &arguments {
            many |= add(argument, &mut parts)?;
        }
        if arguments.is_empty() {
            let allowed = "name a file, a folder, a pattern or a list".to_owned();
            return Err(Error::Parameter { name: "input", value: "nothing".to_owned(), allowed });
        }
        check_distinct(&parts)?;
        if let ([only], false) = (&parts[..], many) {
            return Ok(Self::from(only.clone()));
        }
        let names: Vec<String> = arguments.iter().map(|a| a.display().to_string()).collect();
        let stem = Self::stem_of_all(&arguments);
        Ok(Self { name: names.join(" "), stem, parts, many })
    }

    /// What messages and models call them: the arguments as they were given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A name without folders, endings and special characters, for the names of outputs.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// The name that outputs get from arguments: that of the first, and how many others there are.
    ///
    /// ```
    /// use xray_data::Inputs;
    /// assert_eq!(Inputs::stem_of_all(&["news/part-*.csv.gz"]), "part");
    /// assert_eq!(Inputs::stem_of_all(&["docword.kos.txt.gz"]), "docword.kos");
    /// assert_eq!(Inputs::stem_of_all(&["a.csv", "b.csv", "c.csv"]), "a-and-2-more");
    /// assert_eq!(Inputs::stem_of_all(&["-"]), "stdin");
    /// ```
    pub fn stem_of_all(arguments: &[impl AsRef<Path>]) -> String {
        match arguments {
            [] => "data".to_owned(),
            [only] => Self::stem_of(only.as_ref()),
            [first, others @ ..] => {
                format!("{}-and-{}-more", Self::stem_of(first.as_ref()), others.len())
            }
        }
    }

    /// The name of a file without what tells its format, or of a folder, without what makes it a pattern or a list.
    fn stem_of(argument: &Path) -> String {
        // "." and ".." are folders with names.
        let real = argument.file_name().is_none().then(|| std::fs::canonicalize(argument).ok());
        let argument = real.flatten().unwrap_or_else(|| argument.to_owned());
        let name = argument.file_name();
        let name = name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
        if name == "-" {
            return "stdin".to_owned();
        }
        let plain = Format::without_ending(&name).trim_start_matches('@');
        let plain = plain.split(SPECIAL).next().unwrap_or_default();
        let plain = plain.trim_end_matches(['-', '_', '.', ' ']);
        match argument.parent() {
            _ if !plain.is_empty() => plain.to_owned(),
            Some(folder) if name.contains(SPECIAL) && folder.file_name().is_some() => {
                Self::stem_of(folder)
            }
            _ if name.is_empty() || name.contains(SPECIAL) => "data".to_owned(),
            _ => name,
        }
    }

    /// The files, or a folder of texts, or standard input.
    pub fn parts(&self) -> &[Input] {
        &self.parts
    }

    /// How many there are; at least one.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are none, which [`resolve`](Self::resolve) refuses.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The only input, unless they are parts of a whole.
    pub fn single(&self) -> Option<&Input> {
        if self.many { None } else { self.parts.first() }
    }

    /// The parts of one of `n_shares`: consecutive ones, so that rows stay in order, of about the same size.
    ///
    /// Part k goes to the share in which its middle byte lies. What has no size counts as one byte.
    pub fn share(&self, which: usize, n_shares: usize) -> Range<usize> {
        let size = |part: &Input| match part {
            Input::Path(path) => std::fs::metadata(path).map_or(0, |about| about.len()).max(1),
            Input::Bytes { bytes, .. } => bytes.len().max(1) as u64,
            Input::Stdin => 1,
        };
        share_of(&self.parts.iter().map(size).collect::<Vec<_>>(), which, n_shares)
    }
}

fn share_of(sizes: &[u64], which: usize, n_shares: usize) -> Range<usize> {
    let total: u128 = sizes.iter().map(|&size| u128::from(size)).sum();
    let mut before = 0_u128;
    let owner = |&size: &u64| {
        let middle = 2 * before + u128::from(size);
        before += u128::from(size);
        (middle * n_shares as u128 / (2 * total)) as usize
    };
    let owners: Vec<usize> = sizes.iter().map(owner).collect();
    let place = |share: usize| owners.partition_point(|&owner| owner < share);
    place(which)..place(which + 1)
}

/// Adds what one argument stands for; whether that may be several files.
fn add(argument: &Path, parts: &mut Vec<Input>) -> Result<bool> {
    let text = argument.to_string_lossy();
    if let Some(list) = text.strip_prefix('@')
        && !argument.exists()
    {
        return add_list(Path::new(list), parts).map(|()| true);
    }
    if argument.is_dir() {
        let mut files = Vec::new();
        walk(argument, 0, &|folder| !folder.join(RESULT_RECORD).exists(), &mut files)?;
        let is_data = |file: &PathBuf| Format::from_path(file).is_some();
        if files.iter().any(|file| is_text(file)) || !files.is_empty() && !files.iter().any(is_data)
        {
            parts.push(Input::Path(argument.to_owned()));
            return Ok(false);
        }
        files.retain(is_data);
        files.sort();
        if files.is_empty() {
            let found = "a folder without texts and without data files";
            return Err(Malformed::new(&text, found, "at least one")
                .remedy("name a file, or a folder that holds texts or data")
                .into());
        }
        parts.extend(files.into_iter().map(Input::Path));
        return Ok(true);
    }
    if text.contains(SPECIAL) && !argument.exists() {
        parts.extend(matching(argument)?.into_iter().map(Input::Path));
        return Ok(true);
    }
    parts.push(Input::from(argument));
    Ok(false)
}

/// Adds what the lines of a list stand for.
fn add_list(list: &Path, parts: &mut Vec<Input>) -> Result<()> {
    let name = list.display().to_string();
    let text = std::fs::read_to_string(list).map_err(|e| io_error(&name, "read", e))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let before = parts.len();
    let lines = text.lines().enumerate().map(|(k, line)| (k as u64 + 1, line.trim()));
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('@') || line == "-" {
            let found = format!("{line:?} in a list");
            let error = Malformed::new(&name, found, "a path or a pattern").at_line(number);
            return Err(error.into());
        }
        add(&folder.join(line), parts)?;
    }
    if parts.len() == before {
        return Err(Malformed::new(&name, "no path", "one a line").into());
    }
    Ok(())
}

/// The files that fit a pattern, sorted.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let text = pattern.display().to_string();
    let refused =
        |allowed: String| Error::Parameter { name: "input", value: text.clone(), allowed };
    let is_plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(SPECIAL);
    let folder: PathBuf = pattern.components().take_while(is_plain).collect();
    let searched = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
    let rest = pattern.strip_prefix(&folder).unwrap_or(pattern);
    let rest = rest.to_string_lossy();
    let glob = GlobBuilder::new(&rest).literal_separator(true).build();
    let glob = glob.map_err(|e| refused(e.to_string()))?.compile_matcher();
    let mut files = Vec::new();
    walk(searched, 0, &|_| true, &mut files)?;
    let within = |file: &PathBuf| file.strip_prefix(searched).unwrap_or(file).to_owned();
    files.retain(|file| glob.is_match(within(file)));
    if folder.as_os_str().is_empty() {
        files = files.iter().map(within).collect();
    }
    files.sort();
    if files.is_empty() {
        return Err(refused("no file fits this pattern".to_owned()));
    }
    Ok(files)
}

/// All files in a folder and those within it that are `wanted`, but for hidden ones and those that Spark and others
/// keep notes in (`_SUCCESS`, `_metadata`).
fn walk(
    folder: &Path,
    depth: usize,
    wanted: &dyn Fn(&Path) -> bool,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    let name = folder.display().to_string();
    if depth > DEEPEST {
        let expected = format!("at most {DEEPEST} folders within each other");
        let error = Malformed::new(&name, "a deeper one", expected);
        return Err(error.remedy("name the folder that holds the data").into());
    }
    let fail = |e| io_error(&name, "read", e);
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_name().to_string_lossy().starts_with(['.', '_']) {
            continue;
        }
        let path = entry.path();
        if entry.file_type().map_err(fail)?.is_dir() {
            if wanted(&path) {
                walk(&path, depth + 1, wanted, files)?;
            }
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn check_distinct(parts: &[Input]) -> Result<()> {
    let mut seen = HashMap::new();
    for part in parts {
        let name = part.name();
        if *part == Input::Stdin && parts.len() > 1 {
            let allowed = "standard input is read alone, without other files".to_owned();
            return Err(Error::Parameter { name: "input", value: "-".to_owned(), allowed });
        }
        if part.folder().is_some() && parts.len() > 1 {
            let allowed = "a folder of texts is read alone, without other files".to_owned();
            return Err(Error::Parameter { name: "input", value: name, allowed });
        }
        let before = match part {
            Input::Path(path) => seen.insert(FileIdentity::of(path), name.clone()),
            Input::Stdin | Input::Bytes { .. } => None,
        };
        if let Some(before) = before {
            let found = format!("the same file twice among the inputs, before as {before:?}");
            return Err(Malformed::new(&name, found, "each once").remedy("leave one out").into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("created");
            std::fs::write(path, "x\n").expect("written");
        }
        folder
    }

    fn found(folder: &tempfile::TempDir, arguments: &[&str]) -> Result<Vec<String>> {
        let arguments: Vec<PathBuf> = arguments
            .iter()
            .map(|argument| match argument.strip_prefix('@') {
                Some(list) => format!("@{}", folder.path().join(list).display()).into(),
                None => folder.path().join(argument),
            })
            .collect();
        let inputs = Inputs::resolve(&arguments)?;
        let within = |part: &Input| {
            let name = part.name();
            let prefix = folder.path().display().to_string();
            name.strip_prefix(&prefix).unwrap_or(&name).trim_start_matches('/').to_owned()
        };
        Ok(inputs.parts().iter().map(within).collect())
    }

    #[test]
    fn patterns_lists_and_folders() {
        let names = [
            "p-2.csv",
            "p-10.csv",
            "p-1.csv",
            "q.csv",
            "deep/er/p-3.csv",
            "deep/p-4.csv",
            "hive/year=2024/part-1.parquet",
            "hive/year=2023/part-0.parquet",
            "hive/_SUCCESS",
            "hive/.part-0.crc",
            "texts/a/1.txt",
            "texts/2.txt",
            "empty/readme.md",
            "hive/notes.md",
            "hive/out/documents.csv",
            "hive/out/.xray.json",
        ];
        let folder = folder_with(&names);
        let found = |arguments: &[&str]| found(&folder, arguments).expect("resolved");
        assert_eq!(found(&["p-*.csv"]), ["p-1.csv", "p-10.csv", "p-2.csv"]);
        assert_eq!(found(&["p-[2-9].csv", "q.csv"]), ["p-2.csv", "q.csv"]);
        assert_eq!(found(&["p-?.csv"]), ["p-1.csv", "p-2.csv"]);
        assert_eq!(found(&["deep/**/*.csv"]), ["deep/er/p-3.csv", "deep/p-4.csv"]);
        assert_eq!(found(&["d*/p-4.csv"]), ["deep/p-4.csv"]);
        let hive = ["hive/year=2023/part-0.parquet", "hive/year=2024/part-1.parquet"];
        assert_eq!(found(&["hive"]), hive);
        assert_eq!(found(&["hive/*/*.csv"]), ["hive/out/documents.csv"]);
        assert_eq!(found(&["texts"]), ["texts"]);
        assert_eq!(found(&["empty"]), ["empty"]);
        std::fs::write(folder.path().join("list.txt"), "# parts\n\n q.csv \np-?.csv\n")
            .expect("ok");
        assert_eq!(found(&["@list.txt"]), ["q.csv", "p-1.csv", "p-2.csv"]);
    }

    #[test]
    fn what_stands_for_nothing_is_refused() {
        let folder = folder_with(&["p-1.csv", "empty/.hidden", "list.txt"]);
        std::fs::write(folder.path().join("list.txt"), "# nothing\n").expect("written");
        let message = |arguments: &[&str]| found(&folder, arguments).unwrap_err().to_string();
        assert!(message(&["x-*.csv"]).contains("no file fits"));
        assert!(message(&["empty"]).contains("without data files"));
        assert!(message(&["@list.txt"]).contains("no path"));
        assert!(message(&["@missing"]).contains("cannot read"));
        assert!(message(&["p-1.csv", "p-*.csv"]).contains("twice"));
        assert!(Inputs::resolve(&["-", "x.csv"]).unwrap_err().to_string().contains("alone"));
        assert!(Inputs::resolve(&[] as &[&str]).is_err());
    }

    #[test]
    fn a_file_is_read_once_whatever_it_is_called() {
        let folder = folder_with(&["t.csv", "same.csv", "in/x.csv"]);
        let place = |name: &str| folder.path().join(name);
        assert_eq!(found(&folder, &["t.csv", "same.csv"]).expect("two files").len(), 2);
        let mut names = vec!["./t.csv", "in/../t.csv"];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(place("t.csv"), place("link.csv")).expect("linked");
            names.push("link.csv");
        }
        std::fs::hard_link(place("t.csv"), place("hard.csv")).expect("linked");
        if cfg!(unix) {
            names.push("hard.csv");
        }
        for name in names {
            let message = found(&folder, &["t.csv", name]).unwrap_err().to_string();
            assert!(message.contains("twice") && message.contains("t.csv\""), "{name}: {message}");
        }
    }

    #[test]
    fn stems_name_outputs() {
        for (path, stem) in [
            ("a/corpus.csv.gz", "corpus"),
            ("docword.kos.txt.gz", "docword.kos"),
            ("docword.ap.txt", "docword.ap"),
            ("news.2024.CSV", "news.2024"),
            ("x.npz.zst", "x"),
            ("data.unknown", "data.unknown"),
            (".csv", ".csv"),
            ("/", "data"),
            ("part-*.csv", "part"),
            ("news/*.jsonl", "news"),
            ("news/**/*.jsonl", "news"),
            ("@list.txt", "list"),
            ("*", "data"),
            (".hidden", ".hidden"),
            ("folder", "folder"),
        ] {
            assert_eq!(Inputs::stem_of(Path::new(path)), stem, "{path}");
        }
        let here = std::fs::canonicalize(".").expect("a folder");
        let here = here.file_name().expect("a name").to_string_lossy();
        assert_eq!(Inputs::stem_of(Path::new(".")), here);
        assert_eq!(Inputs::stem_of_all(&["a.csv", "b.csv"]), "a-and-1-more");
    }

    #[test]
    fn shares_are_consecutive_and_of_like_size() {
        let sizes = [10, 1, 1, 1, 1, 1, 1, 1, 1, 2];
        for n_shares in 1..12 {
            let shares: Vec<Range<usize>> =
                (0..n_shares).map(|which| share_of(&sizes, which, n_shares)).collect();
            assert!(shares[0].start == 0 && shares[n_shares - 1].end == sizes.len());
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
        assert_eq!(share_of(&sizes, 0, 2), 0..1);
        assert_eq!(share_of(&sizes, 1, 2), 1..10);
    }
}
