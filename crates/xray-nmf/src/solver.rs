//! Algorithm 1 of the paper: detect an extreme ray, admit it, project, repeat.

use bytemuck::{Pod, Zeroable};

use crate::comm::{Collectives, Communicator};
use crate::cone::Cone;
use crate::error::{Error, Result, check_length};
use crate::factorization::Factorization;
use crate::holdout::HeldOut;
use crate::machine::Machine;
use crate::matrix::{Entry, LARGEST_ENTRY, Matrix};
use crate::observe::{Observer, Step, Termination};
use crate::ownership::Ownership;
use crate::params::{Normalize, Params};
use crate::progress::{Outcome, Progress};
use crate::resume::RunState;
use crate::select::{Candidates, Detect, Detection, Memory, rule};

/// What a run is given beside its parameters.
pub(crate) struct Given<'a> {
    /// This rank's columns.
    pub(crate) matrix: &'a dyn Matrix,
    /// Number of columns on all ranks.
    pub(crate) n_columns: usize,
    /// Held-out rows of the same columns.
    pub(crate) held_out: Option<&'a dyn Matrix>,
    pub(crate) comm: &'a dyn Communicator,
    /// Steps to make again before new ones are looked for.
    pub(crate) saved: &'a RunState,
    /// Bytes for cached columns of X'X.
    pub(crate) memory: Option<usize>,
}

/// Checks what is given, and runs [Algorithm 1](Setting::run) on it.
pub(crate) fn run(
    given: &Given<'_>,
    params: &Params,
    observer: &mut dyn Observer,
) -> Result<Factorization> {
    let Given { matrix, n_columns, held_out, comm, saved: state, memory } = *given;
    params.check()?;
    state.check_columns(n_columns)?;
    let layout = Ownership::columns(n_columns, comm);
    check_length("columns of the shard", layout.n_own(), matrix.n_columns())?;
    if let Some(test) = held_out {
        check_length("columns of the held-out rows", matrix.n_columns(), test.n_columns())?;
    }
    let signed = check_signs(comm, &layout, &[Some(matrix), held_out], params.allow_negative)?;
    let memory = memory.unwrap_or_else(|| Machine::default().cache_budget());
    let setting = Setting { comm, layout, params, signed, state, memory };
    let held_out = held_out.map(|test| HeldOut::new(test, comm, layout, params)).transpose()?;
    match params.normalize {
        Normalize::None => {
            setting.run(matrix, params.mean_ray.then_some(matrix), held_out, observer)
        }
        norm => setting.run(&*matrix.normalized(norm), Some(matrix), held_out, observer),
    }
}

/// Where a rank found an entry below 0.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct NegativeEntry {
    row: u64,
    column: u64,
    value: f64,
}

/// Whether any rank's data has negative entries; an error, the same on all ranks, if not allowed.
fn check_signs(
    comm: &dyn Communicator,
    layout: &Ownership,
    parts: &[Option<&dyn Matrix>],
    allowed: bool,
) -> Result<bool> {
    let own = parts.iter().flatten().find_map(|part| part.first_negative());
    let own = own.map(|Entry { row, column, value }| {
        let (row, column) = (row as u64, layout.global(column) as u64);
        NegativeEntry { row, column, value }
    });
    let all = comm.gather(own.as_slice())?;
    match all.into_iter().min_by_key(|entry| entry.column) {
        Some(NegativeEntry { row, column, value }) if !allowed => {
            Err(Error::Negative { row: row as usize, column: column as usize, value })
        }
        first => Ok(first.is_some()),
    }
}

/// What stays the same during a run.
struct Setting<'a> {
    comm: &'a dyn Communicator,
    layout: Ownership,
    params: &'a Params,
    signed: bool,
    /// Steps to make again before new ones are looked for.
    state: &'a RunState,
    /// Bytes for cached columns of X'X.
    memory: usize,
}

impl<'a> Setting<'a> {
    fn cone<'m>(&'m self, matrix: &'m dyn Matrix) -> Result<Cone<'m>> {
        Cone::new(matrix, self.comm, self.layout, self.signed, self.params.descent(), self.memory)
    }

