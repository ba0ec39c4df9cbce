//! Kernels compiled for AVX2 and for any machine give the same bits.

use std::process::Command;

use crate::support::all_bits;
use crate::support::problems::{Kind, Random, problem};
use xray_nmf::comm::OneRank;
use xray_nmf::{Normalize, Params, Refine, Refinement, Selection, fit};

/// Said by the process with plain kernels before its bits.
const MARK: &str = "bits of the kernels:";

/// All bits of fits and refinements that use every kernel.
fn bits() -> String {
    let mut bits = String::new();
    for kind in [Kind::Sparse, Kind::Noisy] {
        let x = problem(kind, 40, 600, &mut Random(7));
        for selection in Selection::ALL {
            let params = Params { selection, normalize: Normalize::L2, ..Params::new(9) };
            let (sparse, dense) = (fit(&x.sparse(), &params), fit(&x.dense(), &params));
            bits += &all_bits(&sparse.unwrap());
            bits += &all_bits(&dense.unwrap());
        }
        let found = fit(&x.sparse(), &Params::new(6)).unwrap();
        for method in [Refinement::Exact, Refinement::Hals, Refinement::KullbackLeibler] {
            let start = found.factors(&OneRank).unwrap();
            let sparse = x.sparse();
            let better = Refine::of(&sparse).method(method).steps(3, 0.0).run(start).unwrap();
            let numbers = better.w.iter().chain(&better.h).map(|v| v.to_bits());
            bits += &format!("{:?}", numbers.collect::<Vec<u64>>());
        }
    }
    bits
}

#[test]
fn kernels_without_avx2_give_the_same_bits() {
    let test = "kernels::kernels_without_avx2_give_the_same_bits";
    if std::env::var_os("XRAY_PLAIN_KERNELS").is_some() {
        println!("{MARK}{}", bits());
        return;
    }
    // Which kernels run is decided once in a process: the other ones need another process.
    let program = std::env::current_exe().unwrap();
    let mut plain = Command::new(program);
    let plain = plain.args([test, "--exact", "--nocapture"]).env("XRAY_PLAIN_KERNELS", "1");
    let output = plain.output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let (_, plain) = output.split_once(MARK).expect("the other process reports its bits");
    assert!(plain.lines().next() == Some(&bits()[..]), "kernels differ");
}
