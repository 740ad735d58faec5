//! Names of elements as one byte.
//!
//! A [`Tag`] is what an element is called, or what a node is when it is no element. The tree builder decides by
//! it some hundred times a page line, and extraction does so again, so it is a byte and not a string.
//!
//! A name of up to eight bytes is its own key (its bytes, little-endian, as a `u64`); one multiplication and a
//! shift place the keys of all known names in 1,024 slots without a collision. The multiplier was found by
//! search; the table is built when the program is compiled and building fails on a collision. The few longer
//! names are compared one by one.

macro_rules! tags {
    (html { $($id:ident = $name:literal,)* } foreign { $($fid:ident = $fname:literal,)* }) => {
        /// What a node is: document, doctype, comment, text, or an element by its name.
        ///
        /// An element of SVG or MathML that shares its name with one of HTML (`<svg><title>`) is
        /// [`Tag::Unknown`] to [`Dom::tag`](crate::Dom::tag), so that no reader takes it for HTML's.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Tag {
            Document, Doctype, Comment, Text,
            $($id,)*
            $($fid,)*
            /// An element whose name is not in this list; [`Dom::name`](crate::Dom::name) has it.
            Unknown,
        }

        /// Every tag with its name, in the order of [`Tag`]; anything that is no element has the name of the DOM standard.
        pub(crate) const NAMES: &[(Tag, &str)] = &[
            (Tag::Document, "#document"), (Tag::Doctype, "#doctype"), (Tag::Comment, "#comment"),
            (Tag::Text, "#text"), $((Tag::$id, $name),)* $((Tag::$fid, $fname),)* (Tag::Unknown, ""),
        ];
    };
}

tags! {
html {
    A = "a", Abbr = "abbr", Acronym = "acronym", Address = "address", Applet = "applet", Area = "area",
    Article = "article", Aside = "aside", Audio = "audio", B = "b", Base = "base", Basefont = "basefont",
    Bdi = "bdi", Bdo = "bdo", Bgsound = "bgsound", Big = "big", Blink = "blink", Blockquote = "blockquote",
    Body = "body", Br = "br", Button = "button", Canvas = "canvas", Caption = "caption", Center = "center",
    Cite = "cite", Code = "code", Col = "col", Colgroup = "colgroup", Command = "command",
    Content = "content", Data = "data", Datalist = "datalist", Dd = "dd", Del = "del", Details = "details",
    Dfn = "dfn", Dialog = "dialog", Dir = "dir", Div = "div", Dl = "dl", Dt = "dt", Em = "em",
    Embed = "embed", Fieldset = "fieldset", Figcaption = "figcaption", Figure = "figure", Font = "font",
    Footer = "footer", Form = "form", Frame = "frame", Frameset = "frameset", H1 = "h1", H2 = "h2",
    H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", Head = "head", Header = "header", Hgroup = "hgroup",
    Hr = "hr", Html = "html", I = "i", Iframe = "iframe", Image = "image", Img = "img", Input = "input",
    Ins = "ins", Isindex = "isindex", Kbd = "kbd", Keygen = "keygen", Label = "label", Legend = "legend",
    Li = "li", Link = "link", Listing = "listing", Main = "main", Map = "map", Mark = "mark",
    Marquee = "marquee", Menu = "menu", Menuitem = "menuitem", Meta = "meta", Meter = "meter", Nav = "nav",
    Nobr = "nobr", Noembed = "noembed", Noframes = "noframes", Noscript = "noscript", Object = "object",
    Ol = "ol", Optgroup = "optgroup", Option = "option", Output = "output", P = "p", Param = "param",
    Picture = "picture", Plaintext = "plaintext", Portal = "portal", Pre = "pre", Progress = "progress",
    Q = "q", Rb = "rb", Rp = "rp", Rt = "rt", Rtc = "rtc", Ruby = "ruby", S = "s", Samp = "samp",
    Script = "script", Search = "search", Section = "section", Select = "select",
    Selectedcontent = "selectedcontent", Shadow = "shadow", Slot = "slot", Small = "small",
    Source = "source", Spacer = "spacer", Span = "span", Strike = "strike", Strong = "strong",
    Style = "style", Sub = "sub", Summary = "summary", Sup = "sup", Table = "table", Tbody = "tbody",
    Td = "td", Template = "template", Textarea = "textarea", Tfoot = "tfoot", Th = "th", Thead = "thead",
    Time = "time", Title = "title", Tr = "tr", Track = "track", Tt = "tt", U = "u", Ul = "ul", Var = "var",
    Video = "video", Wbr = "wbr", Xmp = "xmp",
}
foreign {
    Svg = "svg", Math = "math", Mi = "mi", Mo = "mo", Mn = "mn", Ms = "ms", Mtext = "mtext",
    AnnotationXml = "annotation-xml", Mglyph = "mglyph", Malignmark = "malignmark",
    Foreignobject = "foreignobject", Desc = "desc", Path = "path", G = "g", Use = "use", Rect = "rect",
    Circle = "circle",
}
}

