//! One file for each verb.

pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod factorize;
pub(crate) mod manual;
pub(crate) mod rank;
pub(crate) mod reproduce;
pub(crate) mod synth;
pub(crate) mod topics;
pub(crate) mod transform;
