//! What can go wrong between a corpus and its topics.

/// An error of the data, or of the computation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Files and text.
    #[error(transparent)]
    Data(#[from] xray_data::Error),
    /// The engine.
    #[error(transparent)]
    Fit(#[from] xray_nmf::Error),
}

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
