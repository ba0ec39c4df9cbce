//! The measures against their definitions, and against scikit-learn and SciPy.

mod protocol;
mod reconstruction;
mod recovery;
mod reference;
mod split;
mod svm;
