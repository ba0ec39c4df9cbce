//! All tests of the measures, in one program: it compiles in a fraction of the time of many.

mod protocol;
mod reconstruction;
mod recovery;
mod reference;
mod split;
mod svm;