/// Number of tags.
pub(crate) const TAGS: usize = NAMES.len();

const MULTIPLIER: u64 = 0xdf24_8798_8ccb_80af;
const SLOT_BITS: u32 = 10;

const fn slot(key: u64) -> usize {
    (key.wrapping_mul(MULTIPLIER) >> (64 - SLOT_BITS)) as usize
}

const fn key_of(name: &[u8]) -> u64 {
    let mut key = 0;
    let mut i = name.len();
    while i > 0 {
        i -= 1;
        key = key << 8 | name[i] as u64;
    }
    key
}

/// Key of each tag's name, 0 for names that are longer than eight bytes or no element's.
static KEYS: [u64; TAGS] = keys();
/// Slot of a key to tag.
static SLOTS: [Tag; 1 << SLOT_BITS] = slots();

const fn keys() -> [u64; TAGS] {
    let mut keys = [0; TAGS];
    let mut i = Tag::A as usize;
    while i < Tag::Unknown as usize {
        let name = NAMES[i].1.as_bytes();
        if name.len() <= 8 {
            keys[i] = key_of(name);
        }
        i += 1;
    }
    keys
}

const fn slots() -> [Tag; 1 << SLOT_BITS] {
    let mut slots = [Tag::Unknown; 1 << SLOT_BITS];
    let keys = keys();
    let mut i = 0;
    while i < TAGS {
        if keys[i] != 0 {
            let at = slot(keys[i]);
            assert!(matches!(slots[at], Tag::Unknown), "two names share a slot: search another multiplier");
            slots[at] = NAMES[i].0;
        }
        i += 1;
    }
    slots
}

impl Tag {
    /// Tag of a name in lower case; [`Tag::Unknown`] if it is not in the list.
    ///
    /// # Examples
    /// ```
    /// use webmill_html::{Limits, Tag, parse};
    /// let dom = parse("<p>one<p>two", &Limits::default());
    /// let wanted = Tag::from_name("p");
    /// assert_eq!(dom.descendants(dom.document()).filter(|&n| dom.tag(n) == wanted).count(), 2);
    /// ```
    pub fn from_name(name: &str) -> Tag {
        let bytes = name.as_bytes();
        if bytes.len() > 8 { Tag::from_long(bytes) } else { Tag::from_key(key_of(bytes)) }
    }

    /// Tag of a name of at most eight bytes, given as little-endian integer.
    #[inline]
    pub(crate) fn from_key(key: u64) -> Tag {
        let tag = SLOTS[slot(key)];
        if KEYS[tag as usize] == key { tag } else { Tag::Unknown }
    }

    /// Tag of a name of more than eight bytes, in lower case.
    pub(crate) fn from_long(name: &[u8]) -> Tag {
        match name {
            b"blockquote" => Tag::Blockquote,
            b"figcaption" => Tag::Figcaption,
            b"plaintext" => Tag::Plaintext,
            b"selectedcontent" => Tag::Selectedcontent,
            b"annotation-xml" => Tag::AnnotationXml,
            b"malignmark" => Tag::Malignmark,
            b"foreignobject" => Tag::Foreignobject,
            _ => Tag::Unknown,
        }
    }

    /// Name in lower case; `""` for [`Tag::Unknown`], `#text` and the like for anything that is no element.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Whether nodes of this tag are elements.
    #[inline]
    pub fn is_element(self) -> bool {
        self as u8 > Tag::Text as u8
    }

    /// Whether the name belongs to SVG or MathML alone.
    #[inline]
    pub fn is_foreign(self) -> bool {
        self as u8 >= Tag::Svg as u8 && self as u8 != Tag::Unknown as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_tag() {
        for (i, &(tag, name)) in NAMES.iter().enumerate() {
            assert_eq!(tag as usize, i);
            if tag.is_element() && tag != Tag::Unknown {
                assert_eq!(Tag::from_name(name), tag, "{name}");
            }
        }
    }

    #[test]
    fn other_names_are_unknown() {
        for name in ["", "d", "divv", "blockquotes", "#text", "DIV", "h7", "x-y", "aaaaaaaa", "foreignObject"]
        {
            assert_eq!(Tag::from_name(name), Tag::Unknown, "{name}");
        }
    }
}
