//! EXIF: time, camera, orientation, place, and the few words that some cameras and programs add.
//!
//! **Definition.** The time is that of the shot, else that of the digitising, else that of the last change, with its
//! zone where a tag has it. The camera is maker and model, the maker once. The place is degrees, minutes and seconds as
//! decimal degrees, south and west negative, six digits behind the point (a decimetre).
//!
//! **Reference.** CIPA DC-008, Exif 3.0, 2023.

use crate::bytes::first;
use crate::facts::{self, MediaFacts, MediaOptions};
use crate::image::tiff::{Entry, Tiff};
use crate::{Window, text};

/// Reads the block behind `Exif\0\0`; a damaged one says nothing.
pub(crate) fn read(block: &[u8], options: &MediaOptions<'_>, facts: &mut MediaFacts) {
    let directory = Tiff::new(Window::on(block)).and_then(|(tiff, at)| Some((tiff, tiff.directory(at)?.0)));
    match directory {
        Some((tiff, entries)) => take(&tiff, &entries, options, facts),
        None => facts.warn("exif-damaged"),
    }
}

/// Takes what the first directory and those that it names say.
pub(crate) fn take(
    tiff: &Tiff<'_>,
    entries: &[Entry<'_>],
    options: &MediaOptions<'_>,
    facts: &mut MediaFacts,
) {
    let beneath = |tag: u16| {
        let place = find(entries, tag).and_then(Entry::number)?;
        tiff.directory(place.into()).map(|(entries, _)| entries)
    };
    let shot = beneath(0x8769).unwrap_or_default();
    let words = |entries, tag| {
        let entry = find(entries, tag)?;
        Some(text::utf8_within(text::until_zero(entry.data), text::MAX_FIELD, options.tld))
    };
    let wide =
        |tag| find(entries, tag).map(|entry| text::utf16(first(entry.data, 2 * text::MAX_FIELD), true));

    let title = words(entries, 0x010E).filter(|title| title.trim() != "OLYMPUS DIGITAL CAMERA");
    facts::set(&mut facts.title, &wide(0x9C9B).or(title).unwrap_or_default());
    facts::set(&mut facts.artist, &words(entries, 0x013B).or(wide(0x9C9D)).unwrap_or_default());
    let comment = wide(0x9C9C).or_else(|| user_comment(find(&shot, 0x9286)?, options));
    facts::set_lines(&mut facts.comment, &comment.unwrap_or_default());
    facts::set(
        &mut facts.camera,
        &camera(&words(entries, 0x010F).unwrap_or_default(), &words(entries, 0x0110).unwrap_or_default()),
    );
    if facts.orientation.is_none() {
        let turned = find(entries, 0x0112).and_then(Entry::number);
        facts.orientation =
            turned.and_then(|turned| u8::try_from(turned).ok()).filter(|turned| (1..=8).contains(turned));
    }
    let times = [
        (words(&shot, 0x9003), words(&shot, 0x9011)),
        (words(&shot, 0x9004), words(&shot, 0x9012)),
        (words(entries, 0x0132), words(&shot, 0x9010)),
    ];
    let time =
        times.into_iter().find_map(|(time, zone)| iso_time(&time?, zone.as_deref().unwrap_or_default()));
    facts::set(&mut facts.created, &time.unwrap_or_default());
    if options.gps
        && facts.gps.is_none()
        && let Some(place) = beneath(0x8825)
    {
        facts.gps =
            degrees(&place, 1, 2, 90.0).zip(degrees(&place, 3, 4, 180.0)).map(|(lat, lon)| point(lat, lon));
    }
}

fn find<'e, 'a>(entries: &'e [Entry<'a>], tag: u16) -> Option<&'e Entry<'a>> {
    entries.iter().find(|entry| entry.tag == tag)
}

/// A comment with its charset in eight bytes before.
fn user_comment(entry: &Entry<'_>, options: &MediaOptions<'_>) -> Option<String> {
    let (charset, words) = entry.data.split_at_checked(8)?;
    match charset {
        b"UNICODE\0" => Some(text::utf16(first(words, 2 * text::MAX_FIELD), entry.is_little())),
        b"ASCII\0\0\0" | [0, 0, 0, 0, 0, 0, 0, 0] => {
            Some(text::utf8_within(text::until_zero(words), text::MAX_FIELD, options.tld))
        }
        _ => None,
    }
}

/// Maker and model; the model alone where it begins with the maker's first word.
pub(crate) fn camera(maker: &str, model: &str) -> String {
    let (maker, model) = (maker.trim(), model.trim());
    let first_word = maker.split_whitespace().next().unwrap_or_default();
    let doubled = model.get(..first_word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(first_word));
    if doubled { model.to_owned() } else { format!("{maker} {model}").trim_end().to_owned() }
}

