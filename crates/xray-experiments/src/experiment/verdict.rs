//! Whether a sentence of the paper holds here: by standard errors, with three outcomes.
//!
//! All methods of an experiment see the same splits, data sets or starts, so that figures are compared in pairs: with
//! `d_k = a_k - b_k` over n runs, mean d and standard error `s = std(d) / sqrt(n)`, "a is above b"
//!
//! ```text
//! holds if d > 2 s,   does not hold if d < -2 s,   else it is a tie
//! ```
//!
//! A sentence about several pairs holds if it holds for all, does not hold if it does not hold for one, and else is a tie.
//! Where neither side is above the accuracy of the largest class, nobody has succeeded, and it is a tie as well.

use xray_report::{Column, Table, number};

use crate::evaluate::mean_and_spread;
use crate::page::Page;

/// Standard errors that a difference has to exceed.
pub(super) const ERRORS: f64 = 2.0;

/// What becomes of a sentence; the worse ones are larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Holds,
    Tie,
    DoesNotHold,
}

impl Outcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Tie => "tie",
            Outcome::DoesNotHold => "does not hold",
        }
    }

    /// Whether something that was counted or proven, and has no error, is so.
    pub(super) fn of(holds: bool) -> Self {
        if holds { Outcome::Holds } else { Outcome::DoesNotHold }
    }

    /// What becomes of the opposite.
    pub(super) fn opposite(self) -> Self {
        match self {
            Outcome::Holds => Outcome::DoesNotHold,
            Outcome::Tie => Outcome::Tie,
            Outcome::DoesNotHold => Outcome::Holds,
        }
    }

    fn markdown(self) -> &'static str {
        match self {
            Outcome::Holds => "holds",
            Outcome::Tie => "*tie*",
            Outcome::DoesNotHold => "**does not hold here**",
        }
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub mean: f64,
    pub error: f64,
}

impl Estimate {
    /// Of the figures of several runs.
    pub(super) fn of(values: &[f64]) -> Self {
        let (mean, spread) = mean_and_spread(values);
        Self { mean, error: spread / (values.len().max(1) as f64).sqrt() }
    }

    /// Of the differences of two lists of runs on the same data.
    ///
    /// # Panics
    /// If the lists differ in length.
    pub(super) fn of_differences(a: &[f64], b: &[f64]) -> Self {
        assert_eq!(a.len(), b.len(), "figures of the same runs");
        Self::of(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
    }

    /// Whether it is above a number, by standard errors.
    pub(super) fn above(&self, other: f64) -> Outcome {
        let difference = self.mean - other;
        if difference > ERRORS * self.error {
            Outcome::Holds
        } else if difference < -ERRORS * self.error {
            Outcome::DoesNotHold
        } else {
            Outcome::Tie
        }
    }

    /// As `0.123 ± 0.004`, times a factor.
    pub(super) fn shown(&self, factor: f64, decimals: usize) -> String {
        let show = |value: f64| number::fixed(factor * value, decimals);
        format!("{} ± {}", show(self.mean), show(self.error))
    }
}

/// Runs of one method, by the name that people know it by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runs<'a> {
    pub label: &'a str,
    pub values: &'a [f64],
}

/// Whether all of `ours` are above all of `rivals`: the outcome, and the pair that decides it with its difference.
/// `floor` is what those reach who look at nothing.
pub(super) fn all_above(
    ours: &[Runs<'_>],
    rivals: &[Runs<'_>],
    floor: Option<f64>,
) -> (Outcome, Deciding) {
    let pairs = ours.iter().flat_map(|ours| rivals.iter().map(move |rival| (ours, rival)));
    let judged = pairs.map(|(ours, rival)| {
        let difference = Estimate::of_differences(ours.values, rival.values);
        let outcome = match floor {
            Some(floor) if !exceeds(ours, floor) && !exceeds(rival, floor) => Outcome::Tie,
            _ => difference.above(0.0),
        };
        (outcome, Deciding::new(ours.label, rival.label, difference))
    });
    worst(judged)
}

/// The worst of several pairs decides; of equally bad ones that with the smallest difference.
pub(super) fn worst(judged: impl Iterator<Item = (Outcome, Deciding)>) -> (Outcome, Deciding) {
    let worse = |a: &(Outcome, Deciding), b: &(Outcome, Deciding)| {
        a.0.cmp(&b.0).then(b.1.difference.mean.total_cmp(&a.1.difference.mean))
    };
    let nothing = Deciding { pair: "nothing to compare".into(), difference: Estimate::of(&[]) };
    judged.max_by(worse).unwrap_or((Outcome::Tie, nothing))
}

fn exceeds(runs: &Runs<'_>, floor: f64) -> bool {
    Estimate::of(runs.values).above(floor) == Outcome::Holds
}

/// The difference that decided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Deciding {
    /// Which two were compared.
    pub pair: String,
    pub difference: Estimate,
}

impl Deciding {
    pub(super) fn new(ours: &str, rival: &str, difference: Estimate) -> Self {
        Self { pair: format!("{ours} - {rival}"), difference }
    }

    /// Of two lists that are not of the same runs.
    pub(super) fn unpaired(ours: Runs<'_>, rival: Runs<'_>) -> Self {
        let [a, b] = [ours, rival].map(|runs| Estimate::of(runs.values));
        let difference = Estimate { mean: a.mean - b.mean, error: a.error.hypot(b.error) };
        Self::new(ours.label, rival.label, difference)
    }
}

/// A sentence, and what became of it on some data.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// Word by word as in the paper, or ours if it says `ours`.
    pub sentence: &'static str,
    /// Data and setting.
    pub about: String,
    pub outcome: Outcome,
    /// The difference that decided; none if it was counted.
    pub deciding: Option<Deciding>,
    /// More figures.
    pub figures: String,
    /// Whether an earlier edition of the page said "holds" of the sentence.
    pub held_before: bool,
}

