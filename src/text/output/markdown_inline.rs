//! The text of a block with its inline markup.
//!
//! Marks are written when their element ends, around what it held: so white space moves out of them, empty ones vanish,
//! and a mark that CommonMark would not take for one (its rules on flanking know no scripts without spaces) either lets
//! go of the punctuation at its edge or is left out. Inside of a code span nothing is escaped and nothing marked.
//!
//! **Cost.** Linear in text and inline elements, times their depth, which the builder of blocks bounds.

use std::cell::Cell;
use webmill_capture::cut::Cut;

use url::Url;

use super::picture_sources::sources;
use crate::blocks::page::{Block, Mark, Page};
use crate::blocks::tex::{Tex, tex};
use webmill_capture::CanonicalUrl;
use webmill_capture::markdown::{HARD_BREAK, escape, escape_line_starts, escape_target, longest_run};
use webmill_html::{Dom, NodeId, Tag};

/// Bytes of an address that is still written.
const MAX_TARGET: usize = 4096;

/// How many lines the place holds that the text goes to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lines {
    /// One: a heading.
    One,
    /// Any number: a paragraph.
    Many,
    /// One, where a break can be an element: a cell.
    Cell,
}

/// Bytes of all addresses of a page that are written: a long base makes short references long.
const MAX_TARGETS: usize = 4 << 20;

/// What inline markup is read from.
pub(crate) struct Inline<'p, 'd> {
    pub dom: &'p Dom<'d>,
    pub page: &'p Page,
    base: Option<Url>,
    /// The base as tables have it, where that is how the standard writes it.
    canonical: Option<&'p CanonicalUrl>,
    /// Whether targets of links are written, and images.
    pub links: bool,
    pub images: bool,
    /// Bytes of addresses so far.
    written: Cell<usize>,
}

struct Open {
    tag: Tag,
    node: NodeId,
    /// Where its content begins.
    from: usize,
    /// Whether a mark before that is written already: it goes on from one that ended just here.
    marked: bool,
    /// Whether nothing is written for it: it stands in one of its own kind or in code.
    idle: bool,
}

impl<'p, 'd> Inline<'p, 'd> {
    pub(crate) fn new(dom: &'p Dom<'d>, page: &'p Page, base: Option<&'p CanonicalUrl>) -> Self {
        let parsed = base.and_then(|base| Url::parse(base.as_str()).ok());
        // The `url` crate takes `c:` and `c|` in a path for a drive.
        let is_same = |base: &&CanonicalUrl| {
            parsed.as_ref().is_some_and(|url| url.as_str() == base.as_str())
                && !base.path().contains([':', '|'])
        };
        Inline {
            dom,
            page,
            canonical: base.filter(is_same),
            base: parsed,
            links: true,
            images: true,
            written: Cell::new(0),
        }
    }

    /// The target of a reference, absolute where the base is known; `None` for what leads nowhere.
    pub(crate) fn target(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        let leads = !reference.is_empty() && reference.len() <= MAX_TARGET && !reference.starts_with('#');
        if !leads || self.written.get() > MAX_TARGETS {
            return None;
        }
        let scheme = reference.split_once(':').map(|(scheme, _)| scheme.trim().to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("javascript" | "data" | "vbscript" | "about" | "blob" | "file")) {
            return None;
        }
        let plain = self.canonical.and_then(|base| base.join_plain(reference));
        let absolute = || Some(String::from(self.base.as_ref()?.join(reference).ok()?));
        // Without a base, or where it makes no address: as written.
        let target = plain.or_else(absolute).unwrap_or_else(|| reference.to_string());
        let target = escape_target(&target);
        self.written.set(self.written.get() + target.len());
        (target.len() <= 3 * MAX_TARGET).then_some(target)
    }

    /// Address and words of an image; `None` for one that shows nothing (a counting pixel, one without an address).
    pub(crate) fn picture(&self, node: NodeId) -> Option<(String, &'p str)> {
        if !self.images {
            return None;
        }
        let target = sources(self.dom, node).into_iter().find_map(|source| self.target(source))?;
        let attr = |name: &str| self.dom.attr(node, name).map(str::trim);
        Some((target, attr("alt").or_else(|| attr("title")).unwrap_or_default()))
    }
}

/// Writes an image.
pub(crate) fn write_picture(target: &str, label: &str, out: &mut String) {
    out.push_str("![");
    for (n, word) in label.split_whitespace().take(200).enumerate() {
        if n > 0 {
            out.push(' ');
        }
        escape(word, true, out);
    }
    out.push_str("](");
    out.push_str(target);
    out.push(')');
}

