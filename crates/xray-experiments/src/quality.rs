//! How good what a method found is: recovery of true anchors, relative error, and how well a linear
//! support vector machine tells the classes apart by the features found.

mod cross_validation;
mod error;
mod protocol;
mod ray;
mod reconstruction;
mod recovery;
mod split;
mod svm;

pub use protocol::Protocol;
pub(crate) use protocol::{SvmAccuracy, linear_svm_accuracy};
pub(crate) use reconstruction::reconstruction_error;
pub(crate) use recovery::ray_recovery;
pub use svm::SvmParams;

#[cfg(test)]
mod tests;
