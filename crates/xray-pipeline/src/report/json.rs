//! Reports as JSON, for files, standard output and Python.

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::read::InputFacts;

/// A report as indented JSON.
///
/// # Examples
/// ```
/// use xray_pipeline::report::json;
/// assert_eq!(json(&[1, 2]), "[\n  1,\n  2\n]");
/// ```
///
/// # Panics
/// If a value cannot be written as JSON, which no report has.
pub fn json(report: &impl Serialize) -> String {
    serde_json::to_string_pretty(report).expect("reports have texts as keys")
}

/// What `--json` prints: a report, and what is known of the run.
#[derive(Debug, Clone, Serialize)]
pub struct Answer<'a, R> {
    /// The report.
    #[serde(flatten)]
    pub report: &'a R,
    /// What was read and what was decided about it, if anything was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<&'a InputFacts>,
    /// The time of each stage.
    pub seconds: Seconds,
    /// The most memory that the program has had, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

/// Seconds of each stage, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seconds(pub Vec<(String, f64)>);

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (stage, seconds) in &self.0 {
            map.serialize_entry(stage, seconds)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Stages;
        impl<'de> Visitor<'de> for Stages {
            type Value = Seconds;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("seconds of stages")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Seconds, A::Error> {
                let mut seconds = Vec::new();
                while let Some(stage) = map.next_entry()? {
                    seconds.push(stage);
                }
                Ok(Seconds(seconds))
            }
        }
        deserializer.deserialize_map(Stages)
    }
}

/// What each rank had to do: lists with one number a rank.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RankFacts {
    /// How many ranks there were.
    pub number: usize,
    /// Stored entries of X on each.
    pub entries: Vec<usize>,
    /// The most memory that each has had.
    pub peak_memory_bytes: Vec<u64>,
    /// Bytes that arrived at each from other ranks.
    pub received_bytes: Vec<u64>,
    /// Those that arrived while data was read and shared out.
    pub received_reading_bytes: Vec<u64>,
    /// Those that arrived after it.
    pub received_fitting_bytes: Vec<u64>,
    /// Seconds of each stage, on each.
    pub seconds: Vec<Seconds>,
}
