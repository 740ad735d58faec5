//! Answers of the capture index over HTTP, in the words of pywb, Wayback and OutbackCDX.

#[path = "cdx/json.rs"]
mod json;
#[path = "cdx/lines.rs"]
mod lines;
#[path = "cdx/rows.rs"]
mod rows;
#[path = "cdx/xml.rs"]
mod xml;

pub use lines::{PostedLines, parse_posted};
pub use rows::RowWriter;
pub use xml::{XmlWriter, xml_pairs};
