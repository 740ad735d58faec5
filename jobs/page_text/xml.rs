//! XML and TEI P5 documents around the elements of a text.
//!
//! The plain form has one element `doc` a page, with its metadata as attributes, the text in `main` and readers'
//! comments in `comments`. The TEI form is a `TEI` element with the header that the guidelines ask for; several pages are a
//! `corpus` or a `teiCorpus`.
//!
//! Reference: TEI P5 guidelines, chapters 2 (header), 4 (text structure).

use webmill_html::FieldValue;
use webmill_text::escape_xml;

use super::facts::{PageFacts, PostShown};

/// The namespace of TEI.
const TEI: &str = "http://www.tei-c.org/ns/1.0";
/// What every document begins with.
pub const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// Begin and end of several pages.
pub const CORPUS: (&str, &str) = ("<corpus>\n", "</corpus>\n");

/// Begin and end of several TEI documents.
pub fn tei_corpus() -> (String, &'static str) {
    let mut out = format!(
        "<teiCorpus xmlns=\"{TEI}\">\n<teiHeader><fileDesc>\n<titleStmt><title>Main texts</title></titleStmt>\n"
    );
    out.push_str("<publicationStmt><p/></publicationStmt>\n<sourceDesc><p>Pages of the Web</p></sourceDesc>\n</fileDesc>\n");
    encoding(&mut out);
    out.push_str("</teiHeader>\n");
    (out, "</teiCorpus>\n")
}

fn element(name: &str, text: &str, out: &mut String) {
    out.push_str(&format!("<{name}>"));
    escape_xml(text, out);
    // A name may have attributes behind it.
    out.push_str(&format!("</{}>", name.split(' ').next().unwrap_or(name)));
}

fn attribute(name: &str, value: Option<&str>, out: &mut String) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        out.push_str(&format!(" {name}=\""));
        escape_xml(value, out);
        out.push('"');
    }
}

/// A page as `doc`.
pub fn document(facts: &PageFacts) -> String {
    let mut out = "<doc".to_owned();
    attribute("id", Some(&facts.id), &mut out);
    for (name, value) in facts.stated() {
        let name = match name {
            "site_name" => "sitename",
            "licence" => "license",
            _ => name,
        };
        match value {
            FieldValue::Text(text) => attribute(name, text, &mut out),
            FieldValue::List(list) => attribute(name, Some(&list.join(";")), &mut out),
        }
    }
    attribute("url", facts.url.as_deref(), &mut out);
    attribute("language", facts.language, &mut out);
    attribute("pagetype", Some(facts.page_type), &mut out);
    out.push_str(">\n<main>\n");
    out.push_str(&facts.xml);
    out.push_str("</main>\n");
    if facts.comments().next().is_some() {
        out.push_str("<comments>\n");
        for said in facts.comments() {
            out.push_str("<comment");
            attribute("author", said.author.as_deref(), &mut out);
            attribute("date", said.date.as_deref(), &mut out);
            out.push('>');
            paragraphs(said, &mut out);
            out.push_str("</comment>\n");
        }
        out.push_str("</comments>\n");
    }
    out.push_str("</doc>\n");
    out
}

fn paragraphs(said: &PostShown, out: &mut String) {
    for line in said.text.lines().filter(|line| !line.trim().is_empty()) {
        element("p", line, out);
    }
}

/// A page as `TEI`.
pub fn tei(facts: &PageFacts) -> String {
    let mut out = format!("<TEI xmlns=\"{TEI}\">\n<teiHeader>\n");
    file_description(facts, &mut out);
    encoding(&mut out);
    profile(facts, &mut out);
    out.push_str("</teiHeader>\n<text>\n<body>\n<div type=\"entry\">\n");
    out.push_str(&facts.xml);
    out.push_str("</div>\n");
    if facts.comments().next().is_some() {
        out.push_str("<div type=\"comments\">\n");
        for said in facts.comments() {
            out.push_str("<div type=\"comment\">");
            if said.author.is_some() || said.date.is_some() {
                out.push_str("<p>");
                said.author.iter().for_each(|name| element("name", name, &mut out));
                out.push_str(if said.author.is_some() && said.date.is_some() { ", " } else { "" });
                said.date.iter().for_each(|when| date(when, &mut out));
                out.push_str("</p>");
            }
            paragraphs(said, &mut out);
            out.push_str("</div>\n");
        }
        out.push_str("</div>\n");
    }
    out.push_str("</body>\n</text>\n</TEI>\n");
    out
}

fn file_description(facts: &PageFacts, out: &mut String) {
    out.push_str("<fileDesc>\n<titleStmt>");
    element("title type=\"main\"", facts.about.title.as_deref().unwrap_or_default(), out);
    facts.about.author.iter().for_each(|author| element("author", author, out));
    out.push_str("</titleStmt>\n<publicationStmt>");
    match &facts.about.site_name {
        Some(site) => {
            element("publisher", site, out);
            facts.about.published.iter().for_each(|when| date(when, out));
            element("idno type=\"file\"", &facts.id, out);
            if let Some(licence) = &facts.about.licence {
                out.push_str("<availability>");
                element("licence", licence, out);
                out.push_str("</availability>");
            }
        }
        None => out.push_str("<p/>"),
    }
    out.push_str("</publicationStmt>\n<sourceDesc><bibl>");
    let before = out.len();
    for (name, text) in [
        ("title", &facts.about.title),
        ("author", &facts.about.author),
        ("publisher", &facts.about.site_name),
    ] {
        if let Some(text) = text {
            out.push_str(if out.len() > before { ", " } else { "" });
            element(name, text, out);
        }
    }
    if let Some(when) = &facts.about.published {
        out.push_str(if out.len() > before { ", " } else { "" });
        date(when, out);
    }
    if let Some(url) = &facts.url {
        out.push_str(if out.len() > before { ", " } else { "" });
        out.push_str("<ptr target=\"");
        escape_xml(url, out);
        out.push_str("\"/>");
    }
    out.push_str("</bibl></sourceDesc>\n</fileDesc>\n");
}

/// What made the document.
fn encoding(out: &mut String) {
    let version = env!("CARGO_PKG_VERSION");
    out.push_str(&format!(
        "<encodingDesc><appInfo><application ident=\"webmill\" version=\"{version}\"><label>webmill</label></application></appInfo></encodingDesc>\n"
    ));
}

fn profile(facts: &PageFacts, out: &mut String) {
    let terms: Vec<&String> = facts.about.categories.iter().chain(&facts.about.tags).collect();
    if facts.about.description.is_none() && facts.language.is_none() && terms.is_empty() {
        return;
    }
    out.push_str("<profileDesc>");
    if let Some(description) = &facts.about.description {
        out.push_str("<abstract>");
        element("p", description, out);
        out.push_str("</abstract>");
    }
    if let Some(language) = facts.language {
        out.push_str(&format!("<langUsage><language ident=\"{language}\">{language}</language></langUsage>"));
    }
    if !terms.is_empty() {
        out.push_str("<textClass><keywords>");
        terms.iter().for_each(|term| element("term", term, out));
        out.push_str("</keywords></textClass>");
    }
    out.push_str("</profileDesc>\n");
}

/// A date; its normal form where it is one of those that TEI takes for one.
fn date(text: &str, out: &mut String) {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let normal = ["0000-00-00", "0000-00-00T00:00:00"].contains(&shape.trim_end_matches('Z'))
        || shape.len() == 25 && shape.starts_with("0000-00-00T00:00:00") && shape.ends_with("00:00");
    let name = if normal { format!("date when=\"{text}\"") } else { "date".to_owned() };
    element(&name, text, out);
}
