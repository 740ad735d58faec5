//! Rules: tables out of any site, as deep as it goes.

#![deny(clippy::unwrap_used)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod select;
