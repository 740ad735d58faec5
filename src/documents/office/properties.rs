//! Core properties of Office files: title, author, dates, language.
//!
//! **Reference.** ECMA-376-2, clause 11.

use crate::builder::one_line;
use crate::office::package::{Package, part_of};
use crate::title::cleaned;
use crate::{Builder, Failure, TitleSource};

/// Reads them into the document.
pub(crate) fn read(package: &mut Package<'_>, builder: &mut Builder) -> Result<(), Failure> {
    let relationships = package.relationships("")?;
    let part = part_of(&relationships, "core-properties").unwrap_or("docProps/core.xml").to_owned();
    let xml = package.xml(&part)?.unwrap_or_default();
    let Some(root) = xml.root() else { return Ok(()) };
    let said = |name: &str| {
        let text = root.child(name).map(|element| element.text())?;
        let text = one_line(&text);
        (!text.is_empty()).then_some(text)
    };
    let document = &mut builder.document;
    document.about.author = said("creator").map(|names| names.replace(';', "; ").replace("  ", " "));
    document.about.published = said("created");
    document.about.modified = said("modified");
    document.about.language_declared = said("language");
    if let Some(title) = said("title").and_then(|title| cleaned(&title)) {
        document.give_title(&title, TitleSource::Metadata);
    }
    Ok(())
}
