//! Evaluation of location paths: sets of nodes, a step at a time.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use webmill_html::{Dom, NodeId};

use super::super::Sink;
use super::super::work::Work;
use super::axes::along;
use super::sets::{Bits, XNode, order};
use super::{Axis, Expr, Kind, Path, Predicate, Start, Step};

/// One evaluation.
pub(super) struct Eval<'d> {
    pub dom: &'d Dom<'d>,
    pub scope: NodeId,
    pub work: Work,
    /// Values of absolute paths, which are the same everywhere in a call.
    absolute: RefCell<Vec<Option<Rc<Vec<XNode>>>>>,
}

/// The context of an expression.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub node: XNode,
    pub position: usize,
    pub size: usize,
}

/// The part of a set that is needed.
#[derive(Clone, Copy)]
pub(super) struct NeededPart {
    /// This many nodes are enough; if in order, they must be the first.
    pub enough: usize,
    /// In document order.
    pub ordered: bool,
}

/// The whole set, in order.
pub(super) const ALL: NeededPart = NeededPart { enough: usize::MAX, ordered: true };

/// Nodes without doubles, and whether none of them is below another (so that their descendants are in order too).
struct Set {
    nodes: Vec<XNode>,
    flat: bool,
}

/// Gives the value of an expression to a sink.
pub(super) fn select(expression: &Expr, slots: usize, dom: &Dom<'_>, scope: NodeId, sink: &mut Sink) {
    let eval = Eval { dom, scope, work: Work::new(), absolute: RefCell::new(vec![None; slots]) };
    let at = Context { node: scope.into(), position: 1, size: 1 };
    if expression.kind() == Kind::Nodes {
        let want = NeededPart { enough: sink.max.saturating_add(1), ordered: true };
        for &node in eval.nodes(expression, at, want).iter() {
            if sink.full() {
                break;
            }
            if node.is_attr() || !(dom.is_element(node.node) || node.node == dom.document()) {
                sink.text(node.text(dom, &eval.work));
            } else {
                sink.node(node.node);
            }
        }
    } else {
        sink.text(eval.text(expression, at));
    }
    if eval.work.spent() {
        sink.cut();
    }
}

impl<'d> Eval<'d> {
    /// The value of an expression whose type is a set of nodes.
    pub(super) fn nodes(&self, expression: &Expr, at: Context, want: NeededPart) -> Rc<Vec<XNode>> {
        match expression {
            Expr::Path(path) => self.path(path, at, want),
            Expr::Union(of) => {
                let mut all = Vec::new();
                for one in of {
                    all.extend_from_slice(&self.nodes(one, at, NeededPart { ordered: false, ..ALL }));
                }
                order(self.dom, self.scope, &self.work, &mut all);
                Rc::new(all)
            }
            Expr::Call(_, arguments) => Rc::new(self.by_id(arguments, at)),
            _ => Rc::new(Vec::new()),
        }
    }

    /// Visits the nodes of a set, in order if so wanted.
    pub(super) fn each(
        &self,
        expression: &Expr,
        at: Context,
        ordered: bool,
        mut visit: impl FnMut(XNode) -> ControlFlow<()>,
    ) {
        if let Expr::Path(Path { start: Start::Context, steps }) = expression
            && let [step] = &steps[..]
            && step.predicates.iter().all(Predicate::is_plain)
            && !(ordered && step.axis.reverse())
        {
            let _ = along(self.dom, &self.work, at.node, step.axis, &step.test, &mut |node| {
                if self.plain(step, node) { visit(node) } else { ControlFlow::Continue(()) }
            });
            return;
        }
        let _ = self
            .nodes(expression, at, NeededPart { ordered, ..ALL })
            .iter()
            .try_for_each(|&node| visit(node));
    }

    /// Whether there is any node in a set.
    pub(super) fn any(&self, expression: &Expr, at: Context) -> bool {
        let mut found = false;
        if let Expr::Path(Path { start: Start::Context, steps }) = expression
            && steps.len() == 1
        {
            self.each(expression, at, false, |_| {
                found = true;
                ControlFlow::Break(())
            });
            return found;
        }
        !self.nodes(expression, at, NeededPart { enough: 1, ordered: false }).is_empty()
    }

    fn path(&self, path: &Path, at: Context, want: NeededPart) -> Rc<Vec<XNode>> {
        let (start, slot) = match &path.start {
            Start::Context => (Set { nodes: vec![at.node], flat: true }, None),
            Start::Root(slot) => {
                if let Some(known) = &self.absolute.borrow()[*slot] {
                    return Rc::clone(known);
                }
                (Set { nodes: vec![self.dom.document().into()], flat: true }, Some(*slot))
            }
            Start::Of(expression, predicates) => {
                let mut nodes = self.nodes(expression, at, ALL).to_vec();
                for predicate in predicates {
                    self.filter(predicate, &mut nodes);
                }
                let flat = nodes.len() <= 1;
                (Set { nodes, flat }, None)
            }
        };
        // What is kept must do for whoever asks next; only the outermost path is asked for once.
        let want = if slot.is_some() && want.enough == 1 { ALL } else { want };
        let want = if slot.is_some() { NeededPart { ordered: true, ..want } } else { want };
        let mut set = start;
        for (i, step) in path.steps.iter().enumerate() {
            // A step downwards wants its context nodes in order, all others take them as they come.
            set = match path.steps.get(i + 1) {
                None => self.step(&set, step, want),
                Some(next) => {
                    self.step(&set, step, NeededPart { ordered: want.ordered || next.down(), ..ALL })
                }
            };
        }
        let nodes = Rc::new(set.nodes);
        if let Some(slot) = slot {
            self.absolute.borrow_mut()[slot] = Some(Rc::clone(&nodes));
        }
        nodes
    }

