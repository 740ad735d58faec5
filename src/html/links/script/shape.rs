//! What a literal must look like to be a link, and what names and functions make it something else.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use super::Place;

/// A list of words in small letters.
pub(super) type Words = LazyLock<HashSet<&'static str>>;

fn words(list: &'static str) -> HashSet<&'static str> {
    list.split_ascii_whitespace().collect()
}

/// Longest name that is looked at for its words, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Longest reference that is looked at, in bytes.
const MAX_BYTES: usize = 2048;

/// Endings of the file names of pages.
static PAGES: Words = LazyLock::new(|| {
    words("htm html shtml shtm xhtml asp aspx php php3 php4 php5 phtml jsp jspx do cgi cfm")
});

/// Endings of what pages are made of, and of data for scripts.
static PARTS: Words = LazyLock::new(|| {
    words(
        "js mjs css map json png gif jpg jpeg webp svg ico bmp avif woff woff2 ttf eot otf mp3 mp4 m4a m4v \
    webm ogg ogv wav swf flv mov avi m3u8 mpd wasm xml txt vtt srt webmanifest git htc ashx asmx",
    )
});

/// Folders, and beginnings of host names, of the same.
static PART_PLACES: Words = LazyLock::new(|| {
    words(
        "api apis ajax static assets asset images image img imgs js css fonts font scripts script \
    styles cdn cdn-cgi wp-content wp-includes wp-json wp-admin plugins themes graphql rest xmlrpc.php media stats \
    analytics pixel pixels beacon track tracking tracker collect ads ad adserver tags tag socket ws oauth signin dist build \
    bundles bundle modules templates template tpl views partials skins skin sites misc libs lib vendor _next avatar i im \
    content embed player widget widgets sentry svc trackback iframe googleapis bootstrap \
    report sdk matomo piwik prebid v1 v2 v3 cache jsonp rpc_relay.html fb-channel-file microservice",
    )
});

/// Hosts whose URLs are names of vocabularies.
static VOCABULARIES: Words = LazyLock::new(|| {
    words("www.w3.org w3.org schema.org www.schema.org ogp.me purl.org xmlns.com ns.adobe.com")
});

/// Words of names that are given something else than the URL of a page.
pub(super) static OTHER_NAMES: Words = LazyLock::new(|| {
    words(
        "src source image images img imgs thumb thumbnail logo icon icons poster css js script scripts \
    style styles font fonts cdn asset assets static api ajax ajaxurl endpoint rest service ws socket template root base \
    prefix host domain origin server referrer referer pixel beacon track tracking tracker context xmlns cookie swf \
    flash loader worker proxy path pathname regex pattern selector type format id name class token key lib library \
    photo avatar background bg data sound file media content embed auth request callback config sdk stream manifest hls \
    dash oembed provider video videos audio unit slot ad ads adunit",
    )
});

/// Words of names that are given URLs of pages.
pub(super) static LINK_NAMES: Words = LazyLock::new(|| {
    words(
        "url urls href link links permalink canonical uri redirect goto next prev previous page address \
    homepage website",
    )
});

/// Words of functions whose arguments are no pages to go to: they load, report, compare or search.
static OTHER_CALLS: Words = LazyLock::new(|| {
    words(
        "track tracker event analytics gtag ga log fetch ajax get post getjson load import require \
    importscripts worker indexof lastindexof match test search split startswith endswith includes replace regexp \
    getscript script define selector listener route alert confirm write image img preload cookie error warn debug \
    hasclass addclass attr swf swfobject flash embed beacon",
    )
});

/// Whether `word` is one of a list, in letters of any size.
fn one_of(list: &HashSet<&str>, word: &str) -> bool {
    let has_large = word.bytes().any(|b| b.is_ascii_uppercase());
    let word = if has_large { Cow::Owned(word.to_ascii_lowercase()) } else { Cow::Borrowed(word) };
    list.contains(&*word)
}

/// Whether one of the words of `name` (`imageUrl`, `image_url`) is of the list, or all of it; never of a name over
/// [`MAX_NAME_BYTES`].
pub(super) fn has_word(list: &HashSet<&str>, name: &str) -> bool {
    if name.len() > MAX_NAME_BYTES {
        return false;
    }
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
    has_word(&OTHER_CALLS, name)
        || (name == "open" && !owner.is_empty())
        || (name == "push" && owner.starts_with('_'))
}

/// Whether a literal may be one at all, as it is written.
pub(super) fn may_be(text: &str) -> bool {
    text.contains(['/', '.', '?', ':', '\\']) && !text.contains(' ')
}

/// Whether a reference in a script names a page.
pub fn is_page(text: &str, place: Place) -> bool {
    if place == Place::Nowhere {
        return false;
    }
    let Some((path, start)) = whole(text.trim()) else { return false };
    let bare = path.split(['?', '#']).next().unwrap_or_default();
    let (name, ending) = bare.rsplit('/').next().and_then(|file| file.rsplit_once('.')).unwrap_or(("-", ""));
    if name.is_empty() || one_of(&PARTS, ending) {
        return false;
    }
    if place == Place::Target {
        return true;
    }
    if bare.split('/').any(|folder| one_of(&PART_PLACES, folder)) {
        return false;
    }
    let page = one_of(&PAGES, ending);
    let named = place == Place::Named || place == Place::Handler;
    match start {
        Start::Host => bare.len() > 1,
        // Names of places for advertisements begin with a number.
        Start::Root => {
            page || (named && bare.len() > 3 && bare.cut(1..).find(|c: char| !c.is_ascii_digit()) < Some(5))
        }
        Start::Up => page || named,
        Start::Name => page || (place == Place::Handler && is_folder(bare)),
    }
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

/// The path of a reference that is whole, and how it begins; `None` for anything else: too long, with characters that URLs do not
/// have, with holes, of another scheme, of a vocabulary or a place of parts.
fn whole(text: &str) -> Option<(&str, Start)> {
    const NEVER: &[char] =
        &['{', '}', '<', '>', '"', '\'', '`', '\\', '|', '^', '[', ']', '*', '$', '(', ')'];
    let odd = |c: char| c.is_whitespace() || c.is_control() || NEVER.contains(&c);
    let is_escape = |part: &str| part.len() >= 2 && part.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit);
    if text.len() > MAX_BYTES
        || text.contains(odd)
        || text.ends_with(['=', '&', '?', '.', ',', ':', ';'])
        || text.contains("...")
        || !text.split('%').skip(1).all(is_escape)
    {
        return None;
    }
    let after = ["http://", "https://", "//"].iter().find_map(|start| {
        text.get(..start.len())
            .filter(|begin| begin.eq_ignore_ascii_case(start))
            .map(|_| text.cut(start.len()..))
    });
    if let Some(after) = after {
        let end = after.find(['/', '?', '#']).unwrap_or(after.len());
        return is_host(after.cut(..end)).then_some((after.cut(end..), Start::Host));
    }
    let scheme = text.find(':').is_some_and(|colon| !text.cut(..colon).contains(['/', '?']));
    if scheme || text.contains("/:") {
        return None;
    }
    let start = match text.as_bytes() {
        [b'.', b'/', ..] | [b'.', b'.', b'/', ..] => Start::Up,
        [b'/', ..] => Start::Root,
        _ => Start::Name,
    };
    let name = text.trim_start_matches(['.', '/']);
    name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '~' | '%' | '?'))
        .then_some((text, start))
}

