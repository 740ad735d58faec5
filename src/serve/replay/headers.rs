//! Headers of answers: the data kept of the captured ones, and the policy that holds a page in.

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{CONTROLS, utf8_percent_encode};
use webmill_capture::cut::Cut;
use webmill_html::refresh_url;

use super::Context;
use super::place::{Modifier, References};

/// Put before the names of captured headers that are not obeyed.
const ASIDE: &str = "x-archive-orig-";

/// Captured headers that are told, and their bytes; more are left out and counted in `x-archive-orig-omitted`.
const MAX_HEADERS: usize = 200;
const MAX_HEADER_BYTES: usize = 32 * 1024;

/// Headers of a captured response as they are sent on: media type, language and disposition as they are, redirects pointing into the archive,
/// all others set aside under another name.
pub(super) fn kept(captured: &HeaderMap, references: &References, redirect: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let (mut count, mut bytes, mut omitted) = (0, 0, 0u32);
    for (name, value) in captured {
        if *name == header::CONTENT_TYPE
            || *name == header::CONTENT_LANGUAGE
            || *name == header::CONTENT_DISPOSITION
        {
            headers.insert(name.clone(), value.clone());
            continue;
        }
        let led = match name.as_str() {
            "location" if redirect => references.join(&text(value), Modifier::Page),
            "refresh" => refresh(&text(value), references),
            _ => None,
        };
        if let Some(value) =
            led.and_then(|led| HeaderValue::from_str(&utf8_percent_encode(&led, CONTROLS).to_string()).ok())
        {
            headers.insert(name.clone(), value);
        }
        let aside = HeaderName::from_bytes(format!("{ASIDE}{name}").as_bytes());
        bytes += name.as_str().len() + value.len();
        count += 1;
        match aside {
            Ok(aside) if count <= MAX_HEADERS && bytes <= MAX_HEADER_BYTES => {
                headers.append(aside, value.clone());
            }
            _ => omitted += 1,
        }
    }
    if omitted > 0 {
        headers.insert(HeaderName::from_static("x-archive-orig-omitted"), HeaderValue::from(omitted));
    }
    headers
}

/// A header's value as characters: UTF-8, or else Latin-1 as RFC 9110 has it.
fn text(value: &HeaderValue) -> String {
    std::str::from_utf8(value.as_bytes())
        .map_or_else(|_| value.as_bytes().iter().copied().map(char::from).collect(), str::to_owned)
}

fn refresh(value: &str, references: &References) -> Option<String> {
    match refresh_url(value) {
        // A page that reloads itself.
        None => Some(value.to_owned()),
        Some(target) => {
            let at = target.as_ptr() as usize - value.as_ptr() as usize;
            let place = references.join(target, Modifier::Page)?;
            Some(format!("{}{place}{}", value.cut(..at), value.cut(at + target.len()..)))
        }
    }
}

/// Adds what holds a captured answer in. Documents in which the client script does not run (`scripts` is false) run none.
pub(super) fn hold_in(context: &Context, headers: &mut HeaderMap, scripts: bool) {
    let here = format!("{}{}", context.origin, context.prefix);
    // Form actions and bases are no fetches, so nothing else speaks for them; objects and frames take no `data:`, in which a
    // page without the client script could hide.
    let policy = format!(
        "sandbox allow-scripts allow-forms; \
         default-src {here} data: blob: 'unsafe-inline' 'unsafe-eval'; \
         script-src {here} blob: data: 'unsafe-inline' 'unsafe-eval'; \
         frame-src {here}; object-src {here}; worker-src {here} blob:; \
         form-action {here}; base-uri {here}; manifest-src 'none'"
    );
    let quiet = format!(
        "sandbox; default-src {here} data: blob: 'unsafe-inline'; script-src 'none'; frame-src {here}; \
         object-src {here}; base-uri {here}; manifest-src 'none'"
    );
    set(headers, header::CONTENT_SECURITY_POLICY, if scripts { &policy } else { &quiet });
    set(headers, header::X_DNS_PREFETCH_CONTROL, "off");
    set(headers, HeaderName::from_static("connection-allowlist"), "(response-origin); webrtc=block");
    set(
        headers,
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), \
         display-capture=(), clipboard-read=(), clipboard-write=(), storage-access=(), publickey-credentials-get=(), \
         fullscreen=(), screen-wake-lock=(), idle-detection=(), local-fonts=()",
    );
    if context.token.is_some() {
        allow_reading(headers);
    }
}

/// Lets pages without an origin read the answer: see [`super::Tokens`].
pub(super) fn allow_reading(headers: &mut HeaderMap) {
    set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, "null");
    // Nothing is granted: no cookie is ever set.
    set(headers, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
    set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, "*");
}

/// Sets a header of the server's own. Contexts are of plain characters; others would be refused here and the header
/// left out, so the policy falls back to one that forbids everything.
pub(super) fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value)
        .unwrap_or_else(|_| HeaderValue::from_static("sandbox; default-src 'none'"));
    headers.insert(name, value);
}
