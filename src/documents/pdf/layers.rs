//! Layers that are not shown (ISO 32000-1, 8.11): optional content that the default configuration turns off.

use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier};

/// Layers that are looked at.
const MAX_LAYERS: usize = 4096;

/// The layers of a document that are turned off when it is opened.
pub(super) fn hidden(pdf: &Pdf) -> Vec<ObjectIdentifier> {
    let root: Option<Dict<'_>> = pdf.xref().get(pdf.xref().root_id());
    let Some(properties) = root.and_then(|root| root.get::<Dict<'_>>("OCProperties")) else {
        return Vec::new();
    };
    let Some(default) = properties.get::<Dict<'_>>("D") else { return Vec::new() };
    let off = references(&default, "OFF");
    if default.get::<Name<'_>>("BaseState").is_some_and(|state| state.as_ref() == b"OFF") {
        let on = references(&default, "ON");
        return references(&properties, "OCGs").into_iter().filter(|layer| !on.contains(layer)).collect();
    }
    off
}

/// The objects that an array refers to.
fn references(dict: &Dict<'_>, key: &str) -> Vec<ObjectIdentifier> {
    let Some(array) = dict.get::<Array<'_>>(key) else { return Vec::new() };
    let found = array.raw_iter().take(MAX_LAYERS).filter_map(|item: MaybeRef<Object<'_>>| match item {
        MaybeRef::Ref(reference) => Some(reference.into()),
        MaybeRef::NotRef(_) => None,
    });
    found.collect()
}
