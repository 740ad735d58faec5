//! Turns the text of a rule file into a rule, or into a list of all its mistakes with their lines.
//!
//! `library` calls it for every file that is read, so for `webmill rules`, `webmill run` and `crawl --rules` alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use regex::Regex;
use webmill_capture::names::near_to;

use crate::codes::{Codes, Offset, expression, shown};
use crate::entries::{Entry, MAX_ENTRIES};
use crate::file::{GroupText, LANGUAGE, LayerText, RuleFile, Spanned, TagText, TreatmentText};
use crate::levels;
use crate::rule::{Column, Find, Group, Layer, LayerNumber, Rule, Syntax, Tag, TagNumber, Treatment};
use crate::select::Selector;
use crate::structured::Path;

/// Bytes of a rule file.
pub const MAX_FILE_BYTES: usize = 4 << 20;
/// Tags inside of one another.
const MAX_DEPTH: usize = 64;
/// Columns that every table of a rule has.
pub const PROVENANCE: [&str; 9] =
    ["url", "url_key", "host", "domain", "top_url", "layer", "path", "warc_filename", "warc_record_offset"];

/// A mistake in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Line in the file, from 1; `None`: of the whole file.
    pub line: Option<usize>,
    /// What it is in: `layer list`, `tag price`, `group books`, `rule`.
    pub place: String,
    /// The mistake.
    pub reason: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.place, self.reason)
    }
}

impl Rule {
    /// Reads and checks a rule file.
    ///
    /// # Errors
    /// All mistakes that it has, in the order of lines.
    pub fn parse(source: &str) -> Result<Rule, Vec<Mistake>> {
        if source.len() > MAX_FILE_BYTES {
            let reason = format!("more than {MAX_FILE_BYTES} bytes");
            return Err(vec![Mistake { line: None, place: "rule".into(), reason }]);
        }
        let file: RuleFile = toml::from_str(source).map_err(|error| {
            let line = error.span().map(|span| line_of(source, span.start));
            vec![Mistake { line, place: "rule".into(), reason: error.message().to_owned() }]
        })?;
        let mut check = Check::new(source, &file);
        let rule = check.rule(&file);
        check.mistakes.sort_by_key(|mistake| mistake.line);
        match rule {
            Some(rule) if check.mistakes.is_empty() => Ok(rule),
            _ => Err(check.mistakes),
        }
    }
}

