//! What a literal must look like to be a link, and what names and functions make it something else.

use super::Place;

/// Longest reference that is looked at, in bytes.
const MAX_BYTES: usize = 2048;

/// Endings of the file names of pages.
const PAGES: &str = "htm html shtml shtm xhtml asp aspx php php3 php4 php5 phtml jsp jspx do cgi cfm";

/// Endings of what pages are made of, and of data for scripts.
const PARTS: &str = "js mjs css map json png gif jpg jpeg webp svg ico bmp avif woff woff2 ttf eot otf mp3 mp4 m4a m4v \
    webm ogg ogv wav swf flv mov avi m3u8 mpd wasm xml txt vtt srt webmanifest git htc ashx asmx";

/// Folders, and beginnings of host names, of the same.
const PART_PLACES: &str = "api apis ajax static assets asset images image img imgs js css fonts font scripts script \
    styles cdn cdn-cgi wp-content wp-includes wp-json wp-admin plugins themes graphql rest xmlrpc.php media stats \
    analytics pixel pixels beacon track tracking tracker collect ads ad adserver tags tag socket ws oauth signin dist build \
    bundles bundle modules templates template tpl views partials skins skin sites misc libs lib vendor _next avatar i im \
    content embed player widget widgets sentry svc trackback iframe googleapis bootstrap \
    report sdk matomo piwik prebid v1 v2 v3 cache jsonp rpc_relay.html fb-channel-file microservice";

/// Hosts whose URLs are names of vocabularies.
const VOCABULARIES: &str =
    "www.w3.org w3.org schema.org www.schema.org ogp.me purl.org xmlns.com ns.adobe.com";

/// Words of names that are given something else than the URL of a page.
const OTHER_NAMES: &str = "src source image images img imgs thumb thumbnail logo icon icons poster css js script scripts \
    style styles font fonts cdn asset assets static api ajax ajaxurl endpoint rest service ws socket template root base \
    prefix host domain origin server referrer referer pixel beacon track tracking tracker context xmlns cookie swf \
    flash loader worker proxy path pathname regex pattern selector type format id name class token key lib library \
    photo avatar background bg data sound file media content embed auth request callback config sdk stream manifest hls \
    dash oembed provider video videos audio unit slot ad ads adunit";

/// Words of names that are given URLs of pages.
const LINK_NAMES: &str = "url urls href link links permalink canonical uri redirect goto next prev previous page address \
    homepage website";

/// Words of functions whose arguments are no pages to go to: they load, report, compare or search.
const OTHER_CALLS: &str = "track tracker event analytics gtag ga log fetch ajax get post getjson load import require \
    importscripts worker indexof lastindexof match test search split startswith endswith includes replace regexp \
    getscript script define selector listener route alert confirm write image img preload cookie error warn debug \
    hasclass addclass attr swf swfobject flash embed beacon";

/// Whether `word` is one of a list.
fn one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

/// Whether one of the words of `name` (`imageUrl`, `image_url`) is of the list, or all of it.
fn has_word(list: &str, name: &str) -> bool {
    let mut from = 0;
    let bytes = name.as_bytes();
    for at in 1..=bytes.len() {
        let ends = at == bytes.len()
            || !bytes[at].is_ascii_alphanumeric()
            || (bytes[at].is_ascii_uppercase()
                && (!bytes[at - 1].is_ascii_uppercase()
                    || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)));
        if ends {
            let word = name.get(from..at).unwrap_or_default();
            if one_of(list, word.trim_matches(|c: char| !c.is_ascii_alphanumeric())) {
                return true;
            }
            from = at;
        }
    }
    one_of(list, name)
}

/// Whether what is named so is no page.
pub(super) fn is_other_name(name: &str) -> bool {
    has_word(OTHER_NAMES, name)
}

/// Whether what is named so is a page.
pub(super) fn is_link_name(name: &str) -> bool {
    has_word(LINK_NAMES, name)
}

/// Whether a function goes to its first argument.
pub(super) fn goes(owner: &str, name: &str) -> bool {
    match name {
        "open" => matches!(owner, "window" | "top" | "self" | "parent" | "opener"),
        "replace" | "assign" => owner == "location",
        "navigate" => owner == "window",
        _ => false,
    }
}

/// Whether a function's arguments are no pages.
pub(super) fn is_other_call(owner: &str, name: &str) -> bool {
    has_word(OTHER_CALLS, name)
        || (name == "open" && !owner.is_empty())
        || (name == "push" && owner.starts_with('_'))
}

