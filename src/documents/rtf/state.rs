//! What holds within a group.

use crate::prose::Style;
use webmill_html::script::Position;

/// Where text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// To the story that is open.
    Story,
    /// Nowhere, and no control word matters.
    Nowhere,
    /// Nowhere, but groups within may be text: a drawing.
    Drawing,
    /// Table of fonts.
    Fonts,
    /// Table of styles.
    Styles,
    /// Table of lists.
    Lists,
    /// Facts about the document.
    Info,
    /// One of them.
    Title,
    /// One of them.
    Author,
    /// Date of one of them.
    Created,
    /// Date of one of them.
    Modified,
    /// The code of a field.
    Instruction,
    /// Number or bullet of an item.
    Marker,
    /// Properties of a row of a table within a table.
    RowProperties,
}

/// What the end of a group does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// Nothing but to bring the outer state back.
    Nothing,
    /// Ends a story.
    Story,
    /// Ends a field.
    Field,
    /// Ends the code of a field.
    Instruction,
    /// Ends the result of a field.
    Result,
    /// Ends a date.
    Date,
    /// Ends an entry of a table of fonts or styles.
    Entry,
}

/// What control words set, until the group ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct State {
    pub destination: Destination,
    /// Destination of the group `\upr`, which its part `\ud` takes up again.
    pub outer: Destination,
    /// Characters that follow `\u` for readers that do not know it.
    pub fallback: u32,
    pub font: Option<i32>,
    /// In half points.
    pub size: i32,
    pub bold: bool,
    pub position: Option<Position>,
    pub hidden: bool,
    pub deleted: bool,
    /// Languages of western, East Asian and right-to-left text.
    pub languages: [u16; 3],
    pub style: Style,
    pub outline: Option<u8>,
    pub centred: bool,
    pub in_table: bool,
    pub depth: u16,
    pub list: i32,
    pub level: u8,
    /// Kind of numbers of an item of old files: 23 for bullets.
    pub numbering: Option<i32>,
}

impl State {
    /// What holds at the beginning.
    pub(super) fn new() -> State {
        State {
            destination: Destination::Story,
            outer: Destination::Story,
            fallback: 1,
            font: None,
            size: 24,
            bold: false,
            position: None,
            hidden: false,
            deleted: false,
            languages: [0; 3],
            style: Style::Body,
            outline: None,
            centred: false,
            in_table: false,
            depth: 0,
            list: 0,
            level: 0,
            numbering: None,
        }
    }

    /// `\plain`: characters look as at the beginning.
    pub(super) fn plain(&mut self, font: Option<i32>, languages: [u16; 3]) {
        (self.font, self.languages) = (font, languages);
        (self.size, self.bold, self.hidden, self.deleted) = (24, false, false, false);
        self.position = None;
    }

    /// `\pard`: paragraphs look as at the beginning.
    pub(super) fn pard(&mut self) {
        (self.style, self.outline, self.centred) = (Style::Body, None, false);
        (self.in_table, self.depth) = (false, 0);
        (self.list, self.level, self.numbering) = (0, 0, None);
    }

    /// Depth of the table that a paragraph stands in.
    pub(super) fn table_depth(&self) -> usize {
        usize::from(self.depth).max(usize::from(self.in_table))
    }

    /// What the paragraph is.
    pub(super) fn paragraph_style(&self) -> Style {
        match (self.style, self.outline) {
            (Style::Body, Some(level)) => Style::Heading(level),
            (style, _) => style,
        }
    }
}
