//! Tree construction: the sets of elements that the standard's rules name.
//!
//! One bit a set, one word an HTML element, made when the program is compiled; elements of SVG and MathML get theirs
//! when they are inserted.
//!
//! Reference: <https://html.spec.whatwg.org/multipage/parsing.html#special>.

use super::tag::{TAGS, Tag};

/// Ends a search "in scope".
pub(super) const SCOPE: u16 = 1;
/// Ends a search in button scope too.
pub(super) const BUTTON: u16 = 2;
/// Ends a search in list item scope too.
pub(super) const LIST: u16 = 4;
/// Ends a search in table scope.
pub(super) const TABLE: u16 = 8;
pub(super) const SPECIAL: u16 = 16;
/// Its end tag is implied.
pub(super) const IMPLIED: u16 = 32;
/// Its end tag is implied when a template ends.
pub(super) const IMPLIED_THOROUGHLY: u16 = 64;
/// Text put directly into it belongs before the table.
pub(super) const FOSTERS: u16 = 128;
pub(super) const HEADING: u16 = 256;
pub(super) const HTML_POINT: u16 = 512;
pub(super) const MATHML_POINT: u16 = 1024;
pub(super) const ANNOTATION: u16 = 2048;
/// Words do not run across it.
pub(super) const BLOCK: u16 = 4096;
/// It has neither content nor end tag.
pub(super) const VOID: u16 = 8192;

/// Elements of each set.
const MEMBERS: &[(u16, &[Tag])] = {
    use Tag::*;
    &[
        (SCOPE, &[Applet, Caption, Html, Table, Td, Th, Marquee, Object, Select, Template]),
        (BUTTON, &[Button]),
        (LIST, &[Ol, Ul]),
        (TABLE, &[Html, Table, Template]),
        (
            SPECIAL,
            &[
                Address, Applet, Area, Article, Aside, Base, Basefont, Bgsound, Blockquote, Body, Br, Button,
                Caption, Center, Col, Colgroup, Dd, Details, Dir, Div, Dl, Dt, Embed, Fieldset, Figcaption,
                Figure, Footer, Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr,
                Html, Iframe, Img, Input, Keygen, Li, Link, Listing, Main, Marquee, Menu, Meta, Nav, Noembed,
                Noframes, Noscript, Object, Ol, P, Param, Plaintext, Pre, Script, Search, Section, Select,
                Source, Style, Summary, Table, Tbody, Td, Template, Textarea, Tfoot, Th, Thead, Title, Tr,
                Track, Ul, Wbr, Xmp,
            ],
        ),
        (IMPLIED | IMPLIED_THOROUGHLY, &[Dd, Dt, Li, Optgroup, Option, P, Rb, Rp, Rt, Rtc]),
        (IMPLIED_THOROUGHLY, &[Caption, Colgroup, Tbody, Td, Tfoot, Th, Thead, Tr]),
        (FOSTERS, &[Table, Tbody, Tfoot, Thead, Tr]),
        (HEADING, &[H1, H2, H3, H4, H5, H6]),
        (
            BLOCK,
            &[
                Address, Article, Aside, Blockquote, Body, Br, Button, Caption, Center, Dd, Details, Dialog,
                Dir, Div, Dl, Dt, Fieldset, Figcaption, Figure, Footer, Form, H1, H2, H3, H4, H5, H6, Head,
                Header, Hgroup, Hr, Html, Iframe, Img, Input, Legend, Li, Listing, Main, Menu, Nav, Object,
                Ol, Optgroup, Option, P, Pre, Search, Section, Select, Summary, Table, Tbody, Td, Textarea,
                Tfoot, Th, Thead, Tr, Ul,
            ],
        ),
        (
            VOID,
            &[
                Area, Base, Basefont, Bgsound, Br, Col, Embed, Frame, Hr, Img, Input, Keygen, Link, Meta,
                Param, Source, Track, Wbr,
            ],
        ),
    ]
};

pub(super) static SETS: [u16; TAGS] = {
    let mut sets = [0; TAGS];
    let mut row = 0;
    while row < MEMBERS.len() {
        let (set, tags) = MEMBERS[row];
        let mut i = 0;
        while i < tags.len() {
            sets[tags[i] as usize] |= set;
            i += 1;
        }
        row += 1;
    }
    sets
};
