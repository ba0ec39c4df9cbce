//! A run that is stopped within a step has the bits of one that ended before it.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::support::all_bits;
use crate::support::problems::{Kind, Random, problem};
use xray_nmf::comm::{Communicator, OneRank, run_local_ranks};
use xray_nmf::{
    Engine, Error, Factorization, Factors, Fit, Matrix, Next, Observer, Ownership, Params, Portion,
    Refine, Refinement, Result, RunState, Selection, SparseMatrix, Step, StopRequest, Termination,
    fit,
};

/// Moments of a run at which it is stopped.
const MOMENTS: u32 = 8;

/// Keeps the state that is shown last.
#[derive(Default)]
struct Saved(Option<RunState>);

impl Observer for Saved {
    fn step(&mut self, _: &Step) -> Next {
        Next::Continue
    }

    fn state(&mut self, state: &RunState) {
        self.0 = Some(state.clone());
    }
}

/// Runs `work` with a request that is made after `wait`.
fn stopped_after<R>(wait: Duration, work: impl FnOnce(&StopRequest) -> R) -> R {
    let request = StopRequest::new();
    std::thread::scope(|scope| {
        let signal = request.clone();
        scope.spawn(move || {
            std::thread::sleep(wait);
            signal.make();
        });
        work(&request)
    })
}

/// A stopped run is that of as many steps as it has, and its state leads to the whole one.
fn compare(
    x: &dyn Matrix,
    params: &Params,
    whole: &Factorization,
    stopped: &Result<Factorization>,
    state: Option<RunState>,
) -> usize {
    let found = match stopped {
        Ok(found) => found,
        Err(error) => {
            assert_eq!((error, state), (&Error::Stopped, None));
            return 0;
        }
    };
    let rank = found.rank();
    if found.termination() != Termination::Stopped {
        assert_eq!(all_bits(found), all_bits(whole), "{params:?}");
        return rank;
    }
    let expected = whole.truncate(rank);
    assert_eq!(all_bits(found), all_bits(&expected), "{rank} anchors of {params:?}");
    assert_eq!(found.kkt_violation().to_bits(), expected.kkt_violation().to_bits());
    assert_eq!(found.anchor_columns(), expected.anchor_columns());
    assert_eq!(found.excess_bound(), expected.excess_bound());
    assert_eq!(all_bits(&found.truncate(1)), all_bits(&whole.truncate(1)));
    let state = state.expect("a stopped run shows its state");
    assert_eq!(state.steps.len(), rank);
    let resumed = Fit::of(x).resume(&state).run(params).expect("a fit");
    assert_eq!(resumed.anchors(), whole.anchors());
    rank
}

#[test]
fn steps_that_are_given_up_leave_nothing_behind() {
    let x = problem(Kind::Sparse, 40, 1100, &mut Random(7)).sparse();
    let mut cut = 0;
    for selection in Selection::ALL {
        for (engine, mean_ray) in [(Engine::Lazy, false), (Engine::Direct, true)] {
            let params = Params { selection, engine, mean_ray, seed: 5, ..Params::new(12) };
            let start = Instant::now();
            let whole = fit(&x, &params).expect("a fit");
            let time = start.elapsed();
            for moment in 0..MOMENTS {
                let mut saved = Saved::default();
                let stopped = stopped_after(time * moment / MOMENTS, |request| {
                    Fit::of(&x).stop(request).observe(&mut saved).run(&params)
                });
                let rank = compare(&x, &params, &whole, &stopped, saved.0);
                cut += usize::from((1..12).contains(&rank));
            }
        }
    }
    assert!(cut > MOMENTS as usize, "only {cut} runs were stopped on their way");
}