/// Appends the text of a block with its inline markup.
pub(crate) fn inline(source: &mut Inline<'_, '_>, block: &Block, lines: Lines, out: &mut String) {
    let text = source.page.text_of(block);
    let base = block.start as usize;
    let start = out.len();
    let mut writer =
        Writer { source, text, lines, start, at: 0, out, open: Vec::new(), last: None, code: 0, links: 0 };
    let events = &writer.source.page.events[block.events.0 as usize..block.events.1 as usize];
    for (n, event) in events.iter().enumerate() {
        let to = (event.at as usize).saturating_sub(base).clamp(writer.at, text.len());
        writer.copy(to);
        match event.mark {
            Mark::Break => writer.line_break(),
            Mark::Image if writer.code == 0 => {
                if let Some((target, label)) = writer.source.picture(event.node) {
                    writer.space();
                    write_picture(&target, label, writer.out);
                }
            }
            Mark::Image => {}
            Mark::Open(Tag::Math) if writer.code == 0 => {
                if let Some(tex) = tex(writer.source.dom, event.node) {
                    let end = events.get(n + 1).map_or(event.at, |close| close.at) as usize;
                    writer.formula(&tex, end.saturating_sub(base).min(text.len()));
                }
            }
            Mark::Open(Tag::Math) | Mark::Close(Tag::Math) => {}
            Mark::Open(tag) => writer.open(tag, event.node),
            Mark::Close(tag) => {
                let joined =
                    events.get(n + 1).is_some_and(|next| next.at == event.at && next.mark != Mark::Break);
                writer.close(tag, event.node, joined);
            }
        }
    }
    writer.copy(text.len());
    let kept = out.cut(start..).trim_end().len() + start;
    out.truncate(kept);
    match lines {
        Lines::Many => escape_line_starts(out, start),
        Lines::One => {
            // Number signs at the end of a heading would close it.
            let bare = out.trim_end_matches('#').len();
            if bare < out.len() && (bare <= start || out.cut(..bare).ends_with(' ')) {
                out.insert(bare.max(start), '\\');
            }
        }
        Lines::Cell => {}
    }
}

struct Writer<'w, 'p, 'd> {
    source: &'w Inline<'p, 'd>,
    text: &'w str,
    lines: Lines,
    start: usize,
    /// What of `text` is written.
    at: usize,
    out: &'w mut String,
    open: Vec<Open>,
    /// The mark written last, where its content began, and where it ended.
    last: Option<(&'static str, usize, usize)>,
    /// Open code spans and links.
    code: usize,
    links: usize,
}

fn mark_of(tag: Tag) -> &'static str {
    match tag {
        Tag::A => "[",
        Tag::B | Tag::Strong => "**",
        Tag::Em | Tag::I => "*",
        Tag::Del | Tag::S | Tag::Strike => "~~",
        _ => "`",
    }
}

fn is_punctuation(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace()
}

