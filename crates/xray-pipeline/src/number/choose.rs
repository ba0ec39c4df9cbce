//! From two curves to a number.

use std::collections::BTreeMap;

use serde::Serialize;
use xray_nmf::{RankReason, RankSuggestion, choices};

/// Errors within this part of the least are as good, if that is also no more than such a part of what all that is told
/// amounts to: of short documents nearly all is chance, and a small part of it is many topics.
const AS_GOOD: f64 = 0.002;
const AS_GOOD_OF_TOLD: f64 = 0.02;

/// Errors within this part of the least are told as nearly as good.
const NEARLY_AS_GOOD: f64 = 0.01;

/// A least error above this tells nothing.
const TELLS: f64 = 0.98;

/// Entries of a document, in the mean, of which one half does not foretell the other, whatever the topics are.
const SHORT: f64 = 12.0;

/// An error below this is what fits take for nothing.
const NOTHING: f64 = 1e-12;

/// Stabilities of this part of the best are as good.
const AS_STABLE: f64 = 0.94;

/// Where the data support just so many topics, this part of the best stability will do: two topics may come out again
/// more surely than twenty, of twenty subjects, too.
const STABLE_ENOUGH: f64 = 0.75;

/// Stabilities of this part of the best are told as nearly as good.
const NEARLY_AS_STABLE: f64 = 0.9;

/// More topics than anyone reads: such numbers are suggested only where the data support just so many and these come out
/// again better than fewer. So many in a row that do not end the look at larger ones.
const FAR: usize = 40;
const FAR_RANKS: usize = 2;

/// The part of the largest depth below a line that is a bend; the line ends at [`FAR`].
const ENOUGH: f64 = 0.75;

/// So many ranks in a row that are this much worse than the best end the look at larger ones.
const WORSE_RANKS: usize = 3;
const WORSE_ERROR: f64 = 0.01;
const WORSE_STABILITY: f64 = 0.1;

/// A suggested number and why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NumberSuggestion {
    /// The number.
    pub rank: usize,
    /// The least and the largest number that are as good, of those that were looked at.
    pub range: (usize, usize),
    /// The most that the data support; none if more than were looked at.
    pub supported: Option<usize>,
    /// The largest number that was looked at.
    pub looked_at: usize,
    /// Which rule gave it.
    pub reason: NumberReason,
}

choices! {
    /// Which rule suggested a number.
    pub enum NumberReason ("reason") {
        Stable = "stable": "these come out again in other documents",
        Brief = "brief": "fewer come out again less well; documents are too short to tell how many they support",
        Supported = "supported": "more tell unseen entries no better",
        Knee = "knee": "unseen entries are told little better by more",
        Exhausted = "exhausted": "they explain everything",
        Residual = "residual": "anchors beyond bring little, and one about as much as the next",
        Given = "given": "so many begin with words that were given, and more were not suggested",
        Limit = "limit": "no more were to be looked at",
    }
}

impl NumberSuggestion {
    /// What one search for anchors, up to so many, suggests by itself.
    pub fn fast(fast: RankSuggestion, looked_at: usize) -> Self {
        let reason = match fast.reason {
            RankReason::Exhausted => NumberReason::Exhausted,
            RankReason::Knee | RankReason::HeldOut => NumberReason::Residual,
        };
        Self { rank: fast.rank, range: (fast.rank, fast.rank), supported: None, looked_at, reason }
    }

    /// The same, where at least so many topics were asked for.
    #[must_use]
    pub fn at_least(self, rank: usize) -> Self {
        if rank <= self.rank {
            return self;
        }
        Self { rank, range: (rank, rank), reason: NumberReason::Given, ..self }
    }

    /// The number, its range and its reason in one sentence; `what` is a topic or an anchor.
    pub fn sentence(&self, what: &str) -> String {
        let Self { rank, range: (low, high), supported, looked_at, reason } = *self;
        let plural = if rank == 1 { "" } else { "s" };
        let mut sentence = format!("{rank} {what}{plural}: {}", reason.words());
        let studied =
            matches!(reason, NumberReason::Stable | NumberReason::Supported | NumberReason::Knee);
        if low < high {
            sentence += &format!("; {low} to {high} nearly as well");
        }
        match supported {
            Some(most) if most > rank => sentence += &format!("; the data support {most}"),
            None if studied => sentence += &format!("; the data support {looked_at} and more"),
            _ => {}
        }
        sentence
    }
}

