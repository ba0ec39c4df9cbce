//! All pixels in few dimensions, with their brightness.

/// So many pixels are searched at most.
const SEARCHED: usize = 1 << 18;
/// The golden section: multiples of it, without their whole parts, are spread evenly and in step with no width of an image.
pub(super) const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The pixels of a cube in `q` dimensions, four bytes a number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Points {
    dimensions: usize,
    places: Vec<f32>,
    /// The sum of each pixel's live bands; not a number for pixels that are left out.
    brightness: Vec<f32>,
}

impl Points {
    /// No pixels yet.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    /// Room for so many pixels more.
    pub fn reserve(&mut self, n: usize) {
        self.places.reserve_exact(n * self.dimensions);
        self.brightness.reserve_exact(n);
    }

    /// Adds a pixel: its place, and behind it its brightness.
    ///
    /// # Panics
    /// If there are not `q + 1` numbers.
    pub fn push(&mut self, place: &[f64]) {
        assert_eq!(place.len(), self.dimensions + 1, "a place and its brightness");
        self.places.extend(place[..self.dimensions].iter().map(|&v| v as f32));
        self.brightness.push(place[self.dimensions] as f32);
    }

    /// Adds a pixel that is left out of everything.
    pub fn push_left_out(&mut self) {
        self.places.resize(self.places.len() + self.dimensions, 0.0);
        self.brightness.push(f32::NAN);
    }

    /// Number of coordinates q.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Number of pixels, with those that are left out.
    pub fn n(&self) -> usize {
        self.brightness.len()
    }

    pub(super) fn places(&self) -> &[f32] {
        &self.places
    }

    /// The place of pixel j.
    pub fn place(&self, j: usize) -> &[f32] {
        &self.places[j * self.dimensions..(j + 1) * self.dimensions]
    }

    pub(super) fn brightness(&self) -> &[f32] {
        &self.brightness
    }

    /// The number of pixels that are not left out.
    pub(super) fn n_used(&self) -> usize {
        self.brightness.iter().filter(|d| !d.is_nan()).count()
    }

    /// Of more pixels than are searched some that are spread evenly, and their numbers; none if all are searched.
    pub(super) fn thinned(&self) -> Option<(Self, Vec<usize>)> {
        self.thinned_to(SEARCHED)
    }

    fn thinned_to(&self, most: usize) -> Option<(Self, Vec<usize>)> {
        let n = self.n_used();
        if n <= most {
            return None;
        }
        let share = most as f64 / n as f64;
        let used = (0..self.n()).filter(|&j| !self.brightness[j].is_nan());
        let evenly = |&(t, _): &(usize, usize)| (t as f64 * GOLDEN).fract() < share;
        let numbers: Vec<usize> = used.enumerate().filter(evenly).map(|(_, j)| j).collect();
        let places = numbers.iter().flat_map(|&j| self.place(j)).copied().collect();
        let brightness = numbers.iter().map(|&j| self.brightness[j]).collect();
        Some((Self { dimensions: self.dimensions, places, brightness }, numbers))
    }

    /// The median of the brightness.
    pub(super) fn usual_brightness(&self) -> f64 {
        let used = self.brightness.iter().filter(|d| !d.is_nan());
        median(&used.map(|&d| f64::from(d)).collect::<Vec<f64>>())
    }

    /// Every pixel divided by its brightness, or by this share of the median if it is darker; all are equally bright then.
    #[must_use]
    pub(super) fn with_equal_light(mut self, least: f64) -> Self {
        let least = least * self.usual_brightness();
        let pixels = self.places.chunks_exact_mut(self.dimensions.max(1));
        for (place, d) in pixels.zip(&mut self.brightness).filter(|(_, d)| !d.is_nan()) {
            let divisor = f64::from(*d).max(least);
            let scale = if divisor > 0.0 { 1.0 / divisor } else { 0.0 };
            place.iter_mut().for_each(|v| *v = (f64::from(*v) * scale) as f32);
            *d = 1.0;
        }
        self
    }
}

/// The value in the middle, or the mean of both; 0 for no values.
pub(super) fn median(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let mut values = values.to_vec();
    let half = values.len() / 2;
    let middle = *values.select_nth_unstable_by(half, f64::total_cmp).1;
    if values.len() % 2 == 1 {
        return middle;
    }
    let below = values[..half].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (below + middle) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_pixels_some_are_searched_that_are_spread_evenly() {
        let mut points = Points::new(1);
        for j in 0..10_000 {
            if j % 10 == 3 { points.push_left_out() } else { points.push(&[f64::from(j), 1.0]) }
        }
        assert!(points.thinned_to(9_000).is_none());
        let (few, numbers) = points.thinned_to(900).expect("fewer");
        assert!((895..=905).contains(&few.n()), "{}", few.n());
        assert_eq!(few.n_used(), few.n());
        for (t, &j) in numbers.iter().enumerate() {
            assert_eq!(few.place(t), points.place(j));
        }
        let widest = numbers.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(widest < Some(20), "{widest:?}");
    }
}