impl Verdict {
    /// A sentence about differences.
    pub(super) fn new(
        sentence: &'static str,
        about: impl Into<String>,
        (outcome, deciding): (Outcome, Deciding),
    ) -> Self {
        let (about, figures) = (about.into(), String::new());
        let deciding = Some(deciding);
        Self { sentence, about, outcome, deciding, figures, held_before: false }
    }

    /// A sentence about something that is counted, without error.
    pub(super) fn counted(
        sentence: &'static str,
        about: impl Into<String>,
        outcome: Outcome,
    ) -> Self {
        let (about, figures) = (about.into(), String::new());
        Self { sentence, about, outcome, deciding: None, figures, held_before: false }
    }

    pub(super) fn figures(self, figures: impl Into<String>) -> Self {
        Self { figures: figures.into(), ..self }
    }

    pub(super) fn held_before(self) -> Self {
        Self { held_before: true, ..self }
    }

    fn item(&self) -> String {
        let decided = self
            .deciding
            .as_ref()
            .map(|deciding| format!("{}: {}", deciding.pair, deciding.difference.shown(1.0, 4)));
        let figures = (!self.figures.is_empty()).then(|| self.figures.clone());
        let parts: Vec<String> =
            [Some(self.about.clone()), decided, figures].into_iter().flatten().collect();
        format!("{} ({})", self.outcome.markdown(), parts.join("; "))
    }
}

/// Puts the verdicts on the page, sentence by sentence, with those that changed, and all of them in a file.
pub(super) fn judge(page: &mut Page, verdicts: &[Verdict]) {
    page.paragraph(format!(
        "Each sentence of the paper, word by word, and what becomes of it here: it *holds* if the difference that it \
         claims is more than {ERRORS} standard errors above 0 (± is one standard error of the mean, over the same runs \
         for both sides), *does not hold* if it is as much below, and is a *tie* otherwise. Of several pairs the worst \
         decides, and is named."
    ));
    let mut sentences: Vec<&str> = Vec::new();
    for verdict in verdicts {
        if !sentences.contains(&verdict.sentence) {
            sentences.push(verdict.sentence);
        }
    }
    for sentence in sentences {
        page.paragraph(format!("> {sentence}"));
        let of = verdicts.iter().filter(|verdict| verdict.sentence == sentence);
        page.list(of.map(Verdict::item));
    }
    let changed: Vec<String> = verdicts.iter().filter_map(changed).collect();
    if !changed.is_empty() {
        page.paragraph(
            "An earlier edition of this page (one preparation of texts, no standard errors) said \"holds\" of:",
        );
        page.list(changed);
    }
    page.csv("verdicts", &csv(verdicts));
}

/// What to say of a sentence that was said to hold.
fn changed(verdict: &Verdict) -> Option<String> {
    (verdict.held_before && verdict.outcome != Outcome::Holds).then(|| {
        format!("{} ({}): now {}", verdict.sentence, verdict.about, verdict.outcome.name())
    })
}

