//! Hyperspectral unmixing: the spectra that pixels are mixtures of (*endmembers*), and how much of each is in
//! every pixel (*abundances*).
//!
//! X is bands x pixels. Plain anchors are single pixels, with their noise; here anchors are sought where noise is
//! small, are means of many pixels, and may lie outside of the data where no pixel is pure:
//!
//! 1. [`Moments`]: `C = XX'/n`, added up as blocks of pixels pass.
//! 2. [`Bands`]: dead bands are left out; the noise of a band is what the others do not predict of it,
//!    `v_b = ((C + eps I)^-1)_bb^(-1/2)`, and bands far noisier than the median are tamed: `w_b = min(1, 3 median(v) / v_b)`.
//! 3. [`Subspace`]: `Y = U'diag(w)X` with the leading `r + 2` eigenvectors of `diag(w) C diag(w)`, as blocks pass again.
//! 4. [`Neighbours`]: every pixel becomes the mean of the five of its 3 x 3 block that are most like it.
//! 5. [`Points::endmembers`]: anchors by the rule dist on a sample, each the mean of the pixels with the best scores, from
//!    a cone that begins with the mean; two more than asked for, of which the two that are missed least are dropped; then
//!    a few steps towards the simplex of least volume.
//! 6. [`Abundances`]: exact nonnegative least squares, as blocks pass once more.
//!
//! The number of endmembers, if it is not given: [`Points::residual_path`] and [`knee`].
//!
//! Memory between the passes is `(q + 1) n` numbers of four bytes. All sums run over blocks of pixels in their order: the
//! result has the same bits for any number of threads.

mod abundances;
mod bands;
mod eliminate;
mod moments;
mod neighbours;
mod number;
mod points;
mod rays;
mod select;
mod subspace;
mod volume;

pub use abundances::{AbundanceRule, Abundances, PixelFit};
pub use bands::Bands;
pub use moments::Moments;
pub use neighbours::Neighbours;
pub use number::{LARGEST_NUMBER, NUMBER_DIMENSIONS, knee};
pub use points::Points;
pub use select::Chosen;
pub use subspace::Subspace;
pub use volume::{EXTRA, Endmembers};

/// Pixels handled by one task; sums are sums of such blocks in their order.
const BLOCK: usize = 4096;