/// Whether a host (perhaps with a port) is one that pages come from.
fn is_host(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or_default();
    let (first, last) =
        (name.split('.').next().unwrap_or_default(), name.rsplit('.').next().unwrap_or_default());
    let in_ascii = |label: &str| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--"));
    let coded = in_ascii(last);
    let of_name =
        |b: u8| b.is_ascii_alphabetic() || !b.is_ascii() || (coded && (b.is_ascii_digit() || b == b'-'));
    let named = name.contains('.') && last.len() >= 2 && last.bytes().all(of_name);
    let of_parts = |word: &str| one_of(&PART_PLACES, word.trim_end_matches(|c: char| c.is_ascii_digit()));
    (named || name.parse::<std::net::Ipv4Addr>().is_ok())
        && !host.contains('@')
        && !one_of(&VOCABULARIES, name)
        && (in_ascii(first) || !first.split('-').any(of_parts))
        // One letter is a host of parts, but for those of phones.
        && (name.split('.').count() < 3 || first.trim_end_matches(|c: char| c.is_ascii_digit()).len() != 1 || first == "m")
}

/// Whether a reference without a known ending is one of folders: with letters, and no media type or date.
fn is_folder(path: &str) -> bool {
    const MEDIA: [&str; 7] = ["text", "application", "image", "audio", "video", "font", "multipart"];
    path.contains('/')
        && path.contains(|c: char| c.is_alphabetic())
        && !MEDIA.contains(&path.split('/').next().unwrap_or_default())
}
