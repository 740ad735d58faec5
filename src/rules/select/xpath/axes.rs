//! Axes: the nodes that are in a direction from a node, and the tests that they must pass.

use std::ops::ControlFlow;

use webmill_html::{Dom, Namespace, NodeId, Tag};

use super::super::work::Work;
use super::sets::XNode;
use super::{Axis, Test};

/// What to do with a node; `Break` ends the axis.
pub(super) type Visit<'f> = &'f mut dyn FnMut(XNode) -> ControlFlow<()>;

impl Test {
    /// Whether a node of the tree (no attribute) passes.
    #[inline]
    pub(super) fn passes(&self, dom: &Dom<'_>, node: NodeId) -> bool {
        match self {
            Test::Any => dom.is_element(node),
            Test::Name(tag, name) => {
                let is = dom.tag(node);
                is == *tag && is != Tag::Unknown
                    || is == Tag::Unknown
                        && (*tag == Tag::Unknown || dom.namespace(node) != Namespace::Html)
                        && dom.name(node).eq_ignore_ascii_case(name)
            }
            Test::Node => dom.tag(node) != Tag::Doctype,
            Test::Text => dom.is_text(node),
            Test::Comment => dom.tag(node) == Tag::Comment,
            Test::Instruction => false,
        }
    }
}

/// Visits the nodes of an axis that pass a test, in the order of the axis. Every node looked at is a step of work.
pub(super) fn along(
    dom: &Dom<'_>,
    work: &Work,
    from: XNode,
    axis: Axis,
    test: &Test,
    visit: Visit<'_>,
) -> ControlFlow<()> {
    let mut each = |node: NodeId| -> ControlFlow<()> {
        if !work.take(1) {
            return ControlFlow::Break(());
        }
        if test.passes(dom, node) { visit(node.into()) } else { ControlFlow::Continue(()) }
    };
    let n = from.node;
    match axis {
        Axis::SelfNode if from.is_attr() => itself(from, test, visit),
        Axis::SelfNode => each(n),
        Axis::Parent if from.is_attr() => each(n),
        Axis::Parent => dom.parent(n).map_or(ControlFlow::Continue(()), each),
        Axis::Ancestor if from.is_attr() => std::iter::once(n).chain(dom.ancestors(n)).try_for_each(each),
        Axis::Ancestor => dom.ancestors(n).try_for_each(each),
        Axis::AncestorOrSelf => {
            if from.is_attr() {
                itself(from, test, visit)?;
                return along(dom, work, from, Axis::Ancestor, test, visit);
            }
            each(n)?;
            dom.ancestors(n).try_for_each(each)
        }
        Axis::DescendantOrSelf if from.is_attr() => itself(from, test, visit),
        Axis::Following if from.is_attr() => walk(dom, next(dom, n), each),
        Axis::Following => walk(dom, after(dom, n), each),
        Axis::Preceding => preceding(dom, n, each),
        _ if from.is_attr() => ControlFlow::Continue(()),
        Axis::Attribute => attributes(dom, work, n, test, visit),
        Axis::Child => dom.children(n).try_for_each(each),
        Axis::Descendant => dom.descendants(n).try_for_each(each),
        Axis::DescendantOrSelf => std::iter::once(n).chain(dom.descendants(n)).try_for_each(each),
        Axis::FollowingSibling => {
            std::iter::successors(dom.next_sibling(n), |&s| dom.next_sibling(s)).try_for_each(each)
        }
        Axis::PrecedingSibling => {
            std::iter::successors(dom.prev_sibling(n), |&s| dom.prev_sibling(s)).try_for_each(each)
        }
    }
}

/// An attribute on an axis whose own kind of nodes are elements.
fn itself(attr: XNode, test: &Test, visit: Visit<'_>) -> ControlFlow<()> {
    if matches!(test, Test::Node) { visit(attr) } else { ControlFlow::Continue(()) }
}

fn attributes(dom: &Dom<'_>, work: &Work, n: NodeId, test: &Test, visit: Visit<'_>) -> ControlFlow<()> {
    for (at, (name, _)) in dom.attrs(n).enumerate() {
        if !work.take(1) {
            return ControlFlow::Break(());
        }
        let passes = match test {
            Test::Any | Test::Node => true,
            Test::Name(_, wanted) => name.eq_ignore_ascii_case(wanted),
            _ => false,
        };
        if passes {
            visit(XNode { node: n, attr: at as u32 })?;
        }
    }
    ControlFlow::Continue(())
}

/// The node after this one in document order.
fn next(dom: &Dom<'_>, n: NodeId) -> Option<NodeId> {
    dom.first_child(n).or_else(|| after(dom, n))
}

/// The node after the subtree of this one.
fn after(dom: &Dom<'_>, n: NodeId) -> Option<NodeId> {
    std::iter::once(n).chain(dom.ancestors(n)).find_map(|a| dom.next_sibling(a))
}

fn walk(dom: &Dom<'_>, from: Option<NodeId>, each: impl FnMut(NodeId) -> ControlFlow<()>) -> ControlFlow<()> {
    std::iter::successors(from, |&n| next(dom, n)).try_for_each(each)
}

fn preceding(dom: &Dom<'_>, n: NodeId, mut each: impl FnMut(NodeId) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut ancestor = dom.parent(n);
    let mut at = n;
    loop {
        at = match dom.prev_sibling(at) {
            Some(sibling) => {
                std::iter::successors(Some(sibling), |&s| dom.last_child(s)).last().unwrap_or(sibling)
            }
            None => match dom.parent(at) {
                Some(parent) => parent,
                None => return ControlFlow::Continue(()),
            },
        };
        if Some(at) == ancestor {
            ancestor = dom.parent(at);
        } else {
            each(at)?;
        }
    }
}
