//! The pictures of a Web application manifest.

use serde_json::Value;

use super::{Requisite, RequisiteKind, RequisiteLimits, Sink};
use webmill_capture::CanonicalUrl;

/// Bytes of a manifest that are read; a longer one is none.
const MAX_BYTES: usize = 1 << 20;

/// Hands the icons, screenshots and shortcuts' icons that the manifest at `url` names to `take`; how many there are beyond
/// the limit. Anything that is no manifest names none.
pub fn manifest_requisites(
    source: &[u8],
    url: &CanonicalUrl,
    limits: &RequisiteLimits,
    take: &mut dyn FnMut(Requisite),
) -> u64 {
    let mut sink = Sink { base: url.clone(), left: limits.max_target_bytes, dropped: 0, take };
    let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
    let Some(Value::Object(manifest)) =
        (source.len() <= MAX_BYTES).then(|| serde_json::from_slice(source).ok()).flatten()
    else {
        return 0;
    };
    let list = |of: Option<&Value>| of.and_then(Value::as_array).cloned().unwrap_or_default();
    let mut pictures = list(manifest.get("icons"));
    pictures.extend(list(manifest.get("screenshots")));
    for shortcut in list(manifest.get("shortcuts")) {
        pictures.extend(list(shortcut.get("icons")));
    }
    for picture in &pictures {
        if let Some(src) = picture.get("src").and_then(Value::as_str) {
            sink.reference(src, RequisiteKind::Image);
        }
    }
    sink.dropped
}
