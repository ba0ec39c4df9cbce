//! Inner loops, compiled twice: for any machine, and for AVX2 where it is there.
//!
//! Both versions are the same Rust code. Rust never reorders floating-point sums and none of the
//! loops fuses a multiplication with an addition, so both give the same bits; the wide version only
//! works on several independent sums at once. The macro below and the registers of [`quad`] hold
//! the only `unsafe` of the crate.

mod dense;
pub(crate) mod quad;
mod score;

#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

pub(crate) use dense::{
    add_outer_products, positive_squares, product_by_column, product_by_row, products_by_column,
    products_by_row, quadratic_form,
};
pub(crate) use score::{
    Fold, WeightRows, batch_quadratic_forms, coefficient_scores, weight_scores,
};

/// Vectors handled together in a batch: four AVX2 registers, enough independent sums to hide the
/// latency of an addition.
pub(crate) const LANES: usize = 16;

/// One number for each vector of a batch.
pub(crate) type Lanes = [f64; LANES];

/// Whether the versions for AVX2 are used: where the processor has it, unless the environment variable
/// `XRAY_PLAIN_KERNELS` is 1 when the first kernel runs, for tests of the other version.
#[cfg(target_arch = "x86_64")]
pub(crate) fn are_wide() -> bool {
    static WIDE: OnceLock<bool> = OnceLock::new();
    let plain = || std::env::var_os("XRAY_PLAIN_KERNELS").is_some_and(|value| value == "1");
    *WIDE.get_or_init(|| std::arch::is_x86_feature_detected!("avx2") && !plain())
}

/// Defines `$name` as a front for `$body`, compiled also for AVX2 and chosen at run time.
///
/// The body and all that it calls must be `#[inline(always)]` to take part. After `= quad`, the
/// body's first type parameter is the [`quad::Quad`] to compute with.
macro_rules! multiversion {
    ($(#[$meta:meta])* fn $name:ident $(<$t:ident: $bound:ident>)? ($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? = quad $body:ident) => {
        multiversion!(@ [$(#[$meta])*] $name [$($t: $bound)?] ($($arg: $type),*) [$($result)?]
            $body::<$crate::matrix::kernels::quad::Wide $(, $t)?>,
            $body::<$crate::matrix::kernels::quad::Plain $(, $t)?>);
    };
    ($(#[$meta:meta])* fn $name:ident $(<$t:ident: $bound:ident>)? ($($arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $body:ident) => {
        multiversion!(@ [$(#[$meta])*] $name [$($t: $bound)?] ($($arg: $type),*) [$($result)?]
            $body $(::<$t>)?, $body $(::<$t>)?);
    };
    (@ [$($meta:tt)*] $name:ident [$($t:ident: $bound:ident)?] ($($arg:ident: $type:ty),*) [$($result:ty)?] $wide:expr, $plain:expr) => {
        $($meta)*
        #[allow(unsafe_code)]
        pub(crate) fn $name $(<$t: $bound>)? ($($arg: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn wide $(<$t: $bound>)? ($($arg: $type),*) $(-> $result)? {
                    $wide($($arg),*)
                }
                if $crate::matrix::kernels::are_wide() {
                    // SAFETY: kernels are wide only where the processor was found to have AVX2.
                    return unsafe { wide($($arg),*) };
                }
            }
            $plain($($arg),*)
        }
    };
}
pub(crate) use multiversion;

/// `out += factor * x`.
#[inline(always)]
pub(crate) fn add_scaled(out: &mut [f64], x: &[f64], factor: f64) {
    for (sum, v) in out.iter_mut().zip(x) {
        *sum += v * factor;
    }
}

/// `x'y` in four interleaved partial sums: a fixed order that vector units can follow.
#[inline(always)]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let length = x.len().min(y.len());
    let (x, y) = (&x[..length], &y[..length]);
    let mut sums = [0.0; 4];
    let mut quads = x.chunks_exact(4).zip(y.chunks_exact(4));
    for (a, b) in &mut quads {
        for l in 0..4 {
            sums[l] += a[l] * b[l];
        }
    }
    let whole = length - length % 4;
    for (l, (a, b)) in x[whole..].iter().zip(&y[whole..]).enumerate() {
        sums[l] += a * b;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

multiversion! {
    /// Adds the square of each sum to its place in `squares`, clears the sums, and returns the total
    /// of the squares.
    fn take_squares(sums: &mut [f64], squares: &mut [f64]) -> f64 = take_squares_body
}

#[inline(always)]
fn take_squares_body(sums: &mut [f64], squares: &mut [f64]) -> f64 {
    let mut totals = [0.0; 8];
    let (sums, last_sums) = sums.as_chunks_mut::<8>();
    let (squares, last_squares) = squares.as_chunks_mut::<8>();
    for (sums, squares) in sums.iter_mut().zip(squares) {
        for l in 0..8 {
            let term = sums[l] * sums[l];
            totals[l] += term;
            squares[l] += term;
        }
        *sums = [0.0; 8];
    }
    for (l, (sum, square)) in last_sums.iter_mut().zip(last_squares).enumerate() {
        totals[l] += *sum * *sum;
        *square += *sum * *sum;
        *sum = 0.0;
    }
    totals.iter().fold(0.0, |total, term| total + term)
}
