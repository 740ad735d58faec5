//! Table `media`: what pictures and sound say of themselves, and pictures that pages show and nobody fetched.

use webmill::mill::{MediaRow, MediaSource, MediaType};

use super::files::{mp3, photo, png};
use super::{answer, counts, rows, write};
use crate::support::Work;

const SITE: &str = "http://a.example";

#[test]
fn a_picture_has_one_row_fetched_or_not() {
    let work = Work::new();
    let of = |path: &str, media_type: &str, body: Vec<u8>| answer(&format!("{SITE}{path}"), media_type, body);
    let front = "<p>Boats<img src=pier.png alt='The pier' width=300><img src='far.jpg' width=64 height=48>\
        <img src=http://b.example/fog.gif alt=Fog>";
    let second = "<p>More boats<img src=/far.jpg alt='Far hills in the morning'><img src=/far.jpg alt=Hills><img src=data:image/gif;base64,R0lG>";
    write(
        &work,
        "shards",
        &[
            of("/", "text/html", front.into()),
            of("/second", "text/html", second.into()),
            of("/pier.png", "image/png", png(30, 20)),
            // What a server says of a picture is of no account.
            of("/dawn", "text/plain", photo(640, 480)),
            of("/song.mp3", "audio/mpeg", mp3()),
            of("/not.png", "image/png", b"<html><p>No picture here".to_vec()),
        ],
    );
    work.run(&["run", "shards", "--out", "out"]);
    let mut media: Vec<MediaRow> = rows(&work, "out", "extract");
    media.sort_by(|a, b| a.url.cmp(&b.url));
    let told: Vec<_> = media
        .iter()
        .map(|row| {
            (
                row.url.trim_start_matches("http://"),
                row.source,
                row.kind,
                row.width,
                row.height,
                row.alt.as_deref(),
            )
        })
        .collect();
    let (file, img, image) = (MediaSource::File, MediaSource::Img, MediaType::Image);
    assert_eq!(
        told,
        [
            ("a.example/dawn", file, image, Some(640), Some(480), None),
            // Of several elements the one that says most.
            ("a.example/far.jpg", img, image, None, None, Some("Far hills in the morning")),
            ("a.example/pier.png", file, image, Some(30), Some(20), None),
            ("a.example/song.mp3", file, MediaType::Audio, None, None, None),
            ("b.example/fog.gif", img, image, None, None, Some("Fog")),
        ]
    );
    let row = |end: &str| media.iter().find(|row| row.url.ends_with(end)).unwrap();
    assert_eq!(row("fog.gif").page_url.as_deref(), Some("http://a.example/"));
    assert_eq!(row("far.jpg").page_url.as_deref(), Some("http://a.example/second"));
    assert_eq!((row("fog.gif").format.as_deref(), row("dawn").format.as_deref()), (None, Some("jpeg")));
    let song = row("song.mp3");
    let tags = (song.title.as_deref(), song.artist.as_deref(), song.album.as_deref(), song.year, song.track);
    assert_eq!(tags, (Some("Ferry at dawn"), Some("Ann Lee"), Some("Rivers"), Some(2003), Some(3)));
    assert_eq!((song.bitrate, song.sample_rate), (Some(128_000), Some(44_100)));
    // 38 frames of 1,152 samples.
    let duration = song.duration_ms.unwrap();
    assert!(duration.abs_diff(993) < 30, "{duration}");
    assert_eq!(row("dawn").gps, None);
    assert!(media.iter().all(|row| row.is_current && row.warnings.is_empty()), "{media:?}");
    let (kept, _) = counts(&work, "out");
    assert_eq!((kept["media"], kept["pictures-not-fetched"]), (3, 2));
}

#[test]
fn a_picture_that_is_fetched_later_has_no_row_of_its_element() {
    let work = Work::new();
    write(
        &work,
        "first",
        &[answer(&format!("{SITE}/"), "text/html", "<p>Boats<img src=/pier.png alt=Pier>")],
    );
    write(&work, "later", &[answer(&format!("{SITE}/pier.png"), "image/png", png(30, 20))]);
    let sources = |out: &str, shards: &[&str]| {
        let mut arguments = vec!["extract"];
        arguments.extend(shards);
        arguments.extend(["--out", out]);
        work.run(&arguments);
        rows::<MediaRow>(&work, out, "extract").iter().map(|row| row.source).collect::<Vec<_>>()
    };
    assert_eq!(sources("first-out", &["first"]), [MediaSource::Img]);
    assert_eq!(sources("both-out", &["first", "later"]), [MediaSource::File]);
}
