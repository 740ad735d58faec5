//! SVG: size, title, description.
//!
//! **Definition.** `width` and `height` of the outermost element in CSS pixels: 1 in = 96 px = 2.54 cm = 72 pt = 6 pc. Where
//! they are missing or relative, the size of the `viewBox`.
//!
//! **Reference.** W3C, SVG 2, 8.2; CSS Values and Units 4, 6.2.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use webmill_html::xml_events::{attribute, resolve};

use crate::media::facts::{self, MediaFacts, MediaOptions};
use crate::media::{Format, Window, text};

/// Events that are looked at: the title stands near the beginning.
const MAX_EVENTS: usize = 1024;

/// Whether the outermost element is `svg`.
pub(crate) fn is_svg(window: &Window<'_>, options: &MediaOptions<'_>) -> bool {
    read(window, options, &mut MediaFacts::new(Format::Svg)).is_some()
}

/// Reads a picture; `None` where the outermost element is no `svg`.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let decoded = webmill_html::decode(window.head(), None, options.tld);
    let mut reader = Reader::from_str(&decoded.text);
    reader.config_mut().check_end_names = false;
    let (mut depth, mut seen, mut words) = (0_u32, false, String::new());
    for _ in 0..MAX_EVENTS {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) if depth == 0 => {
                let name = start.local_name();
                let name: &str = name.as_ref();
                let (width, height) = (name == "svg").then(|| size(&start))?;
                facts.size(width, height);
                (depth, seen) = (1, true);
            }
            Ok(Event::Start(_)) => {
                depth = depth.saturating_add(1);
                words.clear();
            }
            Ok(Event::Text(part)) if words.len() < text::MAX_FIELD => words.push_str(&part),
            Ok(Event::GeneralRef(name)) if words.len() < text::MAX_FIELD => words.push_str(&resolve(&name)),
            Ok(Event::End(end)) => {
                let name = end.local_name();
                let name: &str = name.as_ref();
                match (depth, name) {
                    (2, "title") => facts::set(&mut facts.title, &words),
                    (2, "desc") => facts::set_lines(&mut facts.comment, &words),
                    _ => {}
                }
                words.clear();
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    seen.then_some(())
}

/// Width and height, 0 where they are not known.
fn size(start: &BytesStart<'_>) -> (u32, u32) {
    let side = |name| attribute(start, name).and_then(|value| pixels(&value));
    let view = attribute(start, "viewBox").unwrap_or_default();
    let view: Vec<f64> = view
        .split([' ', ',', '\n', '\t'])
        .filter(|part| !part.is_empty())
        .map_while(|part| part.parse().ok())
        .collect();
    let (wide, high) = match *view.as_slice() {
        [_, _, wide, high] if wide > 0.0 && high > 0.0 => (wide, high),
        _ => (0.0, 0.0),
    };
    let (width, height) = match (side("width"), side("height")) {
        (Some(width), Some(height)) => (width, height),
        (Some(width), None) => (width, width * high / wide),
        (None, Some(height)) => (height * wide / high, height),
        (None, None) => (wide, high),
    };
    let whole = |side: f64| if side.is_finite() { side.round().max(0.0) as u32 } else { 0 };
    (whole(width), whole(height))
}

/// A length in CSS pixels; `None` where it is relative.
fn pixels(length: &str) -> Option<f64> {
    let length = length.trim();
    let unit = length.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'));
    let number: f64 = length.strip_suffix(unit)?.parse().ok()?;
    let each = match unit.to_ascii_lowercase().as_str() {
        "" | "px" => 1.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 9.6 / 2.54,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        _ => return None,
    };
    Some(number * each).filter(|pixels| *pixels > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_words() {
        for (source, expected) in [
            ("<svg width='2in' height='2.54cm'/>", Some((192, 96))),
            ("<!-- a --><svg:svg viewBox='0 0 30,20'></svg:svg>", Some((30, 20))),
            ("<svg width='60' height='100%' viewBox='0 0 30 20'/>", Some((60, 40))),
            ("<svg width='60'/>", None),
        ] {
            let mut facts = MediaFacts::new(Format::Svg);
            read(&Window::of(source.as_bytes()), &MediaOptions::default(), &mut facts).unwrap();
            assert_eq!(facts.width.zip(facts.height), expected, "{source}");
        }
        let mut facts = MediaFacts::new(Format::Svg);
        let source =
            b"<svg><title>Ebb &amp; flow</title><desc>Two\nlines</desc><g><title>no</title></g></svg>";
        read(&Window::of(source), &MediaOptions::default(), &mut facts).unwrap();
        assert_eq!(
            (facts.title.as_deref(), facts.comment.as_deref()),
            (Some("Ebb & flow"), Some("Two\nlines"))
        );
        assert!(!is_svg(&Window::of(b"<html><svg/></html>"), &MediaOptions::default()));
    }
}
