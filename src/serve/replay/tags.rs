//! What the attributes of a start tag mean to replay: addresses, style sheets, and what must not work in an archive.
//!
//! Attributes that would reach out of the archive or forbid what was changed (`ping`, `integrity`, hints to connect, a
//! policy in `<meta>`) are set aside under another name, `data-archived-…`: nothing is lost, and nothing acts.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use encoding_rs::UTF_8;
use webmill_html::{Limits, refresh_url};

use super::css;
use super::html::rewrite_nested;
use super::place::{Modifier, References, Verdict, trim};
use super::script::{self, Realm};

/// An attribute in the source.
#[derive(Copy, Clone, Debug)]
pub(super) struct Attribute {
    pub name: (usize, usize),
    pub value: Option<(usize, usize)>,
}

/// A start tag in the source.
pub(super) struct Tag<'a> {
    /// Lower-case.
    pub name: &'a [u8],
    pub source: &'a [u8],
    pub attributes: &'a [Attribute],
    /// Whether it stands in SVG or MathML.
    pub foreign: bool,
}

/// What the text in a script is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    Script,
    ImportMap,
    Data,
}

/// A change: `text` in the place of `span`.
#[derive(Debug)]
pub(super) struct Edit {
    pub span: (usize, usize),
    pub text: Vec<u8>,
}

/// What an attribute is.
enum Role {
    Address(Modifier),
    /// `<base href>`.
    Base,
    Candidates,
    Style,
    /// A script run when something happens (`onclick`).
    Handler,
    Document,
    Refresh,
    /// Set aside.
    Aside,
    /// Given another value.
    Instead(&'static str),
}

/// Elements of HTML that end SVG and MathML around them.
const BREAKOUT: &str = "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img \
     li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var";

/// Whether an element of HTML ends SVG and MathML around it.
pub(super) fn breaks_out(name: &[u8]) -> bool {
    BREAKOUT.split(' ').any(|other| other.as_bytes() == name)
}

/// The name of an element of SVG or MathML whose contents are HTML.
pub(super) fn integration_point(name: &[u8], math: bool) -> Option<&'static str> {
    const SVG: [&str; 3] = ["foreignobject", "desc", "title"];
    const MATH: [&str; 6] = ["mi", "mo", "mn", "ms", "mtext", "annotation-xml"];
    let among = if math { &MATH[..] } else { &SVG[..] };
    among.iter().copied().find(|point| point.as_bytes() == name)
}

fn has(list: &[u8], word: &str) -> bool {
    list.split(u8::is_ascii_whitespace).any(|token| token.eq_ignore_ascii_case(word.as_bytes()))
}

impl<'a> Tag<'a> {
    fn name_of(&self, attribute: &Attribute) -> Vec<u8> {
        let (from, to) = attribute.name;
        self.source[from..to.min(from + 32)].to_ascii_lowercase()
    }

