//! How good a factorization is, in numbers that others report as well.
//!
//! | question | answer |
//! |---|---|
//! | do clusters agree with classes? | [`normalized_mutual_information`], [`matched_accuracy`], [`purity`] |
//! | do a topic's words belong together? | [`Coherence`] |
//! | were the true anchors found? | [`ray_recovery`], [`index_recovery`] |
//! | how far are endmembers from the true ones? | [`spectral_angle`], [`match_endmembers`] |
//! | how much do features say of the classes? | [`linear_svm_accuracy`], [`LinearSvm`] |
//! | how much is left unexplained? | [`reconstruction_error`] |
//!
//! Everything here is a function of plain slices or of an [`xray_nmf::Matrix`]; nothing prints,
//! reads a file or asks the clock, and the same input gives the same bits on any number of threads.
//!
//! ```
//! use xray_eval::{Labelling, argmax_rows, normalized_mutual_information};
//!
//! let subjects = Labelling::from_names(&["sport", "politics", "sport"]);
//! // Weights of three documents in two topics.
//! let topics = argmax_rows(&[0.9, 0.1, 0.2, 0.7, 0.8, 0.0], 2)?;
//! assert_eq!(topics, [Some(0), Some(1), Some(0)]);
//! assert_eq!(normalized_mutual_information(subjects.ids(), &topics), 1.0);
//! # Ok::<(), xray_eval::Error>(())
//! ```

#![forbid(unsafe_code)]

mod angle;
mod clusters;
mod coherence;
mod cross_validation;
mod error;
mod labelling;
mod matching;
mod pool;
mod protocol;
mod ray;
mod reconstruction;
mod recovery;
mod split;
mod svm;

pub use angle::{EndmemberMatch, match_endmembers, spectral_angle};
pub use clusters::{
    Contingency, argmax_rows, matched_accuracy, normalized_mutual_information, purity,
};
pub use coherence::{Coherence, TopicCoherence};
pub use cross_validation::{ChosenC, choose_c};
pub use error::{Error, Result};
pub use labelling::Labelling;
pub use matching::cheapest_matching;
pub use protocol::{Protocol, SvmAccuracy, accuracy, linear_svm_accuracy};
pub use reconstruction::reconstruction_error;
pub use recovery::{RAY_TOLERANCE, index_recovery, ray_recovery};
pub use split::{Split, stratified_folds, stratified_split};
pub use svm::{Hyperplane, LinearSvm, SvmParams};