    /// Whether a node passes the predicates of a step, none of which asks for its position.
    fn plain(&self, step: &Step, node: XNode) -> bool {
        step.predicates.iter().all(|predicate| match predicate {
            Predicate::Plain(expression) => self.truth(expression, Context { node, position: 1, size: 1 }),
            _ => true,
        })
    }

    fn step(&self, input: &Set, step: &Step, want: NeededPart) -> Set {
        let plain = step.predicates.iter().all(Predicate::is_plain);
        let single = input.nodes.len() <= 1;
        let down = step.down();
        let stays = matches!(step.axis, Axis::Attribute | Axis::SelfNode);
        let child = step.axis == Axis::Child;
        let ordered =
            single && !step.axis.reverse() || stays || input.flat && (child || down) || plain && down;
        let mut seen =
            (!(single || stays || child || down && (input.flat || plain))).then(|| Bits::new(self.dom));
        let mut root = None;
        let enough = if ordered || !want.ordered { want.enough } else { usize::MAX };
        let mut nodes = Vec::new();
        for &from in &input.nodes {
            if nodes.len() >= enough || self.work.spent() {
                break;
            }
            if !plain {
                self.placed(from, step, seen.as_mut(), &mut nodes);
                continue;
            }
            if down && !input.flat {
                // All that is below a node was met from above, if that was a context node too: the last one before it
                // that was not itself below another.
                if root.is_some_and(|root| self.dom.ancestors(from.node).any(|a| a == root)) {
                    continue;
                }
                root = Some(from.node);
            }
            self.every(from, step, seen.as_mut(), enough, &mut nodes);
        }
        if want.ordered && !ordered {
            if single {
                nodes.reverse();
            } else {
                order(self.dom, self.scope, &self.work, &mut nodes);
            }
        }
        let flat = nodes.len() <= 1
            || step.axis == Axis::Attribute
            || input.flat && (stays || child)
            || single && matches!(step.axis, Axis::FollowingSibling | Axis::PrecedingSibling);
        Set { nodes, flat }
    }

    /// Adds what a step finds from a node, if no predicate asks for positions.
    fn every(
        &self,
        from: XNode,
        step: &Step,
        mut seen: Option<&mut Bits>,
        enough: usize,
        nodes: &mut Vec<XNode>,
    ) {
        // Where the way from a node joins one that was gone before, the rest was gone too.
        let joins = matches!(
            step.axis,
            Axis::Ancestor
                | Axis::AncestorOrSelf
                | Axis::Following
                | Axis::FollowingSibling
                | Axis::PrecedingSibling
        );
        let _ = along(self.dom, &self.work, from, step.axis, &step.test, &mut |node| {
            if let Some(seen) = &mut seen
                && !node.is_attr()
                && !seen.add(node.node)
            {
                return if joins { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            }
            if self.plain(step, node) {
                nodes.push(node);
                if nodes.len() >= enough {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
    }

    /// Adds what a step finds from a node, by predicates that ask for positions.
    fn placed(&self, from: XNode, step: &Step, mut seen: Option<&mut Bits>, nodes: &mut Vec<XNode>) {
        let most = match step.predicates.first() {
            Some(&Predicate::At(at)) => at,
            _ => usize::MAX,
        };
        let mut found = Vec::new();
        let _ = along(self.dom, &self.work, from, step.axis, &step.test, &mut |node| {
            found.push(node);
            if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        for predicate in &step.predicates {
            self.filter(predicate, &mut found);
        }
        let fresh = |node: &XNode| node.is_attr() || seen.as_mut().is_none_or(|seen| seen.add(node.node));
        nodes.extend(found.into_iter().filter(fresh));
    }

    /// Keeps the nodes, given in the order of their axis, for which a predicate holds.
    fn filter(&self, predicate: &Predicate, nodes: &mut Vec<XNode>) {
        let size = nodes.len();
        match predicate {
            Predicate::At(at) => {
                nodes.truncate(*at);
                nodes.drain(..(*at - 1).min(size));
            }
            Predicate::Last => {
                nodes.drain(..size.saturating_sub(1));
            }
            Predicate::Plain(expression) | Predicate::Positional(expression) => {
                let mut position = 0;
                nodes.retain(|&node| {
                    position += 1;
                    let at = Context { node, position, size };
                    if expression.kind() == Kind::Number {
                        self.number(expression, at) == position as f64
                    } else {
                        self.truth(expression, at)
                    }
                });
            }
        }
    }
}

impl Step {
    fn down(&self) -> bool {
        matches!(self.axis, Axis::Descendant | Axis::DescendantOrSelf)
    }
}
