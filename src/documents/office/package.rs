//! Packages of Office files: parts, and the relationships from part to part.
//!
//! **Definition.** ECMA-376 part 2 (Open Packaging Conventions): beside `folder/name` stands `folder/_rels/name.rels`.
//!
//! **Reference.** ECMA-376-2, clauses 8 and 9.

use std::collections::{BTreeMap, BTreeSet};

use crate::container::Container;
use crate::xml::{Xml, stream};
use crate::{Builder, Failure, Limits};

/// Nodes of the trees of all parts, those that are not kept too.
const MAX_NODES: usize = 16_000_000;

/// A relationship of a part.
#[derive(Debug, Clone)]
pub(crate) struct Relationship {
    /// Last step of the address that names its type, `hyperlink`.
    pub(crate) kind: String,
    /// Name of the part, or address outside.
    pub(crate) target: String,
    pub(crate) external: bool,
}

/// Relationships by their ids.
pub(crate) type Relationships = BTreeMap<String, Relationship>;

/// An Office file.
#[derive(Debug)]
pub(crate) struct Package<'a> {
    pub(crate) container: Container<'a>,
    pub(crate) damaged: bool,
    /// Why parts were left out, or parts of them.
    cut: BTreeSet<&'static str>,
    /// Nodes of trees that may still be met.
    nodes: usize,
}

impl<'a> Package<'a> {
    /// Opens the container.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, Failure> {
        Ok(Package {
            container: Container::open(bytes, limits)?,
            damaged: false,
            cut: BTreeSet::new(),
            nodes: MAX_NODES,
        })
    }

    /// The bytes of a part; `None` where that is missing, or would inflate to too much.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        match self.container.part(name) {
            Err(failure) if failure.reason == "inflates-too-much" => {
                self.cut.insert("inflates-too-much");
                Ok(None)
            }
            read => read,
        }
    }

    /// The tree of the part that there is no document without: what would inflate to too much is a failure.
    pub(crate) fn main_xml(&mut self, name: &str) -> Result<Option<Xml>, Failure> {
        let Some(bytes) = self.container.part(name)? else { return Ok(None) };
        Ok(Some(self.parse(&bytes)))
    }

    /// The tree of a part; `None` where that is missing, or would inflate to too much.
    pub(crate) fn xml(&mut self, name: &str) -> Result<Option<Xml>, Failure> {
        let Some(bytes) = self.bytes(name)? else { return Ok(None) };
        Ok(Some(self.parse(&bytes)))
    }

    /// Notes the defects of a tree.
    pub(crate) fn note(&mut self, xml: &Xml) {
        self.damaged |= xml.is_damaged();
        self.cut.extend(xml.cut());
        self.nodes = self.nodes.saturating_sub(xml.met());
    }

    /// Nodes that a part may have which is not kept.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    fn parse(&mut self, bytes: &[u8]) -> Xml {
        let xml = stream(bytes, "", self.nodes, |_| true);
        self.note(&xml);
        xml
    }

    /// Relationships of a part, or of the package for an empty name.
    pub(crate) fn relationships(&mut self, part: &str) -> Result<Relationships, Failure> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let beside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let xml = self.xml(&format!("{beside}_rels/{file}.rels"))?.unwrap_or_default();
        let mut all = Relationships::new();
        for element in xml.root().into_iter().flat_map(|root| root.children()) {
            let (Some(id), Some(target)) = (element.attr("Id"), element.attr("Target")) else { continue };
            let kind = element.attr("Type").unwrap_or_default();
            let external = element.attr("TargetMode").is_some_and(|mode| mode == "External");
            let target = if external { target.into_owned() } else { resolved(folder, &target) };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            all.insert(id.into_owned(), Relationship { kind, target, external });
        }
        Ok(all)
    }

    /// The part where the document begins, or the first there is of usual names.
    pub(crate) fn main_part(&mut self, usual: &[&str]) -> Result<String, Failure> {
        let all = self.relationships("")?;
        let named = all.into_values().find(|one| one.kind == "officeDocument").map(|one| one.target);
        let named = named.filter(|name| self.container.has(name));
        let other = || usual.iter().find(|name| self.container.has(name)).map(|&name| name.to_owned());
        named.or_else(other).ok_or_else(|| Failure::new("no-such-part", *usual.first().unwrap_or(&"")))
    }

    /// Warns of what was found broken on the way.
    pub(crate) fn warn_of_damage(&self, builder: &mut Builder) {
        if self.damaged || self.container.is_damaged() {
            builder.warn("damaged");
        }
        self.cut.iter().for_each(|reason| builder.warn(reason));
        if self.container.has_doubles() {
            builder.warn("parts-twice");
        }
    }
}

/// The first part of a kind among relationships.
pub(crate) fn part_of<'r>(relationships: &'r Relationships, kind: &str) -> Option<&'r str> {
    let mut parts = relationships.values().filter(|one| one.kind == kind && !one.external);
    parts.next().map(|one| one.target.as_str())
}

/// The name of a part as another in `folder` calls it.
pub(crate) fn resolved(folder: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let mut steps: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').filter(|step| !step.is_empty()).collect(),
    };
    for step in target.split(['/', '\\']) {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}
