//! From anchors to better factors, and to new rows: `cargo run --example refine`.
//!
//! Anchors are columns of X, so they carry its noise. A few steps of alternating optimisation from
//! there lower the error of WH; rows that come later are weighed under the H that was found.

use xray_nmf::comm::OneRank;
use xray_nmf::{DenseMatrix, Params, Refine, Result, RowModel, fit};

fn main() -> Result<()> {
    // Mixtures of two spectra over eight bands, with some noise.
    let spectrum = |k: usize, j: usize| 1.0 + ((j * (k + 2)) as f64).sin();
    let noise = |i: usize, j: usize| 0.1 * ((i * 7 + j * 13) as f64).cos().abs();
    let mixed = |i: usize, j: usize| {
        let share = i as f64 / 11.0;
        share * spectrum(0, j) + (1.0 - share) * spectrum(1, j) + noise(i, j)
    };
    let values: Vec<f64> = (0..12).flat_map(|i| (0..8).map(move |j| mixed(i, j))).collect();
    let x = DenseMatrix::from_row_major(12, 8, values)?;

    let found = fit(&x, &Params::new(2))?;
    let better = Refine::of(&x).steps(20, 0.0).run(found.factors(&OneRank)?)?;
    println!("anchors {:?}: ||X - WH||^2 = {:.4}", found.anchors(), better.objective[0]);
    println!("after {} steps: {:.4}", better.objective.len() - 1, better.objective.last().unwrap());

    let model = RowModel::new(2, 8, better.h)?;
    let new = DenseMatrix::from_row_major(1, 8, (0..8).map(|j| mixed(3, j)).collect::<Vec<f64>>())?;
    println!("weights of a new row: {:.3?}", model.weights(&new)?);
    Ok(())
}
