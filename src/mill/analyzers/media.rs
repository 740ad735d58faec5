//! `media`: pictures, sound and video, and pictures that pages show.

use std::borrow::Cow;
use std::collections::HashMap;

use webmill_capture::CanonicalUrl;
use webmill_capture::domain::registrable;
use webmill_capture::timing::{self, Part};
use webmill_documents::media::{MediaFacts, MediaOptions, Window, facts};
use webmill_html::{Dom, Tag};
use webmill_table::{Bytes16, Millis, table, text_enum};

use super::place;
use crate::{Analyzer, Page, PartId, Reject, Rows, TableRows, Weigh};

/// Pictures of a page that have rows; a page with more is counted as `pictures-cut`.
const MAX_SHOWN: usize = 10_000;

/// Bytes of the text in place of a picture.
const MAX_ALT: usize = 1024;

text_enum! {
    /// What pictures, sound and video are to a reader, as tables say it.
    pub enum MediaType from webmill_documents::media::MediaKind {
        /// A picture, moving ones among them.
        Image = "image",
        /// Sound, or the words of a song.
        Audio = "audio",
        /// Moving pictures with time.
        Video = "video",
    }
}

text_enum! {
    /// Source of the facts about a medium.
    pub enum MediaSource {
        /// Its own bytes.
        File = "file",
        /// The element of a page that shows it.
        Img = "img",
    }
}

table! {
    /// One row per capture of a picture, a sound or a video, by its first 256 KiB and its last 128 KiB; and one per picture that
    /// current pages show and that was not fetched, from the `img` with the most information.
    MediaRow = "media" {
        url: String = "canonical URL of the medium", "http://a.example/pier.jpg";
        url_key: Bytes16 = "xxh3-128 of the URL, as pages.url_key", "9f…";
        host: String = "host name of the URL", "a.example";
        domain: String = "registrable domain of the host by both sections of the Public Suffix List; the host itself where it is an IP address or has none", "a.example";
        is_current: bool = "whether the row is of the current capture of its URL; for an img, of its page", "true";
        source: MediaSource = "who says it: file (its own bytes), img (an element of a page; the picture was not fetched)", "file";
        page_url: Option<String> = "canonical URL of the page that shows the picture; null where source is file", "http://a.example/pier.html";
        kind: MediaType = "image, audio or video", "image";
        format: Option<String> = "format by its bytes: png, jpeg, gif, webp, avif, heic, jxl, bmp, svg, ico, tiff, psd, mp3, flac, ogg, opus, wav, aiff, m4a, aac, wma, lrc, mp4, mov, webm, mkv, avi, flv, ts and the like; null where source is img", "jpeg";
        width: Option<u32> = "width in pixels as stored, of SVG in CSS pixels; of an img as the element says", "640";
        height: Option<u32> = "height in pixels as stored; of an img as the element says", "480";
        duration_ms: Option<u64> = "length in milliseconds; null too where it says 2^53 or more", "183000";
        bitrate: Option<u32> = "bits a second", "128000";
        sample_rate: Option<u32> = "samples a second of the sound", "44100";
        channels: Option<u32> = "channels of the sound", "2";
        frames: Option<u64> = "pictures of a moving picture, pages of TIFF, frames of MPEG sound", "7003";
        title: Option<String> = "title that it states", "渡船";
        artist: Option<String> = "artist or author that it states", "Li Hua";
        album: Option<String> = "album that it states", "Rivers";
        year: Option<u32> = "year that it states", "2003";
        track: Option<u32> = "number of the track within the album", "3";
        genre: Option<String> = "genre by name", "Folk";
        comment: Option<String> = "comment or description that it states", "recorded on the pier";
        lyrics: Option<String> = "words of the song, a line each, [mm:ss.xx] before each where times are known", "[00:12.50]渡船早上离开";
        created: Option<String> = "when it was made, ISO 8601, without a zone where that is not known", "2003-04-15T08:13:06";
        camera: Option<String> = "maker and model of the camera", "Canon PowerShot A70";
        orientation: Option<u32> = "how to turn the stored picture to show it, 1 to 8 as in EXIF", "6";
        gps: Option<String> = "latitude,longitude in degrees where it was made; only where the recipe's [extract] says gps = true", "39.9042,116.4074";
        codecs: Vec<String> = "codecs of its tracks", "['h264', 'aac']";
        alt: Option<String> = "text that the img says in place of the picture; null where source is file", "The pier at dawn";
        warnings: Vec<String> = "named reasons why it was read in part or not at all", "['cut']";
        content_length: Option<u64> = "bytes of the body; null where source is img", "183214";
        fetch_time: Millis = "when it, or the page that shows it, was fetched", "2003-04-15T08:13:06Z";
        warc_record_offset: i64 = "offset of the record in its shard; of an img that of its page", "183214";
        warc_filename: String = "shard of that record", "crawl-00001.raw";
    }
}

