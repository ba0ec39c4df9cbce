//! Which W, which H and which noise: the designs of the noise experiments.

use crate::choice::Choice;
use crate::choices;

/// How the anchors W and their mixtures H' are drawn.
///
/// | design | W | columns of H' |
/// |---|---|---|
/// | `dirichlet` | uniform on [0, 1] | Dirichlet |
/// | `middle-points` | uniform on [0, 1] | all midpoints of two anchors |
/// | `ill-conditioned` | singular values log-spaced down to 1 / condition | Dirichlet |
/// | `ill-conditioned-middle-points` | the same | all midpoints of two anchors |
/// | `scaled-columns` | uniform on [0, 1] | Dirichlet, then all columns scaled |
/// | `rank-deficient` | r extreme rays in a space of lower dimension | Dirichlet |
///
/// The parameters of the Dirichlet distribution are uniform on [0, 1], one for each anchor, drawn
/// once for a data set: the paper speaks of "a Dirichlet distribution whose parameters are chosen
/// uniformly in [0, 1]". If the rank is small they may all be small, and then some columns of H'
/// are unit vectors up to rounding: copies of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Design {
    /// The paper's.
    #[default]
    Dirichlet,
    /// Gillis and Vavasis's: `n = r + r (r - 1) / 2`, hard with [`Noise::Outward`].
    MiddlePoints,
    /// W has singular values log-spaced from 1 to `1 / condition`, and a constant is then added to
    /// all its entries to make it nonnegative.
    ///
    /// The singular vectors are those of a uniform W. The constant moves W almost along its leading
    /// singular vectors, so the small singular values stay, and the true condition number is a few
    /// times `condition`: 3,200 to 4,900 for 1e3 at 200 x 20. (Clipping at zero would move all
    /// singular vectors.) Entries are small, below 0.2 there, so noise levels should be, too.
    IllConditioned {
        /// Largest over smallest singular value before the shift; 1e3 by default.
        condition: f64,
    },
    /// The W of `IllConditioned` with the midpoints of `MiddlePoints`.
    IllConditionedMiddlePoints {
        /// Largest over smallest singular value before the shift; 1e3 by default.
        condition: f64,
    },
    /// `Dirichlet`, every column of WH multiplied by its own log-normal scale; Gaussian noise is
    /// added after scaling, so small columns are noisier.
    ScaledColumns {
        /// Standard deviation of the logarithm of the scale; 1 by default.
        sigma: f64,
    },
    /// More extreme rays than dimensions: r points on a sphere, lifted onto a cone in the
    /// nonnegative orthant of that dimension and mapped to the rows by a random nonnegative map.
    RankDeficient {
        /// The rank of X, at least 3 and less than the number of anchors; 3 by default (a circle,
        /// with the points evenly spaced).
        dimension: usize,
    },
}

impl Design {
    /// All designs, with their default parameters, in the order of the table.
    pub const ALL: [Design; 6] = [
        Design::Dirichlet,
        Design::MiddlePoints,
        Design::IllConditioned { condition: 1e3 },
        Design::IllConditionedMiddlePoints { condition: 1e3 },
        Design::ScaledColumns { sigma: 1.0 },
        Design::RankDeficient { dimension: 3 },
    ];

    /// Whether the columns that are not anchors are the midpoints of all pairs of anchors.
    pub(super) fn has_middle_points(self) -> bool {
        matches!(self, Design::MiddlePoints | Design::IllConditionedMiddlePoints { .. })
    }
}

/// A choice whose parameters are the default ones.
impl Choice for Design {
    const KIND: &'static str = "design";
    const ALL: &'static [Self] = &Design::ALL;

    fn name(self) -> &'static str {
        match self {
            Design::Dirichlet => "dirichlet",
            Design::MiddlePoints => "middle-points",
            Design::IllConditioned { .. } => "ill-conditioned",
            Design::IllConditionedMiddlePoints { .. } => "ill-conditioned-middle-points",
            Design::ScaledColumns { .. } => "scaled-columns",
            Design::RankDeficient { .. } => "rank-deficient",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Design::Dirichlet => "the paper's: uniform anchors, Dirichlet mixtures",
            Design::MiddlePoints => "all midpoints of two anchors",
            Design::IllConditioned { .. } => "anchors with singular values down to 1e-3",
            Design::IllConditionedMiddlePoints { .. } => "their midpoints",
            Design::ScaledColumns { .. } => "the paper's, every column with a scale of its own",
            Design::RankDeficient { .. } => "more anchors than dimensions",
        }
    }
}

crate::__choice_traits!(Design);

choices! {
    /// What is added to WH, at noise level delta.
    #[derive(Default)]
    pub enum Noise ("noise") {
        /// Independent entries with standard deviation delta, on all columns.
        ///
        #[default]
        Gaussian = "gaussian": "independent Gaussian entries, on all columns",
        /// `delta (X_i - w)`, w the mean of the anchors: away from the middle of the cone.
        ///
        Outward = "outward": "pushes mixtures out of the cone, on all columns but the anchors",
    }
}
