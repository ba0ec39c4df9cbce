//! Whether costs grow no faster than the analysis says.

use xray_report::number;

use super::super::verdict::{Deciding, ERRORS, Estimate, Outcome, Verdict};
use super::Curve;

/// What the measured growth says, in a sentence or two.
pub(super) fn summary(curves: &[Curve]) -> String {
    let told = |outcome: Outcome| {
        let judged = curves.iter().filter(|curve| verdict(curve, curves).outcome == outcome);
        judged.map(Curve::title).collect::<Vec<_>>()
    };
    let first = match (&told(Outcome::DoesNotHold)[..], &told(Outcome::Tie)[..]) {
        ([], []) => "No cost grows faster than the analysis says.".to_owned(),
        ([], ties) => format!(
            "No cost grows clearly faster than the analysis says; within the error of the bound: {}.",
            ties.join("; ")
        ),
        (worse, _) => format!("Faster than the analysis says grow: {}.", worse.join("; ")),
    };
    let steep = |curve: &&Curve| {
        curve.direct(curves).is_some()
            && curve.exponent().above(curve.size.bound()) == Outcome::Holds
    };
    let steep: Vec<String> = curves.iter().filter(steep).map(Curve::title).collect();
    if steep.is_empty() {
        return first;
    }
    format!(
        "{first} Lazy fits whose own exponent is clearly above that of the bound: {}; whether they stay below the direct \
         engine is judged below.",
        steep.join("; ")
    )
}

const BOUNDED: &str = "ours: the time grows no faster than the analysis says (exponent at most 1 for n, 1 for nnz, 3 for r; \
    max, and the direct engine, which bounds the lazy one)";
const BELOW: &str =
    "ours: the lazy engine takes no longer than the direct one, at any of the sizes";

/// It does not if the exponent is clearly larger, or if a lazy fit takes longer than a direct one.
pub(super) fn verdict(curve: &Curve, curves: &[Curve]) -> Verdict {
    if let Some(direct) = curve.direct(curves) {
        let (low, high) = curve.shares(direct);
        let about = format!("{}, {}", curve.size.name(), curve.label());
        let shown = [low, high].map(|share| number::percent(share, 1));
        let figures = format!(
            "{} to {} of the time; its own exponent is {}",
            shown[0],
            shown[1],
            curve.exponent().shown(1.0, 2)
        );
        return Verdict::counted(BELOW, about, Outcome::of(high <= 1.0)).figures(figures);
    }
    let exponent = curve.exponent();
    let outcome = match exponent.above(curve.size.bound()) {
        Outcome::Holds => Outcome::DoesNotHold,
        Outcome::Tie if exponent.mean > curve.size.bound() => Outcome::Tie,
        Outcome::Tie | Outcome::DoesNotHold => Outcome::Holds,
    };
    let difference = Estimate { mean: exponent.mean - curve.size.bound(), ..exponent };
    let pair = "exponent - bound".to_owned();
    let about = format!("{}, {}", curve.size.name(), curve.label());
    Verdict::new(BOUNDED, about, (outcome, Deciding { pair, difference }))
        .figures(format!("exponent {}, {ERRORS} errors allowed", exponent.shown(1.0, 2)))
}

#[cfg(test)]
mod tests {
    use xray_nmf::Engine;

    use super::super::Size;
    use super::super::tests::curve;
    use super::*;

    #[test]
    fn growth_beyond_the_bound_is_told() {
        let outcome = |size, exponent, noise| verdict(&curve(size, exponent, noise), &[]).outcome;
        assert_eq!(outcome(Size::Columns, 0.8, 0.05), Outcome::Holds);
        assert_eq!(outcome(Size::Columns, 1.2, 0.2), Outcome::Tie);
        assert_eq!(outcome(Size::Columns, 1.5, 0.01), Outcome::DoesNotHold);
        assert_eq!(outcome(Size::Rank, 2.5, 0.1), Outcome::Holds);
    }

    #[test]
    fn lazy_fits_are_bounded_by_direct_ones() {
        let direct = Curve { engine: Engine::Direct, ..curve(Size::Columns, 0.9, 0.0) };
        let steep = curve(Size::Columns, 1.5, 0.0);
        let points = steep.points.iter().map(|(x, seconds, bytes)| (*x, 0.1 * seconds, *bytes));
        let below = Curve { points: points.collect(), ..curve(Size::Columns, 0.0, 0.0) };
        assert_eq!(verdict(&steep, std::slice::from_ref(&direct)).outcome, Outcome::DoesNotHold);
        let both = [direct, below];
        assert_eq!(verdict(&both[1], &both).outcome, Outcome::Holds);
        let told = summary(&both);
        assert!(told.starts_with("No cost grows faster"), "{told}");
        assert!(told.contains("max, lazy in n (words), 1.50 ± 0.00"), "{told}");
    }
}