impl Writer<'_, '_, '_> {
    fn space(&mut self) {
        if self.out.len() > self.start && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
        }
    }

    /// Writes a formula in place of the text up to `end`.
    fn formula(&mut self, tex: &Tex, end: usize) {
        if self.text.cut(self.at..).starts_with(' ') {
            self.space();
        }
        let mark = if tex.display { "$$" } else { "$" };
        self.out.push_str(&format!("{mark}{}{mark}", tex.text));
        self.at = self.at.max(end);
        self.last = None;
    }

    fn line_break(&mut self) {
        match self.lines {
            _ if self.code > 0 => self.space(),
            Lines::One => self.space(),
            Lines::Many if self.out.len() > self.start && !self.out.ends_with('\n') => {
                let kept = self.out.trim_end_matches(' ').len().max(self.start);
                self.out.truncate(kept);
                self.out.push_str(HARD_BREAK);
            }
            Lines::Cell if self.out.len() > self.start => self.out.push_str("<br>"),
            _ => {}
        }
        // The break itself is in the text.
        self.at += usize::from(self.text.cut(self.at..).starts_with('\n'));
    }

    /// Writes the text up to `to`.
    fn copy(&mut self, to: usize) {
        let piece = self.text.cut(self.at.min(to)..to);
        self.at = self.at.max(to);
        for (n, part) in piece.split([' ', '\n', '\t']).enumerate() {
            if n > 0 {
                self.space();
            }
            if self.code > 0 {
                self.out.push_str(part);
            } else if !part.is_empty() {
                escape(part, self.links > 0, self.out);
            }
        }
    }

    fn open(&mut self, tag: Tag, node: NodeId) {
        // Spaces go before an opening mark.
        if self.text.cut(self.at..).starts_with(' ') {
            self.space();
            self.at += 1;
        }
        let mark = mark_of(tag);
        let mut idle = self.code > 0 || self.open.iter().any(|open| !open.idle && mark_of(open.tag) == mark);
        let mut from = self.out.len();
        let mut marked = false;
        if let Some((last, content, end)) = self.last
            && !idle
            && end == from
            && tag != Tag::A
        {
            let crossed = self.open.iter().any(|open| !open.idle && open.from > content);
            if last == mark && !crossed {
                self.out.truncate(end - mark.len());
                (from, marked) = (content, true);
                self.last = None;
            } else {
                // Two runs of one character would be read as one.
                idle = last.starts_with(mark.cut(..1));
            }
        }
        if !idle {
            self.code += usize::from(mark == "`");
            self.links += usize::from(tag == Tag::A);
        }
        self.open.push(Open { tag, node, from, marked, idle });
    }

    fn close(&mut self, tag: Tag, node: NodeId, joined: bool) {
        let Some(place) = self.open.iter().rposition(|o| o.tag == tag && o.node == node) else { return };
        let open = self.open.remove(place);
        if open.idle {
            return;
        }
        let mark = mark_of(tag);
        self.code -= usize::from(mark == "`");
        self.links -= usize::from(tag == Tag::A);
        let content = self.out.cut(open.from..);
        let body = content.trim();
        if body.is_empty() {
            return;
        }
        let from =
            if open.marked { open.from } else { open.from + content.len() - content.trim_start().len() };
        let tail = self.out.split_off(open.from + content.trim_end().len());
        match tag {
            Tag::A => self.close_link(node, from),
            _ if mark == "`" => self.close_code(from, open.marked),
            _ => self.close_emphasis(mark, from, open.marked, tail.is_empty().then_some(joined)),
        }
        self.out.push_str(&tail);
    }

    fn close_link(&mut self, node: NodeId, from: usize) {
        let href = self.source.dom.attr(node, "href").unwrap_or_default();
        if let Some(target) = self.source.target(href).filter(|_| self.source.links) {
            self.out.insert(from, '[');
            self.out.push_str("](");
            self.out.push_str(&target);
            self.out.push(')');
        }
    }

    fn close_code(&mut self, from: usize, marked: bool) {
        if marked {
            // The span before it may have been fenced by more ticks than one; it goes on only if it was not.
            self.out.push('`');
            self.last = Some(("`", from, self.out.len()));
            return;
        }
        let longest = longest_run(self.out.cut(from..), '`');
        let ticks = "`".repeat(longest + 1);
        let pad = if longest > 0 { " " } else { "" };
        self.out.insert_str(from, &format!("{ticks}{pad}"));
        self.out.push_str(&format!("{pad}{ticks}"));
        if longest == 0 {
            self.last = Some(("`", from + 1, self.out.len()));
        }
    }

    /// `next`: nothing where white space follows, else whether markup and not text follows.
    fn close_emphasis(&mut self, mark: &'static str, from: usize, marked: bool, next: Option<bool>) {
        let after = match next {
            None => ' ',
            Some(true) => '*',
            Some(false) => self.text.cut(self.at..).chars().next().unwrap_or(' '),
        };
        let (mut from, mut tail) = (from, String::new());
        if !marked {
            let before = self.out.cut(self.start..from).chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() {
                let loose = loose_punctuation(self.out.cut(from..).chars());
                from += self.out.cut(from..).chars().take(loose).map(char::len_utf8).sum::<usize>();
                let rest = self.out.cut(from..);
                if rest.is_empty() || rest.starts_with(|c: char| is_punctuation(c) || c.is_whitespace()) {
                    return;
                }
            }
        }
        if after.is_alphanumeric() {
            let loose = loose_punctuation(self.out.cut(from..).chars().rev());
            let bytes: usize = self.out.cut(from..).chars().rev().take(loose).map(char::len_utf8).sum();
            // A backslash before it belongs to it.
            tail = self.out.split_off(self.out.len() - bytes);
            let refused = self.out.cut(from..).ends_with(|c: char| is_punctuation(c) || c.is_whitespace());
            if (refused && !marked) || self.out.len() <= from {
                self.out.push_str(&tail);
                return;
            }
        }
        if !marked {
            self.out.insert_str(from, mark);
            from += mark.len();
        }
        self.out.push_str(mark);
        self.last = tail.is_empty().then_some((mark, from, self.out.len()));
        self.out.push_str(&tail);
    }
}

/// Characters of punctuation that may leave a mark: none that are markup or escaped.
fn loose_punctuation(chars: impl Iterator<Item = char>) -> usize {
    chars
        .take_while(|&c| {
            is_punctuation(c)
                && !matches!(c, '\\' | '*' | '_' | '`' | '[' | ']' | '~' | '!' | ')' | '<' | '>')
        })
        .count()
}