/// A number, the least and the largest that are nearly as good, and why.
type Choice = (usize, (usize, usize), NumberReason);

/// What was found so far.
pub(super) struct Curve {
    pub(super) errors: BTreeMap<usize, f64>,
    pub(super) stabilities: BTreeMap<usize, f64>,
    /// Whether there are no more anchors than were looked at.
    pub(super) exhausted: bool,
    /// The largest number that may be suggested. Errors are looked at beyond it, to see whether they turn there.
    limit: usize,
    grouped: bool,
    short: bool,
}

impl Curve {
    /// For rows that are grouped or not, with so few entries each or more.
    pub(super) fn new(limit: usize, grouped: bool, entries_of_a_row: f64) -> Self {
        let (errors, stabilities) = (BTreeMap::new(), BTreeMap::new());
        let short = entries_of_a_row <= SHORT;
        Self { errors, stabilities, exhausted: false, limit, grouped, short }
    }

    /// Whether the error of texts has been rising for a while. That of other data may rise until there are about as many
    /// anchors as it takes, and fall only then.
    pub(super) fn errors_rise(&self) -> bool {
        let least = self.least_error();
        let mut last = self.errors.values().rev().take(WORSE_RANKS);
        self.grouped
            && !self.is_brief()
            && self.errors.len() > WORSE_RANKS
            && last.all(|error| *error > least * (1.0 + WORSE_ERROR))
    }

    fn least_error(&self) -> f64 {
        self.errors.values().copied().fold(f64::INFINITY, f64::min)
    }

    /// Whether errors tell nothing.
    fn tells_nothing(&self) -> bool {
        self.least_error() > TELLS
    }

    /// Whether errors of texts tell nothing of their number of topics.
    fn is_brief(&self) -> bool {
        self.grouped && (self.short || self.tells_nothing())
    }

    /// Whether topics have been less stable for a while.
    pub(super) fn stability_falls(&self) -> bool {
        let best = self.stabilities.values().copied().fold(f64::NEG_INFINITY, f64::max);
        // Of short documents the most striking words come out again first, and then nothing for a while.
        let in_a_row = if self.is_brief() { 2 * WORSE_RANKS } else { WORSE_RANKS };
        let mut last = self.stabilities.values().rev().take(in_a_row);
        let worse = |stability: &f64| *stability < best - WORSE_STABILITY;
        self.stabilities.len() > in_a_row && last.all(worse)
    }

    /// Whether numbers beyond those that anyone reads have no say, whatever comes.
    pub(super) fn is_far_enough(&self) -> bool {
        let best = self.best_stability(FAR);
        let far: Vec<f64> = self.stabilities.range(FAR + 1..).map(|(_, value)| *value).collect();
        let no_better = far.len() >= FAR_RANKS && far.iter().all(|stability| *stability < best);
        let is_far = self.errors.last_key_value().is_some_and(|last| *last.0 > FAR);
        let have_no_say = self.is_brief() || self.stability_falls();
        self.grouped && (no_better || is_far && have_no_say)
    }

