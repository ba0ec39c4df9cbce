//! What a folder remembers of the runs that have written to it: `.xray.json`.
//!
//! It lists the files of each kind of result with length and hash, so that the next run of that kind can remove what it
//! does not write itself, and nothing else: a file that was changed since belongs to whoever changed it.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::shards::{MANIFEST, is_shard_name};

/// The name of the record in its folder.
pub(super) use xray_data::RESULT_RECORD as RECORD;

const FORMAT: &str = "xray-results";
const VERSION: u32 = 1;

/// Longer files are told by their length alone.
const HASHED: u64 = 1 << 26;

/// What a run writes into a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Topics with a model.
    Topics,
    /// Factors with a model; they take the place of topics.
    Factors,
    /// A study of ranks.
    Ranks,
    /// Methods side by side.
    Comparison,
    /// An unmixed cube.
    Unmixing,
    /// Pages of words and pictures among other files, of which no record is kept.
    Pages,
}

impl Purpose {
    /// Results under the same name take each other's place; none if no record is kept.
    fn result(self) -> Option<&'static str> {
        match self {
            Purpose::Topics | Purpose::Factors => Some("model"),
            Purpose::Ranks => Some("rank"),
            Purpose::Comparison => Some("compare"),
            Purpose::Unmixing => Some("unmix"),
            Purpose::Pages => None,
        }
    }

    /// The files that such a run may write, but for shards and pages.
    pub(super) fn names(self) -> &'static [&'static str] {
        const TOPICS: &[&str] = &[
            "topics.csv",
            "topics.json",
            "report.html",
            "topics-map.svg",
            "topics-map.png",
            "topics-tree.svg",
            "topics-tree.png",
            "topics-words.svg",
            "topics-words.png",
            "documents.csv",
            "documents.parquet",
            "contingency.csv",
            "classes.csv",
            "periods.csv",
            "periods.svg",
            "periods.png",
            "levels.csv",
            "flows.csv",
            "nearest.csv",
            "model.npz",
            MANIFEST,
        ];
        const UNMIXING: &[&str] = &[
            "report.html",
            "endmembers.csv",
            "endmembers.svg",
            "endmembers.png",
            "abundances.npy",
            "abundances.hdr",
            "abundances.img",
            "maps.png",
            "unmix.json",
        ];
        const FACTORS: &[&str] = &["anchors.csv", "answer.json", "model.npz", "w.npz", MANIFEST];
        match self {
            Purpose::Topics => TOPICS,
            Purpose::Factors => FACTORS,
            Purpose::Ranks => &["rank.csv", "rank.html", "rank.svg", "rank.png"],
            Purpose::Comparison => &["compare.csv", "compare.html", "compare.svg", "compare.png"],
            Purpose::Unmixing => UNMIXING,
            Purpose::Pages => &[],
        }
    }

    /// Whether such a run may write a file of this name.
    pub(super) fn writes(self, name: &str) -> bool {
        let shards = matches!(self, Purpose::Topics | Purpose::Factors) && is_shard_name(name);
        self == Purpose::Pages || shards || self.names().contains(&name)
    }
}

/// All results of a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    format: String,
    version: u32,
    /// Which of them was written last.
    latest: String,
    results: BTreeMap<String, Recorded>,
}

/// One result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Recorded {
    /// What it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<InputMark>,
    pub(super) files: Vec<RecordedFile>,
}

/// Which input a result was made from: enough to tell inputs apart, and no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMark {
    /// As it was given.
    pub name: String,
    /// BLAKE3 of where it is; empty where it cannot be read a second time, as what comes through a pipe.
    pub place: String,
}

impl InputMark {
    /// The mark of what is called `name`, and is at these places.
    pub fn of(name: &str, places: &[PathBuf]) -> Self {
        let name = name.to_owned();
        if places.iter().any(|place| is_passing(place)) {
            return Self { name, place: String::new() };
        }
        let mut hasher = blake3::Hasher::new();
        for place in places {
            let found = std::fs::canonicalize(place).or_else(|_| std::path::absolute(place));
            hasher.update(found.as_ref().unwrap_or(place).as_os_str().as_encoded_bytes());
            hasher.update(b"\0");
        }
        Self { name, place: hasher.finalize().to_hex().to_string() }
    }

    /// Whether both are known to be of one input.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        !self.place.is_empty() && self.place == other.place
    }
}

/// Whether another input may be there the next time: standard input, a pipe.
fn is_passing(place: &Path) -> bool {
    let is_lasting = |about: std::fs::Metadata| about.is_file() || about.is_dir();
    place == Path::new("-") || std::fs::metadata(place).is_ok_and(|about| !is_lasting(about))
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedFile {
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) blake3: String,
}

impl Record {
    /// The record of a folder; empty if there is none that can be read.
    pub(super) fn read(folder: &Path) -> Self {
        let text = std::fs::read(folder.join(RECORD)).unwrap_or_default();
        let known = serde_json::from_slice::<Self>(&text).ok();
        known.filter(|it| it.format == FORMAT && it.version == VERSION).unwrap_or_default()
    }

