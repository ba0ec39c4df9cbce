//! How good topics are: whether they agree with true classes ([`normalized_mutual_information`]), and
//! whether their words occur together ([`Coherence`]).

mod clusters;
mod coherence;
mod labelling;

pub(crate) use clusters::Contingency;
pub use clusters::{
    adjusted_mutual_information, normalized_mutual_information, shared_information,
};
pub use coherence::{Coherence, TopicCoherence, coherence_of};
pub use labelling::{Labelling, dense_ids};
