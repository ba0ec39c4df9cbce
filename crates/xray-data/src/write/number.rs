//! Numbers as text: the shortest decimal that reads back as the same bits.

use std::io::{self, Write};

/// Writes a finite number, with an exponent where that is shorter.
pub(crate) fn write_number(value: f64, out: &mut dyn Write) -> io::Result<()> {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        write!(out, "{value:e}")
    } else {
        write!(out, "{value}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: f64) -> String {
        let mut out = Vec::new();
        write_number(value, &mut out).expect("memory");
        String::from_utf8(out).expect("digits")
    }

    #[test]
    fn short_and_familiar() {
        let cases = [(2.0, "2"), (0.1, "0.1"), (-0.0, "-0"), (1e300, "1e300"), (5e-324, "5e-324")];
        for (value, text) in cases {
            assert_eq!(written(value), text);
        }
    }

    proptest! {
        #[test]
        fn every_number_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let parsed = crate::read::lines::parse_number(written(value).as_bytes());
            prop_assert_eq!(parsed.map(f64::to_bits), Some(bits));
        }
    }
}
