//! Runs the drawing operators of a page, and notes every glyph and every line with its place.
//!
//! The reader of PDF calls it page by page; `layout` makes words, lines and tables of the places.
//!
//! **Algorithm.** A stack of graphics states holds the transformation and the text state; the text matrix moves with every
//! glyph shown. Forms are run within the state that draws them, to a depth, none within itself.
//!
//! **Cost.** One step an operator and a glyph, counted against the budget of the document.

mod marks;
mod paths;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier, Stream};
use hayro_syntax::page::Resources;

use super::content::{Operand, Scanner};
use super::fonts::Font;
use super::geometry::{Area, Matrix};
use super::stream::{Budget, decoded};
use marks::Mark;

/// Forms within forms.
const MAX_FORMS: usize = 12;
/// Graphics states that are kept.
const MAX_STATES: usize = 512;
/// Lines and boxes of a page that are kept.
const MAX_RULES: usize = 20_000;
/// Glyphs of a page.
const MAX_GLYPHS: usize = 2_000_000;

/// A glyph on a page. Coordinates are of the upright page, y down, in points.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub(super) text: Rc<str>,
    /// Where its origin stands.
    pub(super) at: (f64, f64),
    /// Where the pen stands behind it, without the spacing of the text state.
    pub(super) end: (f64, f64),
    /// Height of an em.
    pub(super) size: f64,
    /// Direction of the line in degrees, clockwise.
    pub(super) angle: u16,
    /// Whether lines go down.
    pub(super) vertical: bool,
    /// Width of a space.
    pub(super) space: f64,
    pub(super) bold: bool,
    pub(super) invisible: bool,
    /// Whether it is marked as a running head or the like.
    pub(super) furniture: bool,
}

/// What operators put on a page.
#[derive(Debug, Default)]
pub(super) struct PaintedPage {
    pub(super) glyphs: Vec<Glyph>,
    /// Thin boxes: lines of tables, underlines.
    pub(super) rules: Vec<Area>,
    /// Glyphs whose characters are not known.
    pub(super) unknown: usize,
}

/// Fonts of a document by where their dictionaries stand.
pub(super) type FontCache = HashMap<(usize, usize), Rc<RefCell<Font>>>;

#[derive(Clone)]
struct State {
    ctm: Matrix,
    font: Option<Rc<RefCell<Font>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
    mode: i64,
}

impl State {
    fn new(ctm: Matrix) -> State {
        State {
            ctm,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            mode: 0,
        }
    }
}

/// Runs operators.
pub(super) struct Interpreter<'d, 'b> {
    pub(super) painted: PaintedPage,
    fonts: &'b mut FontCache,
    budget: &'b mut Budget,
    /// Layers that are not shown.
    hidden_layers: &'b [ObjectIdentifier],
    page: Area,
    state: State,
    states: Vec<State>,
    tm: Matrix,
    line: Matrix,
    marks: Vec<Mark>,
    forms: Vec<ObjectIdentifier>,
    /// Path under construction: its boxes, its last point.
    path: Vec<Area>,
    point: (f64, f64),
    lifetime: std::marker::PhantomData<&'d ()>,
}

impl<'d, 'b> Interpreter<'d, 'b> {
    /// An interpreter of a page: `ctm` makes the upright page of an area.
    pub(super) fn new(
        ctm: Matrix,
        page: Area,
        fonts: &'b mut FontCache,
        budget: &'b mut Budget,
        hidden_layers: &'b [ObjectIdentifier],
    ) -> Self {
        let state = State::new(ctm);
        Interpreter {
            painted: PaintedPage::default(),
            fonts,
            budget,
            hidden_layers,
            page,
            state,
            states: Vec::new(),
            tm: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            marks: Vec::new(),
            forms: Vec::new(),
            path: Vec::new(),
            point: (0.0, 0.0),
            lifetime: std::marker::PhantomData,
        }
    }

