//! Sums of products in twice the working precision, for residuals whose terms cancel.

/// The rounded product and what it has lost (Dekker): exact unless it overflows or vanishes.
#[inline(always)]
fn product(a: f64, b: f64) -> (f64, f64) {
    let (high_a, low_a) = halves(a);
    let (high_b, low_b) = halves(b);
    let rounded = a * b;
    (rounded, ((high_a * high_b - rounded) + high_a * low_b + low_a * high_b) + low_a * low_b)
}

/// Two parts of half the digits (Veltkamp).
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

/// `(sum, lost) += a * b`, where the truth is `sum + lost` (Knuth).
#[inline(always)]
pub(super) fn add_product(sum: &mut f64, lost: &mut f64, a: f64, b: f64) {
    let (term, lost_by_product) = product(a, b);
    let total = *sum + term;
    let part = total - *sum;
    *lost += (*sum - (total - part)) + (term - part) + lost_by_product;
    *sum = total;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_is_not_lost() {
        let (mut sum, mut lost) = (1.0, 0.0);
        for (a, b) in [(1e17, 3.0), (0.1, 1e-9), (-3e17, 1.0)] {
            add_product(&mut sum, &mut lost, a, b);
        }
        assert!((sum + lost - (1.0 + 1e-10)).abs() < 1e-15, "{sum} + {lost}");
        let (rounded, rest) = product(0.1, 0.1);
        assert!(rounded == 0.1 * 0.1 && rest != 0.0 && rest.abs() < 1e-18);
    }
}
