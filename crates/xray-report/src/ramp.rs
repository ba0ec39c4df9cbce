//! The colours of values, in pictures and on pages.

/// Even steps of lightness from dark blue by teal to pale yellow, as `0xRRGGBB`: no red beside green.
pub(crate) const RAMP: [u32; 6] = [0x0b1038, 0x1d3b73, 0x2b6b83, 0x56998a, 0xa5c585, 0xfdf3a8];
