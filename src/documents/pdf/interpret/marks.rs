//! Marked parts of the content (ISO 32000-1, 14.6): characters that stand for glyphs, running heads, layers.

use std::rc::Rc;

use hayro_syntax::object::{Dict, Name};
use hayro_syntax::page::Resources;

use super::{Glyph, Interpreter, MAX_STATES};
use crate::pdf::content::Operand;
use crate::pdf::strings;

/// A marked part of the content.
pub(super) struct Mark {
    /// Characters it stands for, and the first glyph within.
    pub(super) actual: Option<(String, usize)>,
    pub(super) furniture: bool,
    pub(super) hidden: bool,
}

impl<'d> Interpreter<'d, '_> {
    pub(super) fn begin_mark(&mut self, operands: &[Operand<'_>], resources: &Resources<'d>) {
        let mut mark = Mark { actual: None, furniture: false, hidden: false };
        let tag = operands.first().and_then(Operand::name).unwrap_or_default();
        let first = self.painted.glyphs.len();
        match operands.get(1) {
            Some(inline @ Operand::Dict(_)) => {
                if let Some(Operand::Text(text)) = inline.entry(b"ActualText") {
                    mark.actual = Some((strings::text(text), first));
                }
                mark.furniture = tag == b"Artifact"
                    && inline
                        .entry(b"Type")
                        .and_then(Operand::name)
                        .is_some_and(|kind| kind == b"Pagination");
            }
            Some(Operand::Name(name)) => {
                if tag == b"OC" {
                    mark.hidden = !self.hidden_layers.is_empty()
                        && resources
                            .properties
                            .get_ref(name.as_ref())
                            .is_some_and(|layer| self.hidden_layers.contains(&layer.into()));
                }
                if let Some(dict) = resources.properties.get::<Dict<'d>>(name.as_ref()) {
                    let actual = dict.get::<hayro_syntax::object::String<'_>>("ActualText");
                    mark.actual = actual.map(|text| (strings::text(&text), first));
                    mark.furniture = tag == b"Artifact"
                        && dict.get::<Name<'_>>("Type").is_some_and(|kind| kind.as_ref() == b"Pagination");
                }
            }
            _ => {}
        }
        if self.marks.len() < MAX_STATES {
            self.marks.push(mark);
        }
    }

    /// Puts the characters that a marked part stands for in the place of its glyphs.
    pub(super) fn end_mark(&mut self) {
        let Some(Mark { actual: Some((text, first)), .. }) = self.marks.pop() else { return };
        let Some((head, tail)) =
            self.painted.glyphs.get_mut(first..).and_then(|glyphs| glyphs.split_first_mut())
        else {
            return;
        };
        // What spans several lines has characters of its own on each.
        let line = |glyph: &Glyph| (glyph.at.1 - head.at.1).abs() < head.size && glyph.angle == head.angle;
        if !tail.iter().all(line) {
            return;
        }
        head.text = Rc::from(text);
        if let Some(last) = tail.last() {
            head.end = last.end;
        }
        self.painted.glyphs.truncate(first + 1);
    }
}
