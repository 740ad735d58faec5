//! Paths: the drawn lines that divide tables.

use super::{Interpreter, MAX_RULES};
use crate::pdf::content::Operand;
use crate::pdf::geometry::Area;

impl Interpreter<'_, '_> {
    /// Follows a path: of filled or stroked shapes, thin boxes and straight lines along the axes are kept.
    pub(super) fn path(&mut self, operator: &[u8], operands: &[Operand<'_>]) {
        let numbers: Vec<f64> = operands.iter().filter_map(Operand::number).collect();
        let ctm = self.state.ctm;
        match (operator, numbers.as_slice()) {
            (b"m", [.., x, y]) => self.point = ctm.point(*x, *y),
            (b"l", [.., x, y]) => {
                let to = ctm.point(*x, *y);
                if self.path.len() < MAX_RULES {
                    self.path.push(Area::EMPTY.with(self.point.0, self.point.1).with(to.0, to.1));
                }
                self.point = to;
            }
            (b"re", [.., x, y, width, height]) if self.path.len() < MAX_RULES => {
                self.path.push(ctm.bounds(Area::EMPTY.with(*x, *y).with(x + width, y + height)));
            }
            (b"c" | b"v" | b"y", [.., x, y]) => self.point = ctm.point(*x, *y),
            (b"n", _) => self.path.clear(),
            (b"f" | b"F" | b"f*" | b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*", _) => {
                let strokes = matches!(operator, b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*");
                for area in self.path.drain(..) {
                    let thin = area.width().min(area.height()) < 3.0 && area.width().max(area.height()) > 6.0;
                    if self.painted.rules.len() < MAX_RULES
                        && (thin || strokes && area.width() > 6.0 && area.height() > 6.0)
                    {
                        self.painted.rules.push(area);
                    }
                }
            }
            _ => {}
        }
    }
}
