//! Large images made smaller: means over squares of pixels.

/// Means of some numbers of each pixel, over squares of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Squares {
    columns: usize,
    side: usize,
    size: (usize, usize),
    width: usize,
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl Squares {
    /// Of an image of so many rows and columns, with `width` numbers for each pixel. At the lower and the right edge squares
    /// may be cut.
    pub fn new((rows, columns): (usize, usize), side: usize, width: usize) -> Self {
        let size = (rows.div_ceil(side), columns.div_ceil(side));
        let n = size.0 * size.1;
        Self { columns, side, size, width, sums: vec![0.0; n * width], counts: vec![0.0; n] }
    }

    /// Pixels of a square's side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Rows and columns of squares.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Takes the numbers of a pixel, which is counted line after line.
    pub fn add(&mut self, pixel: usize, values: impl IntoIterator<Item = f64>) {
        let (row, column) = (pixel / self.columns, pixel % self.columns);
        let square = row / self.side * self.size.1 + column / self.side;
        self.counts[square] += 1.0;
        let sums = &mut self.sums[square * self.width..(square + 1) * self.width];
        sums.iter_mut().zip(values).for_each(|(sum, v)| *sum += v);
    }

    /// The means of each square, line after line; none where no pixel was looked at.
    pub fn means(&self) -> impl Iterator<Item = Option<Vec<f64>>> {
        let squares = self.sums.chunks_exact(self.width).zip(&self.counts);
        squares.map(|(sums, &n)| (n > 0.0).then(|| sums.iter().map(|sum| sum / n).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_the_means_of_their_pixels() {
        // Two rows of five; the last column is a square of its own, and the fourth pixel is left out.
        let mut squares = Squares::new((2, 5), 2, 2);
        for pixel in (0..10).filter(|&pixel| pixel != 3) {
            squares.add(pixel, [pixel as f64, 1.0]);
        }
        assert_eq!((squares.size(), squares.side()), ((1, 3), 2));
        let means: Vec<_> = squares.means().collect();
        let expected = [3.0, 17.0 / 3.0, 6.5].map(|mean| Some(vec![mean, 1.0]));
        assert_eq!(means, expected);
        assert_eq!(Squares::new((1, 1), 1, 3).means().next(), Some(None));
    }
}
