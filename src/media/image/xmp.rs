//! XMP, the notes of Adobe's programs: title, author, description, time, camera, orientation.
//!
//! **Definition.** XML of RDF: properties as elements, or as attributes of `rdf:Description`; texts in several languages and lists
//! have an element each, of which the first counts, and of authors all.
//!
//! **Bad input.** At most 64 KiB and 4,096 events are looked at, no deeper than 32; nothing is expanded.
//!
//! **Reference.** ISO 16684-1:2019.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use webmill_html::xml_events::{attribute, resolve};

use crate::bytes::first;
use crate::facts::{self, MediaFacts};
use crate::image::exif;
use crate::text;

const MAX_BYTES: usize = 64 << 10;
const MAX_EVENTS: usize = 4096;
const MAX_DEPTH: usize = 32;

/// Names of properties as attributes have them, and without their prefix.
const PROPERTIES: [(&str, &str); 9] = [
    ("dc:title", "title"),
    ("dc:creator", "creator"),
    ("dc:description", "description"),
    ("exif:DateTimeOriginal", "DateTimeOriginal"),
    ("photoshop:DateCreated", "DateCreated"),
    ("xmp:CreateDate", "CreateDate"),
    ("tiff:Make", "Make"),
    ("tiff:Model", "Model"),
    ("tiff:Orientation", "Orientation"),
];

/// What is settled when all is read.
#[derive(Default)]
struct Apart {
    maker: String,
    model: String,
    /// Times by how much they are of the shot: the first of them counts.
    times: [Option<String>; 3],
}

/// Takes what a packet says and is not known yet.
pub(crate) fn take(packet: &[u8], facts: &mut MediaFacts) {
    let mut own = MediaFacts::new(facts.format);
    let mut apart = Apart::default();
    let _ = read(packet, &mut apart, &mut own);
    facts::set(&mut own.camera, &exif::camera(&apart.maker, &apart.model));
    own.created = apart.times.into_iter().flatten().next();
    facts.fill_from(own);
}

fn read(packet: &[u8], apart: &mut Apart, facts: &mut MediaFacts) -> Option<()> {
    let source = String::from_utf8_lossy(first(packet, MAX_BYTES));
    let mut reader = Reader::from_str(&source);
    reader.config_mut().check_end_names = false;
    let mut path: Vec<Option<&'static str>> = Vec::new();
    let mut words = String::new();
    for _ in 0..MAX_EVENTS {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let within = path.last().copied().flatten();
                path.push(within.or(property(&start)));
                attributes(&start, apart, facts);
                words.clear();
                (path.len() <= MAX_DEPTH).then_some(())?;
            }
            Event::Empty(start) => attributes(&start, apart, facts),
            Event::Text(part) if words.len() < text::MAX_FIELD => words.push_str(&part),
            Event::GeneralRef(reference) if words.len() < text::MAX_FIELD => {
                words.push_str(&resolve(&reference))
            }
            Event::End(_) => {
                if let Some(name) = path.pop().flatten() {
                    give(name, &words, apart, facts);
                }
                words.clear();
            }
            Event::Eof => return Some(()),
            _ => {}
        }
    }
    None
}

/// The property that an element is.
fn property(start: &BytesStart<'_>) -> Option<&'static str> {
    let local = start.local_name();
    let name: &str = local.as_ref();
    PROPERTIES.iter().map(|(_, known)| *known).find(|known| *known == name)
}

/// Takes the attributes of `rdf:Description`.
fn attributes(start: &BytesStart<'_>, apart: &mut Apart, facts: &mut MediaFacts) {
    let local = start.local_name();
    let name: &str = local.as_ref();
    if name == "Description" {
        for (key, property) in PROPERTIES {
            if let Some(value) = attribute(start, key) {
                give(property, &value, apart, facts);
            }
        }
    }
}

fn give(property: &str, words: &str, apart: &mut Apart, facts: &mut MediaFacts) {
    let time = |index: usize, times: &mut [Option<String>; 3]| {
        let whole = facts::year(words).is_some() && words.trim().len() >= 10;
        if let Some(time) = times.get_mut(index).filter(|_| whole) {
            facts::set(time, words);
        }
    };
    match property {
        "title" => facts::set(&mut facts.title, words),
        "creator" => facts::add(&mut facts.artist, words),
        "description" => facts::set_lines(&mut facts.comment, words),
        "DateTimeOriginal" => time(0, &mut apart.times),
        "DateCreated" => time(1, &mut apart.times),
        "CreateDate" => time(2, &mut apart.times),
        "Make" => apart.maker = text::one_line(words).unwrap_or_default(),
        "Model" => apart.model = text::one_line(words).unwrap_or_default(),
        "Orientation" => {
            let turned = words.trim().parse().ok().filter(|turned| (1..=8).contains(turned));
            facts.orientation = facts.orientation.or(turned);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn elements_attributes_and_lists() {
        let packet = "<?xpacket begin='\u{FEFF}' id='x'?><x:xmpmeta xmlns:x='a'><rdf:RDF>\
            <rdf:Description xmp:CreateDate='2010-01-01T00:00:00' tiff:Make='Canon' tiff:Model='Canon EOS 5D'>\
            <dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Tea &amp; rain</rdf:li><rdf:li xml:lang='de'>Tee</rdf:li></rdf:Alt></dc:title>\
            <dc:creator><rdf:Seq><rdf:li>陆羽</rdf:li><rdf:li>皎然</rdf:li></rdf:Seq></dc:creator>\
            <photoshop:DateCreated>2004-05-01T12:30:59+08:00</photoshop:DateCreated><tiff:Orientation>6</tiff:Orientation>\
            </rdf:Description></rdf:RDF></x:xmpmeta>";
        let mut facts = MediaFacts::new(Format::Jpeg);
        facts.comment = Some("known".into());
        take(packet.as_bytes(), &mut facts);
        assert_eq!(
            (facts.title.as_deref(), facts.artist.as_deref()),
            (Some("Tea & rain"), Some("陆羽; 皎然"))
        );
        assert_eq!(
            (facts.created.as_deref(), facts.orientation),
            (Some("2004-05-01T12:30:59+08:00"), Some(6))
        );
        assert_eq!(
            (facts.camera.as_deref(), facts.comment.as_deref()),
            (Some("Canon EOS 5D"), Some("known"))
        );
    }

    #[test]
    fn depth_is_bounded() {
        let mut facts = MediaFacts::new(Format::Jpeg);
        take(format!("{}<title>deep</title>", "<a>".repeat(40)).as_bytes(), &mut facts);
        assert_eq!(facts.title, None);
    }
}