    /// The result that a run would take the place of.
    pub(super) fn of(&self, purpose: Purpose) -> Option<&Recorded> {
        self.results.get(purpose.result()?)
    }

    /// With a new result in its place; none if no record is kept of such results.
    pub(super) fn with(mut self, purpose: Purpose, result: Recorded) -> Option<Self> {
        let latest = purpose.result()?.to_owned();
        self.results.insert(latest.clone(), result);
        Some(Self { format: FORMAT.to_owned(), version: VERSION, latest, ..self })
    }

    /// Without the result that is the latest of `new`; none if there is no such result here.
    pub(super) fn without_latest_of(mut self, new: &Self) -> Option<(Self, Recorded)> {
        let removed = self.results.remove(&new.latest)?;
        Some((self, removed))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn files(&self) -> impl Iterator<Item = &RecordedFile> {
        self.results.values().flat_map(|result| &result.files)
    }

    /// A file under a name that such a run may write, which no result of that kind has written; and the other kind of
    /// result that has, if it is not somebody's own.
    pub(super) fn foreign(
        &self,
        folder: &Path,
        purpose: Purpose,
    ) -> Option<(String, Option<&str>)> {
        let own = purpose.result()?;
        let writers = |name: &str| {
            let has = |result: &Recorded| result.files.iter().any(|file| file.file == name);
            let results = self.results.iter().filter(|(_, result)| has(result));
            results.map(|(kind, _)| kind.as_str()).collect::<Vec<_>>()
        };
        let name = names_of(folder, purpose).filter(|name| !writers(name).contains(&own)).min()?;
        let other = writers(&name).first().copied();
        Some((name, other))
    }

    /// Files of this record that are not in the `new` one, the manifest first: without it shards do not count.
    pub(super) fn without(&self, new: &Self) -> Vec<&RecordedFile> {
        let kept = |name: &str| new.files().any(|file| file.file == name);
        let mut gone: Vec<&RecordedFile> = self.files().filter(|file| !kept(&file.file)).collect();
        gone.sort_by_key(|file| file.file != MANIFEST);
        gone
    }
}

/// The files in a folder that a run would write over or remove.
pub fn replaceable(folder: &Path, purpose: Purpose) -> Vec<PathBuf> {
    let record = Record::read(folder);
    let old = record.of(purpose).map_or(&[][..], |result| &result.files);
    let mut names: Vec<String> = old.iter().map(|file| file.file.clone()).collect();
    names.extend(purpose.names().iter().map(|&name| name.to_owned()));
    names.extend(names_of(folder, purpose));
    names.iter().map(|name| folder.join(name)).collect()
}

/// What a folder has under names that such a run may write.
fn names_of(folder: &Path, purpose: Purpose) -> impl Iterator<Item = String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(move |name| purpose.writes(name))
}

impl RecordedFile {
    /// Whether the folder has the file as it was written.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        // A name from a file is not to lead out of the folder.
        if Path::new(&self.file).file_name() != Some(self.file.as_ref()) {
            return false;
        }
        let path = folder.join(&self.file);
        let Ok(about) = std::fs::symlink_metadata(&path) else { return false };
        if !about.is_file() || about.len() != self.bytes {
            return false;
        }
        self.bytes > HASHED || hash_of(&path).is_some_and(|hash| hash == self.blake3)
    }
}

fn hash_of(path: &Path) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut File::open(path).ok()?, &mut hasher).ok()?;
    Some(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_known() {
        let place = tempfile::tempdir().expect("a folder");
        let own = |file: &str, text: &str| RecordedFile {
            file: file.into(),
            bytes: text.len() as u64,
            blake3: blake3::hash(text.as_bytes()).to_hex().to_string(),
        };
        std::fs::write(place.path().join("a.csv"), "abc").expect("written");
        assert!(own("a.csv", "abc").is_in(place.path()));
        assert!(!own("a.csv", "abd").is_in(place.path()));
        assert!(!own("a.csv", "abcd").is_in(place.path()));
        assert!(!own("b.csv", "abc").is_in(place.path()));
        let within = place.path().join("within");
        std::fs::create_dir(&within).expect("made");
        assert!(!own("../a.csv", "abc").is_in(&within));
        let absolute = place.path().join("a.csv").display().to_string();
        assert!(!own(&absolute, "abc").is_in(&within));
    }

    #[test]
    fn damaged_and_foreign_records_are_none() {
        let place = tempfile::tempdir().expect("a folder");
        let path = place.path().join(RECORD);
        for text in ["", "{", "{}", r#"{"format":"other","version":1,"results":{}}"#] {
            std::fs::write(&path, text).expect("written");
            assert_eq!(Record::read(place.path()), Record::default());
        }
    }
}
