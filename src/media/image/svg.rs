//! SVG: size, title, description.
//!
//! **Definition.** `width` and `height` of the outermost element in CSS pixels: 1 in = 96 px = 2.54 cm = 72 pt = 6 pc. A side
//! that is missing or relative comes of the `viewBox`: as it is there if both are, else by its proportion.
//!
//! **Bad input.** Elements before the outermost `svg`, and a thousand events without its title, end the reading. Of what a DTD
//! declares, at most 64 entities of at most 1 KiB are expanded, and none within another.
//!
//! **Reference.** W3C, SVG 2, 8.2; CSS Values and Units 4, 6.2.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use webmill_html::xml_events::{attribute, resolve};

use crate::facts::{self, MediaFacts, MediaOptions};
use crate::{Window, inflate, text};

/// Events that are looked at.
const MAX_EVENTS: usize = 1024;

/// Bytes of a compressed picture that are looked at.
const MAX_UNPACKED: usize = 64 << 10;

/// Entities that are looked at, and bytes of one.
const MAX_ENTITIES: usize = 64;
const MAX_ENTITY: usize = 1 << 10;

/// Reads a picture; `None` where the outermost element is no `svg`.
pub(crate) fn read(window: &Window<'_>, options: &MediaOptions<'_>, facts: &mut MediaFacts) -> Option<()> {
    let unpacked;
    let source = match window.head() {
        packed @ [0x1F, 0x8B, 8, ..] => {
            unpacked = inflate::gzip(packed, MAX_UNPACKED);
            &unpacked
        }
        plain => plain,
    };
    let decoded = webmill_html::decode(source, None, options.tld);
    let mut reader = Reader::from_str(&decoded.text);
    reader.config_mut().check_end_names = false;
    let (mut depth, mut open, mut words, mut seen) = (0_u32, None, String::new(), false);
    let mut entities = Entities::default();
    for _ in 0..MAX_EVENTS {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                open = opened(depth, &start, &entities, facts)?;
                seen = true;
                depth = depth.saturating_add(1);
                words.clear();
            }
            Ok(Event::Empty(start)) if depth == 0 => {
                opened(0, &start, &entities, facts)?;
                seen = true;
                break;
            }
            Ok(Event::Text(part)) if open.is_some() && words.len() < text::MAX_FIELD => words.push_str(&part),
            Ok(Event::GeneralRef(reference)) if open.is_some() && words.len() < text::MAX_FIELD => {
                let name: &str = &reference;
                words.push_str(&entities.get(name).map_or_else(|| resolve(&reference), Cow::from));
            }
            Ok(Event::DocType(declared)) => entities = Entities::declared(&declared),
            Ok(Event::End(_)) => {
                match open.take() {
                    Some(Part::Title) => facts::set(&mut facts.title, &words),
                    Some(Part::Description) => facts::set_lines(&mut facts.comment, &words),
                    None => {}
                }
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

/// A part whose words are wanted.
enum Part {
    Title,
    Description,
}

/// Whether an element's words are wanted; the outermost one gives the size. `None` if it is no `svg`.
fn opened(
    depth: u32,
    start: &BytesStart<'_>,
    entities: &Entities,
    facts: &mut MediaFacts,
) -> Option<Option<Part>> {
    let local = start.local_name();
    let name: &str = local.as_ref();
    match (depth, name) {
        (0, "svg") => {
            let (width, height) = size(start, entities);
            facts.size(width, height);
            Some(None)
        }
        (0, _) => None,
        (1, "title") => Some(Some(Part::Title)),
        (1, "desc") => Some(Some(Part::Description)),
        _ => Some(None),
    }
}

/// Texts that a DTD gives names to.
#[derive(Default)]
struct Entities(Vec<(String, String)>);

impl Entities {
    /// Those of the declarations of a document type.
    fn declared(declarations: &str) -> Self {
        let one = |declaration: &str| {
            let (name, rest) = declaration.trim_start().split_once(char::is_whitespace)?;
            let rest = rest.trim_start();
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, _) = rest.get(1..)?.split_once(quote)?;
            let plain = value.len() <= MAX_ENTITY && !value.contains(['&', '%', '<']) && name.len() <= 64;
            plain.then(|| (name.to_owned(), value.to_owned()))
        };
        Entities(declarations.split("<!ENTITY").skip(1).take(MAX_ENTITIES).filter_map(one).collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// An attribute that is one reference, as that says.
    fn expanded(&self, value: String) -> String {
        let name = value.trim().strip_prefix('&').and_then(|name| name.strip_suffix(';'));
        name.and_then(|name| self.get(name)).map_or(value.clone(), str::to_owned)
    }
}

/// Width and height, 0 where they are not known.
fn size(start: &BytesStart<'_>, entities: &Entities) -> (u32, u32) {
    let value = |name| attribute(start, name).map(|value| entities.expanded(value));
    let side = |name| value(name).and_then(|value| pixels(&value));
    let of_box = value("viewBox").and_then(|value| {
        let numbers: Vec<f64> = value
            .split([' ', ',', '\t', '\n', '\r'])
            .filter(|part| !part.is_empty())
            .map_while(|part| part.parse().ok())
            .collect();
        match numbers.as_slice() {
            &[_, _, width, height] if width > 0.0 && height > 0.0 => Some((width, height)),
            _ => None,
        }
    });
    let (width, height) = match (side("width"), side("height"), of_box) {
        (Some(width), Some(height), _) => (width, height),
        (Some(width), None, Some((w, h))) => (width, width * h / w),
        (None, Some(height), Some((w, h))) => (height * w / h, height),
        (None, None, Some(sides)) => sides,
        _ => (0.0, 0.0),
    };
    // A picture of less than a pixel has one.
    let whole = |side: f64| if side > 0.0 && side.is_finite() { side.round().max(1.0) as u32 } else { 0 };
    (whole(width), whole(height))
}

/// A length in CSS pixels; `None` for a relative one.
fn pixels(length: &str) -> Option<f64> {
    let length = length.trim();
    let unit_at = length.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%').len();
    let (number, unit) = length.split_at_checked(unit_at)?;
    let number: f64 = number.trim().parse().ok()?;
    let each = match unit.to_ascii_lowercase().as_str() {
        "" | "px" => 1.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "q" => 96.0 / 101.6,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        _ => return None,
    };
    Some(number * each).filter(|&side| side > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    fn read_svg(source: &str) -> (Option<()>, MediaFacts) {
        let mut facts = MediaFacts::new(Format::Svg);
        (read(&Window::of(source.as_bytes()), &MediaOptions::default(), &mut facts), facts)
    }

    #[test]
    fn sizes_with_units_and_boxes() {
        for (attributes, expected) in [
            ("width='120' height=\"80px\"", Some((120, 80))),
            ("width='1in' height='2.54cm'", Some((96, 96))),
            ("width='72pt' height='6pc' viewBox='0 0 1 1'", Some((96, 96))),
            ("viewBox='0 0 300 150'", Some((300, 150))),
            ("width='100%' height='100%' viewBox='0,0,24,24'", Some((24, 24))),
            ("width='600' viewBox='0 0 300 150'", Some((600, 300))),
            ("height='75' viewBox='0 0 300 150'", Some((150, 75))),
            ("width='1e2' height='50'", Some((100, 50))),
            ("width='0.2' height='0.2'", Some((1, 1))),
            ("width='5em' height='4em'", None),
            ("width='-1' height='4'", None),
            ("width='600'", None),
            ("", None),
        ] {
            let (read, facts) =
                read_svg(&format!("<svg xmlns='http://www.w3.org/2000/svg' {attributes}><g/></svg>"));
            assert!(read.is_some(), "{attributes}");
            assert_eq!(facts.width.zip(facts.height), expected, "{attributes}");
        }
    }

    #[test]
    fn title_and_description_of_the_picture_itself() {
        let (_, facts) = read_svg(
            "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]><!-- x --><s:svg width='1' height='1' xmlns:s='a'>\
             <s:title>Tea &amp; rain</s:title><g><title>inner</title></g><s:desc>A\nB</s:desc></s:svg>",
        );
        assert_eq!((facts.title.as_deref(), facts.comment.as_deref()), (Some("Tea & rain"), Some("A\nB")));
    }

    #[test]
    fn compressed_pictures_are_unpacked() {
        use std::io::Write;
        for (source, expected) in [("<svg width='120' height='80'/>", Some(Format::Svg)), ("<html/>", None)] {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packer.write_all(source.as_bytes()).unwrap();
            let facts = crate::facts(&Window::of(&packer.finish().unwrap()), &MediaOptions::default());
            assert_eq!(facts.as_ref().map(|facts| facts.format), expected);
            assert_eq!(facts.and_then(|facts| facts.width), expected.map(|_| 120));
        }
    }

    #[test]
    fn entities_are_expanded_once() {
        let (_, facts) = read_svg(
            "<!DOCTYPE svg [<!ENTITY w '120'><!ENTITY tea \"green tea\"><!ENTITY bomb '&tea;&tea;'>]>\
             <svg xmlns='a' width='&w;' height='80'><title>&tea; &bomb; &none;</title></svg>",
        );
        assert_eq!((facts.width, facts.height), (Some(120), Some(80)));
        assert_eq!(facts.title.as_deref(), Some("green tea &bomb; &none;"));
    }

    #[test]
    fn other_xml_is_none() {
        assert!(read_svg("<html><svg width='1' height='1'/></html>").0.is_none());
    }
}
