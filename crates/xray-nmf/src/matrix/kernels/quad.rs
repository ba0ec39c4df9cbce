//! Four f64 at a time, spelled out: left to itself the compiler scatters wide accumulators over
//! single registers and loses the gain.
//!
//! [`Plain`] is the safe twin of [`Wide`]; both round every operation the same way.

/// Four numbers; every operation works on each of them alone.
pub(crate) trait Quad: Copy {
    /// All four the same.
    fn splat(value: f64) -> Self;
    /// From memory.
    fn load(values: &[f64; 4]) -> Self;
    /// To memory.
    fn store(self, values: &mut [f64; 4]);
    /// `self + x * y`, the product rounded before the sum.
    fn add_product(self, x: Self, y: Self) -> Self;
}

/// Plain arrays.
#[derive(Clone, Copy)]
pub(crate) struct Plain([f64; 4]);

impl Quad for Plain {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Plain([value; 4])
    }

    #[inline(always)]
    fn load(values: &[f64; 4]) -> Self {
        Plain(*values)
    }

    #[inline(always)]
    fn store(self, values: &mut [f64; 4]) {
        *values = self.0;
    }

    #[inline(always)]
    fn add_product(self, x: Self, y: Self) -> Self {
        Plain(std::array::from_fn(|l| self.0[l] + x.0[l] * y.0[l]))
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use wide::Wide;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod wide {
    use super::Quad;
    use std::arch::x86_64::{
        __m256d, _mm256_add_pd, _mm256_loadu_pd, _mm256_mul_pd, _mm256_set1_pd, _mm256_storeu_pd,
    };

    /// An AVX register. Only named inside functions compiled for AVX2 and called behind the check
    /// that the processor has it (see `multiversion`).
    #[derive(Clone, Copy)]
    pub(crate) struct Wide(__m256d);

    impl Quad for Wide {
        #[inline(always)]
        fn splat(value: f64) -> Self {
            // SAFETY: the processor has AVX, see the type.
            unsafe { Wide(_mm256_set1_pd(value)) }
        }

        #[inline(always)]
        fn load(values: &[f64; 4]) -> Self {
            // SAFETY: the processor has AVX, and the reference covers four numbers.
            unsafe { Wide(_mm256_loadu_pd(values.as_ptr())) }
        }

        #[inline(always)]
        fn store(self, values: &mut [f64; 4]) {
            // SAFETY: the processor has AVX, and the reference covers four numbers.
            unsafe { _mm256_storeu_pd(values.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn add_product(self, x: Self, y: Self) -> Self {
            // SAFETY: the processor has AVX, see the type.
            unsafe { Wide(_mm256_add_pd(self.0, _mm256_mul_pd(x.0, y.0))) }
        }
    }
}

/// A batch of [`LANES`](super::LANES) sums in registers.
#[derive(Clone, Copy)]
pub(crate) struct Sums<Q>([Q; 4]);

impl<Q: Quad> Sums<Q> {
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Sums([Q::splat(0.0); 4])
    }

    /// `self + factor * lanes`.
    #[inline(always)]
    pub(crate) fn add_scaled(self, factor: f64, lanes: &super::Lanes) -> Self {
        let factor = Q::splat(factor);
        let (quads, _) = lanes.as_chunks::<4>();
        Sums([
            self.0[0].add_product(factor, Q::load(&quads[0])),
            self.0[1].add_product(factor, Q::load(&quads[1])),
            self.0[2].add_product(factor, Q::load(&quads[2])),
            self.0[3].add_product(factor, Q::load(&quads[3])),
        ])
    }

    #[inline(always)]
    pub(crate) fn to_lanes(self) -> super::Lanes {
        let mut lanes = [0.0; super::LANES];
        let (quads, _) = lanes.as_chunks_mut::<4>();
        self.0.iter().zip(quads).for_each(|(sum, quad)| sum.store(quad));
        lanes
    }
}
