//! The projection `min_{h >= 0} ||x - A h||` in 32 digits, with a proof.
//!
//! Lawson and Hanson's active set on an orthogonal basis (Gram-Schmidt, every vector twice), never on normal
//! equations. The answer is accepted only if its residual `r = x - A h`, formed anew from h, satisfies the
//! optimality conditions `a_k'r <= 0` and `h_k a_k'r = 0` to [`PROOF`].

use crate::wide::{Wide, dot, norm, subtract_multiple};

/// A gradient `a_k'r` above this multiple of `||a_k|| ||x||` lets k enter.
const ENTRY: f64 = 1e-28;

/// The optimality conditions hold to this, relative to `||a_k|| (||x|| + sum_k h_k ||a_k||)`.
///
/// Then `||r - r*||` is at most about `1e-13 ||x||`, and `1e-27 cond ||x||` where the support is right.
const PROOF: f64 = 1e-27;

/// A vector nearer than this to the span of others, relatively, depends on them.
const DEPENDENT: f64 = 1e-26;

/// The rays of a cone, with their lengths.
#[derive(Debug, Default)]
pub(crate) struct Rays {
    pub(crate) vectors: Vec<Vec<Wide>>,
    pub(crate) norms: Vec<Wide>,
}

impl Rays {
    pub(crate) fn push(&mut self, vector: Vec<Wide>) {
        self.norms.push(norm(&vector));
        self.vectors.push(vector);
    }
}

/// The nearest point of a cone.
#[derive(Debug, Clone)]
pub(crate) struct Nearest {
    /// Rays with a positive weight, and their weights.
    pub(crate) support: Vec<usize>,
    pub(crate) weights: Vec<Wide>,
    /// `x - A h`.
    pub(crate) residual: Vec<Wide>,
}

impl Nearest {
    /// Of the empty cone.
    pub(crate) fn nothing(x: &[Wide]) -> Self {
        Self { support: Vec::new(), weights: Vec::new(), residual: x.to_vec() }
    }
}

/// An orthonormal basis of some rays: `A_P = Q R`.
#[derive(Debug, Default)]
struct Basis {
    rays: Vec<usize>,
    vectors: Vec<Vec<Wide>>,
    /// Column q of R, down to its diagonal.
    triangle: Vec<Vec<Wide>>,
}

impl Basis {
    fn of(rays: &Rays, listed: &[usize]) -> Self {
        let mut basis = Self::default();
        for &k in listed {
            basis.push(rays, k);
        }
        basis
    }

    /// Takes in ray k, unless it depends on the others.
    fn push(&mut self, rays: &Rays, k: usize) -> bool {
        let mut vector = rays.vectors[k].clone();
        let mut column = self.reduce(&mut vector);
        let length = norm(&vector);
        if length.round() <= DEPENDENT * rays.norms[k].round() {
            return false;
        }
        vector.iter_mut().for_each(|v| *v = *v / length);
        column.push(length);
        self.vectors.push(vector);
        self.triangle.push(column);
        self.rays.push(k);
        true
    }

    /// Takes the basis out of a vector, twice; what was taken.
    fn reduce(&self, vector: &mut [Wide]) -> Vec<Wide> {
        let mut parts = vec![Wide::ZERO; self.vectors.len()];
        for _ in 0..2 {
            for (part, q) in parts.iter_mut().zip(&self.vectors) {
                let along = dot(q, vector);
                subtract_multiple(vector, along, q);
                *part += along;
            }
        }
        parts
    }

    /// The weights of the nearest point in the span.
    fn solve(&self, x: &[Wide]) -> Vec<Wide> {
        let mut z = self.reduce(&mut x.to_vec());
        for q in (0..z.len()).rev() {
            z[q] = z[q] / self.triangle[q][q];
            let (above, known) = z.split_at_mut(q);
            subtract_multiple(above, known[0], &self.triangle[q]);
        }
        z
    }
}

/// `x - A h`.
fn residual(rays: &Rays, x: &[Wide], support: &[usize], weights: &[Wide]) -> Vec<Wide> {
    let mut r = x.to_vec();
    for (&k, &h) in support.iter().zip(weights) {
        subtract_multiple(&mut r, h, &rays.vectors[k]);
    }
    r
}

/// The nearest point to x of the cone of all rays, started from a support that may be right.
///
/// # Panics
/// If no point satisfies the optimality conditions to the digits that the proof asks for.
pub(crate) fn project(rays: &Rays, x: &[Wide], support: &[usize]) -> Nearest {
    let length = norm(x);
    if length == Wide::ZERO {
        return Nearest::nothing(x);
    }
    let mut active = ActiveSet::start(rays, x, support);
    let mut blocked = vec![false; rays.vectors.len()];
    for _ in 0..1000 {
        let r = residual(rays, x, &active.basis.rays, &active.weights);
        let Some(k) = active.steepest(&r, &blocked, length) else { break };
        if active.admit(k) {
            blocked.fill(false);
        }
        // A ray that depends on the others, or leaves at once, would be tried for ever.
        blocked[k] = true;
    }
    let ActiveSet { basis, weights, .. } = active;
    let found = Nearest {
        residual: residual(rays, x, &basis.rays, &weights),
        support: basis.rays,
        weights,
    };
    let violation = violation(rays, length, &found);
    assert!(violation <= PROOF, "the conditions hold to {violation:e} only: {rays:?} {x:?}");
    found
}

struct ActiveSet<'a> {
    rays: &'a Rays,
    x: &'a [Wide],
    basis: Basis,
    weights: Vec<Wide>,
}

