//! Anchors of a small matrix, step by step: `cargo run --example anchors`.
//!
//! Six documents over five words. "goal" and "vote" each belong to one topic alone, so they are anchors:
//! every other word is a mixture of them.

use std::ops::ControlFlow;

use xray_nmf::{DenseMatrix, Fit, Params, Result, Selection, Step};

const WORDS: [&str; 5] = ["goal", "team", "vote", "party", "week"];

fn main() -> Result<()> {
    #[rustfmt::skip]
    let counts = vec![
        3.0, 4.0, 0.0, 0.0, 1.0,
        2.0, 3.0, 0.0, 0.0, 1.0,
        4.0, 5.0, 0.0, 1.0, 1.0,
        0.0, 0.0, 3.0, 4.0, 1.0,
        0.0, 1.0, 2.0, 3.0, 1.0,
        0.0, 0.0, 4.0, 4.0, 2.0,
    ];
    let x = DenseMatrix::from_row_major(6, 5, counts)?;
    let params = Params { selection: Selection::Max, ..Params::new(2) };
    let mut show = |step: &Step| {
        println!("{:>6}: {:.3} of X is unexplained", WORDS[step.anchor], step.residual);
        ControlFlow::Continue(())
    };
    let found = Fit::of(&x).observe(&mut show).run(&params)?;

    println!(
        "\nweights of the anchors in each word, proven best to {:.0e}:",
        found.kkt_violation()
    );
    for (j, word) in WORDS.iter().enumerate() {
        println!("{word:>6}: {:.2?}", found.coefficients().dense_column(j));
    }
    Ok(())
}
