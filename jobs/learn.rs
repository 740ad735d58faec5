//! Learning over pages: `webmill learn`.

pub mod cluster;
