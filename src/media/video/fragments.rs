//! How long a movie of fragments is.
//!
//! **Definition.** A fragment (`moof`) says when each of its tracks goes on (`tfdt`) and how long each of its samples is (`trun`,
//! else `tfhd`, else `trex` of the movie). The movie ends with the last of them.
//!
//! **Algorithm.** The last fragments are found by their letters in the window's tail: no index leads there.
//!
//! **Bad input.** At most 16 fragments of 64 tracks and 64 runs each are looked at.
//!
//! **Reference.** ISO/IEC 14496-12, 8.8.

use crate::Window;
use crate::boxes::Atom;
use crate::bytes::{be24, be32, be64, byte, from, scaled};

/// Fragments from the end that are looked at.
const MAX_FRAGMENTS: usize = 16;

/// Tracks of a movie or fragment, and runs of a track, that are looked at.
const MAX_PARTS: usize = 64;

/// What a movie says of a track.
struct Track {
    id: u32,
    /// Units a second.
    scale: u32,
    /// Units of a sample, where a fragment does not say.
    sample: u32,
}

/// Milliseconds up to the end of the last fragment; `None` for a movie without fragments in the window's tail.
pub(crate) fn duration(window: &Window<'_>, movie: &Atom<'_>) -> Option<u64> {
    let extends = movie.child(b"mvex")?;
    let tracks: Vec<Track> = movie
        .boxes(0)
        .filter(|atom| &atom.kind == b"trak")
        .take(MAX_PARTS)
        .filter_map(|track| of_movie(&track, &extends))
        .collect();
    let (file, tail) = (Atom::all(window), window.tail());
    let begin = window.len() - tail.len() as u64;
    memchr::memmem::rfind_iter(tail, b"moof")
        .take(MAX_FRAGMENTS)
        .filter_map(|at| file.boxes((begin + at as u64).checked_sub(4)?).next())
        .flat_map(|fragment| fragment.boxes(0).filter(|atom| &atom.kind == b"traf").take(MAX_PARTS))
        .filter_map(|track| end_of(&track, &tracks))
        .max()
}

fn of_movie(track: &Atom<'_>, extends: &Atom<'_>) -> Option<Track> {
    let header = track.child(b"tkhd")?.data();
    let id = be32(header, if byte(header, 0)? == 1 { 20 } else { 12 })?;
    let media = track.path(&[b"mdia", b"mdhd"])?.data();
    let scale = be32(media, if byte(media, 0)? == 1 { 20 } else { 12 })?;
    let mut defaults = extends.boxes(0).filter(|atom| &atom.kind == b"trex").take(MAX_PARTS);
    let own = defaults.find(|atom| be32(atom.data(), 4) == Some(id));
    Some(Track { id, scale, sample: own.and_then(|own| be32(own.data(), 12)).unwrap_or(0) })
}

/// Milliseconds of the end of a track's part of a fragment.
fn end_of(part: &Atom<'_>, tracks: &[Track]) -> Option<u64> {
    let header = part.child(b"tfhd")?.data();
    let (flags, id) = (be24(header, 1)?, be32(header, 4)?);
    let track = tracks.iter().find(|track| track.id == id)?;
    // Where the data lie and what they are described by stands before.
    let sample_at = 8 + if flags & 1 != 0 { 8 } else { 0 } + if flags & 2 != 0 { 4 } else { 0 };
    let sample = if flags & 8 != 0 { be32(header, sample_at)? } else { track.sample };
    let time = part.child(b"tfdt")?.data();
    let begin = if byte(time, 0)? == 1 { be64(time, 4)? } else { be32(time, 4)?.into() };
    let runs = part.boxes(0).filter(|atom| &atom.kind == b"trun").take(MAX_PARTS);
    let units = runs.filter_map(|run| of_run(run.data(), sample)).fold(0_u64, u64::saturating_add);
    scaled(begin.checked_add(units)?, 1000, track.scale.into())
}

/// Units of a run of samples.
fn of_run(run: &[u8], sample: u32) -> Option<u64> {
    let (flags, count) = (be24(run, 1)?, be32(run, 4)?);
    let each = (flags >> 8 & 0xF).count_ones() as usize * 4;
    if flags & 0x100 == 0 {
        return Some(u64::from(count) * u64::from(sample));
    }
    let at = 8 + (flags & 0x5).count_ones() as usize * 4;
    let samples = from(run, at).chunks_exact(each).take(count as usize);
    Some(samples.filter_map(|sample| be32(sample, 0)).map(u64::from).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes::tests::atom;
    use crate::{MediaOptions, Window};

    fn b32(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_be_bytes()).collect()
    }

    fn fragment(track: u32, begin: u32, header: &[u8], runs: &[Vec<u8>]) -> Vec<u8> {
        let parts = [
            atom(b"tfhd", header),
            atom(b"tfdt", &b32(&[0, begin])),
            runs.iter().flat_map(|run| atom(b"trun", run)).collect(),
        ];
        assert_eq!(be32(header, 4), Some(track));
        atom(b"moof", &[atom(b"mfhd", &b32(&[0, 1])), atom(b"traf", &parts.concat())].concat())
    }

    #[test]
    fn the_last_fragment_ends_the_movie() {
        let track = |id: u32, scale: u32| {
            let media = atom(b"mdhd", &b32(&[0, 0, 0, scale, 0, 0]));
            atom(b"trak", &[atom(b"tkhd", &b32(&[0, 0, 0, id, 0])), atom(b"mdia", &media)].concat())
        };
        let extends = atom(
            b"mvex",
            &[atom(b"trex", &b32(&[0, 1, 1, 40, 0, 0])), atom(b"trex", &b32(&[0, 2, 1, 0, 0, 0]))].concat(),
        );
        let movie = atom(
            b"moov",
            &[atom(b"mvhd", &b32(&[0, 0, 0, 1000, 500])), track(1, 1000), track(2, 8000), extends].concat(),
        );
        // Samples of the movie's length; of the fragment's own; with lengths and sizes of each.
        let by_default = fragment(1, 90_000, &b32(&[0, 1]), &[b32(&[1, 25, 0]), b32(&[0, 5])]);
        let own = fragment(2, 800_000, &b32(&[0x0A, 2, 7, 1000]), &[b32(&[0, 4])]);
        let each =
            fragment(2, 880_000, &b32(&[0, 2]), &[b32(&[0x305, 2, 0, 0, 4000, 99, 12_000, 99, 77, 77])]);
        for (last, expected) in [(by_default, 91_200), (own, 100_500), (each, 112_000)] {
            let media = atom(b"mdat", &vec![0; 900_000]);
            let body = [atom(b"ftyp", b"iso5\0\0\0\0"), movie.clone(), media, last, atom(b"mdat", &[0; 99])]
                .concat();
            let facts = crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap();
            assert_eq!(facts.duration_ms, Some(expected));
        }
    }
}