    fn best_stability(&self, most: usize) -> f64 {
        let looked_at = self.stabilities.range(..=most).map(|(_, stability)| *stability);
        looked_at.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The smallest rank whose error is as good as the least.
    fn supported(&self) -> Option<usize> {
        let least = self.least_error();
        let told = self.errors.first_key_value()?.1 - least;
        let enough = least + (AS_GOOD * least).min(AS_GOOD_OF_TOLD * told);
        self.errors.iter().find(|(_, error)| **error <= enough).map(|(k, _)| *k)
    }

    /// Whether more ranks than were looked at might do better.
    fn still_falls(&self) -> bool {
        !self.exhausted && self.errors.last_key_value().map(|last| *last.0) == self.supported()
    }

    /// The most topics that the data support, unless more than were looked at might do better.
    pub(super) fn told_supported(&self) -> Option<usize> {
        let turns = !self.still_falls() && !self.is_brief();
        self.supported().filter(|k| turns && *k <= self.limit)
    }

    /// The next rank to look at: between the one that was chosen and its neighbours.
    pub(super) fn next_error(&self) -> Option<usize> {
        between(&self.errors, self.told_supported()?).filter(|k| *k <= self.limit)
    }

    /// The largest number that may be suggested for texts.
    fn most(&self) -> usize {
        let comes_out_better =
            |k: &usize| self.stabilities.get(k).is_some_and(|s| *s > self.best_stability(FAR));
        let supported = self.told_supported().filter(|k| *k <= FAR || comes_out_better(k));
        supported.unwrap_or(FAR.min(self.limit))
    }

    /// Of the numbers that the data support, the largest that is as stable as the best, and those around it that
    /// nearly are. Where nothing tells what they support, the smallest: more come out again no better. None where
    /// rows are not grouped.
    fn stable(&self) -> Option<Choice> {
        let most = self.most();
        let supported = || self.stabilities.range(..=most).map(|(k, stability)| (*k, *stability));
        let best = self.best_stability(most);
        let mut as_stable = supported().filter(|point| point.1 >= AS_STABLE * best);
        let (k, reason) = match self.is_brief() {
            true => (as_stable.next()?.0, NumberReason::Brief),
            false => (as_stable.next_back()?.0, NumberReason::Stable),
        };
        let nearly = |stability| stability >= NEARLY_AS_STABLE * best;
        Some((k, around(supported(), k, nearly), reason))
    }

    /// The number that the data support, if it is stable enough though not as stable as fewer; and those below it that are
    /// nearly as stable as it is.
    fn stable_enough(&self) -> Option<Choice> {
        let most = self.told_supported().filter(|most| *most == self.most())?;
        let stability = *self.stabilities.get(&most)?;
        let best = self.best_stability(most);
        let curve = self.stabilities.range(..=most).map(|(k, stability)| (*k, *stability));
        let nearly = |of: f64| of >= NEARLY_AS_STABLE * stability;
        let is_enough = (STABLE_ENOUGH * best..AS_STABLE * best).contains(&stability);
        is_enough.then(|| (most, around(curve, most, nearly), NumberReason::Supported))
    }

    /// The number whose errors are as good as the least, or where they bend if nothing bounds it.
    fn by_errors(&self, looked_at: usize) -> Option<Choice> {
        let errors = || self.errors.range(..=looked_at).map(|(k, error)| (*k, *error));
        if self.told_supported().is_none() && !self.grouped {
            let (k, range) = knee(errors());
            return Some((k, range, NumberReason::Knee));
        }
        let (k, least) = (self.supported()?.min(looked_at), self.least_error());
        let nearly = |error| error <= least * (1.0 + NEARLY_AS_GOOD);
        let reason = match least < NOTHING {
            true => NumberReason::Exhausted,
            false => NumberReason::Supported,
        };
        Some((k, around(errors(), k, nearly), reason))
    }

    pub(super) fn choose(&self) -> Option<NumberSuggestion> {
        if self.tells_nothing() && !self.grouped {
            return None;
        }
        let looked_at = *self.errors.range(..=self.limit).next_back()?.0;
        let stable = self.stable_enough().or_else(|| self.stable());
        let (rank, range, reason) = stable.or_else(|| self.by_errors(looked_at))?;
        let reason = match looked_at {
            1 if !self.exhausted => NumberReason::Limit,
            _ => reason,
        };
        let supported = self.told_supported();
        Some(NumberSuggestion { rank, range, supported, looked_at, reason })
    }
}

/// The least and the largest of the ranks around `k`, without a gap, that are good; `k` itself is.
fn around(
    curve: impl Iterator<Item = (usize, f64)>,
    k: usize,
    good: impl Fn(f64) -> bool,
) -> (usize, usize) {
    let (below, above): (Vec<_>, Vec<_>) = curve.partition(|point| point.0 < k);
    let low = below.into_iter().rev().take_while(|point| good(point.1)).last();
    let high = above.into_iter().skip(1).take_while(|point| good(point.1)).last();
    (low.map_or(k, |low| low.0), high.map_or(k, |high| high.0))
}

/// A rank between `k` and one of its neighbours on the curve that has not been looked at: the middle of the wider gap.
fn between(curve: &BTreeMap<usize, f64>, k: usize) -> Option<usize> {
    let below = curve.range(..k).next_back().map_or(k, |below| *below.0);
    let above = curve.range(k + 1..).next().map_or(k, |above| *above.0);
    let (low, high) = if k - below > above - k { (below, k) } else { (k, above) };
    (high - low > 1).then_some((low + high) / 2)
}

/// Where the logarithm of the error bends: the smallest rank that is three quarters as far below the line from its
/// start to its end as any, and the ranks from there to the farthest. A line to a larger end bends elsewhere, so ranks
/// beyond [`FAR`] have no say.
fn knee(errors: impl Iterator<Item = (usize, f64)>) -> (usize, (usize, usize)) {
    let looked_at = errors.take_while(|point| point.0 <= FAR);
    let points: Vec<(f64, f64)> =
        looked_at.map(|(k, error)| (k as f64, error.max(1e-16).ln())).collect();
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return (0, (0, 0)) };
    let slope = if last.0 > first.0 { (last.1 - first.1) / (last.0 - first.0) } else { 0.0 };
    let depth = |(k, error): &(f64, f64)| first.1 + slope * (k - first.0) - error;
    let deepest = points.iter().map(depth).fold(0.0, f64::max);
    let reaches = |part: f64| {
        let found = points.iter().find(|point| depth(point) >= part * deepest);
        found.map_or(0, |point| point.0 as usize)
    };
    let bend = reaches(ENOUGH);
    (bend, (bend, reaches(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(errors: &[(usize, f64)], stabilities: &[(usize, f64)]) -> Curve {
        Curve {
            errors: errors.iter().copied().collect(),
            stabilities: stabilities.iter().copied().collect(),
            exhausted: false,
            limit: usize::MAX,
            grouped: !stabilities.is_empty(),
            short: false,
        }
    }

    #[test]
    fn the_largest_of_the_most_stable_is_taken() {
        let falling: Vec<(usize, f64)> = (1..=10).map(|k| (k, 1.0 / k as f64)).collect();
        let stable = [(2, 0.5), (4, 0.79), (5, 0.87), (6, 0.88), (8, 0.84), (10, 0.7)];
        let chosen = curve(&falling, &stable).choose().expect("a number");
        assert_eq!((chosen.rank, chosen.range, chosen.supported), (8, (5, 8), None));
        let sentence = "8 topics: these come out again in other documents; 5 to 8 nearly as well; the data \
                        support 10 and more";
        assert_eq!(chosen.sentence("topic"), sentence);
    }

    #[test]
    fn the_last_anchors_that_there_are_may_be_what_it_takes() {
        let falling = [(1, 0.3), (2, 0.29), (3, 0.28), (4, 0.27), (5, 1e-31)];
        let exact = Curve { exhausted: true, ..curve(&falling, &[]) };
        let chosen = exact.choose().expect("a number");
        assert_eq!((chosen.rank, chosen.range, chosen.supported), (5, (5, 5), Some(5)));
        assert_eq!(chosen.reason, NumberReason::Exhausted);
        // Noise is left, and there are no more anchors.
        let noisy = [(1, 0.3), (2, 0.2), (3, 0.1), (4, 0.09999)];
        let chosen = Curve { exhausted: true, ..curve(&noisy, &[]) }.choose().expect("a number");
        assert_eq!((chosen.rank, chosen.reason), (3, NumberReason::Supported));
    }

    #[test]
    fn where_unseen_entries_are_told_by_nothing_there_is_no_number() {
        let flat = [(1, 1.0), (2, 1.0), (3, 1.0)];
        assert!(curve(&flat, &[]).choose().is_none());
    }

    #[test]
    fn what_the_data_do_not_support_is_not_taken_however_stable() {
        let turning = [(1, 1.0), (2, 0.5), (3, 0.2), (4, 0.1999), (5, 0.22), (6, 0.3)];
        let stable = [(2, 0.7), (3, 0.8), (4, 0.9), (5, 0.95), (6, 0.9)];
        let chosen = curve(&turning, &stable).choose().expect("a number");
        assert_eq!((chosen.rank, chosen.range, chosen.supported), (3, (3, 3), Some(3)));
    }

    #[test]
    fn short_documents_take_the_smallest_of_the_most_stable() {
        let rising = [(1, 0.998), (2, 0.991), (4, 1.01), (8, 1.07), (16, 1.2), (32, 1.6)];
        let stable = [(2, 0.2), (4, 0.3), (8, 0.5), (16, 0.75), (32, 0.78)];
        let brief = curve(&rising, &stable);
        assert!(!brief.errors_rise() && brief.next_error().is_none());
        let chosen = brief.choose().expect("a number");
        assert_eq!((chosen.rank, chosen.range, chosen.supported), (16, (16, 32), None));
        let sentence = "16 topics: fewer come out again less well; documents are too short to tell how many they \
                        support; 16 to 32 nearly as well";
        assert_eq!(chosen.sentence("topic"), sentence);
    }

    #[test]
    fn few_words_tell_nothing_however_well_they_are_told() {
        let turning = [(1, 0.9), (2, 0.8), (4, 0.7), (8, 0.9)];
        let stable = [(2, 0.2), (4, 0.3), (8, 0.8)];
        let told = curve(&turning, &stable).choose().expect("a number");
        assert_eq!((told.rank, told.reason), (4, NumberReason::Stable));
        let short = Curve { short: true, ..curve(&turning, &stable) };
        let chosen = short.choose().expect("a number");
        assert_eq!((chosen.rank, chosen.reason), (8, NumberReason::Brief));
        let entries = [(12.0, true), (12.1, false)];
        assert!(entries.iter().all(|(mean, short)| Curve::new(9, true, *mean).short == *short));
    }

    #[test]
    fn just_as_many_as_are_supported_need_not_be_the_most_stable() {
        let turning = [(1, 0.99), (2, 0.9), (8, 0.7), (20, 0.5), (25, 0.6)];
        let chosen = |at_20| {
            let stable = [(2, 0.84), (8, 0.6), (20, at_20)];
            curve(&turning, &stable).choose().expect("a number")
        };
        let enough = chosen(0.65);
        assert_eq!((enough.rank, enough.range, enough.supported), (20, (2, 20), Some(20)));
        assert_eq!(enough.reason, NumberReason::Supported);
        let too_little = chosen(0.6);
        assert_eq!((too_little.rank, too_little.reason), (2, NumberReason::Stable));
        // As stable as the best: for that reason.
        assert_eq!(chosen(0.8).reason, NumberReason::Stable);
        // Where errors fall to the end, nothing is supported.
        let falling = curve(&turning[..4], &[(2, 0.84), (8, 0.6), (20, 0.65)]);
        assert_eq!(falling.choose().map(|chosen| chosen.rank), Some(2));
    }

    #[test]
    fn what_lies_behind_the_limit_tells_whether_errors_turn() {
        let turning = [(1, 0.9), (2, 0.8), (4, 0.7), (8, 0.6), (10, 0.7)];
        let stable = [(2, 0.9), (4, 0.6), (8, 0.7)];
        for (limit, expected) in [(8, (8, Some(8), 8)), (7, (2, None, 4)), (100, (8, Some(8), 10))]
        {
            let curve = Curve { limit, ..curve(&turning, &stable) };
            let chosen = curve.choose().expect("a number");
            assert_eq!((chosen.rank, chosen.supported, chosen.looked_at), expected, "{limit}");
            assert!(curve.next_error().is_none_or(|k| k <= limit));
        }
        // Of one topic nothing is stable, and more are not suggested.
        for grouped in [true, false] {
            let two = curve(&turning[..2], &[]);
            let chosen = Curve { limit: 1, grouped, ..two }.choose().expect("a number");
            assert_eq!(
                (chosen.rank, chosen.range, chosen.reason),
                (1, (1, 1), NumberReason::Limit)
            );
        }
    }

    #[test]
    fn more_than_anyone_reads_must_be_better() {
        let flat = [(10, 0.81), (33, 0.79), (41, 0.80), (51, 0.80), (60, 0.82)];
        let falling = [(10, 0.9), (33, 0.8), (41, 0.75), (51, 0.7)];
        let unbounded = curve(&falling, &flat[..4]);
        assert!(unbounded.is_far_enough() && !curve(&falling[..3], &flat[..3]).is_far_enough());
        let chosen = unbounded.choose().expect("a number");
        assert_eq!((chosen.rank, chosen.range, chosen.supported), (33, (10, 33), None));
        // Just so many are supported, and come out again no better, or better.
        let turning = [&falling[..], &[(60, 0.6), (70, 0.9)]].concat();
        for (stability, rank) in [(0.805, 33), (0.82, 60)] {
            let looks = [&flat[..4], &[(60, stability)]].concat();
            let chosen = curve(&turning, &looks).choose().expect("a number");
            assert_eq!((chosen.rank, chosen.supported), (rank, Some(60)));
        }
        // Of short documents nothing beyond is looked at.
        let short = Curve { short: true, ..curve(&falling[..3], &flat[..3]) };
        assert!(short.is_far_enough() && !curve(&falling[..2], &flat[..2]).is_far_enough());
    }

    #[test]
    fn numbers_are_those_that_the_data_support_or_the_bend() {
        let turning = [(1, 1.0), (2, 0.5), (3, 0.2), (4, 0.1999), (5, 0.22), (6, 0.3)];
        let chosen = curve(&turning, &[]).choose().expect("a number");
        assert_eq!((chosen.rank, chosen.supported), (3, Some(3)));
        let sentence = "3 anchors: more tell unseen entries no better; 3 to 4 nearly as well";
        assert_eq!(chosen.sentence("anchor"), sentence);
        let bending: Vec<(usize, f64)> = (1..=20_i32)
            .map(|k| (k as usize, if k < 4 { 0.1_f64.powi(k) } else { 1e-3 * 0.98_f64.powi(k) }))
            .collect();
        let chosen = curve(&bending, &[]).choose().expect("a number");
        assert_eq!((chosen.rank, chosen.reason), (3, NumberReason::Knee));
        let sentence = "3 anchors: unseen entries are told little better by more; the data support 20 and more";
        assert_eq!(chosen.sentence("anchor"), sentence);
        let smooth = |most: usize| -> Vec<(usize, f64)> {
            (1..=most).map(|k| (k, 0.5 / (k * k) as f64)).collect()
        };
        let [few, many] =
            [40, 100].map(|most| curve(&smooth(most), &[]).choose().expect("a number"));
        assert_eq!((few.rank, few.range), (many.rank, many.range));
        assert!(few.range.0 == few.rank && few.range.1 > few.rank, "{few:?}");
        assert!(curve(&[], &[]).choose().is_none());
        let one = curve(&[(1, 0.5)], &[]).choose().expect("a number");
        assert_eq!(one.sentence("topic"), "1 topic: no more were to be looked at");
        assert_eq!(chosen.at_least(3), chosen);
        let told = chosen.at_least(30).sentence("topic");
        let words =
            "30 topics: so many begin with words that were given, and more were not suggested";
        assert_eq!(told, words);
    }

    #[test]
    fn neighbours_are_looked_at_until_there_are_none() {
        let mut coarse = curve(&[(1, 1.0), (4, 0.4), (8, 0.2), (12, 0.3), (16, 0.4)], &[]);
        let truth = |k: usize| if k < 7 { 1.0 - 0.12 * k as f64 } else { 0.15 + 0.01 * k as f64 };
        let mut looks = 0;
        while let Some(k) = coarse.next_error() {
            assert!(coarse.errors.insert(k, truth(k)).is_none());
            looks += 1;
        }
        assert!(looks < 8, "{looks}");
        assert_eq!(coarse.choose().map(|chosen| chosen.supported), Some(Some(8)));
    }
}
