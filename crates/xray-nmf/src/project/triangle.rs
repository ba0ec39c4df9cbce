//! Cholesky's factor of a matrix of inner products that grows by one vector at a time.

/// A pivot below this share of a vector's squared norm: the vector depends on those before.
const DEPENDENT: f64 = 1e-13;

/// L in `LL' = S`, row after row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Triangle(Vec<Vec<f64>>);

impl Triangle {
    /// One more vector, with its inner products with those before; returns its squared distance to their span.
    ///
    /// A vector that depends on them takes no part: its diagonal is infinite, so that all it is divided
    /// into vanishes.
    pub(crate) fn push(&mut self, products: impl Iterator<Item = f64>, squared_norm: f64) -> f64 {
        let mut row = self.forward(products);
        let pivot = row.iter().fold(squared_norm, |rest, v| rest - v * v);
        row.push(if pivot > DEPENDENT * squared_norm { pivot.sqrt() } else { f64::INFINITY });
        self.0.push(row);
        pivot
    }

    /// Solves `S z = c`.
    pub(crate) fn solve(&self, c: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut z = self.forward(c);
        for q in (0..z.len()).rev() {
            z[q] /= self.0[q][q];
            let (before, own) = z.split_at_mut(q);
            before.iter_mut().zip(&self.0[q]).for_each(|(z, l)| *z -= l * own[0]);
        }
        z
    }

    /// Solves `L y = c`.
    fn forward(&self, c: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut y: Vec<f64> = Vec::with_capacity(self.0.len() + 1);
        for (row, c) in self.0.iter().zip(c) {
            let (diagonal, before) = row.split_last().expect("a row has its diagonal");
            let rest = before.iter().zip(&y).fold(c, |rest, (l, y)| rest - l * y);
            y.push(rest / diagonal);
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_and_a_dependent_vector_is_left_out() {
        let rows = [vec![4.0], vec![2.0, 5.0], vec![4.0, 2.0, 4.0]];
        let mut triangle = Triangle::default();
        let mut push = |row: &Vec<f64>| {
            let (own, before) = row.split_last().expect("a diagonal");
            triangle.push(before.iter().copied(), *own)
        };
        assert_eq!([push(&rows[0]), push(&rows[1])], [4.0, 4.0]);
        let z = triangle.clone().solve([10.0, 9.0].into_iter());
        assert!((z[0] - 2.0).abs() < 1e-15 && (z[1] - 1.0).abs() < 1e-15, "{z:?}");
        // The last is a copy of the first.
        let (own, before) = rows[2].split_last().expect("a diagonal");
        assert_eq!(triangle.push(before.iter().copied(), *own), 0.0);
        let z = triangle.solve([10.0, 9.0, 10.0].into_iter());
        assert_eq!(z[2], 0.0);
        assert!((z[0] - 2.0).abs() < 1e-15 && (z[1] - 1.0).abs() < 1e-15, "{z:?}");
    }
}
