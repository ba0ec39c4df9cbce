//! Every exact method on every exactly separable problem: one table of methods, one of problems.
//!
//! SPA, VCA and N-FINDR are exact only where the rays are linearly independent; where they are not, the
//! table demands that they end at the linear rank.

use crate::support::Grid;
use crate::support::rays::{
    Separable, assert_all_rays, dependent_rays, exact_files, random_separable, rays_of,
};
use xray_nmf::rivals::{Anchors, HottopixxParams, SnpaParams, SpaParams, hottopixx, snpa, spa};
use xray_nmf::rivals::{AroraParams, ClarksonParams, arora, clarkson};
use xray_nmf::rivals::{NfindrParams, VcaParams, nfindr, vca};
use xray_nmf::{Normalize, Params, Selection, Termination, fit};

/// A method, and what it can do.
struct Method {
    name: &'static str,
    find: fn(&Grid, usize) -> (Vec<usize>, Termination),
    /// It must miss rays that depend on others.
    needs_independence: bool,
    /// It finds out by itself that there are no more rays.
    counts_rays: bool,
}

const fn exact(name: &'static str, find: fn(&Grid, usize) -> (Vec<usize>, Termination)) -> Method {
    Method { name, find, needs_independence: false, counts_rays: true }
}

fn methods() -> Vec<Method> {
    vec![
        exact("max", |x, rank| by_fit(x, rank, Selection::Max)),
        exact("dist", |x, rank| by_fit(x, rank, Selection::Dist)),
        exact("rand", |x, rank| by_fit(x, rank, Selection::Rand)),
        exact("snpa", |x, rank| answer(snpa(&x.dense(), &SnpaParams::new(rank)).unwrap())),
        Method {
            needs_independence: true,
            ..exact("spa", |x, rank| answer(spa(&x.dense(), &SpaParams::new(rank)).unwrap()))
        },
        Method {
            needs_independence: true,
            ..exact("vca", |x, rank| answer(vca(&x.dense(), &VcaParams::new(rank)).unwrap()))
        },
        Method { needs_independence: true, ..exact("nfindr", scaled_nfindr) },
        Method { counts_rays: false, ..exact("hottopixx", converged) },
        exact("arora", |x, rank| answer(arora(&x.dense(), &AroraParams::new(rank)).unwrap())),
        exact("clarkson", |x, rank| {
            answer(clarkson(&x.dense(), &ClarksonParams::new(rank)).unwrap())
        }),
    ]
}

fn answer(found: Anchors) -> (Vec<usize>, Termination) {
    (found.anchors, found.termination)
}

/// Columns of sum 1, which it needs.
fn scaled_nfindr(x: &Grid, rank: usize) -> (Vec<usize>, Termination) {
    let params = NfindrParams { normalize: Normalize::L1, ..NfindrParams::new(rank) };
    answer(nfindr(&x.dense(), &params).unwrap())
}

fn by_fit(x: &Grid, rank: usize, selection: Selection) -> (Vec<usize>, Termination) {
    let params = Params { selection, ..Params::new(rank) };
    let found = fit(&x.dense(), &params).unwrap();
    (found.anchors(), found.termination())
}

/// Hottopixx, with its proof that the program was solved.
fn converged(x: &Grid, rank: usize) -> (Vec<usize>, Termination) {
    let params = HottopixxParams::converged(rank);
    let found = hottopixx(&x.dense(), &params).unwrap();
    let (reached, bound) = (*found.objective.last().unwrap(), found.bound.unwrap());
    assert!(bound <= reached + 1e-12 && reached - bound <= 1e-7 * x.n as f64, "{bound} {reached}");
    answer(found)
}

/// Runs a method on a problem, with exactly the rank that it has and with more.
fn check(method: &Method, problem: &Separable) {
    let rays = &problem.rays;
    let what = format!("{} on {}", method.name, problem.name);
    let extras: &[usize] = if method.counts_rays { &[0, 3] } else { &[0] };
    for &extra in extras {
        let (anchors, ended) = (method.find)(&problem.x, rays.len() + extra);
        if method.needs_independence && !problem.is_independent() {
            assert_eq!(anchors.len(), problem.linear_rank(), "{what} must miss rays");
            assert_eq!(ended, Termination::Exhausted, "{what}");
            let found = rays_of(&anchors, rays);
            assert!(found.len() < rays.len() && found[0] >= 0, "{what}: {found:?}");
            continue;
        }
        assert_all_rays(&anchors, rays, &what);
        let expected = [Termination::RankReached, Termination::Exhausted][usize::from(extra > 0)];
        assert_eq!(ended, expected, "{what}");
    }
}

fn check_all(problems: &[Separable]) {
    for (method, problem) in methods().iter().flat_map(|m| problems.iter().map(move |p| (m, p))) {
        check(method, problem);
    }
}

#[test]
fn exact_methods_find_all_rays_of_the_reference_files() {
    check_all(&exact_files());
}

#[test]
fn exact_methods_find_all_rays_of_200_random_problems() {
    let problems = random_separable();
    let independent = problems.iter().filter(|p| p.is_independent()).count();
    println!("{independent} of {} problems with independent rays", problems.len());
    assert!(problems.len() == 200 && (60..=180).contains(&independent));
    check_all(&problems);
}

#[test]
fn exact_methods_find_more_rays_than_dimensions_but_spa_vca_and_nfindr_cannot() {
    let problems = dependent_rays();
    let counts: Vec<(usize, usize)> =
        problems.iter().map(|p| (p.rays.len(), p.linear_rank())).collect();
    assert_eq!(counts, [(4, 3), (8, 3), (11, 5)]);
    check_all(&problems);
}
