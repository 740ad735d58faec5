//! Office files since 2007 and OpenDocument.

mod chart;
mod diagram;
pub(crate) mod docx;
mod math;
mod number;
mod numbering;
pub(crate) mod odf;
pub(crate) mod package;
pub(crate) mod pptx;
mod properties;
pub(crate) mod reading_order;
pub(crate) mod sheets;
