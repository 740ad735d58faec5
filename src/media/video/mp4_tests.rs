use super::*;
use crate::boxes::tests::atom;

fn b32(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn track(kind: &[u8; 4], entry: &[u8], count: u32, matrix: [i32; 4], sides: [u32; 2]) -> Vec<u8> {
    let [a, b, c, d] = matrix.map(|value| (value << 16).cast_unsigned());
    let tkhd =
        [b32(&[0; 10]), b32(&[a, b, 0, c, d, 0, 0, 0, 1 << 30]), b32(&sides.map(|side| side << 16))].concat();
    let stsz = b32(&[0, 0, count]);
    let table = [atom(b"stsd", &[b32(&[0, 1]), entry.to_vec()].concat()), atom(b"stsz", &stsz)].concat();
    let media = [
        atom(b"mdhd", &b32(&[0, 0, 0, 48_000, 96_000, 0])),
        atom(b"hdlr", &[b32(&[0, 0]), kind.to_vec(), vec![0; 13]].concat()),
        atom(b"minf", &atom(b"stbl", &table)),
    ];
    atom(b"trak", &[atom(b"tkhd", &tkhd), atom(b"mdia", &media.concat())].concat())
}

fn pictures(matrix: [i32; 4]) -> Vec<u8> {
    pictures_of(b"vide", matrix)
}

pub(crate) fn pictures_of(kind: &[u8; 4], matrix: [i32; 4]) -> Vec<u8> {
    let entry = [vec![0; 24], vec![1, 64, 0, 240], vec![0; 50]].concat();
    track(kind, &atom(b"avc1", &entry), 75, matrix, [320, 240])
}

fn sound(kind: &[u8; 4], object: u8) -> Vec<u8> {
    let esds =
        atom(b"esds", &[&[0; 4][..], &[3, 0x80, 0x80, 0x80, 25, 0, 1, 0, 4, 17, object, 0x15]].concat());
    let entry = [vec![0; 16], vec![0, 2, 0, 16, 0, 0, 0, 0], (44_100_u32 << 16).to_be_bytes().to_vec(), esds]
        .concat();
    track(b"soun", &atom(kind, &entry), 130, [1, 0, 0, 1], [0, 0])
}

/// A movie of three seconds, made on the first of May 2004.
pub(crate) fn movie(parts: &[Vec<u8>]) -> Vec<u8> {
    let created = u32::try_from(EPOCH).unwrap() + 1_083_369_600;
    let mvhd = b32(&[0, created, 0, 600, 1800]);
    atom(b"moov", &[atom(b"mvhd", &mvhd), parts.concat()].concat())
}

pub(crate) fn file(brand: &[u8; 4], parts: &[Vec<u8>]) -> Vec<u8> {
    [atom(b"ftyp", &[brand, &[0; 4][..]].concat()), movie(parts)].concat()
}

fn tags(items: &[(&[u8; 4], u32, &[u8])]) -> Vec<u8> {
    let item = |(kind, of, value): &(&[u8; 4], u32, &[u8])| {
        atom(kind, &atom(b"data", &[b32(&[*of, 0]), value.to_vec()].concat()))
    };
    let list = atom(b"ilst", &items.iter().flat_map(item).collect::<Vec<u8>>());
    atom(b"udta", &atom(b"meta", &[vec![0; 4], atom(b"hdlr", &[0; 25]), list].concat()))
}

fn read_all(body: &[u8]) -> MediaFacts {
    crate::facts(&Window::of(body), &MediaOptions { gps: true, ..MediaOptions::default() }).unwrap()
}

#[test]
fn video_at_the_start_and_at_the_end() {
    let parts = [pictures([1, 0, 0, 1]), sound(b"mp4a", 0x40)];
    let start = file(b"isom", &parts);
    let media =
        [b32(&[1]), b"mdat".to_vec(), 1_000_016_u64.to_be_bytes().to_vec(), vec![0; 1_000_000]].concat();
    let end = [atom(b"ftyp", b"isom\0\0\0\0"), media, movie(&parts)].concat();
    for body in [start, end] {
        let facts = read_all(&body);
        assert_eq!((facts.kind, facts.format), (MediaKind::Video, Format::Mp4));
        assert_eq!((facts.width, facts.height, facts.frames), (Some(320), Some(240), Some(75)));
        assert_eq!((facts.duration_ms, facts.created.as_deref()), (Some(3000), Some("2004-05-01T00:00:00Z")));
        assert_eq!((facts.sample_rate, facts.channels), (Some(44_100), Some(2)));
        assert_eq!(facts.codecs, ["h264", "aac"]);
        assert_eq!((facts.orientation, facts.warnings), (None, vec![]));
    }
}

#[test]
fn a_turned_matrix_is_an_orientation() {
    for (matrix, expected) in
        [([0, 1, -1, 0], Some(6)), ([-1, 0, 0, -1], Some(3)), ([0, -1, 1, 0], Some(8)), ([1, 0, 0, 1], None)]
    {
        assert_eq!(read_all(&file(b"isom", &[pictures(matrix)])).orientation, expected);
    }
}

#[test]
fn sound_with_tags() {
    let list = tags(&[
        (b"\xA9nam", 1, "雨".as_bytes()),
        (b"\xA9ART", 2, &[0x96, 0x46, 0x7F, 0xBD]),
        (b"\xA9day", 1, b"1999-05-01T07:00:00Z"),
        (b"trkn", 0, &[0, 0, 0, 3, 0, 12, 0, 0]),
        (b"gnre", 0, &[0, 18]),
        (b"\xA9lyr", 1, b"[00:01.00]a"),
    ]);
    for (brand, object, codec) in [(b"M4A ", 0x40, "aac"), (b"mp42", 0x6B, "mp3")] {
        let facts = read_all(&file(brand, &[sound(b"mp4a", object), list.clone()]));
        assert_eq!((facts.kind, facts.format), (MediaKind::Audio, Format::M4a));
        assert_eq!(
            (facts.title.as_deref(), facts.artist.as_deref(), facts.year),
            (Some("雨"), Some("陆羽"), Some(1999))
        );
        assert_eq!((facts.track, facts.tracks, facts.genre.as_deref()), (Some(3), Some(12), Some("Rock")));
        assert_eq!((facts.lyrics.as_deref(), facts.codecs), (Some("[00:01.00]a"), vec![codec.into()]));
    }
}

#[test]
fn keys_and_user_texts_of_cameras() {
    let key = |name: &str| atom(b"mdta", format!("com.apple.quicktime.{name}").as_bytes());
    let names = ["make", "model", "creationdate", "location.ISO6709"];
    let values = ["Apple", "iPhone 7", "2019-05-01T12:30:00+0800", "+39.9075+116.3881/"];
    let keys = atom(b"keys", &[b32(&[0, 4]), names.iter().flat_map(|name| key(name)).collect()].concat());
    let item = |(index, value): (u32, &&str)| {
        atom(&index.to_be_bytes(), &atom(b"data", &[b32(&[1, 0]), value.as_bytes().to_vec()].concat()))
    };
    let list = atom(b"ilst", &(1..).zip(&values).flat_map(item).collect::<Vec<u8>>());
    let meta = atom(b"meta", &[atom(b"hdlr", &[0; 25]), keys, list].concat());
    let user = atom(b"udta", &atom(b"\xA9nam", b"\0\x04\x15\xC7film"));
    let facts = read_all(&file(b"qt  ", &[pictures([1, 0, 0, 1]), meta, user]));
    assert_eq!((facts.format, facts.camera.as_deref()), (Format::Mov, Some("Apple iPhone 7")));
    assert_eq!(facts.created.as_deref(), Some("2019-05-01T12:30:00+08:00"));
    assert_eq!((facts.gps.as_deref(), facts.title.as_deref()), (Some("39.907500,116.388100"), Some("film")));
}

#[test]
fn a_movie_in_the_gap_is_told() {
    let gap = [b32(&[900_008]), b"mdat".to_vec(), vec![0; 900_000]].concat();
    let behind = [b32(&[900_008]), b"free".to_vec(), vec![0; 900_000]].concat();
    let body = [atom(b"ftyp", b"isom\0\0\0\0"), gap, movie(&[]), behind].concat();
    assert_eq!(read_all(&body).warnings, ["movie-out-of-reach"]);
}

#[test]
fn several_values_are_one_field_and_an_album_has_an_artist() {
    let value = |words: &[u8]| atom(b"data", &[b32(&[1, 0]), words.to_vec()].concat());
    let item = |kind: &[u8; 4], values: &[&[u8]]| {
        atom(kind, &values.iter().flat_map(|words| value(words)).collect::<Vec<u8>>())
    };
    let meta = |items: Vec<u8>| {
        atom(b"udta", &atom(b"meta", &[vec![0; 4], atom(b"hdlr", &[0; 25]), atom(b"ilst", &items)].concat()))
    };
    let album = item(b"aART", &[b"Many"]);
    let artists = item(b"\xA9ART", &[b"A", b"B"]);
    for (items, expected) in [([album.clone(), artists].concat(), "A; B"), (album, "Many")] {
        let facts = read_all(&file(b"M4A ", &[sound(b"mp4a", 0x40), meta(items)]));
        assert_eq!(facts.artist.as_deref(), Some(expected));
    }
}

#[test]
fn tags_are_no_sound() {
    let picture = tags(&[(b"covr", 13, &[7; 90_000])]);
    let media = atom(b"mdat", &[0; 48_000]);
    let body = [file(b"M4A ", &[sound(b"mp4a", 0x40), picture]), media].concat();
    assert_eq!(read_all(&body).bitrate, Some(128_000));
}

#[test]
fn places_in_fixed_point() {
    let degrees = |value: i32| (value << 8).to_be_bytes();
    let place = [&[0; 6][..], b"pier\0\0", &degrees(-29_824), &degrees(10_240), &[0; 4]].concat();
    let user = atom(b"udta", &atom(b"loci", &place));
    let body = file(b"isom", &[pictures([1, 0, 0, 1]), user]);
    assert_eq!(read_all(&body).gps.as_deref(), Some("40.000000,-116.500000"));
    assert_eq!(crate::facts(&Window::of(&body), &MediaOptions::default()).unwrap().gps, None);
}

#[test]
fn fragments_have_their_duration_elsewhere() {
    let empty = atom(
        b"moov",
        &[atom(b"mvhd", &b32(&[0, 0, 0, 600, 0])), atom(b"mvex", &atom(b"mehd", &b32(&[0, 1200])))].concat(),
    );
    let without = atom(b"moov", &atom(b"mvhd", &b32(&[0, 0, 0, 600, 0])));
    let index = atom(b"sidx", &b32(&[0, 1, 1000, 0, 0, 2, 5, 1500, 0, 5, 500, 0]));
    for movie in [empty, [without, index].concat()] {
        assert_eq!(read_all(&[atom(b"ftyp", b"iso5\0\0\0\0"), movie].concat()).duration_ms, Some(2000));
    }
}
