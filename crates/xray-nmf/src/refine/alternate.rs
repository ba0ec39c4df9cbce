//! Alternating steps that look ahead.
//!
//! Each factor is improved not where it is but where it seems to be going: beyond its new value by a
//! share of the last change (extrapolation: Ang and Gillis, Neural Computation 2019). The share grows
//! while that works. A step that would increase the objective is made again without looking ahead. Ten
//! steps of HALS do the work of about twenty, at the same cost.
//!
//! The first change is no sign of where things are going: it leads away from the start. So the first step
//! is made in both ways, and the better one counts.

use rayon::prelude::*;

use super::{Refinement, Trace};
use crate::error::Result;

/// Numbers that one task looks ahead with.
const TASK: usize = 1 << 14;

/// The first share of the last change, and how it and its limit change after a good and a bad step.
const FIRST_SHARE: f64 = 0.5;
const SHARE_GROWTH: f64 = 1.05;
const LIMIT_GROWTH: f64 = 1.01;
const SHARE_CUT: f64 = 1.5;

/// How far to look ahead.
pub(super) struct Extrapolation {
    share: f64,
    limit: f64,
}

impl Extrapolation {
    /// HALS looks ahead; exact steps stay where they are the best.
    pub(super) fn of(method: Refinement) -> Self {
        let share = if method == Refinement::Hals { FIRST_SHARE } else { 0.0 };
        Extrapolation { share, limit: 1.0 }
    }

    fn faster(&mut self) {
        self.share = (self.share * SHARE_GROWTH).min(self.limit);
        self.limit = (self.limit * LIMIT_GROWTH).min(1.0);
    }

    fn slower(&mut self) {
        self.limit = self.share;
        self.share /= SHARE_CUT;
    }
}

/// Alternates between the factors: `improve_w(h, w)` changes w for a fixed h, `improve_h(w, h)`
/// changes h and returns the objective.
pub(super) fn alternate(
    w: &mut Vec<f64>,
    h: &mut Vec<f64>,
    mut extrapolation: Extrapolation,
    start: f64,
    trace: &mut Trace<'_>,
    improve_w: impl FnMut(&[f64], &mut [f64]) -> Result<()>,
    improve_h: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
) -> Result<()> {
    let (last_w, h_ahead) = (w.clone(), h.clone());
    let mut pair = Pair { w, h, last_w, h_ahead, objective: start, improve_w, improve_h };
    let mut is_first = extrapolation.share > 0.0;
    trace.follow(start, || {
        if std::mem::take(&mut is_first) {
            if pair.first_step(extrapolation.share)? {
                extrapolation.faster();
            }
        } else if pair.step(extrapolation.share)? {
            extrapolation.faster();
        } else {
            extrapolation.slower();
            pair.step(0.0)?;
        }
        Ok(pair.objective)
    })
}

/// W and H, and what a step needs to look ahead from them.
struct Pair<'a, W, H> {
    w: &'a mut Vec<f64>,
    h: &'a mut Vec<f64>,
    /// W as it was improved last, before looking ahead.
    last_w: Vec<f64>,
    h_ahead: Vec<f64>,
    objective: f64,
    improve_w: W,
    improve_h: H,
}

impl<W, H> Pair<'_, W, H>
where
    W: FnMut(&[f64], &mut [f64]) -> Result<()>,
    H: FnMut(&[f64], &mut [f64]) -> Result<f64>,
{
    /// Improves both; true if that did not increase the objective, else they stay as they were.
    fn step(&mut self, share: f64) -> Result<bool> {
        let mut new_w = self.w.clone();
        (self.improve_w)(&self.h_ahead, &mut new_w)?;
        look_ahead(share, &mut self.last_w, &new_w);
        let objective = (self.improve_h)(&self.last_w, &mut self.h_ahead)?;
        Ok(self.accept(share, new_w, objective))
    }

    /// Improves both, in the better way of looking ahead and not; true if that was to look ahead.
    fn first_step(&mut self, share: f64) -> Result<bool> {
        let mut new_w = self.w.clone();
        (self.improve_w)(&self.h_ahead, &mut new_w)?;
        let mut plain_h = self.h.clone();
        let plain = (self.improve_h)(&new_w, &mut plain_h)?;
        look_ahead(share, &mut self.last_w, &new_w);
        let ahead = (self.improve_h)(&self.last_w, &mut self.h_ahead)?;
        if ahead <= plain {
            return Ok(self.accept(share, new_w, ahead));
        }
        self.last_w.copy_from_slice(&new_w);
        self.h_ahead = plain_h;
        self.accept(0.0, new_w, plain);
        Ok(false)
    }

    /// Takes W, which lies in `last_w`, and H, which lies in `h_ahead`, unless they increase the objective.
    fn accept(&mut self, share: f64, new_w: Vec<f64>, objective: f64) -> bool {
        let w_ahead = &mut self.last_w;
        if objective > self.objective {
            w_ahead.copy_from_slice(self.w);
            self.h_ahead.copy_from_slice(self.h);
            return false;
        }
        self.objective = objective;
        *self.w = std::mem::replace(w_ahead, new_w);
        look_ahead(share, self.h, &self.h_ahead);
        std::mem::swap(self.h, &mut self.h_ahead);
        true
    }
}

/// `from <- (to + share (to - from))_+`
fn look_ahead(share: f64, from: &mut [f64], to: &[f64]) {
    from.par_iter_mut().zip(to).with_min_len(TASK).for_each(|(from, to)| {
        let ahead = to + share * (to - *from);
        *from = if ahead > 0.0 { ahead } else { 0.0 };
    });
}
