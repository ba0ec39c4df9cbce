//! Prints the answers of every rule bit by bit, for other languages' bindings to compare with.
//!
//! One line for each data set and rule: data, rule, anchors, the residual after each anchor, H
//! (row after row) and the W of two steps of refinement, these as the hexadecimal bits of f64.

use xray_nmf::synth::{Corpus, Synthetic};
use xray_nmf::{Matrix, Params, Refinement, Result, Selection, fit, refine};

fn main() -> Result<()> {
    let dense = Synthetic { noise: 0.3, clip: true, seed: 5, ..Synthetic::default() }.generate()?;
    print_all("planted", &dense.matrix, 12)?;
    print_all("corpus", &Corpus::ibmt().scaled(0.02).generate()?, 9)
}

fn print_all<M: Matrix>(data: &str, matrix: &M, rank: usize) -> Result<()> {
    for selection in Selection::ALL {
        let found = fit(matrix, &Params { selection, seed: 3, ..Params::new(rank) })?;
        let anchors: Vec<String> = found.anchors().iter().map(usize::to_string).collect();
        let residuals = found.steps().iter().map(|step| step.residual);
        let (residuals, h) = (bits(residuals), bits(found.weights().to_dense()));
        let refined = bits(refine(matrix, &found, Refinement::Exact, 2, None)?.w);
        println!("{data} {} {} {residuals} {h} {refined}", selection.name(), anchors.join(","));
    }
    Ok(())
}

fn bits(values: impl IntoIterator<Item = f64>) -> String {
    let words: Vec<String> = values.into_iter().map(|v| format!("{:x}", v.to_bits())).collect();
    words.join(",")
}
