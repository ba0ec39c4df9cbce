//! Find the few columns of a nonnegative matrix that explain all the others.
//!
//! A matrix X is *separable* if all its columns lie in the cone of a few of them, the *anchors*. This
//! crate finds anchors with the XRAY family of algorithms (Kumar, Sindhwani and Kambadur, "Fast
//! Conical Hull Algorithms for Near-separable Non-negative Matrix Factorization", ICML 2013), on
//! sparse and dense data, exactly, in parallel, and with the same bits for any number of threads.
//!
//! ```
//! use xray_nmf::{Params, SparseMatrix, fit};
//!
//! // Four documents (rows) over three words (columns).
//! let x = SparseMatrix::from_triplets(4, 3, [
//!     (0, 0, 2.0), (0, 1, 1.0),
//!     (1, 0, 4.0), (1, 1, 2.0),
//!     (2, 1, 3.0), (2, 2, 3.0),
//!     (3, 1, 1.0), (3, 2, 1.0),
//! ])?;
//! let found = fit(&x, &Params::new(2))?;
//! assert_eq!(found.anchors(), [0, 2]); // column 1 is a mixture of them
//! assert!(found.residual() < 1e-6);
//! # Ok::<(), xray_nmf::Error>(())
//! ```

mod candidates;
mod choice;
pub mod comm;
mod cone;
mod error;
mod factorization;
mod fit;
mod given;
mod gram;
mod held_out;
pub mod machine;
mod matrix;
mod mean;
mod observe;
mod ownership;
mod packet;
mod params;
mod path;
mod project;
mod rank;
mod ranks;
mod refine;
mod replay;
mod resume;
#[cfg(feature = "rivals")]
pub mod rivals;
mod robust;
mod search;
mod select;
mod small;
mod solver;
mod stop;
mod svd;
#[cfg(feature = "synth")]
pub mod synth;
mod threads;
mod transform;
pub mod unmix;

pub use choice::Choice;
pub use error::{Error, ErrorKind, Result};
pub use factorization::{Coefficients, Factorization};
pub use fit::{Fit, Portion, fit};
pub use matrix::{DenseMatrix, Entry, LARGEST_ENTRY, Line, Matrix, Scalar, SparseMatrix};
pub use observe::{Next, Observer, Step, Termination};
pub use ownership::Ownership;
pub use params::{Descent, Engine, Normalize, Params, Solver};
pub use project::{Nnls, nnls};
pub use rank::{RankReason, RankSuggestion, split_rows};
pub use refine::{Factors, Refine, Refinement, SeededTopics};
pub use resume::RunState;
pub use robust::{Gate, Noise};
pub use select::Selection;
pub use stop::StopRequest;
pub use threads::with_threads;
pub use transform::RowModel;

/// For [`choices!`], in whichever crate it is used.
#[doc(hidden)]
#[cfg(feature = "serde")]
pub use serde as __serde;

/// The examples of the README run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