impl<'a> ActiveSet<'a> {
    fn start(rays: &'a Rays, x: &'a [Wide], support: &[usize]) -> Self {
        let basis = Basis::of(rays, support);
        let weights = basis.solve(x);
        if weights.iter().all(|w| *w > Wide::ZERO) {
            return Self { rays, x, basis, weights };
        }
        Self { rays, x, basis: Basis::default(), weights: Vec::new() }
    }

    /// The ray outside the support whose gradient is largest, if that is positive.
    fn steepest(&self, r: &[Wide], blocked: &[bool], length: Wide) -> Option<usize> {
        let outside = (0..blocked.len()).filter(|k| !blocked[*k] && !self.basis.rays.contains(k));
        let slope = |k: usize| (dot(&self.rays.vectors[k], r) / self.rays.norms[k]).round();
        let steep = outside.map(|k| (k, slope(k))).filter(|s| s.1 > ENTRY * length.round());
        steep.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
    }

    /// Lets ray k enter, and others leave until all weights are positive; whether anything changed.
    fn admit(&mut self, k: usize) -> bool {
        if !self.basis.push(self.rays, k) {
            return false;
        }
        self.weights.push(Wide::ZERO);
        let mut changed = false;
        loop {
            let z = self.basis.solve(self.x);
            if z.iter().all(|z| *z > Wide::ZERO) {
                self.weights = z;
                return true;
            }
            changed |= self.move_towards(&z, k);
            if self.basis.rays.is_empty() {
                return changed;
            }
        }
    }

    /// Moves from h towards z until the first weight vanishes; rays without weight leave. Whether more
    /// than the newcomer left.
    fn move_towards(&mut self, z: &[Wide], newcomer: usize) -> bool {
        let mut share = Wide::from(1.0);
        for (&h, &z) in self.weights.iter().zip(z) {
            if z <= Wide::ZERO {
                let limit = if h > Wide::ZERO { h / (h - z) } else { Wide::ZERO };
                share = if limit < share { limit } else { share };
            }
        }
        let (mut kept, mut weights) = (Vec::new(), Vec::new());
        for ((&k, &h), &z) in self.basis.rays.iter().zip(&self.weights).zip(z) {
            let moved = h + share * (z - h);
            let vanishes = z <= Wide::ZERO
                && (h <= Wide::ZERO || h / (h - z) <= share * Wide::from(1.0 + 1e-30));
            if !vanishes && (moved > Wide::ZERO || z > Wide::ZERO) {
                kept.push(k);
                weights.push(moved.positive_part());
            }
        }
        let others_left = self.basis.rays.iter().any(|k| *k != newcomer && !kept.contains(k));
        self.basis = Basis::of(self.rays, &kept);
        self.weights = weights;
        others_left
    }
}

/// How far the conditions are from holding, relative to the norms.
fn violation(rays: &Rays, length: Wide, found: &Nearest) -> f64 {
    let mut worst = 0.0f64;
    let weighted = found.support.iter().zip(&found.weights);
    let load = length + weighted.map(|(&k, &h)| h * rays.norms[k]).sum();
    for (k, (vector, norm)) in rays.vectors.iter().zip(&rays.norms).enumerate() {
        let slope = (dot(vector, &found.residual) / (*norm * load)).round();
        let slack = if found.support.contains(&k) { slope.abs() } else { slope };
        worst = worst.max(slack);
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::problems::Random;

    fn random_vector(m: usize, random: &mut Random) -> Vec<Wide> {
        (0..m).map(|_| (random.unit() - 0.25).into()).collect()
    }

    /// The least residual over all supports whose least-squares weights are positive.
    fn least_of_all_supports(rays: &Rays, x: &[Wide]) -> f64 {
        let n = rays.vectors.len();
        let mut least = norm(x).round();
        for subset in 1..1usize << n {
            let listed: Vec<usize> = (0..n).filter(|k| subset >> k & 1 == 1).collect();
            let basis = Basis::of(rays, &listed);
            let weights = basis.solve(x);
            if weights.iter().all(|w| *w >= Wide::ZERO) {
                least = least.min(norm(&residual(rays, x, &basis.rays, &weights)).round());
            }
        }
        least
    }

    #[test]
    fn the_nearest_point_is_that_of_the_best_support_of_all() {
        let mut random = Random(3);
        for round in 0..300 {
            let m = random.between(1, 6);
            let mut rays = Rays::default();
            for k in 0..random.between(1, 7) {
                let repeat = k > 0 && random.chance(0.3);
                let vector = if repeat {
                    rays.vectors[random.below(k)].iter().map(|v| *v * Wide::from(3.0)).collect()
                } else {
                    random_vector(m, &mut random)
                };
                if norm(&vector) > Wide::ZERO {
                    rays.push(vector);
                }
            }
            let x = random_vector(m, &mut random);
            let found = norm(&project(&rays, &x, &[]).residual).round();
            let least = least_of_all_supports(&rays, &x);
            assert!((found - least).abs() <= 1e-15, "round {round}: {found} for {least}");
        }
    }

    #[test]
    fn nearly_parallel_rays_are_told_apart() {
        for t in [1e-3, 1e-6, 1e-9, 1e-12] {
            let mut rays = Rays::default();
            rays.push(vec![1.0.into(), 0.0.into()]);
            rays.push(vec![(-1.0).into(), t.into()]);
            let x = [Wide::ZERO, 1.0.into()];
            let found = project(&rays, &x, &[]);
            assert!(norm(&found.residual).round() <= 1e-19 / t, "{t}: {found:?}");
            let weight = found.weights[found.support.iter().position(|k| *k == 1).unwrap()];
            assert!((weight.round() * t - 1.0).abs() <= 1e-15);
        }
    }
}
