//! The cheapest one-to-one matching of two sets (the Hungarian method, by shortest paths).
//!
//! Minimise `sum_i cost(i, matched(i))` over matchings that leave as few as possible unmatched.
//! Rows are added one at a time; each takes the shortest augmenting path under reduced costs
//! `cost(i, j) - row_price(i) - column_price(j) >= 0`, with equality on matched pairs, which proves
//! optimality. Cost `O(a^2 b)` for a <= b. Ties go to the lowest index.
//!
//! Reference: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
//! linear assignment problems", Computing 38 (1987).

/// For each row its column in a cheapest one-to-one matching, or `None` where columns are too few.
///
/// As many pairs are matched as the shorter side has members.
///
/// # Panics
/// If a cost is NaN or infinite.
///
/// # Examples
/// ```
/// let cost = [[1.0, 2.0], [1.0, 9.0], [5.0, 5.0]];
/// let matched = xray_eval::cheapest_matching(3, 2, |i, j| cost[i][j]);
/// assert_eq!(matched, [Some(1), Some(0), None]);
/// ```
pub fn cheapest_matching(
    n_rows: usize,
    n_columns: usize,
    cost: impl Fn(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    let finite = |i, j| {
        let value = cost(i, j);
        assert!(value.is_finite(), "cost({i}, {j}) is {value}; costs must be finite");
        value
    };
    if n_rows <= n_columns {
        return Matcher::new(n_rows, n_columns, finite).solve();
    }
    let mut matched = vec![None; n_rows];
    for (j, i) in Matcher::new(n_columns, n_rows, |j, i| finite(i, j)).solve().iter().enumerate() {
        matched[i.expect("the shorter side is matched")] = Some(j);
    }
    matched
}

/// The state of the method, for no more rows than columns.
struct Matcher<F> {
    cost: F,
    row_prices: Vec<f64>,
    column_prices: Vec<f64>,
    /// The row that each column is matched with.
    rows: Vec<Option<usize>>,
}

impl<F: Fn(usize, usize) -> f64> Matcher<F> {
    fn new(n_rows: usize, n_columns: usize, cost: F) -> Self {
        let (row_prices, column_prices) = (vec![0.0; n_rows], vec![0.0; n_columns]);
        Self { cost, row_prices, column_prices, rows: vec![None; n_columns] }
    }

    fn solve(mut self) -> Vec<Option<usize>> {
        let n_rows = self.row_prices.len();
        (0..n_rows).for_each(|i| self.add_row(i));
        let mut matched = vec![None; n_rows];
        for (j, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|&i| matched[i] = Some(j));
        }
        matched
    }

    /// Matches row `start` along the shortest path to a free column, and updates the prices.
    fn add_row(&mut self, start: usize) {
        let n = self.rows.len();
        let mut distance = vec![f64::INFINITY; n];
        // The column before on the path, or None where the path comes from `start`.
        let mut before: Vec<Option<usize>> = vec![None; n];
        let mut settled: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = (0..n).collect();
        let (mut i, mut length, mut last) = (start, 0.0, None);
        let end = loop {
            for &j in &open {
                let reduced = (self.cost)(i, j) - self.row_prices[i] - self.column_prices[j];
                if length + reduced < distance[j] {
                    (distance[j], before[j]) = (length + reduced, last);
                }
            }
            let nearer = |a, b| if distance[open[b]] < distance[open[a]] { b } else { a };
            let nearest = (0..open.len()).reduce(nearer).expect("columns are not fewer than rows");
            let j = open.remove(nearest);
            length = distance[j];
            match self.rows[j] {
                None => break j,
                Some(row) => (i, last) = (row, Some(j)),
            }
            settled.push(j);
        };
        self.row_prices[start] += length;
        for &j in &settled {
            self.row_prices[self.rows[j].expect("settled columns are matched")] +=
                length - distance[j];
            self.column_prices[j] -= length - distance[j];
        }
        self.augment(start, end, &before);
    }

    /// Shifts the matches along the path that ends at column `end`.
    fn augment(&mut self, start: usize, end: usize, before: &[Option<usize>]) {
        let mut j = end;
        while let Some(previous) = before[j] {
            self.rows[j] = self.rows[previous];
            j = previous;
        }
        self.rows[j] = Some(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least total cost over all ways to match every row, by trying all.
    fn cheapest_by_trial(cost: &[Vec<f64>], used: &mut Vec<bool>) -> f64 {
        let Some((first, others)) = cost.split_first() else { return 0.0 };
        let mut least = f64::INFINITY;
        for j in 0..first.len() {
            if !used[j] {
                used[j] = true;
                least = least.min(first[j] + cheapest_by_trial(others, used));
                used[j] = false;
            }
        }
        least
    }

    fn check(cost: &[Vec<f64>], n_columns: usize) {
        let n_rows = cost.len();
        let matched = cheapest_matching(n_rows, n_columns, |i, j| cost[i][j]);
        let mut columns: Vec<usize> = matched.iter().flatten().copied().collect();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns.len(), n_rows.min(n_columns));
        let total: f64 = (0..n_rows).filter_map(|i| matched[i].map(|j| cost[i][j])).sum();
        let expected = if n_rows <= n_columns {
            cheapest_by_trial(cost, &mut vec![false; n_columns])
        } else {
            let columns: Vec<Vec<f64>> =
                (0..n_columns).map(|j| cost.iter().map(|row| row[j]).collect()).collect();
            cheapest_by_trial(&columns, &mut vec![false; n_rows])
        };
        assert!((total - expected).abs() <= 1e-9, "{total}, not {expected}");
        let flipped = cheapest_matching(n_columns, n_rows, |j, i| cost[i][j]);
        let other: f64 = (0..n_columns).filter_map(|j| flipped[j].map(|i| cost[i][j])).sum();
        assert!((other - expected).abs() <= 1e-9);
    }

    proptest! {
        #[test]
        fn none_is_cheaper(
            n_columns in 1usize..7,
            cost in prop::collection::vec(prop::collection::vec(-9.0..9.0f64, 7), 0..7),
        ) {
            let cost: Vec<Vec<f64>> =
                cost.into_iter().map(|row| row[..n_columns].to_vec()).collect();
            check(&cost, n_columns);
        }

        #[test]
        fn none_is_cheaper_among_ties(
            cost in prop::collection::vec(prop::collection::vec(0..3i32, 5), 1..7),
        ) {
            let cost: Vec<Vec<f64>> =
                cost.iter().map(|row| row.iter().copied().map(f64::from).collect()).collect();
            check(&cost, 5);
        }
    }

    #[test]
    fn nothing_matches_nothing() {
        assert_eq!(cheapest_matching(0, 3, |_, _| 0.0), []);
        assert_eq!(cheapest_matching(2, 0, |_, _| 0.0), [None, None]);
    }

    #[test]
    #[should_panic(expected = "cost(0, 1) is NaN")]
    fn costs_must_be_numbers() {
        cheapest_matching(1, 2, |_, j| if j == 1 { f64::NAN } else { 0.0 });
    }
}
