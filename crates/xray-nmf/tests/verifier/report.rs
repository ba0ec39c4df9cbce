//! The summary of many fits, by family and by rule.

use std::collections::BTreeMap;

use crate::findings::{Fault, Findings};
use crate::problem::Problem;

/// Counts of some fits.
#[derive(Debug, Clone, Default)]
struct Tally {
    fits: usize,
    found: Findings,
    faulty: usize,
    by_fault: BTreeMap<Fault, usize>,
}

impl Tally {
    fn add(&mut self, findings: &Findings) {
        self.fits += 1;
        self.faulty += usize::from(!findings.faults.is_empty());
        for fault in Fault::ALL {
            *self.by_fault.entry(fault).or_default() += usize::from(findings.has(fault));
        }
        let found = &mut self.found;
        found.steps += findings.steps;
        found.ties += findings.ties;
        found.widest_tie = found.widest_tie.max(findings.widest_tie);
        found.interior += findings.interior;
        found.undecided += findings.undecided;
        found.violation = found.violation.max(findings.violation);
        found.residual_error = found.residual_error.max(findings.residual_error);
        found.held_out_error = found.held_out_error.max(findings.held_out_error);
    }

    fn row(&self, name: &str) -> String {
        let Findings { steps, ties, widest_tie, interior, undecided, .. } = self.found;
        let Findings { violation, residual_error, held_out_error, .. } = self.found;
        let faults = self.by_fault.iter().filter(|(_, count)| **count > 0);
        let faults: Vec<String> =
            faults.map(|(f, count)| format!("{} {count}", f.name())).collect();
        format!(
            "{name:<16}{:>7}{steps:>8}{ties:>6}{widest_tie:>7.2}{interior:>9}{undecided:>10}{violation:>10.1e}\
             {residual_error:>10.1e}{held_out_error:>10.1e}{:>8}  {}",
            self.fits,
            self.faulty,
            faults.join(", ")
        )
    }
}

/// The summary.
#[derive(Debug, Default)]
pub(crate) struct Report {
    all: Tally,
    families: BTreeMap<&'static str, Tally>,
    rules: BTreeMap<String, Tally>,
    /// The first faults of each kind, with how to see them again.
    examples: Vec<String>,
    shown: BTreeMap<(&'static str, String, Fault), usize>,
}

/// Examples that are shown of each kind of fault in each family under each rule.
const EXAMPLES: usize = 1;

impl Report {
    pub(crate) fn add(&mut self, problem: &Problem, findings: &Findings) {
        let rule = problem.params.selection.to_string();
        self.all.add(findings);
        self.families.entry(problem.family.name).or_default().add(findings);
        self.rules.entry(rule.clone()).or_default().add(findings);
        for (fault, text) in &findings.faults {
            let shown = self.shown.entry((problem.family.name, rule.clone(), *fault)).or_default();
            *shown += 1;
            if *shown <= EXAMPLES {
                self.examples.push(format!(
                    "{}: {text}\n    {}",
                    fault.name(),
                    problem.reproduction()
                ));
            }
        }
    }

    pub(crate) fn faulty(&self) -> usize {
        self.all.faulty
    }

    pub(crate) fn print(&self) {
        println!(
            "{:<16}{:>7}{:>8}{:>6}{:>7}{:>9}{:>10}{:>10}{:>10}{:>10}{:>8}  faults (fits)",
            "",
            "fits",
            "steps",
            "ties",
            "widest",
            "interior",
            "undecided",
            "violation",
            "residual",
            "held-out",
            "faulty"
        );
        let rows = self.families.iter().map(|(name, tally)| tally.row(name));
        rows.chain(self.rules.iter().map(|(name, tally)| tally.row(name)))
            .chain([self.all.row("all")])
            .for_each(|row| println!("{row}"));
        self.examples.iter().for_each(|example| println!("{example}"));
    }
}
