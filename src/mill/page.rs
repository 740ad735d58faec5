//! One capture with its forms, each made once, when first asked for.

use std::borrow::Cow;
use std::cell::OnceCell;

use webmill_capture::digest::sha1_base32;
use webmill_capture::timing::{self, Part};
use webmill_capture::{CanonicalUrl, Capture, Truncation, decode_content};
use webmill_documents::media::{MediaOptions, Window};
use webmill_documents::{Hints, Kind, detect, to_html};
use webmill_html::charset::{self, CharsetSource};
use webmill_html::links::{Links, links};
use webmill_html::sniff::{is_html_type, is_markup, is_signed, sniff};
use webmill_html::{Dom, Item, Link, Metadata, metadata, metadata_and_items, parse};
use webmill_text::Template;

use crate::decode::{Document, Readers};
use crate::{PageLimits, Reading, Reject};

/// Forms of a page that are about as long as its body: its characters, main text in two forms, words.
const FORMS: u64 = 3;

/// Bytes of memory for a node of a page's tree and all that is worked out about it, as measured on pages of nothing but tags.
const NODE_BYTES: u64 = 140;

/// Bytes by which a document is known whose media type was not declared.
const SIGNATURE_BYTES: usize = 64;

/// Memory that the forms of a page lie in where they are not bytes of the capture: made by the caller, so that a page can
/// hold both its text and the tree that borrows from it.
#[derive(Debug, Default)]
pub struct Buffers {
    payload: OnceCell<Vec<u8>>,
    body: OnceCell<Vec<u8>>,
    text: OnceCell<String>,
}

/// The body of a page.
#[derive(Debug)]
pub struct Body<'a> {
    /// After transfer decoding, before content decoding.
    pub payload: &'a [u8],
    /// After content decoding.
    pub bytes: &'a [u8],
    /// Why bytes are missing, if any are.
    pub truncated: Option<Truncation>,
    /// Whether the payload itself is cut, so that its digest would not be the body's.
    pub payload_is_cut: bool,
    /// Defects of the message and its codings.
    pub defects: Vec<&'static str>,
    /// Media type that the server declared, lower case, without parameters.
    pub declared_type: Option<String>,
    /// Media type that the bytes look like.
    pub sniffed_type: Option<&'static str>,
}

/// The characters of a page, and how they were found; see [`webmill_html::charset`].
#[derive(Debug)]
pub struct Characters<'a> {
    /// The text, without byte order mark.
    pub text: &'a str,
    /// Name of the encoding it was read in.
    pub name: &'static str,
    /// Name of the encoding that the page declares.
    pub declared: Option<&'static str>,
    /// Name of the encoding that the bytes speak for; `None` for plain ASCII.
    pub detected: Option<&'static str>,
    /// Name of the encoding that UTF-8 was taken for when the text was encoded as UTF-8 again, which was undone.
    pub doubled: Option<&'static str>,
    /// What settled the matter.
    pub source: CharsetSource,
    /// The encoding its links are in.
    pub encoding: &'static encoding_rs::Encoding,
}

/// One capture and its forms.
pub struct Page<'a> {
    capture: &'a Capture<'a>,
    url: CanonicalUrl,
    readers: &'a Readers,
    buffers: &'a Buffers,
    body: OnceCell<Body<'a>>,
    kind: OnceCell<Option<Kind>>,
    characters: OnceCell<Option<Characters<'a>>>,
    dom: OnceCell<Option<Dom<'a>>>,
    document_dom: OnceCell<Option<Dom<'a>>>,
    links: OnceCell<Option<Links>>,
    stated: OnceCell<Option<(Metadata, Vec<Item>)>>,
    document: OnceCell<Result<Option<Document>, Reject>>,
    reading: OnceCell<Option<Reading>>,
}