impl Weigh for MediaRow {
    fn weight(&self) -> usize {
        let texts = [&self.title, &self.artist, &self.album, &self.comment, &self.lyrics, &self.alt];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        size_of::<Self>() + self.url.len() + texts + 240
    }
}

/// Fills table `media`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Media {
    /// Whether it says where pictures and videos were made.
    pub gps: bool,
}

impl Analyzer for Media {
    fn id(&self) -> PartId {
        PartId { configuration: self.gps.into(), ..PartId::new("media", 2) }
    }

    fn empty(&self) -> Vec<Box<dyn TableRows>> {
        vec![Box::new(Vec::<MediaRow>::new())]
    }

    fn analyze(&self, page: &Page<'_>, out: &mut Rows) -> Result<(), Reject> {
        let _span = timing::span(Part::Media);
        if let Some(dom) = page.dom() {
            let rows = shown(page, dom);
            if rows.len() == MAX_SHOWN {
                out.count("pictures-cut");
            }
            rows.into_iter().for_each(|row| out.push(row));
        } else if page.is_good() && page.capture().is_answer() && page.kind().is_none() {
            let body = page.body();
            let tld = page.url().host().rsplit('.').next().map(str::as_bytes);
            let options = MediaOptions { gps: self.gps, tld };
            if let Some(facts) = facts(&Window::of(body.bytes), &options) {
                out.count("media");
                out.push(of_file(page, facts));
            }
        }
        Ok(())
    }
}

/// A row that knows its address and its record.
fn row(page: &Page<'_>, url: &CanonicalUrl) -> MediaRow {
    let (warc_record_offset, warc_filename) = place(page);
    MediaRow {
        url: url.as_str().to_owned(),
        url_key: Bytes16(url.key().0),
        host: url.host().to_owned(),
        domain: registrable(url.host()).to_owned(),
        fetch_time: Millis(page.capture().date_ms),
        warc_record_offset,
        warc_filename,
        ..MediaRow::default()
    }
}

/// Numbers from here on are no integers to readers that have floating point alone for columns with nulls, and damage.
const EXACT: u64 = 1 << 53;

/// What the bytes of a body say.
fn of_file(page: &Page<'_>, facts: MediaFacts) -> MediaRow {
    let owned = |words: Vec<Cow<'static, str>>| words.into_iter().map(Cow::into_owned).collect();
    MediaRow {
        source: MediaSource::File,
        kind: facts.kind.into(),
        format: Some(facts.format.name().to_owned()),
        width: facts.width,
        height: facts.height,
        duration_ms: facts.duration_ms.filter(|ms| *ms < EXACT),
        bitrate: facts.bitrate,
        sample_rate: facts.sample_rate,
        channels: facts.channels.map(u32::from),
        frames: facts.frames.filter(|frames| *frames < EXACT),
        title: facts.title,
        artist: facts.artist,
        album: facts.album,
        year: facts.year.map(u32::from),
        track: facts.track.map(u32::from),
        genre: facts.genre,
        comment: facts.comment,
        lyrics: facts.lyrics,
        created: facts.created,
        camera: facts.camera,
        orientation: facts.orientation.map(u32::from),
        gps: facts.gps,
        codecs: owned(facts.codecs),
        warnings: owned(facts.warnings),
        content_length: Some(page.body().payload.len() as u64),
        ..row(page, page.url())
    }
}