fn csv(verdicts: &[Verdict]) -> Table {
    let headers = [
        "sentence",
        "about",
        "outcome",
        "deciding_pair",
        "difference",
        "standard_error",
        "held_in_earlier_edition",
        "figures",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for verdict in verdicts {
        let [pair, difference, error] = match &verdict.deciding {
            Some(Deciding { pair, difference }) => {
                [pair.clone(), difference.mean.to_string(), difference.error.to_string()]
            }
            None => [const { String::new() }; 3],
        };
        table.row([
            verdict.sentence.to_owned(),
            verdict.about.clone(),
            verdict.outcome.name().to_owned(),
            pair,
            difference,
            error,
            verdict.held_before.to_string(),
            verdict.figures.clone(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs<'a>(label: &'a str, values: &'a [f64]) -> Runs<'a> {
        Runs { label, values }
    }

    #[test]
    fn differences_within_two_standard_errors_are_ties() {
        // Mean 0.1, standard deviation 0.1 over 4 runs: a standard error of 0.05 is not enough by a hair.
        let close = Estimate::of(&[0.0, 0.1, 0.2, 0.1]);
        assert!((close.error - (0.02f64 / 3.0).sqrt() / 2.0).abs() < 1e-15);
        assert_eq!(close.above(0.0), Outcome::Holds);
        assert_eq!(close.above(0.03), Outcome::Tie);
        assert_eq!(close.above(0.1), Outcome::Tie);
        assert_eq!(close.above(0.2), Outcome::DoesNotHold);
        assert_eq!(Estimate::of(&[0.5; 3]).above(0.5), Outcome::Tie, "equal figures are a tie");
    }

    #[test]
    fn runs_are_compared_in_pairs() {
        // Runs differ much, but a is always better by about the same: in pairs that is clear.
        let (a, b) = ([0.2, 0.9, 0.5, 0.7], [0.1, 0.79, 0.41, 0.6]);
        let (outcome, deciding) = all_above(&[runs("a", &a)], &[runs("b", &b)], None);
        assert_eq!((outcome, &deciding.pair[..]), (Outcome::Holds, "a - b"));
        let (outcome, _) = all_above(&[runs("b", &b)], &[runs("a", &a)], None);
        assert_eq!(outcome, Outcome::DoesNotHold);
    }

    #[test]
    fn the_worst_pair_decides() {
        let [high, same, low] = [[0.9, 0.91], [0.5, 0.51], [0.1, 0.11]];
        let (high, same, low) = (runs("high", &high), runs("same", &same), runs("low", &low));
        assert_eq!(all_above(&[high], &[same, low], None).0, Outcome::Holds);
        let (outcome, deciding) = all_above(&[high, same], &[same, low], None);
        assert_eq!((outcome, &deciding.pair[..]), (Outcome::Tie, "same - same"));
        let (outcome, deciding) = all_above(&[high, low], &[same], None);
        assert_eq!((outcome, &deciding.pair[..]), (Outcome::DoesNotHold, "low - same"));
    }

    #[test]
    fn nobody_wins_at_the_accuracy_of_the_largest_class() {
        let (a, b) = ([0.51, 0.5101, 0.51], [0.509, 0.5091, 0.509]);
        let (a, b) = (runs("a", &a), runs("b", &b));
        assert_eq!(all_above(&[a], &[b], None).0, Outcome::Holds);
        assert_eq!(all_above(&[a], &[b], Some(0.5101)).0, Outcome::Tie);
        let high = [0.9, 0.91, 0.9];
        assert_eq!(all_above(&[runs("high", &high)], &[b], Some(0.51)).0, Outcome::Holds);
        assert_eq!(all_above(&[b], &[runs("high", &high)], Some(0.51)).0, Outcome::DoesNotHold);
    }

    #[test]
    fn pages_list_what_changed_and_files_have_the_errors() {
        let (a, b) = ([0.5, 0.6], [0.6, 0.5]);
        let judged = all_above(&[runs("a", &a)], &[runs("b", &b)], None);
        let verdicts = [
            Verdict::new("a beats b", "BBC", judged).held_before(),
            Verdict::counted("a is exact", "clean data", Outcome::of(true)).held_before(),
        ];
        let mut page = Page::new("p", "P", "Made by hand.");
        judge(&mut page, &verdicts);
        let text = xray_data_text(&page);
        assert!(text.contains("> a beats b\n\n- *tie* (BBC; a - b: 0.0000 ± 0.1000)"), "{text}");
        assert!(text.contains("no standard errors) said \"holds\" of:"), "{text}");
        assert!(text.contains("- a beats b (BBC): now tie"), "{text}");
        assert!(!text.contains("a is exact (clean data)"), "{text}");
        let csv = csv(&verdicts);
        assert_eq!((csv.n_rows(), csv.records().count()), (2, 3));
    }

    fn xray_data_text(page: &Page) -> String {
        crate::page::join(std::slice::from_ref(page), "")
    }
}