    /// Algorithm 1. Anchors are detected on the cone of `searched`; if that is not the data as given
    /// (it is normalised, or the cone has the mean ray), the answer is kept on a cone of its own.
    fn run(
        &self,
        searched: &dyn Matrix,
        given: Option<&dyn Matrix>,
        mut held_out: Option<HeldOut<'_>>,
        observer: &mut dyn Observer,
    ) -> Result<Factorization> {
        let mut cone = self.cone(searched)?;
        let mut answer = given.map(|matrix| self.cone(matrix)).transpose()?;
        let mut choice = self.candidates(searched, &cone)?;
        let mut rule = rule(self.params, &cone, &choice)?;
        if self.params.mean_ray {
            self.start_with_mean(&mut cone, rule.as_mut())?;
        }
        rule.recall(&self.layout, &self.state.memory());
        let mut progress = Progress::new(self.params);
        let termination = loop {
            if progress.steps.len() >= self.params.rank {
                break Termination::RankReached;
            }
            let Some(found) = self.next(progress.steps.len(), &cone, &choice, rule.as_mut())?
            else {
                break Termination::Exhausted;
            };
            choice.withdraw(&self.layout, found.column);
            cone.admit(found.column)?;
            let changes = cone.project(rule.needs_changes());
            rule.update(&cone, &changes)?;
            let outcome = match &mut answer {
                Some(answer) => {
                    answer.admit(found.column)?;
                    let changes = answer.project(false);
                    Outcome::of(answer, &changes, held_out.as_mut(), found.column)?
                }
                None => Outcome::of(&cone, &changes, held_out.as_mut(), found.column)?,
            };
            let evaluations = rule.take_evaluations();
            let saved = self.state.saved(progress.steps.len());
            progress.record(found, outcome, saved.map_or(evaluations, |step| step.evaluations));
            self.state.check(&progress.steps)?;
            self.show_state(&progress.steps, rule.as_ref(), observer)?;
            if let Some(end) = progress.end(self.comm, observer)? {
                break end;
            }
        };
        match answer {
            Some(answer) => Factorization::new(answer, progress, termination),
            None => Factorization::new(cone, progress, termination),
        }
    }

    /// Shows the state of the run to an observer that wants it; saved steps were shown before.
    fn show_state(
        &self,
        steps: &[Step],
        rule: &dyn Detect,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if steps.len() <= self.state.steps.len() || !observer.wants_state(steps.len()) {
            return Ok(());
        }
        let Memory { settled, drawn } = rule.memory(&self.layout);
        let own: Vec<u64> = settled.iter().map(|&j| j as u64).collect();
        let settled = self.comm.gather(&own)?.into_iter().map(|j| j as usize);
        let mut settled: Vec<usize> = settled.collect();
        settled.sort_unstable();
        observer.state(&RunState { steps: steps.to_vec(), settled, drawn });
        Ok(())
    }

    /// The next anchor: a saved or a fixed one while there are any, else what the rule detects.
    fn next(
        &self,
        step: usize,
        cone: &Cone<'_>,
        choice: &Candidates,
        rule: &mut dyn Detect,
    ) -> Result<Option<Detection>> {
        if let Some(saved) = self.state.saved(step) {
            let Step { anchor: column, score, margin, exterior, .. } = *saved;
            return Ok(Some(Detection { column, score, margin, exterior }));
        }
        match self.params.fixed.get(step) {
            Some(&column) => Ok(Some(Detection::fixed(column))),
            None => rule.detect(cone, choice),
        }
    }

    /// Which own columns may be chosen.
    fn candidates(&self, matrix: &dyn Matrix, cone: &Cone<'_>) -> Result<Candidates> {
        let Params { weights, fixed, excluded, candidates, .. } = self.params;
        let p = weights.clone().unwrap_or_else(|| vec![1.0; matrix.n_rows()]);
        check_weights(&p, matrix.n_rows())?;
        let weighted_sums = matrix.weighted_sums(&p);
        // With negative entries p'X_j may all but vanish; scores must stay finite.
        let least = |i: usize| cone.squared_norms[i].sqrt() * 1e-200;
        let usable = |i: usize| cone.squared_norms[i] > 0.0 && weighted_sums[i] > least(i);
        let mut eligible: Vec<bool> = (0..self.layout.n_own()).map(usable).collect();
        if let Some(listed) = candidates {
            let mut allowed = vec![false; eligible.len()];
            self.mark("candidates", listed, &mut allowed, true)?;
            eligible.iter_mut().zip(allowed).for_each(|(eligible, allowed)| *eligible &= allowed);
        }
        self.mark("excluded", excluded, &mut eligible, false)?;
        self.mark("fixed", fixed, &mut eligible, false)?;
        self.check_fixed(&cone.squared_norms)?;
        Ok(Candidates { eligible, weighted_sums, tolerance: self.params.tolerance })
    }