/// The pictures that a page shows, each once, by the element that says most.
fn shown(page: &Page<'_>, dom: &Dom<'_>) -> Vec<MediaRow> {
    let Some(base) = page.found_links().map(|found| &found.base) else { return Vec::new() };
    let mut rows: Vec<MediaRow> = Vec::new();
    let mut seen: HashMap<u128, usize> = HashMap::new();
    for node in dom.descendants(dom.document()).filter(|node| dom.tag(*node) == Tag::Img) {
        let url = dom.attr(node, "src").and_then(|src| base.join(src.trim()));
        let Some(url) = url.filter(CanonicalUrl::is_web) else { continue };
        let number = |name: &str| dom.attr(node, name).and_then(pixels);
        let (width, height, alt) = (number("width"), number("height"), dom.attr(node, "alt").and_then(alt));
        match seen.get(&url.key().0).copied() {
            Some(at) => {
                let Some(known) = rows.get_mut(at) else { continue };
                let longer = |alt: &Option<String>| alt.as_ref().map_or(0, String::len);
                if longer(&alt) > longer(&known.alt) {
                    known.alt = alt;
                }
                (known.width, known.height) = (known.width.or(width), known.height.or(height));
            }
            None if rows.len() == MAX_SHOWN => break,
            None => {
                seen.insert(url.key().0, rows.len());
                rows.push(MediaRow {
                    source: MediaSource::Img,
                    kind: MediaType::Image,
                    page_url: Some(page.url().as_str().to_owned()),
                    width,
                    height,
                    alt,
                    ..row(page, &url)
                });
            }
        }
    }
    rows
}

/// A text in place of a picture, white space collapsed; `None` if it is blank.
fn alt(text: &str) -> Option<String> {
    let mut alt = text.split_whitespace().collect::<Vec<_>>().join(" ");
    alt.truncate(alt.floor_char_boundary(MAX_ALT));
    (!alt.is_empty()).then_some(alt)
}

/// A number of pixels, as browsers read it (HTML standard, rules for parsing dimension values): none for percentages.
fn pixels(value: &str) -> Option<u32> {
    let value = value.trim_start();
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = value.get(digits..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    if rest.starts_with('%') { None } else { value.get(..digits)?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mill, PageLimits};
    use webmill_capture::{Capture, Response};

    fn rows(url: &str, head: &str, body: &[u8]) -> Vec<MediaRow> {
        let answer = [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), body].concat();
        let mill = Mill::new(PageLimits::default());
        let milled =
            mill.mill(&Capture::new(url, Response::parse(&answer))).unwrap().expect("the URL is one");
        milled.rows.of::<MediaRow>().to_vec()
    }

    #[test]
    fn pictures_of_a_page() {
        let html = b"<base href=/i/><p><img src=a.png width=40 height='30px' alt=' The\n pier '><img src=a.png alt=''>\
            <img src=a.png alt='The pier at dawn'><img src=data:image/png;base64,x><img><img src=/b.gif width=50%>";
        let rows = rows("http://a.example/p.html", "Content-Type: text/html", html);
        let told: Vec<_> =
            rows.iter().map(|row| (row.url.as_str(), row.width, row.height, row.alt.as_deref())).collect();
        assert_eq!(
            told,
            [
                ("http://a.example/i/a.png", Some(40), Some(30), Some("The pier at dawn")),
                ("http://a.example/b.gif", None, None, None),
            ]
        );
        assert_eq!(rows[0].page_url.as_deref(), Some("http://a.example/p.html"));
    }

    #[test]
    fn a_picture_says_its_size() {
        let gif =
            b"GIF89a\x03\x00\x05\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x03\0\x05\0\0\x02\x02L\x01\0;";
        let rows = rows("http://a.example/a.gif", "Content-Type: image/gif", gif);
        assert_eq!((rows[0].width, rows[0].height), (Some(3), Some(5)));
        assert_eq!((rows[0].format.as_deref(), rows[0].source), (Some("gif"), MediaSource::File));
        assert!(
            super::tests::rows("http://a.example/a.txt", "Content-Type: text/plain", b"words").is_empty()
        );
    }

    #[test]
    fn silence_and_lyrics_are_media() {
        let mut wav = b"RIFF\x24\x10\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\x10\0\0".to_vec();
        wav.extend([0x20; 4096]);
        let lyrics = "[ti:渡船]\n[00:12.50]渡船早上离开\n[00:18.00]晚上回来\n".as_bytes();
        for (url, body, format) in
            [("http://a.example/a", &wav[..], "wav"), ("http://a.example/a.lrc", lyrics, "lrc")]
        {
            let rows = rows(url, "Content-Type: application/octet-stream", body);
            let formats: Vec<_> = rows.iter().map(|row| row.format.as_deref()).collect();
            assert_eq!(formats, [Some(format)]);
        }
    }

    #[test]
    fn numbers_of_pixels() {
        for (value, number) in [
            ("40", Some(40)),
            (" 40px", Some(40)),
            ("40.5", Some(40)),
            ("40%", None),
            ("", None),
            ("-4", None),
        ] {
            assert_eq!(pixels(value), number, "{value:?}");
        }
    }
}
