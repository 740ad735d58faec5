//! Points, boxes and transformations of the plane.

/// `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) c: f64,
    pub(super) d: f64,
    pub(super) e: f64,
    pub(super) f: f64,
}

impl Matrix {
    pub(super) const IDENTITY: Matrix = Matrix { a: 1.0, b: 0.0, c: 0.0, d: 1.0, e: 0.0, f: 0.0 };

    pub(super) fn new(n: [f64; 6]) -> Self {
        let [a, b, c, d, e, f] = n;
        Matrix { a, b, c, d, e, f }
    }

    /// First this, then `next`.
    pub(super) fn then(self, next: Matrix) -> Matrix {
        Matrix {
            a: self.a * next.a + self.b * next.c,
            b: self.a * next.b + self.b * next.d,
            c: self.c * next.a + self.d * next.c,
            d: self.c * next.b + self.d * next.d,
            e: self.e * next.a + self.f * next.c + next.e,
            f: self.e * next.b + self.f * next.d + next.f,
        }
    }

    pub(super) fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)
    }

    /// A direction, without the shift.
    pub(super) fn vector(&self, x: f64, y: f64) -> (f64, f64) {
        (self.a * x + self.c * y, self.b * x + self.d * y)
    }

    pub(super) fn is_finite(&self) -> bool {
        [self.a, self.b, self.c, self.d, self.e, self.f].iter().all(|n| n.is_finite() && n.abs() < 1e12)
    }

    /// The box around a box.
    pub(super) fn bounds(&self, of: Area) -> Area {
        let corners = [(of.x0, of.y0), (of.x1, of.y0), (of.x0, of.y1), (of.x1, of.y1)];
        corners.into_iter().fold(Area::EMPTY, |area, (x, y)| {
            let (x, y) = self.point(x, y);
            area.with(x, y)
        })
    }
}

/// A box with its sides along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) x0: f64,
    pub(super) y0: f64,
    pub(super) x1: f64,
    pub(super) y1: f64,
}

impl Area {
    /// One that holds nothing.
    pub(super) const EMPTY: Area =
        Area { x0: f64::INFINITY, y0: f64::INFINITY, x1: f64::NEG_INFINITY, y1: f64::NEG_INFINITY };

    pub(super) fn with(self, x: f64, y: f64) -> Area {
        Area { x0: self.x0.min(x), y0: self.y0.min(y), x1: self.x1.max(x), y1: self.y1.max(y) }
    }

    pub(super) fn width(&self) -> f64 {
        self.x1 - self.x0
    }

    pub(super) fn height(&self) -> f64 {
        self.y1 - self.y0
    }

    pub(super) fn holds(&self, x: f64, y: f64, slack: f64) -> bool {
        x >= self.x0 - slack && x <= self.x1 + slack && y >= self.y0 - slack && y <= self.y1 + slack
    }
}
