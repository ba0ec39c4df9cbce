//! Going on with a run that was cut short, on any number of ranks.
//!
//! Anchors decide everything else: with them given, the projections can be made again without any
//! selection, bit for bit. So a checkpoint is small: the steps so far, and what the rule remembers. A
//! resumed run makes the projections of the saved steps, compares each residual with the saved one to
//! the last bit, and then goes on as if it had never stopped. Only the number of evaluations
//! may differ afterwards: the bounds of the scores begin anew.

use crate::error::{Error, Result};
use crate::observe::Step;

/// The state of a run between two anchors.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RunState {
    /// The anchors so far, and what each of them brought.
    pub steps: Vec<Step>,
    /// Columns outside the cone from which no candidate is seen; they are not looked from again.
    pub settled: Vec<usize>,
    /// Where the stream of random numbers of `rand` stands.
    ///
    /// JSON has no numbers of 128 bits, so it is written as text.
    #[cfg_attr(feature = "serde", serde(with = "as_text"))]
    pub drawn: u128,
}

impl RunState {
    /// All anchors are columns, each once.
    pub(crate) fn check_columns(&self, n_columns: usize) -> Result<()> {
        for (q, step) in self.steps.iter().enumerate() {
            let column = step.anchor;
            let reason = match self.steps[..q].iter().any(|other| other.anchor == column) {
                true => "which it lists twice",
                false if column >= n_columns => "which does not exist",
                false => continue,
            };
            return Err(Error::ColumnList { list: "the checkpoint", column, reason });
        }
        Ok(())
    }
}

/// A number as text.
#[cfg(feature = "serde")]
mod as_text {
    use std::borrow::Cow;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        Cow::<str>::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::select::Selection;

    #[test]
    fn a_state_survives_json_to_the_last_bit() {
        let step = Step {
            anchor: 7,
            score: Some(0.1 + 0.2),
            margin: None,
            runner_up: Some(5),
            exterior: Some(3),
            residual: 1.0 / 3.0,
            held_out: None,
            evaluations: 12,
            changed_columns: 40,
        };
        let state = RunState { steps: vec![step], settled: vec![2, 9], drawn: u128::MAX - 5 };
        let json = serde_json::to_string(&state).expect("numbers and names");
        assert!(json.contains(r#""drawn":"340282366920938463463374607431768211450""#), "{json}");
        assert_eq!(serde_json::from_str::<RunState>(&json).expect("written here"), state);
    }

    #[test]
    fn parameters_are_read_from_any_part_and_unknown_ones_refused() {
        let some: Params =
            serde_json::from_str(r#"{"rank": 3, "selection": "greedy"}"#).expect("two fields");
        assert_eq!(some, Params { selection: Selection::Greedy, ..Params::new(3) });
        let json = serde_json::to_string(&some).expect("parameters");
        assert_eq!(serde_json::from_str::<Params>(&json).expect("written here"), some);
        let error = serde_json::from_str::<Params>(r#"{"rnak": 3}"#).expect_err("no such field");
        assert!(error.to_string().contains("rnak"), "{error}");
    }
}
