//! Pictures: their size, what moves, and the notes of cameras.

pub(crate) mod bitmap;
pub(crate) mod exif;
pub(crate) mod gif;
pub(crate) mod heif;
pub(crate) mod iptc;
pub(crate) mod jp2;
pub(crate) mod jpeg;
pub(crate) mod jxl;
pub(crate) mod png;
pub(crate) mod svg;
pub(crate) mod tiff;
pub(crate) mod webp;
pub(crate) mod xmp;