fn line_of(source: &str, at: usize) -> usize {
    source.as_bytes()[..at.min(source.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

struct Check<'f> {
    source: &'f str,
    layers: BTreeMap<&'f str, LayerNumber>,
    tags: BTreeMap<&'f str, TagNumber>,
    mistakes: Vec<Mistake>,
}

impl<'f> Check<'f> {
    fn new(source: &'f str, file: &'f RuleFile) -> Self {
        let mut check =
            Check { source, layers: BTreeMap::new(), tags: BTreeMap::new(), mistakes: Vec::new() };
        for (number, layer) in file.layers.iter().enumerate() {
            if check.layers.insert(layer.id.as_ref(), number).is_some() {
                check.wrong(&layer.id, layer_place(layer), "two layers of this id");
            }
        }
        for (number, tag) in file.tags.iter().enumerate() {
            if check.tags.insert(tag.id.as_ref(), number).is_some() {
                check.wrong(&tag.id, tag_place(tag), "two tags of this id");
            }
        }
        check
    }

    fn wrong<T>(&mut self, at: &Spanned<T>, place: String, reason: impl Into<String>) {
        let line = Some(line_of(self.source, at.span().start));
        self.mistakes.push(Mistake { line, place, reason: reason.into() });
    }

    fn rule(&mut self, file: &'f RuleFile) -> Option<Rule> {
        let head = &file.rule;
        let place = || "rule".to_owned();
        if let Some(version) = head.version.as_ref().filter(|version| *version.as_ref() > LANGUAGE) {
            let found = *version.as_ref();
            self.wrong(
                version,
                place(),
                format!("written in version {found} of the language; this program reads {LANGUAGE}"),
            );
        }
        if !is_name(head.id.as_ref()) {
            self.wrong(
                &head.id,
                place(),
                "an id is lower case letters, digits and _, beginning with a letter",
            );
        }
        if head.name.as_ref().trim().is_empty() {
            self.wrong(&head.name, place(), "the name is empty");
        }
        let encoding = head.encoding.as_ref().and_then(|label| {
            let found = encoding_rs::Encoding::for_label(label.as_ref().as_bytes());
            if found.is_none() {
                self.wrong(label, place(), format!("no encoding is called {:?}", label.as_ref()));
            }
            found
        });
        if file.layers.is_empty() {
            self.wrong(&head.id, place(), "a rule has at least one [[layer]]");
        }
        let mut tags: Vec<Tag> = file.tags.iter().map(|tag| self.tag(tag)).collect();
        let mut layers: Vec<Layer> = file.layers.iter().map(|layer| self.layer(layer)).collect();
        self.family(file, &mut tags, &mut layers);
        self.links(file, &mut tags, &layers);
        if !self.mistakes.is_empty() {
            return None;
        }
        let groups = file.groups.iter().filter_map(|group| self.group(group, &tags, &layers)).collect();
        self.twice(&file.groups);
        Some(Rule {
            id: head.id.as_ref().clone(),
            name: head.name.as_ref().clone(),
            site_name: head.site_name.clone(),
            site_url: head.site_url.as_ref().map(|url| url.as_ref().clone()),
            author: head.author.clone(),
            notes: head.notes.clone(),
            encoding,
            layers,
            tags,
            groups,
            source: self.source.to_owned(),
        })
    }

    fn expression(
        &mut self,
        source: Option<&Spanned<String>>,
        place: impl Fn() -> String,
        field: &str,
    ) -> Option<Regex> {
        let source = source?;
        match expression(source.as_ref()) {
            Ok(regex) => Some(regex),
            Err(reason) => {
                self.wrong(source, place(), format!("{field}: {reason}"));
                None
            }
        }
    }

    fn layer(&mut self, text: &LayerText) -> Layer {
        let place = || layer_place(text);
        let mut entries = Vec::new();
        let mut count = 0u64;
        for source in &text.entries {
            match Entry::parse(source.as_ref()) {
                Ok(entry) => {
                    count += entry.count();
                    if count > MAX_ENTRIES {
                        self.wrong(
                            source,
                            place(),
                            format!("its entries stand for more than {MAX_ENTRIES} addresses"),
                        );
                        break;
                    }
                    let first = entry.each().next().unwrap_or_default();
                    if webmill_capture::CanonicalUrl::parse(&first).is_none() {
                        self.wrong(source, place(), format!("entry {first:?} is no absolute address"));
                    }
                    entries.push(entry);
                }
                Err(reason) => self.wrong(source, place(), format!("entry {:?}: {reason}", source.as_ref())),
            }
        }
        let pages =
            text.pages.iter().filter_map(|pages| self.expression(Some(pages), place, "pages")).collect();
        let when = self.expression(text.when.as_ref(), place, "when");
        if text.from.is_none() && text.entries.is_empty() && text.pages.is_empty() {
            self.wrong(&text.id, place(), "no page can be of it: it has neither from nor entries nor pages");
        }
        Layer {
            id: text.id.as_ref().clone(),
            name: text.name.clone().unwrap_or_else(|| text.id.as_ref().clone()),
            from: self.tag_number(text.from.as_ref(), place, "from"),
            paging: self.tag_number(text.paging.as_ref(), place, "paging"),
            content: self.tag_number(text.content.as_ref(), place, "content"),
            entries,
            pages,
            when,
            roots: Vec::new(),
        }
    }

    fn tag_number(
        &mut self,
        id: Option<&Spanned<String>>,
        place: impl Fn() -> String,
        field: &str,
    ) -> Option<TagNumber> {
        let id = id?;
        let number = self.tags.get(id.as_ref().as_str()).copied();
        if number.is_none() {
            self.wrong(
                id,
                place(),
                format!(
                    "{field}: no tag is called {:?}{}",
                    id.as_ref(),
                    near_to(id.as_ref(), self.tags.keys().copied())
                ),
            );
        }
        number
    }

    fn tag(&mut self, text: &TagText) -> Tag {
        let place = || tag_place(text);
        let layer = self.layers.get(text.layer.as_ref().as_str()).copied();
        if layer.is_none() {
            let reason = format!(
                "no layer is called {:?}{}",
                text.layer.as_ref(),
                near_to(text.layer.as_ref(), self.layers.keys().copied())
            );
            self.wrong(&text.layer, place(), reason);
        }
        let find = self.find(text).unwrap_or_else(|| Find::Meta(String::new()));
        let treatments = text.treatments.iter().filter_map(|treatment| match compile(treatment.as_ref()) {
            Ok(treatment) => Some(treatment),
            Err(reason) => {
                self.wrong(treatment, place(), format!("treatment: {reason}"));
                None
            }
        });
        Tag {
            id: text.id.as_ref().clone(),
            name: text.name.clone().unwrap_or_else(|| text.id.as_ref().clone()),
            treatments: treatments.collect(),
            layer: layer.unwrap_or_default(),
            parent: self.tag_number(text.parent.as_ref(), place, "parent"),
            children: Vec::new(),
            find,
            rematch: self.expression(text.rematch.as_ref(), place, "rematch"),
            include: self.expression(text.include.as_ref(), place, "include"),
            exclude: self.expression(text.exclude.as_ref(), place, "exclude"),
            merge: text.merge,
            separator: text.separator.clone().unwrap_or_default(),
            link: text.link,
            opens: None,
        }
    }

    fn find(&mut self, text: &TagText) -> Option<Find> {
        let codes =
            [&text.start, &text.end, &text.start_offset, &text.end_offset].into_iter().flatten().next();
        let ways: Vec<(&str, &Spanned<String>)> = [
            ("start and end", codes),
            ("css", text.css.as_ref()),
            ("xpath", text.xpath.as_ref()),
            ("jsonld", text.jsonld.as_ref()),
            ("microdata", text.microdata.as_ref()),
            ("data", text.data.as_ref()),
            ("meta", text.meta.as_ref()),
        ]
        .into_iter()
        .filter_map(|(name, source)| Some((name, source?)))
        .collect();
        let found = match ways[..] {
            [] => Codes::new(None, None).map(Find::Codes).map_err(|reason| (&text.id, reason)),
            [(way, source)] => one_way(text, way, source).map_err(|reason| (source, reason)),
            [(first, _), (second, source), ..] => {
                Err((source, format!("both {first} and {second} say where it stands")))
            }
        };
        found.map_err(|(at, reason)| self.wrong(at, tag_place(text), reason)).ok()
    }

    /// Parents, children, roots; cycles.
    fn family(&mut self, file: &'f RuleFile, tags: &mut [Tag], layers: &mut [Layer]) {
        for number in 0..tags.len() {
            let text = &file.tags[number];
            let Some(parent) = tags[number].parent else {
                if let Some(layer) = layers.get_mut(tags[number].layer) {
                    layer.roots.push(number);
                }
                continue;
            };
            let at = text.parent.as_ref().unwrap_or(&text.id);
            if tags[parent].layer != tags[number].layer {
                self.wrong(
                    at,
                    tag_place(text),
                    format!("its parent {} is of another layer", tags[parent].id),
                );
            }
            let mut above = Some(parent);
            let mut depth = 0;
            while let Some(next) = above.filter(|next| *next != number && depth <= MAX_DEPTH) {
                above = tags[next].parent;
                depth += 1;
            }
            if above == Some(number) {
                self.wrong(at, tag_place(text), "it is its own ancestor");
            } else if above.is_some() {
                self.wrong(at, tag_place(text), format!("more than {MAX_DEPTH} tags inside of one another"));
            }
            tags[parent].children.push(number);
        }
    }

    /// What layers are opened by, and what leads on.
    fn links(&mut self, file: &'f RuleFile, tags: &mut [Tag], layers: &[Layer]) {
        for (number, (layer, text)) in layers.iter().zip(&file.layers).enumerate() {
            let place = || layer_place(text);
            if let (Some(tag), Some(from)) = (layer.from, &text.from) {
                if !tags[tag].link {
                    self.wrong(
                        from,
                        place(),
                        format!("from: tag {} is no link tag (link = true)", tags[tag].id),
                    );
                }
                if let Some(other) = tags[tag].opens {
                    self.wrong(
                        from,
                        place(),
                        format!("from: tag {} opens layer {} too", tags[tag].id, layers[other].id),
                    );
                }
                tags[tag].opens = Some(number);
            }
            for (tag, at, field) in
                [(layer.paging, &text.paging, "paging"), (layer.content, &text.content, "content")]
            {
                let (Some(tag), Some(at)) = (tag, at) else { continue };
                if tags[tag].layer != number {
                    self.wrong(at, place(), format!("{field}: tag {} is of another layer", tags[tag].id));
                } else if tags[tag].parent.is_some() && field == "content" {
                    self.wrong(
                        at,
                        place(),
                        format!(
                            "content: tag {} has a parent; it must stand in the page itself",
                            tags[tag].id
                        ),
                    );
                } else if field == "paging" && !tags[tag].link {
                    self.wrong(
                        at,
                        place(),
                        format!("paging: tag {} is no link tag (link = true)", tags[tag].id),
                    );
                }
            }
            if let (Some(content), None) = (&text.content, layer.paging) {
                self.wrong(
                    content,
                    place(),
                    "content: joins the pages of a chain, and the layer has no paging",
                );
            }
        }
        self.reachable(file, tags, layers);
    }

    /// Layers that no entry leads to.
    fn reachable(&mut self, file: &'f RuleFile, tags: &[Tag], layers: &[Layer]) {
        let entered = |layer: &Layer| !layer.entries.is_empty() || !layer.pages.is_empty();
        for (layer, text) in layers.iter().zip(&file.layers) {
            let (mut above, mut steps) = (layer, 0);
            while !entered(above) && steps <= layers.len() {
                let Some(from) = above.from else { break };
                above = &layers[tags[from].layer];
                steps += 1;
            }
            if steps > layers.len() {
                self.wrong(
                    &text.id,
                    layer_place(text),
                    "no entry leads to it: the layers above open each other",
                );
            }
        }
    }

    fn group(&mut self, text: &GroupText, tags: &[Tag], layers: &[Layer]) -> Option<Group> {
        let place = || format!("group {}", text.name.as_ref());
        if !is_name(text.name.as_ref()) {
            self.wrong(
                &text.name,
                place(),
                "a name is lower case letters, digits and _, beginning with a letter",
            );
        }
        if text.columns.is_empty() {
            self.wrong(&text.name, place(), "it has no columns");
        }
        let mut names = BTreeSet::new();
        let mut columns = Vec::new();
        for column in &text.columns {
            let name = column.name.as_ref();
            let at = || format!("group {}, column {name}", text.name.as_ref());
            if name.is_empty() || !names.insert(name) {
                self.wrong(&column.name, at(), "the name is empty or there twice");
            }
            if PROVENANCE.contains(&name.as_str()) {
                self.wrong(
                    &column.name,
                    at(),
                    "every table has a column of this name, which says where a row comes from",
                );
            }
            if let Some(length) = column.max_length.as_ref().filter(|_| column.kind != crate::Kind::String) {
                self.wrong(length, at(), "max_length is for strings only");
            }
            let tag = self.tag_number(Some(&column.tag), at, "tag");
            let max_length = column.max_length.as_ref().map(|length| *length.as_ref());
            columns.extend(tag.map(|tag| Column { name: name.clone(), tag, kind: column.kind, max_length }));
        }
        if columns.is_empty() || columns.len() < text.columns.len() {
            return None;
        }
        match levels::levels(&columns, tags, layers) {
            Ok(levels) => {
                Some(Group { name: text.name.as_ref().clone(), outer: text.outer, columns, levels })
            }
            Err(reason) => {
                self.wrong(&text.name, place(), reason);
                None
            }
        }
    }

    fn twice(&mut self, groups: &[GroupText]) {
        let mut names = BTreeSet::new();
        for group in groups {
            if !names.insert(group.name.as_ref()) {
                self.wrong(&group.name, format!("group {}", group.name.as_ref()), "two groups of this name");
            }
        }
    }
}

fn layer_place(layer: &LayerText) -> String {
    format!("layer {}", layer.id.as_ref())
}

fn tag_place(tag: &TagText) -> String {
    format!("tag {}", tag.id.as_ref())
}

/// The one way in which a tag is found.
fn one_way(text: &TagText, way: &str, source: &Spanned<String>) -> Result<Find, String> {
    let source = source.as_ref().as_str();
    let selector = |made: Result<Selector, crate::select::SelectError>| {
        made.map(Find::Select).map_err(|error| format!("{way} {}: {error}", shown(source)))
    };
    match way {
        "css" => selector(Selector::css(source)),
        "xpath" => selector(Selector::xpath(source)),
        "jsonld" => Path::parse(source).map(|path| Find::Data(Syntax::JsonLd, path)),
        "microdata" => Path::parse(source).map(|path| Find::Data(Syntax::Microdata, path)),
        "data" => Path::parse(source).map(|path| Find::Data(Syntax::Any, path)),
        "meta" if source.trim().is_empty() => Err("meta: the name is empty".into()),
        "meta" => Ok(Find::Meta(source.trim().to_lowercase())),
        _ => {
            let code = |code: &Option<Spanned<String>>, offset: &Option<Spanned<String>>, field: &str| {
                let offset = offset.as_ref().map(|offset| Offset::parse(offset.as_ref())).transpose()?;
                match code {
                    Some(code) => Ok(Some((code.as_ref().clone(), offset.unwrap_or_default()))),
                    None if offset.is_some() => Err(format!("{field}_offset without {field}")),
                    None => Ok(None),
                }
            };
            let start = code(&text.start, &text.start_offset, "start")?;
            let end = code(&text.end, &text.end_offset, "end")?;
            let given =
                |code: &Option<(String, Offset)>| code.as_ref().map(|(code, offset)| (code.clone(), *offset));
            let (start, end) = (given(&start), given(&end));
            Codes::new(
                start.as_ref().map(|(code, offset)| (code.as_str(), *offset)),
                end.as_ref().map(|(code, offset)| (code.as_str(), *offset)),
            )
            .map(Find::Codes)
        }
    }
}

fn compile(text: &TreatmentText) -> Result<Treatment, String> {
    match (&text.pattern, &text.with, &text.text, text.at) {
        (Some(pattern), with, None, None) => {
            Ok(Treatment::Replace { pattern: expression(pattern)?, with: with.clone().unwrap_or_default() })
        }
        (None, None, Some(text), at) => Ok(Treatment::Insert { text: text.clone(), at: at.unwrap_or(-1) }),
        _ => Err("either { pattern, with } or { text, at } is wanted".into()),
    }
}

/// Whether it can name a table: lower case letters, digits and `_`, beginning with a letter.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 60
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}