    /// Sets `flags` of the listed own columns; an error if one is not a column at all.
    fn mark(
        &self,
        list: &'static str,
        listed: &[usize],
        flags: &mut [bool],
        value: bool,
    ) -> Result<()> {
        for &column in listed {
            if column >= self.layout.n() {
                return Err(Error::ColumnList { list, column, reason: "which does not exist" });
            }
            if let Some(i) = self.layout.local(column) {
                flags[i] = value;
            }
        }
        Ok(())
    }

    /// Fixed anchors are distinct, not excluded, and not zero.
    fn check_fixed(&self, squared_norms: &[f64]) -> Result<()> {
        let Params { fixed, excluded, .. } = self.params;
        let is_zero = |&j: &usize| self.layout.local(j).is_some_and(|i| squared_norms[i] == 0.0);
        let own_zero = fixed.iter().find(|j| is_zero(j)).map(|&j| j as u64);
        let zero = self.comm.gather(own_zero.as_slice())?.into_iter().max();
        let mut problem = zero.map(|column| (column as usize, "which has no nonzero entry"));
        for (q, &column) in fixed.iter().enumerate() {
            if fixed[..q].contains(&column) {
                problem = Some((column, "which it lists twice"));
            }
            if excluded.contains(&column) {
                problem = Some((column, "which is also excluded"));
            }
        }
        match problem {
            Some((column, reason)) => Err(Error::ColumnList { list: "fixed", column, reason }),
            None => Ok(()),
        }
    }

    /// Puts the mean column into the cone as a virtual ray, unless all columns lie on it.
    fn start_with_mean(&self, cone: &mut Cone<'_>, rule: &mut dyn Detect) -> Result<()> {
        let Some(mean) = self.mean_column(cone.matrix)? else { return Ok(()) };
        let mut trial = self.cone(cone.matrix)?;
        trial.admit_virtual(mean.clone());
        trial.project(false);
        let n = trial.residuals.len();
        let exterior = (0..n).any(|i| trial.is_exterior(i, self.params.tolerance));
        if !self.comm.any(exterior)? {
            return Ok(());
        }
        cone.admit_virtual(mean);
        let changes = cone.project(rule.needs_changes());
        rule.update(cone, &changes)
    }

    /// The mean of all columns, if it is not zero; summed in column order, so the sums travel from one
    /// owner of blocks to the next.
    fn mean_column(&self, matrix: &dyn Matrix) -> Result<Option<Vec<f64>>> {
        let (layout, comm) = (&self.layout, self.comm);
        let mut sums = vec![0.0; matrix.n_rows()];
        let n_blocks = layout.n_blocks();
        let mut b = 0;
        while b < n_blocks {
            let owner = layout.block_owner(b);
            let next = (b + 1..n_blocks).find(|&next| layout.block_owner(next) != owner);
            let columns =
                layout.block_lines(b).start..layout.block_lines(next.unwrap_or(n_blocks) - 1).end;
            if let Some(start) = layout.local(columns.start) {
                matrix.add_columns_to(start..start + columns.len(), &mut sums);
            }
            match next {
                Some(next) => self.pass_on(owner, layout.block_owner(next), &mut sums)?,
                None => comm.share(owner, &mut sums)?,
            }
            b = next.unwrap_or(n_blocks);
        }
        let n = self.layout.n() as f64;
        let mean: Vec<f64> = sums.into_iter().map(|sum| sum / n).collect();
        Ok(mean.iter().any(|v| *v != 0.0).then_some(mean))
    }
}

impl Setting<'_> {
    /// Replaces the numbers on rank `to` by those on rank `from`.
    fn pass_on(&self, from: usize, to: usize, numbers: &mut Vec<f64>) -> Result<()> {
        let mut messages = vec![Vec::new(); self.comm.size()];
        if self.comm.rank() == from {
            messages[to].clone_from(numbers);
        }
        let mut received = self.comm.exchange(messages)?;
        if self.comm.rank() == to {
            *numbers = received.swap_remove(from);
        }
        Ok(())
    }
}

/// p has one positive entry of sensible size for each row.
fn check_weights(p: &[f64], n_rows: usize) -> Result<()> {
    check_length("weights (the vector p)", n_rows, p.len())?;
    match p.iter().find(|v| !(1.0 / LARGEST_ENTRY..=LARGEST_ENTRY).contains(*v)) {
        Some(v) => Err(Error::Parameter {
            name: "weights",
            value: v.to_string(),
            allowed: "every entry of p must be positive, from 1e-70 to 1e70",
        }),
        None => Ok(()),
    }
}