    fn value_of(&self, attribute: &Attribute) -> &'a [u8] {
        attribute.value.map_or(&[][..], |(from, to)| &self.source[from..to])
    }

    /// The value of the first attribute of a name.
    fn value(&self, name: &str) -> Option<&'a [u8]> {
        self.attributes
            .iter()
            .find(|attribute| {
                let (from, to) = attribute.name;
                self.source[from..to].eq_ignore_ascii_case(name.as_bytes())
            })
            .map(|attribute| trim(self.value_of(attribute)))
    }

    fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| name.as_bytes() == self.name)
    }

    /// What the text of the element is, if it is a script.
    pub fn contents(&self) -> Contents {
        if self.name != b"script" {
            return Contents::Data;
        }
        let Some(kind) = self.value("type").filter(|kind| !kind.is_empty()) else { return Contents::Script };
        let kind = kind.to_ascii_lowercase();
        match &kind[..] {
            b"importmap" => Contents::ImportMap,
            b"module" => Contents::Script,
            _ if kind.ends_with(b"javascript") || kind.ends_with(b"ecmascript") => Contents::Script,
            _ => Contents::Data,
        }
    }

    /// The changes to the tag, in the order of the source.
    pub fn edits(&self, references: &mut References, nested: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        for attribute in self.attributes {
            let name = self.name_of(attribute);
            if let Some(role) = self.role(&name, references)
                && let Some(edit) = self.edit(attribute, &role, references, nested)
            {
                edits.push(edit);
            }
        }
        edits
    }

    fn role(&self, name: &[u8], references: &References) -> Option<Role> {
        use Modifier::{Image, Inner, Page, Script};
        Some(match name {
            b"href" | b"xlink:href" => match self.name {
                b"base" if !self.foreign => Role::Base,
                b"link" => self.link()?,
                b"script" => Role::Address(Script),
                b"a" | b"area" => Role::Address(Page),
                _ => Role::Address(if self.foreign { Image } else { Page }),
            },
            b"src" => Role::Address(match self.name {
                b"script" => Script,
                b"iframe" | b"frame" => Inner,
                b"embed" => Page,
                _ => Image,
            }),
            b"srcset" | b"imagesrcset" => Role::Candidates,
            b"style" => Role::Style,
            b"srcdoc" if self.is(&["iframe"]) => Role::Document,
            b"action" | b"formaction" | b"cite" | b"longdesc" | b"codebase" => Role::Address(Page),
            b"data" if self.is(&["object"]) => Role::Address(Page),
            b"poster" | b"background" | b"lowsrc" | b"dynsrc" => Role::Address(Image),
            b"value" if self.is(&["param"]) => {
                let named = self.value("name")?.to_ascii_lowercase();
                let address = [&b"movie"[..], b"src", b"data", b"url", b"filename"].contains(&&named[..]);
                Role::Address(address.then_some(Page)?)
            }
            b"content" if self.is(&["meta"]) => {
                let refresh = self.value("http-equiv")?.eq_ignore_ascii_case(b"refresh");
                refresh.then_some(Role::Refresh)?
            }
            b"http-equiv" => {
                let acts = self.value("http-equiv")?.to_ascii_lowercase();
                let keep = [
                    &b"refresh"[..],
                    b"content-type",
                    b"content-language",
                    b"default-style",
                    b"x-ua-compatible",
                ];
                (!keep.contains(&&acts[..])).then_some(Role::Aside)?
            }
            b"rel" if self.is(&["link"]) => {
                let rel = self.value("rel")?;
                let hints = ["dns-prefetch", "preconnect", "prefetch", "prerender"];
                hints.iter().any(|hint| has(rel, hint)).then_some(Role::Aside)?
            }
            b"type" if self.is(&["script"]) => {
                let rules = self.value("type")?.eq_ignore_ascii_case(b"speculationrules");
                rules.then_some(Role::Instead("archived-speculationrules"))?
            }
            b"integrity" | b"ping" | b"attributionsrc" => Role::Aside,
            b"manifest" if self.is(&["html"]) => Role::Aside,
            b"crossorigin" if !references.has_token() => Role::Aside,
            b"fill" | b"stroke" | b"filter" | b"mask" | b"clip-path" | b"cursor" if self.foreign => {
                Role::Style
            }
            _ if name.starts_with(b"on") => Role::Handler,
            b"marker-start" | b"marker-mid" | b"marker-end" if self.foreign => Role::Style,
            _ => return None,
        })
    }

    fn link(&self) -> Option<Role> {
        let rel = self.value("rel").unwrap_or_default();
        let of = |word: &str| self.value("as").is_some_and(|of| of.eq_ignore_ascii_case(word.as_bytes()));
        Some(Role::Address(if has(rel, "stylesheet") || of("style") {
            Modifier::Style
        } else if has(rel, "modulepreload") || of("script") {
            Modifier::Script
        } else if has(rel, "icon")
            || has(rel, "apple-touch-icon")
            || has(rel, "mask-icon")
            || of("image")
            || of("font")
        {
            Modifier::Image
        } else {
            Modifier::Page
        }))
    }

    fn edit(
        &self,
        attribute: &Attribute,
        role: &Role,
        references: &mut References,
        nested: usize,
    ) -> Option<Edit> {
        if matches!(role, Role::Aside) {
            let (from, to) = attribute.name;
            return Some(Edit { span: (from, from), text: b"data-archived-".to_vec() }).filter(|_| from < to);
        }
        let span = attribute.value?;
        let raw = &self.source[span.0..span.1];
        let whole = |text: String| Some(Edit { span, text: text.into_bytes() });
        match role {
            Role::Aside => None,
            Role::Instead(value) => whole((*value).to_owned()),
            Role::Base => {
                let edit = address(raw, span, Modifier::Page, references);
                if !references.based {
                    references.based = true;
                    references.rebase(decoded(raw, references.decoded).trim_matches(|c: char| c <= ' '));
                }
                edit
            }
            Role::Address(Modifier::Page) if is_code(raw) => code(raw, span, references),
            Role::Handler => code(raw, span, references),
            Role::Address(modifier) => address(raw, span, *modifier, references),
            Role::Candidates => {
                let text = candidates(raw, references);
                (text != raw).then_some(Edit { span, text })
            }
            Role::Style => {
                let mut text = Vec::new();
                if raw.contains(&b'&') {
                    let source = decoded(raw, references.decoded);
                    let mut references = references.clone();
                    references.decoded = UTF_8;
                    css::rewrite(source.as_bytes(), &references, &mut text);
                    let changed = text != source.as_bytes();
                    return whole(escaped(&String::from_utf8_lossy(&text))).filter(|_| changed);
                }
                css::rewrite(raw, references, &mut text);
                (text != raw).then_some(Edit { span, text })
            }
            Role::Refresh => {
                let content = decoded(raw, references.decoded);
                let target = refresh_url(&content)?;
                let place = match references.judge(target.as_bytes(), Modifier::Page, false) {
                    Verdict::Keep => return None,
                    Verdict::Prefix(put) => put + target,
                    Verdict::Join => references.join(target, Modifier::Page)?,
                };
                let at = target.as_ptr() as usize - content.as_ptr() as usize;
                whole(escaped(&format!("{}{place}{}", content.cut(..at), content.cut(at + target.len()..))))
            }
            Role::Document => {
                let Some(nested) = nested.checked_sub(1) else {
                    let (from, _) = attribute.name;
                    return Some(Edit { span: (from, from), text: b"data-archived-".to_vec() });
                };
                let source = decoded(raw, references.decoded);
                let mut references = references.clone();
                references.decoded = UTF_8;
                references.based = false;
                let inject = references.inject.clone();
                let mut text = Vec::new();
                rewrite_nested(source.as_bytes(), &mut references, &inject, nested, &mut text);
                whole(escaped(&String::from_utf8_lossy(&text)))
            }
        }
    }
}

