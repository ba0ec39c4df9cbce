//! What noise can make a residual see: the deviation `||tau o R_i||` of `R_i'N_j` for noise N.

use crate::cone::Cone;

/// The deviation of the noise in each coordinate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Guard {
    /// The same in all.
    Even(f64),
    /// One for each.
    Directions(Vec<f64>),
}

impl Guard {
    /// Of the residual of own column i.
    pub(crate) fn of_column(&self, cone: &Cone<'_>, i: usize) -> f64 {
        match self {
            Guard::Even(deviation) => deviation * cone.residuals[i].sqrt(),
            Guard::Directions(_) => {
                let mut residual = cone.gram.matrix.column(i).to_dense(cone.gram.matrix.n_rows());
                let (rays, weights) = cone.column_weights(i);
                for (&k, &h) in rays.iter().zip(weights) {
                    cone.ray(k as usize).for_each(|d, v| residual[d] -= h * v);
                }
                self.of_residual(&residual)
            }
        }
    }

    /// Of a residual as a vector.
    pub(crate) fn of_residual(&self, residual: &[f64]) -> f64 {
        let squared = match self {
            Guard::Even(tau) => residual.iter().fold(0.0, |sum, v| sum + (tau * v) * (tau * v)),
            Guard::Directions(tau) => {
                residual.iter().zip(tau).fold(0.0, |sum, (v, tau)| sum + (tau * v) * (tau * v))
            }
        };
        squared.sqrt()
    }
}
