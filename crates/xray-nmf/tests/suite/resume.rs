//! A run that is cut short and resumed, on any number of ranks, has the bits of one that was not.

use crate::support::all_bits;
use crate::support::problems::{Kind, Random, problem};
use xray_nmf::comm::{Communicator, OneRank, run_local_ranks};
use xray_nmf::{
    Error, Factorization, Fit, Matrix, Next, Normalize, Observer, Ownership, Params, Portion,
    Result, RunState, Selection, SparseMatrix, Step, Termination, fit,
};

/// Stops on the last rank after so many anchors, and keeps the state that is shown then.
struct CutAfter {
    n_anchors: usize,
    stops: bool,
    seen: usize,
    state: Option<RunState>,
}

impl Observer for CutAfter {
    fn step(&mut self, _: &Step) -> Next {
        self.seen += 1;
        if self.stops && self.seen == self.n_anchors { Next::Stop } else { Next::Continue }
    }

    fn state(&mut self, state: &RunState) {
        self.state = Some(state.clone());
    }
}

fn matrix() -> SparseMatrix<'static, f64> {
    problem(Kind::Sparse, 40, 1100, &mut Random(7)).sparse()
}

/// Goes on from a state with the own columns of `x`.
fn resume(
    x: &SparseMatrix<'static, f64>,
    comm: &dyn Communicator,
    params: &Params,
    state: &RunState,
    observer: &mut dyn Observer,
) -> Result<Factorization> {
    let own = x.columns_of(&Ownership::columns(x.n_columns(), comm));
    let portion = Portion { columns: &own, rows: None, n_columns: x.n_columns() };
    Fit::part(portion, comm).resume(state).observe(observer).run(params)
}

/// The state after `n_anchors`, found on `size` ranks.
fn cut(x: &SparseMatrix<'static, f64>, params: &Params, n_anchors: usize, size: usize) -> RunState {
    let states = run_local_ranks(size, |comm| {
        let stops = comm.rank() + 1 == size;
        let mut observer = CutAfter { n_anchors, stops, seen: 0, state: None };
        resume(x, comm, params, &RunState::default(), &mut observer).expect("a fit");
        observer.state.expect("more anchors than that")
    });
    assert!(states.iter().all(|state| *state == states[0]), "the same on all ranks");
    assert_eq!(states[0].steps.len(), n_anchors);
    states.into_iter().next().expect("one rank at least")
}

#[test]
fn resumed_runs_have_the_bits_of_whole_ones() {
    let x = matrix();
    // Few candidates, so that some points see none and are settled.
    let few = Some((0..1100).step_by(37).collect::<Vec<_>>());
    for selection in Selection::ALL {
        for (mean_ray, normalize, candidates) in [
            (false, Normalize::None, None),
            (true, Normalize::None, None),
            (false, Normalize::L1, few.clone()),
        ] {
            let params =
                Params { selection, mean_ray, normalize, candidates, seed: 5, ..Params::new(9) };
            let whole = fit(&x, &params).expect("a fit");
            for (before, after) in [(1, 3), (3, 1), (2, 2)] {
                let state = cut(&x, &params, 4, before);
                let parts = run_local_ranks(after, |comm| {
                    let found = resume(&x, comm, &params, &state, &mut ()).expect("a fit");
                    let weights = found.coefficients().gathered(comm, 0).expect("ranks talk");
                    (found, weights)
                });
                let what = format!("{before} to {after} ranks, {params:?}");
                if after == 1 {
                    assert_eq!(all_bits(&parts[0].0), all_bits(&whole), "{what}");
                }
                for (found, _) in &parts {
                    let key = |step: &Step| (step.anchor, step.score, step.margin, step.residual);
                    let steps: Vec<_> = found.steps().iter().map(key).collect();
                    let expected: Vec<_> = whole.steps().iter().map(key).collect();
                    assert_eq!(steps, expected, "{what}");
                }
                assert_eq!(parts[0].1.as_ref(), Some(whole.coefficients()), "{what}");
                assert!(parts[1..].iter().all(|(_, weights)| weights.is_none()), "{what}");
            }
        }
    }
}

/// Huge columns hide the scores of small ones, some of which see no candidate: what the rules that score
/// columns remember of them must survive, too.
#[test]
fn resumed_runs_remember_what_rounding_hid() {
    let mut random = Random(0x41d);
    let factors: Vec<f64> = (0..300).map(|_| 10f64.powi(-(random.below(16) as i32))).collect();
    let x = problem(Kind::Noisy, 20, 300, &mut random);
    let x = x.map_columns(|j, column| column.iter().map(|v| v * factors[j]).collect()).sparse();
    for selection in [Selection::Greedy, Selection::Agg, Selection::Joint] {
        let candidates = Some((0..300).step_by(9).collect::<Vec<_>>());
        let params = Params { selection, candidates, ..Params::new(60) };
        let whole = fit(&x, &params).expect("a fit");
        assert_eq!(whole.termination(), Termination::Exhausted);
        let hidden = whole.steps().iter().filter(|step| step.exterior.is_some()).count();
        assert!(hidden > 1, "{selection:?}: {hidden} of {}", whole.rank());
        for n_anchors in 1..whole.rank() {
            let state = cut(&x, &params, n_anchors, 2);
            let resumed = resume(&x, &OneRank, &params, &state, &mut ()).expect("a fit");
            assert_eq!(all_bits(&resumed), all_bits(&whole), "{selection:?} after {n_anchors}");
        }
    }
}

#[test]
fn a_foreign_checkpoint_is_refused() {
    let x = matrix();
    let params = Params::new(6);
    let good = cut(&x, &params, 3, 1);
    let refused =
        |state: &RunState| resume(&x, &OneRank, &params, state, &mut ()).map(|_| ()).unwrap_err();
    let mut other = good.clone();
    other.steps[1].residual *= 1.0 + f64::EPSILON;
    assert!(matches!(refused(&other), Error::Resume { step: 2, .. }));
    let mut other = good.clone();
    other.steps[2].anchor = 1100;
    assert!(refused(&other).to_string().contains("does not exist"));
    let mut other = good;
    other.steps[2].anchor = other.steps[0].anchor;
    assert!(refused(&other).to_string().contains("twice"));
}

/// Asks for the state every second step, on the last rank only.
struct Saving {
    asks: bool,
    seen: usize,
    states: Vec<RunState>,
}

impl Observer for Saving {
    fn step(&mut self, _: &Step) -> Next {
        self.seen += 1;
        if self.asks && self.seen.is_multiple_of(2) { Next::Save } else { Next::Continue }
    }

    fn state(&mut self, state: &RunState) {
        self.states.push(state.clone());
    }
}

#[test]
fn a_state_that_one_rank_asks_for_is_shown_to_all_and_never_twice() {
    let x = matrix();
    let params = Params::new(6);
    let saved = cut(&x, &params, 3, 1);
    for state in [RunState::default(), saved] {
        let shown = run_local_ranks(3, |comm| {
            let mut saving = Saving { asks: comm.rank() == 2, seen: 0, states: Vec::new() };
            resume(&x, comm, &params, &state, &mut saving).expect("a fit");
            saving.states
        });
        let lengths: Vec<usize> = shown[0].iter().map(|state| state.steps.len()).collect();
        let new = [2, 4, 6].into_iter().filter(|&n| n > state.steps.len());
        assert_eq!(lengths, new.collect::<Vec<_>>());
        assert!(shown.iter().all(|states| *states == shown[0]));
    }
}