/// Whether a literal may be one at all, as it is written.
pub(super) fn may_be(text: &str) -> bool {
    text.contains(['/', '.', '?', ':', '\\']) && !text.contains(' ')
}

/// Whether a reference in a script names a page.
pub fn is_page(text: &str, place: Place) -> bool {
    let Some((path, start)) = whole(text.trim()).filter(|_| place != Place::Nowhere) else { return false };
    let bare = path.split(['?', '#']).next().unwrap_or_default();
    let (name, ending) = bare.rsplit('/').next().and_then(|file| file.rsplit_once('.')).unwrap_or(("-", ""));
    if name.is_empty() || one_of(PARTS, ending) {
        return false;
    }
    if place == Place::Target {
        return true;
    }
    if bare.split('/').any(|folder| one_of(PART_PLACES, folder)) {
        return false;
    }
    let page = one_of(PAGES, ending);
    let named = place == Place::Named || place == Place::Handler;
    match start {
        Start::Host => bare.len() > 1,
        Start::Root => page || (named && bare.len() > 3 && !is_number(bare)),
        Start::Up => page || named,
        Start::Name => page || (place == Place::Handler && is_folder(bare)),
    }
}

/// Whether the first folder is a number, as names of places for advertisements begin.
fn is_number(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    first.len() > 4 && first.bytes().all(|b| b.is_ascii_digit())
}

/// How a reference begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// With a scheme or `//`, and a host.
    Host,
    /// `/`.
    Root,
    /// `./` or `../`.
    Up,
    /// Anything else.
    Name,
}

/// The path of a reference that is whole, and how it begins; `None` for what is none: too long, with characters that URLs do not
/// have, with holes, of another scheme, of a vocabulary or a place of parts.
fn whole(text: &str) -> Option<(&str, Start)> {
    const NEVER: &[char] =
        &['{', '}', '<', '>', '"', '\'', '`', '\\', '|', '^', '[', ']', '*', '$', '(', ')'];
    let odd = |c: char| c.is_whitespace() || c.is_control() || NEVER.contains(&c);
    if text.len() > MAX_BYTES
        || text.contains(odd)
        || text.ends_with(['=', '&', '?', '.', ',', ':', ';'])
        || text.contains("...")
    {
        return None;
    }
    if !escapes_are_whole(text) {
        return None;
    }
    let after = ["http://", "https://", "//"].iter().find_map(|start| {
        text.get(..start.len())
            .filter(|begin| begin.eq_ignore_ascii_case(start))
            .map(|_| &text[start.len()..])
    });
    if let Some(after) = after {
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        return is_host(&after[..end]).then_some((&after[end..], Start::Host));
    }
    let scheme = text.find(':').is_some_and(|colon| !text[..colon].contains(['/', '?']));
    let first = text.bytes().next()?;
    if scheme || text.contains("/:") || first == b'#' {
        return None;
    }
    let start = match text {
        _ if text.starts_with("./") || text.starts_with("../") => Start::Up,
        _ if first == b'/' => Start::Root,
        _ => Start::Name,
    };
    let name = text.trim_start_matches(['.', '/']);
    name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '~' | '%' | '?'))
        .then_some((text, start))
}

/// Whether each `%` begins an escape.
fn escapes_are_whole(text: &str) -> bool {
    let mut parts = text.split('%');
    parts.next();
    parts.all(|part| part.len() >= 2 && part.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit))
}

/// Whether a host (perhaps with a port) is one that pages come from.
fn is_host(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    let (first, last) =
        (name.split('.').next().unwrap_or_default(), name.rsplit('.').next().unwrap_or_default());
    let named = name.contains('.') && last.len() >= 2 && last.bytes().all(|b| b.is_ascii_alphabetic());
    let of_parts = |word: &str| one_of(PART_PLACES, word.trim_end_matches(|c: char| c.is_ascii_digit()));
    (named || name.parse::<std::net::Ipv4Addr>().is_ok())
        && !host.contains('@')
        && !one_of(VOCABULARIES, name)
        && !first.split('-').any(of_parts)
        // One letter is a host of parts, but for those of phones.
        && (name.split('.').count() < 3 || first.trim_end_matches(|c: char| c.is_ascii_digit()).len() != 1 || first == "m")
}

/// Whether a reference without a known ending is one of folders: with letters, and no media type or date.
fn is_folder(path: &str) -> bool {
    const MEDIA: &str = "text application image audio video font multipart";
    path.contains('/')
        && path.contains(|c: char| c.is_alphabetic())
        && !one_of(MEDIA, path.split('/').next().unwrap_or_default())
}
