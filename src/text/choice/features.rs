//! Features by name.
//!
//! Rows of [blocks](super::block_row) and [pages](super::page_row) are made by [`features!`], which names each value where it
//! is computed. A row of values leaves the names out; asked for them once a process, the same code gives [the names](super::feature_names),
//! by which the models are read: a feature may move or come in anywhere, and a model that asks for one that is gone is
//! refused when it is loaded.

use std::fmt::Debug;

/// What features are given to.
pub(crate) trait FeatureSink {
    /// Takes a feature.
    fn put(&mut self, name: &'static str, value: f32);
    /// Takes one of several features of a name, told apart by what they are of.
    fn put_of(&mut self, name: &'static str, of: impl Debug, value: f32);
}

/// A row of values.
impl FeatureSink for Vec<f32> {
    #[inline]
    fn put(&mut self, _: &'static str, value: f32) {
        self.push(value);
    }

    #[inline]
    fn put_of(&mut self, _: &'static str, _: impl Debug, value: f32) {
        self.push(value);
    }
}

/// Gives features to a [`FeatureSink`]: `features! { out; name: value, … }`, or `features! { out, of; name: value, … }` where
/// there are several of these names.
macro_rules! features {
    ($out:expr; $($name:ident: $value:expr),+ $(,)?) => {
        $($crate::choice::features::FeatureSink::put($out, stringify!($name), $value);)+
    };
    ($out:expr, $of:expr; $($name:ident: $value:expr),+ $(,)?) => {
        $($crate::choice::features::FeatureSink::put_of($out, stringify!($name), $of, $value);)+
    };
}
pub(crate) use features;
