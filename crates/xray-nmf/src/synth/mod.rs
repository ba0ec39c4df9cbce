//! Data with known anchors, from a seed: for tests, noise experiments and benchmarks.
//!
//! - [`Synthetic`] makes small dense matrices `X = W [I, H'] + N` whose anchors are the columns of W
//!   ([`Planted::anchors`]). Its [`Design`]s are those of the noise experiments in the literature.
//! - [`Corpus`] makes sparse document-word matrices as large, as sparse and with as many
//!   co-occurring words as the paper's large data sets (Table 3).
//! - [`Scene`] makes hyperspectral images with known endmembers and abundances, line by line.
//!
//! Everything follows from the parameters and the seed: same seed, same bits, whatever the number
//! of threads. Another version of the crate may give other bits.
//!
//! References: Kumar, Sindhwani and Kambadur (ICML 2013), "Synthetic experiments" and Table 3;
//! Gillis and Vavasis, "Fast and robust recursive algorithms for separable nonnegative matrix
//! factorization" (IEEE TPAMI 2014), section 5.

mod basis;
mod corpus;
mod design;
mod documents;
mod lengths;
mod planted;
mod scene;
mod spectrum;
mod vocabulary;

pub use corpus::{Collection, Corpus};
pub use design::{Design, Noise};
pub use planted::{Planted, Synthetic};
pub use scene::{DrawnScene, Scene, scene_designs};
pub use spectrum::{singular_values, with_log_spaced_spectrum};

use crate::error::require;