impl<'a> Page<'a> {
    /// The page that `capture` holds; `None` where its URL is none.
    pub(crate) fn new(capture: &'a Capture<'a>, readers: &'a Readers, buffers: &'a Buffers) -> Option<Self> {
        Some(Page {
            url: capture.canonical_url()?,
            capture,
            readers,
            buffers,
            body: OnceCell::new(),
            kind: OnceCell::new(),
            characters: OnceCell::new(),
            dom: OnceCell::new(),
            document_dom: OnceCell::new(),
            links: OnceCell::new(),
            stated: OnceCell::new(),
            document: OnceCell::new(),
            reading: OnceCell::new(),
        })
    }

    /// The capture that the page was made from.
    pub fn capture(&self) -> &'a Capture<'a> {
        self.capture
    }

    /// Its canonical URL.
    pub fn url(&self) -> &CanonicalUrl {
        &self.url
    }

    /// The bounds of the work on it.
    pub fn limits(&self) -> &'a PageLimits {
        &self.readers.limits
    }

    /// What the pages of its host share, where that was learnt.
    pub fn template(&self) -> Option<&'a Template> {
        self.readers.templates.get(self.url.host())
    }

    /// The body, its codings undone.
    pub fn body(&self) -> &Body<'a> {
        self.body.get_or_init(|| {
            let _span = timing::span(Part::Bodies);
            let (capture, response) = (self.capture, &self.capture.response);
            let max = self.max_body_bytes();
            let payload = response.payload(max);
            let payload_bytes = kept(payload.bytes, &self.buffers.payload);
            let decoded = decode_content(response, payload_bytes, max);
            let bytes = kept(decoded.bytes, &self.buffers.body);
            let cut = payload.truncated || decoded.truncated;
            let mut defects: Vec<&'static str> = response.defects.names().collect();
            defects.extend(payload.defect);
            defects.extend(decoded.defect);
            Body {
                payload: payload_bytes,
                bytes,
                truncated: capture.truncated.or_else(|| cut.then_some(Truncation::BodyLimit)),
                payload_is_cut: payload.truncated || capture.truncated == Some(Truncation::RecordLimit),
                defects,
                declared_type: response.media_type(),
                sniffed_type: sniff(bytes),
            }
        })
    }

    /// Bytes of memory that its forms may take in all, as far as can be told from its bytes: those of the body several times over, for
    /// an HTML page besides its nodes, of which there are at most two for each `<`, and what is kept of them.
    pub fn weight(&self) -> u64 {
        let bytes = self.body().bytes;
        let forms = FORMS * bytes.len() as u64;
        if !self.is_read() || !self.is_html() {
            return forms;
        }
        let tags = memchr::memchr_iter(b'<', bytes).count() as u64;
        forms + NODE_BYTES * (2 * tags + 1).min(u64::from(self.limits().max_nodes))
    }

    /// Bytes of the body that are read: documents with a signature may be longer than pages.
    fn max_body_bytes(&self) -> usize {
        let (limits, response) = (self.limits(), &self.capture.response);
        let signed = response.media_type().is_some_and(|declared| is_signed(&declared))
            || matches!(sniff(&response.payload(SIGNATURE_BYTES).bytes), Some(kind) if is_container(kind));
        if signed {
            limits.max_body_bytes.max(limits.documents.max_input_bytes)
        } else {
            limits.max_body_bytes
        }
    }

    /// The kind of document that its body is, where it is no HTML and its answer brought what was asked for.
    pub fn kind(&self) -> Option<Kind> {
        *self.kind.get_or_init(|| {
            if self.is_read() && self.capture.is_text_of_page() {
                return Some(Kind::Text);
            }
            let body = (self.is_read() && !self.is_html()).then(|| self.body())?;
            let (media_type, sniffed) = (body.declared_type.as_deref(), body.sniffed_type);
            let kind = detect(body.bytes, &Hints { media_type, sniffed, path: self.url.path() })?;
            // Silence looks like plain text, and lyrics are some.
            (!kind.is_characters() || self.medium().is_none()).then_some(kind)
        })
    }

    /// The format of the picture, sound or video that its body is.
    fn medium(&self) -> Option<webmill_documents::media::Format> {
        let tld = self.url.host().rsplit('.').next().map(str::as_bytes);
        let options = MediaOptions { tld, ..MediaOptions::default() };
        webmill_documents::media::detect(&Window::of(self.body().bytes), &options)
    }

    /// SHA-1 of the payload in base32; `None` where a limit cut it.
    pub fn content_digest(&self) -> Option<String> {
        let body = self.body();
        let _span = timing::span(Part::Bodies);
        (!body.payload_is_cut).then(|| sha1_base32(body.payload))
    }

    /// Whether the answer brought what was asked for: status 2xx, or none at all.
    pub fn is_good(&self) -> bool {
        matches!(self.capture.response.status, None | Some(200..=299))
    }

    /// Whether it is read: an answer that brought what was asked for, or the text of one as it came with the archive.
    pub fn is_read(&self) -> bool {
        self.is_good() && (self.capture.is_answer() || self.capture.is_text_of_page())
    }

    /// Whether the body is HTML by its declared type or by its bytes, whatever the status.
    pub fn is_html(&self) -> bool {
        let body = self.body();
        is_markup(body.declared_type.as_deref(), body.sniffed_type)
    }

    /// The format of the bytes, if the server calls them HTML and they are not, so that they are not read as HTML.
    pub fn refused_html(&self) -> Option<&'static str> {
        let body = self.body();
        let says_html = body.declared_type.as_deref().is_some_and(is_html_type);
        (self.is_read() && says_html && !self.is_html()).then(|| body.sniffed_type.unwrap_or("empty"))
    }

    /// The characters of an HTML page, or of a document that is all text, with a good status.
    pub fn characters(&self) -> Option<&Characters<'a>> {
        let read = || {
            let is_text = self.is_html() || self.kind().is_some_and(Kind::is_characters);
            let body = (self.is_read() && is_text).then(|| self.body())?;
            let _span = timing::span(Part::Characters);
            let decoded =
                charset::decode(body.bytes, self.capture.response.charset_label(), top_level(&self.url));
            let text = match decoded.text {
                Cow::Borrowed(text) => text,
                Cow::Owned(text) => self.buffers.text.get_or_init(|| text),
            };
            Some(Characters {
                text,
                name: decoded.name,
                declared: decoded.declared,
                detected: decoded.detected,
                doubled: decoded.doubled,
                source: decoded.source,
                encoding: decoded.used,
            })
        };
        self.characters.get_or_init(read).as_ref()
    }

    /// The tree of an HTML page with a good status.
    pub fn dom(&self) -> Option<&Dom<'a>> {
        let read = || {
            let characters = self.is_html().then(|| self.characters()).flatten()?;
            let _span = timing::span(Part::Trees);
            Some(parse(characters.text, &self.limits().tree()))
        };
        self.dom.get_or_init(read).as_ref()
    }

    /// A document with a signature (PDF, Office file, EPUB) as HTML, for who reads trees of pages; `None` for anything else, or
    /// was not read.
    pub fn document_html(&self) -> Option<&'a str> {
        self.kind().filter(|kind| !kind.is_characters())?;
        let main = &self.document()?.main;
        Some(self.buffers.text.get_or_init(|| to_html(main.about.title.as_deref(), &main.markdown)))
    }

    /// The tree of that.
    pub fn document_dom(&self) -> Option<&Dom<'a>> {
        let read = || Some(parse(self.document_html()?, &self.limits().tree()));
        self.document_dom.get_or_init(read).as_ref()
    }

    /// The links of an HTML page, with what they were resolved against and what was passed over.
    pub fn found_links(&self) -> Option<&Links> {
        let find = || {
            let (dom, encoding) = (self.dom()?, self.characters()?.encoding);
            let _span = timing::span(Part::Links);
            Some(links(dom, &self.url, encoding, &self.limits().links()))
        };
        self.links.get_or_init(find).as_ref()
    }

    /// The links of a page, HTML or another document.
    pub fn links(&self) -> &[Link] {
        match self.found_links() {
            Some(found) => &found.links,
            None => self.document().map_or(&[], |document| document.links.as_slice()),
        }
    }

    /// Metadata and items of structured data, which are read together.
    fn stated(&self) -> Option<&(Metadata, Vec<Item>)> {
        let read = || {
            let robots: Vec<&[u8]> = self
                .capture
                .response
                .headers()
                .filter_map(|(name, value)| name.eq_ignore_ascii_case(b"x-robots-tag").then_some(value))
                .collect();
            let (dom, base) = (self.dom()?, &self.found_links()?.base);
            let _span = timing::span(Part::Stated);
            let (about, items) = match self.limits().details {
                true => metadata_and_items(dom, base, &robots),
                false => (metadata(dom, base, &robots), Vec::new()),
            };
            Some((about.found_at(Some(&self.url)), items))
        };
        self.stated.get_or_init(read).as_ref()
    }

    /// What the page says of itself.
    pub fn metadata(&self) -> Option<&Metadata> {
        match self.stated() {
            Some((metadata, _)) => Some(metadata),
            None if self.is_html() => None,
            None => self.document()?.metadata.as_ref(),
        }
    }

    /// Its structured data, where the limits ask for details.
    pub fn items(&self) -> &[Item] {
        self.stated().map_or(&[], |(_, items)| items)
    }

    /// What the page says, by the first decoder that reads its kind; `None` where none does, or where it
    /// [rejected](Self::rejected) the page.
    pub fn document(&self) -> Option<&Document> {
        let decode = || {
            if !self.is_read() {
                return Ok(None);
            }
            let mut reading = self.readers.decoders.iter().filter(|decoder| decoder.accepts(self));
            reading.next().map(|decoder| decoder.document(self)).transpose()
        };
        self.document.get_or_init(decode).as_ref().ok()?.as_ref()
    }

    /// Why its decoder could not read it; `None` where it could, or was not asked.
    pub fn rejected(&self) -> Option<&Reject> {
        self.document.get()?.as_ref().err()
    }

    /// Words, languages and fingerprints of its main text; `None` without one.
    pub fn reading(&self) -> Option<&Reading> {
        self.reading.get_or_init(|| Reading::of(&self.document()?.main, self.declared_language())).as_ref()
    }

    /// What the page says its language is: the document, else the server.
    fn declared_language(&self) -> Option<&str> {
        let stated = self.metadata().and_then(|metadata| metadata.about.language_declared.as_deref());
        stated.or_else(|| std::str::from_utf8(self.capture.response.header("content-language")?).ok())
    }

    /// URLs that led here: the one first asked for where a redirect led elsewhere, and the target of an answer that is a
    /// redirect itself; each as from and to.
    pub fn redirects(&self) -> Vec<(CanonicalUrl, CanonicalUrl)> {
        let mut redirects = Vec::new();
        if let Some(origin) = self.origin() {
            redirects.push((origin, self.url.clone()));
        }
        if let Some(target) = self.redirect().filter(|target| target.is_web() && *target != self.url) {
            redirects.push((self.url.clone(), target));
        }
        redirects
    }

    /// Where an answer of status 3xx leads.
    pub fn redirect(&self) -> Option<CanonicalUrl> {
        let Some(300..=399) = self.capture.response.status else { return None };
        let location = self.capture.response.header("location").map(webmill_capture::url_text)?;
        self.url.join(&location)
    }

    /// The URL first asked for, where a redirect led elsewhere.
    pub fn origin(&self) -> Option<CanonicalUrl> {
        let origin = self.capture.origin.as_deref().and_then(CanonicalUrl::parse_stored);
        origin.filter(|origin| *origin != self.url)
    }
}

/// Whether bytes look like a document that is no text.
fn is_container(sniffed: &str) -> bool {
    matches!(sniffed, "application/pdf" | "application/zip" | "application/x-ole-storage" | "application/rtf")
}

/// Bytes for as long as their buffer lives.
fn kept<'a>(bytes: Cow<'a, [u8]>, buffer: &'a OnceCell<Vec<u8>>) -> &'a [u8] {
    match bytes {
        Cow::Borrowed(bytes) => bytes,
        Cow::Owned(bytes) => buffer.get_or_init(|| bytes),
    }
}

/// The last label of a host name: some encodings are at home in some countries.
fn top_level(url: &CanonicalUrl) -> Option<&[u8]> {
    url.host().rsplit('.').next().map(str::as_bytes)
}
