//! What style sheets, drawings and manifests need.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

use super::{Body, Gather, PageReader};
use webmill_capture::Response;
use webmill_html::{Limits, RequisiteLimits, manifest_requisites, parse, style_requisites};

/// Bytes of a drawing that are read.
const DRAWING_BYTES: usize = 4 << 20;

impl PageReader {
    /// Requisites of anything that is no page, where it is of a kind that has any.
    pub(super) fn read_needs(&self, body: &Body<'_>, response: &Response<'_>, gather: &mut Gather<'_>) {
        if !self.requisites {
            return;
        }
        let path = gather.url.path();
        let limits = RequisiteLimits::default();
        let url = gather.url;
        if body.is("text/css") || (path.ends_with(".css") && body.sniffed == Some("text/plain")) {
            let text = style_text(&body.bytes, response);
            let dropped = style_requisites(&text, url, &limits, &mut |of| gather.requisite(of.url));
            gather.drop_requisites(dropped);
        } else if body.is("image/svg+xml") || body.sniffed == Some("image/svg+xml") {
            let source = String::from_utf8_lossy(&body.bytes[..body.bytes.len().min(DRAWING_BYTES)]);
            let dom = parse(&source, &Limits::default());
            self.requisites_of(&dom, url, gather);
        } else if body.is("application/manifest+json")
            || path.ends_with("manifest.json")
            || path.ends_with(".webmanifest")
        {
            let dropped = manifest_requisites(&body.bytes, url, &limits, &mut |of| gather.requisite(of.url));
            gather.drop_requisites(dropped);
        }
    }
}

/// The characters of a style sheet: by its mark, the head of the answer, its `@charset`, else UTF-8
/// (CSS Syntax Module Level 3, 3.2).
fn style_text<'b>(bytes: &'b [u8], response: &Response<'_>) -> Cow<'b, str> {
    let declared = || {
        let rest = bytes.strip_prefix(b"@charset \"")?;
        let end = rest.iter().take(64).position(|b| *b == b'"')?;
        // It was read as ASCII, so it cannot be UTF-16.
        Encoding::for_label(&rest[..end]).map(Encoding::output_encoding)
    };
    let stated = response.charset_label().and_then(Encoding::for_label);
    let encoding = stated.or_else(declared).unwrap_or(UTF_8);
    encoding.decode(bytes).0
}