    /// Runs a content stream with its resources.
    pub(super) fn run(&mut self, data: &[u8], resources: &Resources<'d>) {
        let mut scanner = Scanner::new(data);
        let mut operands = Vec::new();
        while let Some(operator) = scanner.next(&mut operands) {
            if self.painted.glyphs.len() > MAX_GLYPHS {
                self.budget.cut = true;
                return;
            }
            if !self.budget.spend(1) {
                return;
            }
            self.operator(operator, &operands, resources);
        }
    }

    fn operator(&mut self, operator: &[u8], operands: &[Operand<'_>], resources: &Resources<'d>) {
        match operator {
            b"q" => {
                if self.states.len() < MAX_STATES {
                    self.states.push(self.state.clone());
                }
            }
            b"Q" => {
                if let Some(state) = self.states.pop() {
                    self.state = state;
                }
            }
            b"cm" => {
                if let Some(matrix) = matrix(operands) {
                    let ctm = matrix.then(self.state.ctm);
                    if ctm.is_finite() {
                        self.state.ctm = ctm;
                    }
                }
            }
            b"Do" => self.draw(operands, resources),
            b"BMC" | b"BDC" => self.begin_mark(operands, resources),
            b"EMC" => self.end_mark(),
            b"gs" => self.graphics_state(operands, resources),
            b"m" | b"l" | b"re" | b"c" | b"v" | b"y" | b"h" | b"f" | b"F" | b"f*" | b"S" | b"s" | b"B"
            | b"B*" | b"b" | b"b*" | b"n" => self.path(operator, operands),
            _ => self.text_operator(operator, operands, resources),
        }
    }

    fn text_operator(&mut self, operator: &[u8], operands: &[Operand<'_>], resources: &Resources<'d>) {
        let last = || operands.last().and_then(Operand::number);
        match operator {
            b"BT" => {
                self.tm = Matrix::IDENTITY;
                self.line = Matrix::IDENTITY;
            }
            b"Tc" => self.state.char_space = last().unwrap_or(0.0),
            b"Tw" => self.state.word_space = last().unwrap_or(0.0),
            b"Tz" => self.state.scale = last().unwrap_or(100.0) / 100.0,
            b"TL" => self.state.leading = last().unwrap_or(0.0),
            b"Ts" => self.state.rise = last().unwrap_or(0.0),
            b"Tr" => self.state.mode = last().unwrap_or(0.0) as i64,
            b"Tf" => self.select_font(operands, resources),
            b"Td" | b"TD" => {
                if let [.., Operand::Number(x), Operand::Number(y)] = *operands {
                    if operator == b"TD" {
                        self.state.leading = -y;
                    }
                    self.next_line(x, y);
                }
            }
            b"Tm" => {
                if let Some(matrix) = matrix(operands) {
                    self.tm = matrix;
                    self.line = matrix;
                }
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"Tj" => self.show_last(operands),
            b"'" => {
                self.next_line(0.0, -self.state.leading);
                self.show_last(operands);
            }
            b"\"" => {
                if let [.., Operand::Number(word), Operand::Number(char), _] = *operands {
                    (self.state.word_space, self.state.char_space) = (word, char);
                }
                self.next_line(0.0, -self.state.leading);
                self.show_last(operands);
            }
            b"TJ" => {
                if let Some(Operand::Array(items)) = operands.last() {
                    for item in items {
                        match item {
                            Operand::Text(text) => self.show(text),
                            Operand::Number(number) => self.kern(*number),
                            _ => {}
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix { e: x, f: y, ..Matrix::IDENTITY }.then(self.line);
        self.tm = self.line;
    }

    fn select_font(&mut self, operands: &[Operand<'_>], resources: &Resources<'d>) {
        let [.., Operand::Name(name), Operand::Number(size)] = operands else { return };
        self.state.size = *size;
        self.state.font = resources.fonts.get::<Dict<'d>>(name.as_ref()).map(|dict| self.font(&dict));
    }

    fn font(&mut self, dict: &Dict<'d>) -> Rc<RefCell<Font>> {
        let data = dict.data();
        let key = (data.as_ptr() as usize, data.len());
        if let Some(font) = self.fonts.get(&key) {
            return Rc::clone(font);
        }
        let font = Rc::new(RefCell::new(Font::read(dict, self.budget)));
        self.fonts.insert(key, Rc::clone(&font));
        font
    }

    fn graphics_state(&mut self, operands: &[Operand<'_>], resources: &Resources<'d>) {
        let Some(Operand::Name(name)) = operands.last() else { return };
        let Some(array) = resources
            .ext_g_states
            .get::<Dict<'d>>(name.as_ref())
            .and_then(|dict| dict.get::<Array<'d>>("Font"))
        else {
            return;
        };
        let mut items = array.flex_iter();
        if let (Some(dict), Some(size)) = (items.next::<Dict<'d>>(), items.next::<f32>()) {
            self.state.font = Some(self.font(&dict));
            self.state.size = f64::from(size);
        }
    }

    fn show_last(&mut self, operands: &[Operand<'_>]) {
        if let Some(Operand::Text(text)) = operands.last() {
            self.show(text);
        }
    }

    fn kern(&mut self, thousandths: f64) {
        let shift = -thousandths / 1000.0 * self.state.size;
        let vertical = self.state.font.as_ref().is_some_and(|font| font.borrow().is_vertical());
        self.advance(if vertical { (0.0, shift) } else { (shift * self.state.scale, 0.0) });
    }

    fn advance(&mut self, (x, y): (f64, f64)) {
        if x.is_finite() && y.is_finite() {
            self.tm = Matrix { e: x, f: y, ..Matrix::IDENTITY }.then(self.tm);
        }
    }

    fn show(&mut self, text: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let mut font = font.borrow_mut();
        let vertical = font.is_vertical();
        let mut rest = text;
        while let Some((code, bytes)) = font.next_code(rest) {
            rest = rest.get(bytes.max(1)..).unwrap_or_default();
            if !self.budget.spend(1) {
                return;
            }
            let shown = font.shown(code, bytes);
            let (size, scale) = (self.state.size, self.state.scale);
            let text_to_page =
                Matrix { a: size * scale, b: 0.0, c: 0.0, d: size, e: 0.0, f: self.state.rise }
                    .then(self.tm)
                    .then(self.state.ctm);
            let extra = self.state.char_space + if shown.is_space { self.state.word_space } else { 0.0 };
            let step = shown.advance * size + extra;
            if text_to_page.is_finite() {
                self.note(&shown.text, &font, text_to_page, shown.advance, vertical);
            }
            self.advance(if vertical { (0.0, step) } else { (step * scale, 0.0) });
        }
    }

    fn note(&mut self, text: &Rc<str>, font: &Font, to_page: Matrix, advance: f64, down: bool) {
        if self.marks.iter().any(|mark| mark.hidden) {
            return;
        }
        if text.is_empty() {
            self.painted.unknown += 1;
        }
        let along = to_page.vector(1.0, 0.0);
        let across = to_page.vector(0.0, 1.0);
        let length = along.0.hypot(along.1);
        // Height across the line, which a slanted matrix does not change.
        let size = if length > 0.0 { (along.0 * across.1 - along.1 * across.0).abs() / length } else { 0.0 };
        let size = size * font.em;
        if !(0.01..1e5).contains(&size) {
            return;
        }
        let (at, end) = if down {
            (to_page.point(0.0, 0.0), to_page.point(0.0, advance))
        } else {
            (to_page.point(0.0, 0.0), to_page.point(advance, 0.0))
        };
        if !self.page.holds((at.0 + end.0) / 2.0, (at.1 + end.1) / 2.0, size * 0.5) {
            return;
        }
        let turned = along.1.atan2(along.0).to_degrees();
        self.painted.glyphs.push(Glyph {
            text: Rc::clone(text),
            at,
            end,
            size,
            angle: snapped(turned),
            vertical: down,
            space: font.space * length * font.em,
            bold: font.bold,
            invisible: matches!(self.state.mode, 3 | 7),
            furniture: self.marks.iter().any(|mark| mark.furniture),
        });
    }

    fn draw(&mut self, operands: &[Operand<'_>], resources: &Resources<'d>) {
        let Some(Operand::Name(name)) = operands.last() else { return };
        let Some(stream) = resources.x_objects.get::<Stream<'d>>(name.as_ref()) else { return };
        let is_form = stream.dict().get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Form");
        if is_form && !self.is_hidden(stream.dict()) {
            self.form(&stream, resources);
        }
    }

    /// Runs a form in the present state.
    pub(super) fn form(&mut self, stream: &Stream<'d>, outer: &Resources<'d>) {
        let id = stream.obj_id();
        if self.forms.contains(&id) {
            return;
        }
        if self.forms.len() >= MAX_FORMS {
            self.budget.cut = true;
            return;
        }
        let Some(data) = decoded(stream, self.budget) else { return };
        let dict = stream.dict();
        let saved = (self.state.clone(), std::mem::take(&mut self.states), self.tm, self.line);
        let marks = self.marks.len();
        let matrix = dict
            .get::<Array<'_>>("Matrix")
            .map(|array| array.iter::<f32>().map(f64::from).collect::<Vec<_>>());
        if let Some(matrix) = matrix.and_then(|numbers| <[f64; 6]>::try_from(numbers).ok()).map(Matrix::new) {
            self.state.ctm = matrix.then(self.state.ctm);
        }
        self.forms.push(id);
        match dict.get::<Dict<'d>>("Resources") {
            Some(own) => self.run(&data, &Resources::new(own)),
            None => self.run(&data, outer),
        }
        self.forms.pop();
        while self.marks.len() > marks {
            self.end_mark();
        }
        (self.state, self.states, self.tm, self.line) = saved;
    }

    /// Runs what an annotation shows in its box (ISO 32000-1, 12.5.5); `ctm` is what makes the page upright.
    pub(super) fn appearance(
        &mut self,
        stream: &Stream<'d>,
        place: Area,
        ctm: Matrix,
        resources: &Resources<'d>,
    ) {
        let numbers = |key: &str| -> Vec<f64> {
            let array = stream.dict().get::<Array<'_>>(key);
            array
                .into_iter()
                .flat_map(|array| array.iter::<f32>().take(6).map(f64::from).collect::<Vec<_>>())
                .collect()
        };
        let [x0, y0, x1, y1] = *numbers("BBox") else { return };
        let matrix = <[f64; 6]>::try_from(numbers("Matrix")).map_or(Matrix::IDENTITY, Matrix::new);
        let from = matrix.bounds(Area::EMPTY.with(x0, y0).with(x1, y1));
        if from.width() <= 0.0 || from.height() <= 0.0 {
            return;
        }
        let (x, y) = (place.width() / from.width(), place.height() / from.height());
        let fitted = Matrix::new([x, 0.0, 0.0, y, place.x0 - from.x0 * x, place.y0 - from.y0 * y]).then(ctm);
        if fitted.is_finite() {
            self.state = State::new(fitted);
            self.states.clear();
            self.marks.clear();
            self.form(stream, resources);
        }
    }

    fn is_hidden(&self, dict: &Dict<'_>) -> bool {
        !self.hidden_layers.is_empty()
            && dict.get_ref("OC").is_some_and(|layer| self.hidden_layers.contains(&layer.into()))
    }
}

fn matrix(operands: &[Operand<'_>]) -> Option<Matrix> {
    let numbers: Vec<f64> = operands.iter().filter_map(Operand::number).collect();
    let last = numbers.get(numbers.len().checked_sub(6)?..)?;
    <[f64; 6]>::try_from(last).ok().map(Matrix::new).filter(Matrix::is_finite)
}

/// Whole degrees; nearly upright or flat lines are so.
fn snapped(degrees: f64) -> u16 {
    let degrees = degrees.rem_euclid(360.0);
    let quarter = (degrees / 90.0).round() * 90.0;
    let snapped = if (degrees - quarter).abs() < 5.0 { quarter } else { degrees.round() };
    (snapped as u16) % 360
}
