//! The best matching of rows to columns: the least sum of costs, one column for each row.
//!
//! Shortest augmenting paths with potentials, O(n^2 m) for n rows and m >= n columns.

/// The column of each row; `costs[row][column]`, with at least as many columns as rows.
pub(super) fn assignment(costs: &[Vec<f64>]) -> Vec<usize> {
    let n = costs.len();
    let m = costs.first().map_or(0, Vec::len);
    assert!(n <= m || n == 0, "a column for each row");
    // Row of each column; place 0 is a column that does not exist, where paths begin.
    let mut row_of: Vec<Option<usize>> = vec![None; m + 1];
    let (mut rows, mut columns) = (vec![0.0; n], vec![0.0; m + 1]);
    for row in 0..n {
        row_of[0] = Some(row);
        let mut least = vec![f64::INFINITY; m + 1];
        let mut before = vec![0; m + 1];
        let mut done = vec![false; m + 1];
        let mut at = 0;
        while let Some(i) = row_of[at] {
            done[at] = true;
            let (mut delta, mut next) = (f64::INFINITY, at);
            for j in (1..=m).filter(|&j| !done[j]) {
                let cost = costs[i][j - 1] - rows[i] - columns[j];
                if cost < least[j] {
                    (least[j], before[j]) = (cost, at);
                }
                if least[j] < delta {
                    (delta, next) = (least[j], j);
                }
            }
            for j in 0..=m {
                match (done[j], row_of[j]) {
                    (true, Some(i)) => {
                        rows[i] += delta;
                        columns[j] -= delta;
                    }
                    _ => least[j] -= delta,
                }
            }
            at = next;
        }
        while at != 0 {
            row_of[at] = row_of[before[at]];
            at = before[at];
        }
    }
    let mut matched = vec![0; n];
    for (j, row) in row_of.iter().enumerate().skip(1) {
        if let Some(row) = row {
            matched[*row] = j - 1;
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways, one after the other.
    fn least(costs: &[Vec<f64>], row: usize, taken: &mut Vec<usize>) -> f64 {
        if row == costs.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..costs[0].len() {
            if !taken.contains(&column) {
                taken.push(column);
                best = best.min(costs[row][column] + least(costs, row + 1, taken));
                taken.pop();
            }
        }
        best
    }

    #[test]
    fn no_other_matching_costs_less() {
        let mut state = 7u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) % 50) as f64
        };
        for (n, m) in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (3, 6), (2, 5)] {
            for _ in 0..20 {
                let costs: Vec<Vec<f64>> =
                    (0..n).map(|_| (0..m).map(|_| draw()).collect()).collect();
                let found = assignment(&costs);
                let mut sorted = found.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), n, "{costs:?}");
                let cost: f64 = found.iter().enumerate().map(|(i, &j)| costs[i][j]).sum();
                assert_eq!(cost, least(&costs, 0, &mut Vec::new()), "{costs:?} {found:?}");
            }
        }
        assert!(assignment(&[]).is_empty());
    }
}
