//! PowerPoint 97 to 2003.
//!
//! **What.** The slides of a presentation in order, each with its title first and its notes last; links, facts of the property
//! sets.
//!
//! **Definition.** The stream `PowerPoint Document` is records within records. `Current User` says where the last edit stands;
//! edits name directories of the objects (slides, notes, the document) by number, the newest first. The document lists the
//! slides in order with the texts of their outlines; shapes of the slides hold texts of their own or refer to those.
//!
//! **Algorithm.** The directories are followed from the last edit back. For each slide its shapes are walked in the order in
//! which they are drawn; texts of the outline that no shape refers to come behind. So nothing is said twice.
//!
//! **Cost.** Linear in the records that slides are made of; slides, steps and depth are those of the limits.
//!
//! **Bad input.** Without a sound directory the slides are taken as they stand in the file (`no-directory`); encrypted
//! presentations are `encrypted`.
//!
//! **Reference.** [MS-PPT]: PowerPoint (.ppt) Binary File Format, Microsoft.

mod directory;
mod records;
mod shapes;
mod slides;
mod text;

use crate::ole::Container;
use crate::{Builder, Document, Failure, Kind, Limits};

/// Reads a presentation.
///
/// # Errors
/// `damaged` where it is no compound file or has no slides, `encrypted` where a password keeps it.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Failure> {
    let mut container = Container::open(bytes, limits)?;
    let names = ["PowerPoint Document", "PP97_DUALSTORAGE/PowerPoint Document"];
    let Some(stream) = names.into_iter().find_map(|name| container.stream(name)) else {
        return Err(container.without("no stream of slides"));
    };
    let user = container.stream("Current User").unwrap_or_default();
    let directory = directory::Directory::read(&stream, &user);
    if directory.encrypted {
        return Err(Failure::new("encrypted", "the slides are encrypted"));
    }
    let facts = container.facts();
    let mut builder = Builder::new(Kind::Ppt, limits);
    facts.give(&mut builder.document);
    if container.is_damaged() {
        builder.warn("damaged");
    }
    let document = slides::Reader::new(&stream, &directory, builder).read(facts.about.title.as_deref());
    // A presentation without slides has a sound directory that says so.
    let broken = document.pages == Some(0) && directory.document.is_none();
    if broken { Err(Failure::new("damaged", "no slides")) } else { Ok(document) }
}

#[cfg(test)]
#[path = "ppt/ppt_tests.rs"]
mod tests;
