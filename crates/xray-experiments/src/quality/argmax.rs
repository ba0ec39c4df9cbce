//! Rows as clusters: each goes where it weighs most.

use super::error::{Result, check_rows};

/// The cluster of each row: the column of its largest weight, the lowest one among ties.
///
/// `weights` has `rank` entries for each row, row after row, and is taken as given: scale its
/// columns first if topics differ in scale. A row without a positive weight is in no cluster,
/// `None`.
///
/// # Errors
/// If the length is not a multiple of `rank`, or a weight is not finite.
///
/// # Examples
/// ```
/// use xray_experiments::quality::argmax_rows;
/// let clusters = argmax_rows(&[0.2, 0.5, 3.0, 3.0, 0.0, 0.0], 2)?;
/// assert_eq!(clusters, [Some(1), Some(0), None]);
/// # Ok::<(), xray_experiments::quality::Error>(())
/// ```
pub fn argmax_rows(weights: &[f64], rank: usize) -> Result<Vec<Option<usize>>> {
    check_rows("weights", weights, rank)?;
    let largest = |row: &[f64]| {
        let best = (0..rank).reduce(|best, k| if row[k] > row[best] { k } else { best });
        best.filter(|&k| row[k] > 0.0)
    };
    Ok(weights.chunks_exact(rank.max(1)).map(largest).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Error;
    use super::*;

    #[test]
    fn the_largest_weight_wins_and_ties_go_left() {
        let weights = [0.0, -0.0, 0.0, 1.0, 2.0, 2.0, -1.0, -2.0, 0.0];
        assert_eq!(argmax_rows(&weights, 3).unwrap(), [None, Some(1), None]);
        assert_eq!(argmax_rows(&[], 4).unwrap(), []);
        assert_eq!(argmax_rows(&[], 0).unwrap(), []);
    }

    #[test]
    fn weights_that_are_no_numbers_or_no_rows_are_refused() {
        let error = argmax_rows(&[1.0, 2.0, f64::NAN, 0.0], 2).unwrap_err();
        assert!(error.to_string().contains("entry (1, 0) is NaN"), "{error}");
        assert!(argmax_rows(&[f64::INFINITY], 1).is_err());
        let shape = Error::Shape { what: "weights", length: 5, n_columns: 2 };
        assert_eq!(argmax_rows(&[1.0; 5], 2), Err(shape));
        assert!(argmax_rows(&[1.0], 0).is_err());
    }
}
