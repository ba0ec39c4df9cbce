//! The two element types. Storage may be `f32`; all arithmetic is `f64`.

/// An element type that a matrix may be stored in: `f32` or `f64`.
///
/// Sealed: products of two `f32` are exact in `f64`, which the accuracy statements rely on.
pub trait Scalar:
    Copy + Send + Sync + Default + std::fmt::Debug + private::Sealed + 'static
{
    /// Widens to `f64`, exactly.
    fn to_f64(self) -> f64;
    /// Rounds from `f64`.
    fn from_f64(value: f64) -> Self;
}

impl Scalar for f32 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Scalar for f64 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
}

pub(crate) mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
