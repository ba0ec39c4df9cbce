//! What a method would take, judged before any of it is done.

use crate::error::{Error, Result};
use crate::machine::{Machine, size_in_words};

/// Multiply-adds a second that times are predicted with: what one core does, with memory in the way.
const RATE: f64 = 1e9;

/// Refuses work above the limit, both in multiply-adds.
pub(super) fn check_work(method: &'static str, work: f64, limit: f64) -> Result<()> {
    if work <= limit {
        return Ok(());
    }
    let said = |work: f64| format!("{work:.1e} multiply-adds ({})", duration(work / RATE));
    let remedy = "raise `largest_work` to allow it, or use fewer columns";
    Err(Error::TooCostly { method, predicted: said(work), limit: said(limit), remedy })
}

/// Refuses more bytes than the budget.
pub(super) fn check_memory(method: &'static str, bytes: f64, budget: Option<usize>) -> Result<()> {
    let limit = budget.unwrap_or_else(|| Machine::default().cache_budget()) as f64;
    if bytes <= limit {
        return Ok(());
    }
    let said = |bytes: f64| format!("{} of memory", size_in_words(bytes as u64));
    let remedy = "raise `memory` to allow it, or use fewer columns";
    Err(Error::TooCostly { method, predicted: said(bytes), limit: said(limit), remedy })
}

/// A time in a unit that people can judge.
fn duration(seconds: f64) -> String {
    let units = [(31_557_600.0, "years"), (86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let fits = |unit: &&(f64, &str)| seconds >= 2.0 * unit.0;
    let (length, name) = units.iter().find(fits).copied().unwrap_or((1.0, "seconds"));
    let count = seconds / length;
    if count < 1e4 {
        format!("about {count:.1} {name}")
    } else {
        format!("about {count:.1e} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_told_in_units_that_fit() {
        assert_eq!(duration(0.25), "about 0.2 seconds");
        assert_eq!(duration(5400.0), "about 90.0 minutes");
        assert_eq!(duration(1e6), "about 11.6 days");
        assert_eq!(duration(1e15), "about 3.2e7 years");
    }

    #[test]
    fn refusals_name_method_cost_limit_and_remedy() {
        assert!(check_work("esser", 1e10, 1e10).is_ok());
        let text = check_work("esser", 7.2e12, 1e11).unwrap_err().to_string();
        let parts = ["esser", "7.2e12", "2.0 hours", "1.0e11", "100.0 seconds", "`largest_work`"];
        parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
        let text = check_memory("hottopixx", 2.7e9, Some(1 << 20)).unwrap_err().to_string();
        let parts = ["hottopixx", "2.7 GB", "1.0 MB", "`memory`"];
        parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    }
}
