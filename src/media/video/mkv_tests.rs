use super::*;

/// An element of an id with its length in eight bytes.
fn element(id: u32, data: &[u8]) -> Vec<u8> {
    let id: Vec<u8> = id.to_be_bytes().into_iter().skip_while(|b| *b == 0).collect();
    [id, (data.len() as u64 | 1 << 56).to_be_bytes().to_vec(), data.to_vec()].concat()
}

fn tag(name: &str, words: &str) -> Vec<u8> {
    element(0x67C8, &[element(0x45A3, name.as_bytes()), element(0x4487, words.as_bytes())].concat())
}

fn file(kind: &[u8], parts: &[Vec<u8>]) -> Vec<u8> {
    [element(EBML, &element(0x4282, kind)), element(SEGMENT, &parts.concat())].concat()
}

fn tracks(with_pictures: bool) -> Vec<u8> {
    let pictures = [
        element(0x83, &[1]),
        element(0x86, b"V_VP9"),
        element(0xE0, &[element(0xB0, &[1, 64]), element(0xBA, &[240])].concat()),
    ];
    let sound = [
        element(0x83, &[2]),
        element(0x86, b"A_OPUS"),
        element(0xE1, &[element(0xB5, &48_000_f32.to_be_bytes()), element(0x9F, &[2])].concat()),
    ];
    let pictures = if with_pictures { element(0xAE, &pictures.concat()) } else { Vec::new() };
    element(TRACKS, &[pictures, element(0xAE, &sound.concat())].concat())
}

fn info(duration: Option<f64>) -> Vec<u8> {
    let duration = duration.map(|ms| element(0x4489, &ms.to_be_bytes())).unwrap_or_default();
    let day = (-86_400_000_000_000_i64).to_be_bytes();
    element(
        INFO,
        &[
            element(0x2A_D7B1, &[0x0F, 0x42, 0x40]),
            duration,
            element(0x7BA9, "雨".as_bytes()),
            element(0x4461, &day),
        ]
        .concat(),
    )
}

fn read_all(body: &[u8]) -> MediaFacts {
    crate::facts(&Window::of(body), &MediaOptions::default()).unwrap()
}

#[test]
fn info_tracks_and_tags() {
    let tags = element(
        TAGS,
        &element(0x7373, &[tag("ARTIST", "A"), tag("DATE", "1999"), tag("Comment", "good")].concat()),
    );
    let of_track = element(
        TAGS,
        &element(0x7373, &[element(0x63C0, &element(0x63C5, &[1])), tag("ALBUM", "no")].concat()),
    );
    let facts = read_all(&file(b"webm", &[info(Some(3000.4)), tracks(true), of_track, tags]));
    assert_eq!((facts.kind, facts.format, facts.duration_ms), (MediaKind::Video, Format::Webm, Some(3000)));
    assert_eq!(
        (facts.width, facts.height, facts.sample_rate, facts.channels),
        (Some(320), Some(240), Some(48_000), Some(2))
    );
    assert_eq!(
        (facts.title.as_deref(), facts.artist.as_deref(), facts.year),
        (Some("雨"), Some("A"), Some(1999))
    );
    assert_eq!((facts.comment.as_deref(), facts.album.as_deref()), (Some("good"), None));
    assert_eq!(
        (facts.created.as_deref(), facts.codecs),
        (Some("2000-12-31T00:00:00Z"), vec!["vp9".into(), "opus".into()])
    );
}

#[test]
fn sound_alone_is_sound() {
    let facts = read_all(&file(b"matroska", &[info(Some(1.0)), tracks(false)]));
    assert_eq!((facts.kind, facts.format), (MediaKind::Audio, Format::Mkv));
}

#[test]
fn tags_behind_the_gap_are_found_by_their_place() {
    let cluster = element(CLUSTER, &vec![0; 900_000]);
    let seek = |place: u32| element(SEEK_HEAD, &element(0x4DBB, &element(0x53AC, &place.to_be_bytes())));
    let before = [seek(0), info(Some(9.0)), cluster.clone()].concat().len();
    let tags = element(TAGS, &element(0x7373, &tag("ARTIST", "A")));
    // What the walk meets beyond the window's head is out of its sight.
    let more = element(CLUSTER, &vec![0; 900_000]);
    let place = u32::try_from(before + more.len()).unwrap();
    assert_eq!(
        read_all(&file(b"webm", &[seek(place), info(Some(9.0)), cluster, more, tags])).artist.as_deref(),
        Some("A")
    );
}

#[test]
fn recordings_without_a_duration_end_with_their_last_block() {
    let block = |ms: u16| element(0xA3, &[&[0x81][..], &ms.to_be_bytes(), &[0, 7]].concat());
    let cluster = |ms: u16, blocks: &[u8]| {
        let id = CLUSTER.to_be_bytes().to_vec();
        [
            id,
            vec![0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            element(0xE7, &ms.to_be_bytes()),
            blocks.to_vec(),
        ]
        .concat()
    };
    let blocks = [block(0), block(40), block(20)].concat();
    let body = file(b"webm", &[info(None), tracks(true), cluster(0, &blocks), cluster(5000, &blocks)]);
    assert_eq!(read_all(&body).duration_ms, Some(5040));
}
