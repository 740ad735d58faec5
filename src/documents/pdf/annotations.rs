//! Annotations of a page (ISO 32000-1, 12.5): links, where they stand and where they lead outside of the document; what fields
//! of forms, free texts and stamps show.

use hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_syntax::page::Page;

use super::geometry::{Area, Matrix};
use super::strings;

/// Annotations of a page that are looked at.
const MAX_ANNOTATIONS: usize = 10_000;
/// Flags of annotations that are not shown: hidden, not viewed.
const UNSEEN: i32 = 1 << 1 | 1 << 5;

/// What fields, free texts and stamps of a page show, and where.
pub(super) fn appearances<'a>(page: &Page<'a>) -> Vec<(Stream<'a>, Area)> {
    let Some(annotations) = page.raw().get::<Array<'a>>("Annots") else { return Vec::new() };
    let annotations = annotations.iter::<Object<'a>>().take(MAX_ANNOTATIONS).filter_map(Object::into_dict);
    annotations.filter_map(|annotation| appearance(&annotation)).collect()
}

/// Whether a page has more annotations than are looked at.
pub(super) fn are_cut(page: &Page<'_>) -> bool {
    let annotations = page.raw().get::<Array<'_>>("Annots");
    annotations.is_some_and(|annotations| annotations.raw_iter().nth(MAX_ANNOTATIONS).is_some())
}

fn appearance<'a>(annotation: &Dict<'a>) -> Option<(Stream<'a>, Area)> {
    let kind = annotation.get::<Name<'_>>("Subtype")?;
    let is_text = matches!(kind.as_ref(), b"Widget" | b"FreeText" | b"Stamp");
    if !is_text || annotation.get::<i32>("F").is_some_and(|flags| flags & UNSEEN != 0) {
        return None;
    }
    let normal = annotation.get::<Dict<'a>>("AP")?;
    let stream = normal.get::<Stream<'a>>("N").or_else(|| {
        let state = annotation.get::<Name<'_>>("AS")?;
        normal.get::<Dict<'a>>("N")?.get::<Stream<'a>>(state.as_ref())
    })?;
    let corners: Vec<f64> =
        annotation.get::<Array<'_>>("Rect")?.iter::<f32>().take(4).map(f64::from).collect();
    let [x0, y0, x1, y1] = *corners else { return None };
    Some((stream, Area::EMPTY.with(x0, y0).with(x1, y1)))
}

/// Places of a page that lead elsewhere.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Where they lead.
    pub(super) targets: Vec<String>,
    /// Boxes of the upright page, each with the number of its target.
    areas: Vec<(Area, u32)>,
}

impl Links {
    /// The links of a page; `upright` is what makes the page upright.
    pub(super) fn read(page: &Page<'_>, upright: Matrix) -> Links {
        let mut links = Links::default();
        let Some(annotations) = page.raw().get::<Array<'_>>("Annots") else { return links };
        for annotation in annotations.iter::<Object<'_>>().take(MAX_ANNOTATIONS).filter_map(Object::into_dict)
        {
            let is_link = annotation.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Link");
            let Some(target) = is_link.then(|| target(&annotation)).flatten() else { continue };
            let number = u32::try_from(links.targets.len()).unwrap_or(u32::MAX);
            links.targets.push(target);
            links.areas.extend(areas(&annotation).map(|area| (upright.bounds(area), number)));
        }
        links
    }

    /// The link that holds a point of the upright page.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> Option<u32> {
        self.areas.iter().find(|(area, _)| area.holds(x, y, 1.0)).map(|(_, number)| *number)
    }
}

/// Where an annotation leads: an address, or another file.
fn target(annotation: &Dict<'_>) -> Option<String> {
    let action = annotation.get::<Dict<'_>>("A")?;
    let kind = action.get::<Name<'_>>("S")?;
    let target = match kind.as_ref() {
        b"URI" => strings::text(&action.get::<PdfString<'_>>("URI")?),
        b"GoToR" | b"Launch" => file(&action)?,
        _ => return None,
    };
    let target = target.trim();
    (!target.is_empty()).then(|| target.to_owned())
}

/// The name of a file, as a string or a file specification.
fn file(action: &Dict<'_>) -> Option<String> {
    if let Some(name) = action.get::<PdfString<'_>>("F") {
        return Some(strings::text(&name));
    }
    let specification = action.get::<Dict<'_>>("F")?;
    let name =
        specification.get::<PdfString<'_>>("UF").or_else(|| specification.get::<PdfString<'_>>("F"))?;
    Some(strings::text(&name))
}

/// The boxes of an annotation: those of its lines where they are known, else the one around it.
fn areas(annotation: &Dict<'_>) -> impl Iterator<Item = Area> {
    let numbers = |key: &str| -> Vec<f64> {
        let array = annotation.get::<Array<'_>>(key);
        array
            .into_iter()
            .flat_map(|array| array.iter::<f32>().take(8 * 256).map(f64::from).collect::<Vec<_>>())
            .collect()
    };
    let boxes = |numbers: &[f64], points: usize| -> Vec<Area> {
        let around = |corners: &[f64]| {
            corners.chunks_exact(2).fold(Area::EMPTY, |area, point| match point {
                [x, y] => area.with(*x, *y),
                _ => area,
            })
        };
        numbers.chunks_exact(points * 2).map(around).collect()
    };
    let mut areas = boxes(&numbers("QuadPoints"), 4);
    if areas.is_empty() {
        areas = boxes(&numbers("Rect"), 2);
    }
    areas.into_iter()
}
