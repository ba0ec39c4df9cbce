//! How good what a method found is: recovery of true anchors, relative error, and how well a linear
//! support vector machine tells the classes apart by the features found.

mod argmax;
mod cross_validation;
mod error;
mod protocol;
mod ray;
mod reconstruction;
mod recovery;
mod split;
mod svm;

pub use argmax::argmax_rows;
pub use cross_validation::{ChosenC, choose_c};
pub use error::{Error, Result};
pub use protocol::{Protocol, SvmAccuracy, accuracy, linear_svm_accuracy};
pub use reconstruction::reconstruction_error;
pub use recovery::{RAY_TOLERANCE, ray_recovery};
pub use split::{Split, stratified_folds, stratified_split};
pub use svm::{Hyperplane, LinearSvm, SvmParams};
