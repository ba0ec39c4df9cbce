//! All tests of the engine but the verifier, in one program: it compiles in a fraction of the time of many.

mod accuracy;
mod bits;
mod choices;
mod close_rays;
mod corners;
mod engines;
mod golden;
mod invariance;
mod kernels;
mod nnls;
mod no_panic;
mod oracle;
mod recovery;
mod refine;
mod refusals;
mod resume;
mod rivals;
mod rivals_exact;
mod rivals_local;
mod rivals_lp;
mod seeds;
mod stop;
mod support;
mod synth;
mod threads;
mod unmix;