#[test]
fn a_long_step_is_given_up_at_once() {
    let x = problem(Kind::Uniform, 900, 1800, &mut Random(3));
    let x = x.dense();
    let params = Params { selection: Selection::Greedy, engine: Engine::Direct, ..Params::new(9) };
    let start = Instant::now();
    // Without a cache every step takes as long as the first.
    let first =
        Fit::of(&x).memory(Some(0)).run(&Params { rank: 1, ..params.clone() }).expect("a fit");
    let step = start.elapsed();
    // Within the first step there is nothing to keep.
    let start = Instant::now();
    let found =
        stopped_after(step / 8, |request| Fit::of(&x).memory(Some(0)).stop(request).run(&params));
    let time = start.elapsed();
    assert_eq!(found.unwrap_err(), Error::Stopped);
    assert!(time < step * 3 / 4, "{time:?} of a step of {step:?}");
    // Within the second it is the first anchor.
    let mut seen = 0;
    let request = StopRequest::new();
    let stop = move |signal: StopRequest| {
        std::thread::sleep(step / 8);
        signal.make();
        Instant::now()
    };
    let mut asked = None;
    let mut watch = |_: &Step| {
        seen += 1;
        let signal = request.clone();
        asked = Some(std::thread::spawn(move || stop(signal)));
        ControlFlow::Continue(())
    };
    let fit = Fit::of(&x).memory(Some(0)).stop(&request).observe(&mut watch);
    let found = fit.run(&params).expect("an anchor");
    let end = Instant::now();
    let asked = asked.expect("one step was seen").join().expect("no panic");
    assert!(end - asked < step * 3 / 4, "{:?} of a step of {step:?}", end - asked);
    assert_eq!((seen, found.anchors()), (1, first.anchors()));
}

#[test]
fn ranks_give_up_a_step_together() {
    let x = problem(Kind::Sparse, 60, 1500, &mut Random(8)).sparse();
    for selection in [Selection::Greedy, Selection::Dist, Selection::Max] {
        let params = Params { selection, engine: Engine::Direct, seed: 5, ..Params::new(12) };
        let start = Instant::now();
        let whole = ranks(&x, &params, Duration::MAX).remove(0).expect("a fit");
        let time = start.elapsed();
        for moment in 0..MOMENTS {
            let found = ranks(&x, &params, time * moment / MOMENTS);
            let steps = |found: &Result<Factorization>| match found {
                Ok(found) => found.steps().to_vec(),
                Err(error) => {
                    assert_eq!(*error, Error::Stopped);
                    Vec::new()
                }
            };
            let first = steps(&found[0]);
            assert!(found.iter().all(|found| steps(found) == first), "{params:?}");
            assert_eq!(first, whole.steps()[..first.len()]);
        }
    }
}

/// The answers of three ranks, of which the last is asked to stop after `wait`.
fn ranks(
    x: &SparseMatrix<'static, f64>,
    params: &Params,
    wait: Duration,
) -> Vec<Result<Factorization>> {
    run_local_ranks(3, |comm| {
        let own = x.columns_of(&Ownership::columns(x.n_columns(), comm));
        let portion = Portion { columns: &own, rows: None, n_columns: x.n_columns() };
        let fit = |request: &StopRequest| Fit::part(portion, comm).stop(request).run(params);
        if comm.rank() < 2 || wait == Duration::MAX {
            return fit(&StopRequest::new());
        }
        stopped_after(wait, fit)
    })
}

#[test]
fn refinement_keeps_the_last_complete_step() {
    let x = problem(Kind::Uniform, 300, 400, &mut Random(5));
    let x = x.dense();
    let start = fit(&x, &Params::new(8)).expect("a fit").factors(&OneRank).expect("one rank");
    for method in Refinement::ALL {
        let refined = |request: &StopRequest, steps: usize| {
            let refine = Refine::of(&x).method(method).steps(steps, 0.0).stop(request);
            refine.run(start.clone()).expect("refined")
        };
        let never = StopRequest::new();
        let begin = Instant::now();
        let whole = refined(&never, 20);
        let time = begin.elapsed();
        for moment in 0..MOMENTS {
            let wait = time * moment / MOMENTS;
            let stopped = stopped_after(wait, |request| refined(request, 20));
            let steps = stopped.objective.len().saturating_sub(1);
            assert_eq!(stopped.objective, whole.objective[..stopped.objective.len()]);
            let expected = match steps {
                0 => start.clone(),
                _ => refined(&never, steps),
            };
            let numbers = |factors: &Factors| (factors.w.clone(), factors.h.clone());
            assert_eq!(numbers(&stopped), numbers(&expected), "{method} after {steps} steps");
        }
    }
}