/// `2004:05:01 12:30:00` as ISO 8601; `None` for what is no time.
fn iso_time(time: &str, zone: &str) -> Option<String> {
    let digits: Vec<u32> = time
        .trim()
        .split([':', ' ', '-', 'T', '/', '.'])
        .filter(|part| !part.is_empty())
        .map_while(|part| part.parse().ok())
        .collect();
    let &[year, month, day, hour, minute, second, ..] = digits.as_slice() else { return None };
    let exists = webmill_capture::calendar::exists(year.into(), month, day);
    if !(exists && (1800..10_000).contains(&year) && hour < 24 && minute < 60 && second <= 60) {
        return None;
    }
    let zone = zone.trim();
    let zoned = matches!(zone.as_bytes(), [b'+' | b'-', a, b, b':', c, d] if [a, b, c, d].iter().all(|b| b.is_ascii_digit()));
    let zone = if zoned { zone } else { "" };
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

/// Degrees of three quotients and a letter.
fn degrees(entries: &[Entry<'_>], letter: u16, value: u16, most: f64) -> Option<f64> {
    let entry = find(entries, value)?;
    let part = |index| entry.quotient(index).unwrap_or(0.0);
    let degrees = entry.quotient(0)? + part(1) / 60.0 + part(2) / 3600.0;
    let negative = matches!(find(entries, letter)?.data.first()?, b'S' | b'W' | b's' | b'w');
    (degrees <= most).then_some(if negative { -degrees } else { degrees })
}

/// `latitude,longitude`.
pub(crate) fn point(lat: f64, lon: f64) -> String {
    // A sum of a tiny negative number is no `-0`.
    format!("{:.6},{:.6}", lat + 0.0, lon + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;
    use crate::image::tiff::tests::{directory, tiff};

    fn block() -> Vec<u8> {
        let quotients = |parts: &[u32]| {
            parts
                .iter()
                .flat_map(|&part| [part.to_le_bytes(), 1_u32.to_le_bytes()].concat())
                .collect::<Vec<u8>>()
        };
        let text = |words: &[u8]| [words, b"\0"].concat();
        let (shot_at, place_at) = (400_u32, 600_u32);
        let mut block = tiff(&directory(
            8,
            &[
                (0x010F, 2, text(b"NIKON CORPORATION")),
                (0x0110, 2, text(b"NIKON D70")),
                (0x0112, 3, vec![6, 0]),
                (0x0132, 2, text(b"2010:01:01 00:00:00")),
                (0x8769, 4, shot_at.to_le_bytes().to_vec()),
                (0x8825, 4, place_at.to_le_bytes().to_vec()),
            ],
            0,
        ));
        block.resize(400, 0);
        block.extend(directory(
            shot_at,
            &[
                (0x9003, 2, text(b"2004:05:01 12:30:59")),
                (0x9011, 2, text(b"+08:00")),
                (0x9286, 7, b"ASCII\0\0\0spring".to_vec()),
            ],
            0,
        ));
        block.resize(600, 0);
        block.extend(directory(
            place_at,
            &[
                (1, 2, text(b"N")),
                (2, 5, quotients(&[39, 54, 27])),
                (3, 2, text(b"W")),
                (4, 5, quotients(&[116, 23, 17])),
            ],
            0,
        ));
        block
    }

    #[test]
    fn time_camera_orientation_and_place() {
        for gps in [false, true] {
            let mut facts = MediaFacts::new(Format::Jpeg);
            read(&block(), &MediaOptions { gps, ..MediaOptions::default() }, &mut facts);
            assert_eq!(facts.created.as_deref(), Some("2004-05-01T12:30:59+08:00"));
            assert_eq!((facts.camera.as_deref(), facts.orientation), (Some("NIKON D70"), Some(6)));
            assert_eq!(facts.comment.as_deref(), Some("spring"));
            assert_eq!(facts.gps.as_deref(), gps.then_some("39.907500,-116.388056"));
        }
    }

    #[test]
    fn makers_are_not_doubled() {
        for (maker, model, expected) in [
            ("Canon", "Canon EOS 5D", "Canon EOS 5D"),
            ("Apple", "iPhone 4", "Apple iPhone 4"),
            ("", "X100", "X100"),
            ("Canon", "", "Canon"),
            ("OLYMPUS IMAGING CORP.", "E-M5", "OLYMPUS IMAGING CORP. E-M5"),
        ] {
            assert_eq!(camera(maker, model), expected);
        }
    }

    #[test]
    fn times_that_are_none() {
        for (time, expected) in [
            ("2004:05:01 12:30:00", Some("2004-05-01T12:30:00")),
            ("2004-05-01T12:30:00", Some("2004-05-01T12:30:00")),
            ("0000:00:00 00:00:00", None),
            ("2004:02:30 12:30:00", None),
            ("    :  :     :  :  ", None),
            ("2004:05:01", None),
        ] {
            assert_eq!(iso_time(time, "Z8").as_deref(), expected, "{time}");
        }
    }

    #[test]
    fn damage_is_told() {
        let mut facts = MediaFacts::new(Format::Jpeg);
        read(b"II*\0\xFF\xFF\xFF\xFF", &MediaOptions::default(), &mut facts);
        assert_eq!(facts.warnings, ["exif-damaged"]);
    }
}
