//! What a document says of itself: title, author, dates, language.
//!
//! **Definition.** XMP (ISO 16684-1) before the information dictionary (ISO 32000-1, 14.3), field by field; the language is
//! the catalog's, else XMP's.

use hayro_syntax::Pdf;
use hayro_syntax::object::{DateTime, Dict, Stream, String as PdfString};
use webmill_html::About;

use super::stream::{Budget, decoded};
use super::strings;
use crate::title::one_line;
use crate::xml::{Element, Xml};

/// Bytes of an XMP packet that are read.
const MAX_XMP: usize = 4 << 20;

/// The values; none is blank.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Titles that it states, the more telling first.
    pub(super) titles: Vec<String>,
    /// All else.
    pub(super) about: About,
}

impl Facts {
    pub(super) fn read(pdf: &Pdf, budget: &mut Budget) -> Facts {
        let root: Option<Dict<'_>> = pdf.xref().get(pdf.xref().root_id());
        let mut facts = Facts::default();
        let packet = root.as_ref().and_then(|root| root.get::<Stream<'_>>("Metadata"));
        if let Some(packet) = packet.and_then(|stream| decoded(&stream, budget)) {
            facts.read_xmp(packet.get(..MAX_XMP).unwrap_or(&packet));
        }
        let info = pdf.metadata();
        let said = |bytes: &Option<Box<[u8]>>| bytes.as_deref().map(strings::text).and_then(filled);
        facts.titles.extend(said(&info.title));
        facts.about.author = facts.about.author.take().or_else(|| said(&info.author));
        facts.about.published = facts.about.published.take().or_else(|| info.creation_date.and_then(iso));
        facts.about.modified = facts.about.modified.take().or_else(|| info.modification_date.and_then(iso));
        let language = root.and_then(|root| root.get::<PdfString<'_>>("Lang"));
        let language = language.map(|language| strings::text(&language)).and_then(filled);
        facts.about.language_declared = language.or(facts.about.language_declared.take());
        facts
    }

    fn read_xmp(&mut self, packet: &[u8]) {
        let xml = Xml::parse(packet);
        let Some(root) = xml.root() else { return };
        for description in root.descendants().filter(|element| element.name() == "Description") {
            // Simple properties may be attributes.
            let simple = |name: &str| {
                let element = description.child(name).map(|element| element.text());
                element.or_else(|| description.attr(name).map(|value| value.into_owned())).and_then(filled)
            };
            self.titles.extend(description.child("title").and_then(|title| items(title).into_iter().next()));
            let authors = description.child("creator").map(items).unwrap_or_default();
            if self.about.author.is_none() && !authors.is_empty() {
                self.about.author = Some(authors.join("; "));
            }
            self.about.published =
                self.about.published.take().or_else(|| simple("CreateDate").filter(|date| is_iso(date)));
            self.about.modified =
                self.about.modified.take().or_else(|| simple("ModifyDate").filter(|date| is_iso(date)));
            let language =
                description.child("language").and_then(|language| items(language).into_iter().next());
            self.about.language_declared = self.about.language_declared.take().or(language);
        }
    }
}

/// The items of an array or of alternatives, of which the default one stands first; a property without them is one itself.
fn items(property: Element<'_>) -> Vec<String> {
    let mut items: Vec<(bool, String)> = property
        .descendants()
        .filter(|element| element.name() == "li")
        .filter_map(|item| Some((item.attr("lang").as_deref() != Some("x-default"), filled(item.text())?)))
        .take(256)
        .collect();
    if items.is_empty() {
        items.extend(filled(property.text()).map(|text| (false, text)));
    }
    items.sort_by_key(|(other, _)| *other);
    items.into_iter().map(|(_, text)| text).collect()
}

/// Words on one line; `None` without words.
fn filled(text: impl AsRef<str>) -> Option<String> {
    Some(one_line(text.as_ref())).filter(|text| !text.is_empty())
}

/// Whether a date begins like one of ISO 8601.
fn is_iso(date: &str) -> bool {
    let bytes = date.as_bytes();
    bytes.len() >= 4
        && bytes.iter().take(4).all(u8::is_ascii_digit)
        && bytes.get(4).is_none_or(|byte| *byte == b'-')
}

/// A date of the information dictionary, ISO 8601.
fn iso(date: DateTime) -> Option<String> {
    let DateTime { year, month, day, hour, minute, second, utc_offset_hour, utc_offset_minute } = date;
    let zone = match (utc_offset_hour, utc_offset_minute) {
        (0, 0) => "Z".to_owned(),
        (hours, minutes) => {
            format!("{}{:02}:{minutes:02}", if hours < 0 { '-' } else { '+' }, hours.unsigned_abs())
        }
    };
    (year > 0).then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xmp_says_facts() {
        let packet = "<?xpacket begin=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description xmp:CreateDate='2003-04-15T08:13:06+08:00'>\
            <dc:title><rdf:Alt><rdf:li xml:lang='fr'>Canards</rdf:li><rdf:li xml:lang='x-default'>Ducks\n of the lake</rdf:li></rdf:Alt></dc:title>\
            <dc:creator><rdf:Seq><rdf:li>A. Author</rdf:li><rdf:li>李华</rdf:li></rdf:Seq></dc:creator>\
            <xmp:ModifyDate>yesterday</xmp:ModifyDate></rdf:Description></rdf:RDF></x:xmpmeta>";
        let mut facts = Facts::default();
        facts.read_xmp(packet.as_bytes());
        assert_eq!(facts.titles, ["Ducks of the lake"]);
        assert_eq!(facts.about.author.as_deref(), Some("A. Author; 李华"));
        assert_eq!(facts.about.published.as_deref(), Some("2003-04-15T08:13:06+08:00"));
        assert_eq!(facts.about.modified, None);
    }

    #[test]
    fn dates_have_zones() {
        let date = DateTime {
            year: 2003,
            month: 4,
            day: 15,
            hour: 8,
            minute: 13,
            second: 6,
            utc_offset_hour: -3,
            utc_offset_minute: 30,
        };
        assert_eq!(iso(date).as_deref(), Some("2003-04-15T08:13:06-03:30"));
        assert_eq!(
            iso(DateTime { utc_offset_hour: 0, utc_offset_minute: 0, ..date }).as_deref(),
            Some("2003-04-15T08:13:06Z")
        );
    }
}
