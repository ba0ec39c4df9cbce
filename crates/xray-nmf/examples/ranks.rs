//! A matrix that is spread over ranks gives the bits of one that is not: `cargo run --example ranks`.
//!
//! Here the ranks are threads of one process. On a cluster each would be a process that has read its
//! own columns alone, and the communicator would speak MPI; the call is the same.

use xray_nmf::comm::run_local_ranks;
use xray_nmf::{Fit, Ownership, Params, Portion, Result, Selection, SparseMatrix, fit};

fn main() -> Result<()> {
    let (m, n) = (200, 3000);
    let entries = (0..n).flat_map(|j| {
        let row = move |k: usize| (j * j + 31 * k * (j + 7)) % m;
        (0..6).map(move |k| (row(k), j, 1.0 + ((j + k) % 5) as f64))
    });
    let x = SparseMatrix::from_triplets(m, n, entries)?;
    let params = Params { selection: Selection::Greedy, ..Params::new(8) };
    let whole = fit(&x, &params)?;
    println!("one rank:  {:?}, {:.6} unexplained", whole.anchors(), whole.residual());

    let found = run_local_ranks(3, |comm| {
        let own = x.columns_of(&Ownership::columns(n, comm));
        let portion = Portion { columns: &own, rows: None, n_columns: n };
        Fit::part(portion, comm).run(&params)
    });
    for (rank, found) in found.into_iter().enumerate() {
        let found = found?;
        assert_eq!(found.steps(), whole.steps(), "every rank has the same steps, to the last bit");
        println!(
            "rank {rank} of 3 has the weights of {} columns",
            found.coefficients().n_columns()
        );
    }
    Ok(())
}
