//! Text of shapes: paragraphs, their bullets and numbers.
//!
//! **Definition.** ECMA-376-1, 21.1.2 (DrawingML text). What a paragraph does not say of its bullet, the shape's list style
//! says, then the placeholder of the layout that the shape fills; placeholders of bodies have bullets by themselves.

use crate::blocks::{Block, push_at, trimmed};
use crate::office::math::formula;
use crate::office::numbering::spelled;
use crate::office::package::Relationships;
use crate::xml::Element;
use crate::{Inline, Marker};
use webmill_html::script::Position;

/// What stands before a paragraph.
#[derive(Debug, Clone, PartialEq)]
enum Bullet {
    Nothing,
    Sign,
    /// Format, and the first number.
    Number(String, u32),
}

/// Paragraphs of a body of text. `styles` are the list styles that count after the paragraph's own properties.
pub(crate) fn blocks(
    body: Element<'_>,
    styles: &[Element<'_>],
    bulleted: bool,
    relationships: &Relationships,
    out: &mut Vec<Block>,
) {
    let mut counts: [Option<(Bullet, u32)>; 9] = Default::default();
    for paragraph in body.children().filter(|child| child.name() == "p") {
        let properties = paragraph.child("pPr");
        let level = properties.and_then(|properties| properties.number::<usize>("lvl")).unwrap_or(0).min(8);
        let words = trimmed(words(paragraph, relationships));
        if words.is_blank() {
            continue;
        }
        let bullet = bullet(properties, styles, level).unwrap_or(if bulleted {
            Bullet::Sign
        } else {
            Bullet::Nothing
        });
        let depth = u8::try_from(level).unwrap_or(8);
        counts.iter_mut().skip(level + 1).for_each(|count| *count = None);
        let Bullet::Number(format, start) = &bullet else {
            counts.iter_mut().skip(level).for_each(|count| *count = None);
            out.push(if bullet == Bullet::Sign {
                Block::Item(depth, Marker::Bullet, words)
            } else {
                Block::Paragraph(words)
            });
            continue;
        };
        let count = counts.get_mut(level).and_then(Option::take).filter(|(known, _)| *known == bullet);
        let number = count.map_or(*start, |(_, count)| count.saturating_add(1));
        out.push(numbered(format, number, depth, words));
        if let Some(count) = counts.get_mut(level) {
            *count = Some((bullet, number));
        }
    }
}

fn numbered(format: &str, number: u32, depth: u8, words: Inline) -> Block {
    let spelled = match format {
        format if format.starts_with("arabic") => return Block::Item(depth, Marker::Number(number), words),
        format if format.starts_with("alphaLc") => spelled(number, "lowerLetter"),
        format if format.starts_with("alphaUc") => spelled(number, "upperLetter"),
        format if format.starts_with("romanLc") => spelled(number, "lowerRoman"),
        format if format.starts_with("romanUc") => spelled(number, "upperRoman"),
        format if format.starts_with("circle") => spelled(number, "decimalEnclosedCircle"),
        format if format.starts_with("ea1") => spelled(number, "chineseCounting"),
        _ => number.to_string(),
    };
    let mut all = Inline::from(match format {
        format if format.ends_with("ParenBoth") => format!("({spelled}) "),
        format if format.ends_with("ParenR") => format!("{spelled}) "),
        format if format.ends_with("Period") => format!("{spelled}. "),
        _ => format!("{spelled} "),
    });
    all.append(&words);
    Block::Item(depth, Marker::Bullet, all)
}

fn bullet(properties: Option<Element<'_>>, styles: &[Element<'_>], level: usize) -> Option<Bullet> {
    let name = format!("lvl{}pPr", level + 1);
    let styled = styles.iter().filter_map(|style| style.child(&name));
    properties.into_iter().chain(styled).find_map(|properties| {
        properties.children().find_map(|child| match child.name() {
            "buNone" => Some(Bullet::Nothing),
            "buChar" | "buBlip" => Some(Bullet::Sign),
            "buAutoNum" => {
                let format = child.attr("type").unwrap_or_default().into_owned();
                Some(Bullet::Number(format, child.number("startAt").unwrap_or(1)))
            }
            _ => None,
        })
    })
}

/// Words of a paragraph.
pub(crate) fn words(paragraph: Element<'_>, relationships: &Relationships) -> Inline {
    let mut words = Inline::default();
    inlines(paragraph, relationships, &mut words);
    words
}

fn inlines(parent: Element<'_>, relationships: &Relationships, words: &mut Inline) {
    for element in parent.children() {
        match element.name() {
            "r" | "fld" => {
                let link = element.path(&["rPr", "hlinkClick"]).and_then(|link| link.prefixed_attr("id"));
                let target = link.and_then(|id| relationships.get(&*id)).filter(|one| one.external);
                let text = element.child("t").map(|text| text.text()).unwrap_or_default();
                // A break of a line within a run.
                let text = text.replace(['\u{B}', '\u{2028}'], "\n").replace("_x000B_", "\n");
                // In thousandths of a percent of the size.
                let raised = element.child("rPr").and_then(|look| look.number::<i32>("baseline"));
                push_at(
                    words,
                    &text,
                    Position::of_rise(raised.unwrap_or(0), 1),
                    target.map(|one| one.target.as_str()),
                );
            }
            "br" => words.text.push('\n'),
            "AlternateContent" => {
                if let Some(chosen) = element.child("Choice").or_else(|| element.child("Fallback")) {
                    inlines(chosen, relationships, words);
                }
            }
            "m" => words.push_formula(&formula(element), false),
            _ => {}
        }
    }
}