/// The change that leads an address into the archive.
fn address(raw: &[u8], span: (usize, usize), modifier: Modifier, references: &References) -> Option<Edit> {
    let lead = raw.iter().position(|&b| b > b' ').unwrap_or(raw.len());
    let start = span.0 + lead;
    match references.judge(raw, modifier, true) {
        Verdict::Keep => None,
        Verdict::Prefix(put) => Some(Edit { span: (start, start), text: put.into_bytes() }),
        Verdict::Join => {
            let place = references.join(&decoded(raw, references.decoded), modifier)?;
            Some(Edit { span: (start, start + trim(raw).len()), text: escaped(&place).into_bytes() })
        }
    }
}

/// The candidates of a `srcset`.
fn candidates(raw: &[u8], references: &References) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let space = |b: &u8| b.is_ascii_whitespace();
    let mut at = 0;
    while at < raw.len() {
        let rest = &raw[at..];
        let skipped = rest.iter().position(|b| !space(b) && *b != b',').unwrap_or(rest.len());
        out.extend_from_slice(&rest[..skipped]);
        let rest = &rest[skipped..];
        let length = rest.iter().position(space).unwrap_or(rest.len());
        let commas = rest[..length].iter().rev().take_while(|b| **b == b',').count();
        let url = &rest[..length - commas];
        match address(url, (0, url.len()), Modifier::Image, references) {
            None => out.extend_from_slice(url),
            Some(edit) => {
                out.extend_from_slice(&url[..edit.span.0]);
                out.extend_from_slice(&edit.text);
                out.extend_from_slice(&url[edit.span.1..]);
            }
        }
        at += skipped + length - commas;
        if commas > 0 {
            continue;
        }
        // Descriptors, up to a comma outside of parentheses.
        let rest = &raw[at..];
        let mut open = false;
        let length = rest
            .iter()
            .position(|b| {
                open = (open || *b == b'(') && *b != b')';
                *b == b',' && !open
            })
            .unwrap_or(rest.len());
        out.extend_from_slice(&rest[..length]);
        at += length;
    }
    out
}

/// Whether an address is a script.
fn is_code(raw: &[u8]) -> bool {
    trim(raw).get(..11).is_some_and(|start| start.eq_ignore_ascii_case(b"javascript:"))
}

/// A script in an attribute.
fn code(raw: &[u8], span: (usize, usize), references: &References) -> Option<Edit> {
    if !script::is_concerned(raw) {
        return None;
    }
    let source = decoded(raw, references.decoded);
    let mut text = Vec::new();
    script::rewrite(source.as_bytes(), references, Realm::Page, &mut text);
    let changed = text != source.as_bytes();
    changed.then(|| Edit { span, text: escaped(&String::from_utf8_lossy(&text)).into_bytes() })
}

/// A value as the page means it: characters, with character references resolved.
pub(super) fn decoded(raw: &[u8], encoding: &'static encoding_rs::Encoding) -> String {
    let (text, _) = encoding.decode_without_bom_handling(raw);
    if !text.contains('&') {
        return text.into_owned();
    }
    // The parser knows the references by name; a tag with the value alone costs as much as the value.
    let text: Cow<'_, str> = if text.contains('"') { text.replace('"', "&quot;").into() } else { text };
    let tag = format!("<p title=\"{text}\">");
    let dom = webmill_html::parse(&tag, &Limits::default());
    let value = dom.body().and_then(|body| dom.first_child(body)).and_then(|p| dom.attr(p, "title"));
    value.unwrap_or_default().to_owned()
}

/// A value as it may stand in any attribute, with quotes or without, in any encoding.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let plain = c.is_ascii() && c > ' ' && !matches!(c, '&' | '"' | '\'' | '<' | '>' | '`');
        if plain {
            out.push(c);
        } else {
            out.push_str(&format!("&#{};", u32::from(c)));
        }
    }
    out
}
