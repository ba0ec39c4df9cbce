//! Scores of candidates in batches of [`LANES`]: how much of `R'X_j` is positive.
//!
//! For a batch J and a run of columns i, with `C_iJ` given lane by lane, both kernels fold the
//! positive parts of `C_iJ - product_i`, where `product_i` is `h_i'C_AJ` (greedy: the rows' weights
//! are sparse, the candidates' coefficients dense) or `C_Ai'h_J` (dist: the other way round).

use super::quad::{Quad, Sums};
use super::{LANES, Lanes, multiversion};
use crate::gram::{ANCHOR_PANEL, PanelProducts};

/// How the positive parts of one candidate are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    /// Their sum of squares.
    SumOfSquares,
    /// The largest.
    Largest,
}

impl Fold {
    /// Takes one value in; nonpositive values change nothing.
    #[inline(always)]
    pub(crate) fn add(self, so_far: f64, value: f64) -> f64 {
        let positive = if value > 0.0 { value } else { 0.0 };
        match self {
            Fold::SumOfSquares => so_far + positive * positive,
            Fold::Largest => {
                if positive > so_far {
                    positive
                } else {
                    so_far
                }
            }
        }
    }

    /// Puts two partial results together.
    pub(crate) fn join(self, a: f64, b: f64) -> f64 {
        match self {
            Fold::SumOfSquares => a + b,
            Fold::Largest => a.max(b),
        }
    }
}

/// The weights h_i of a run of columns: column i holds entries `offsets[i]..offsets[i + 1]`.
#[derive(Clone, Copy)]
pub(crate) struct WeightRows<'a> {
    pub(crate) offsets: &'a [u32],
    pub(crate) anchors: &'a [u32],
    pub(crate) values: &'a [f64],
}

multiversion! {
    /// Folds `(C_iJ - h_i'C_AJ)_+` over the columns i of `rows` into `out`; `coefficients[k]` is
    /// `C_kJ` for anchor k. A row of zeros in `gram` is passed over if `skip_zeros`.
    fn weight_scores(
        rows: WeightRows<'_>,
        coefficients: &[Lanes],
        gram: &[Lanes],
        skip_zeros: bool,
        fold: Fold,
        out: &mut Lanes,
    ) = quad weight_body
}

#[inline(always)]
fn weight_body<Q: Quad>(
    rows: WeightRows<'_>,
    coefficients: &[Lanes],
    gram: &[Lanes],
    skip_zeros: bool,
    fold: Fold,
    out: &mut Lanes,
) {
    for (c, span) in gram.iter().zip(rows.offsets.windows(2)) {
        if skip_zeros && *c == [0.0; LANES] {
            continue;
        }
        let range = span[0] as usize..span[1] as usize;
        let mut product = Sums::<Q>::zero();
        for (&k, &h) in rows.anchors[range.clone()].iter().zip(&rows.values[range]) {
            product = product.add_scaled(h, &coefficients[k as usize]);
        }
        fold_lanes(fold, c, &product.to_lanes(), out);
    }
}

multiversion! {
    /// Folds `(C_iJ - C_Ai'h_J)_+` over a run of columns i into `out`. `panels[q]` holds `C_ki` for
    /// the 8 anchors `8 q..8 q + 8`; `weights` lists (anchor k, its weights in the batch).
    fn coefficient_scores(
        panels: &[&[PanelProducts]],
        weights: &[(usize, Lanes)],
        gram: &[Lanes],
        skip_zeros: bool,
        fold: Fold,
        out: &mut Lanes,
    ) = quad coefficient_body
}

#[inline(always)]
fn coefficient_body<Q: Quad>(
    panels: &[&[PanelProducts]],
    weights: &[(usize, Lanes)],
    gram: &[Lanes],
    skip_zeros: bool,
    fold: Fold,
    out: &mut Lanes,
) {
    for (i, c) in gram.iter().enumerate() {
        if skip_zeros && *c == [0.0; LANES] {
            continue;
        }
        let mut product = Sums::<Q>::zero();
        for (k, weight) in weights {
            product = product.add_scaled(panels[k / ANCHOR_PANEL][i][k % ANCHOR_PANEL], weight);
        }
        fold_lanes(fold, c, &product.to_lanes(), out);
    }
}

multiversion! {
    /// `c'Mc` for a batch of vectors c, with M given as its lower triangle, row after row, each
    /// off-diagonal entry doubled.
    fn batch_quadratic_forms(lower: &[f64], batch: &[Lanes]) -> Lanes = quad quadratic_body
}

#[inline(always)]
fn quadratic_body<Q: Quad>(lower: &[f64], batch: &[Lanes]) -> Lanes {
    let mut form = [0.0; LANES];
    let mut start = 0;
    let mut k = 0;
    // Two rows at a time share the loads of the batch.
    while k + 1 < batch.len() {
        let first = &lower[start..start + k + 1];
        let second = &lower[start + k + 1..start + 2 * k + 3];
        let (mut a, mut b) = (Sums::<Q>::zero(), Sums::<Q>::zero());
        for ((c, &x), &y) in batch.iter().zip(first).zip(second) {
            a = a.add_scaled(x, c);
            b = b.add_scaled(y, c);
        }
        b = b.add_scaled(second[k + 1], &batch[k + 1]);
        add_products(&mut form, &a.to_lanes(), &batch[k]);
        add_products(&mut form, &b.to_lanes(), &batch[k + 1]);
        start += 2 * k + 3;
        k += 2;
    }
    if k < batch.len() {
        let row = batch.iter().zip(&lower[start..]);
        let a = row.fold(Sums::<Q>::zero(), |a, (c, &x)| a.add_scaled(x, c));
        add_products(&mut form, &a.to_lanes(), &batch[k]);
    }
    form
}

#[inline(always)]
fn add_products(out: &mut Lanes, x: &Lanes, y: &Lanes) {
    for l in 0..LANES {
        out[l] += x[l] * y[l];
    }
}

#[inline(always)]
fn fold_lanes(fold: Fold, gram: &Lanes, product: &Lanes, out: &mut Lanes) {
    match fold {
        Fold::SumOfSquares => {
            for l in 0..LANES {
                out[l] = Fold::SumOfSquares.add(out[l], gram[l] - product[l]);
            }
        }
        Fold::Largest => {
            for l in 0..LANES {
                out[l] = Fold::Largest.add(out[l], gram[l] - product[l]);
            }
        }
    }
}
