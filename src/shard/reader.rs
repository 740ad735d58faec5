//! One reader for every format: recognise, open, dispatch.

use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lz4_flex::frame::FrameDecoder;
use webmill_capture::error::{Error, Result};

use super::discover::{by_place, file_name, recognise};
use super::stream::Stream;
use super::text_mode;
use super::{Container, Format, RawReader, ReadOptions, Record, Resume, WarcReader};

/// Walks a shard, or a range of one, and lends its records.
///
/// # Examples
/// ```
/// use webmill_shard::{ReadOptions, ShardReader};
///
/// let shard = b"version:1.0\nurl:http://a.example/\ndate:Tue, 15 Apr 2003 08:13:06 GMT\nlength:2\n\nhi\n";
/// let mut reader = ShardReader::from_reader(Box::new(&shard[..]), "a.raw", &ReadOptions::default())?;
/// while let Some(record) = reader.next() {
///     assert_eq!(&*record?.data, b"hi");
/// }
/// # Ok::<(), webmill_capture::error::Error>(())
/// ```
pub struct ShardReader {
    inner: Inner,
    format: Format,
    container: Container,
    /// Bytes taken out where a transfer in text mode is undone.
    undone: Option<Arc<AtomicU64>>,
}

enum Inner {
    Raw(Box<RawReader>),
    Warc(Box<WarcReader>),
}

impl ShardReader {
    /// Opens the shard at `path`, whatever its format. Records name it by its file name.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read, [`Error::Incompatible`] when it is no shard (the message says what it
    /// is instead).
    pub fn open(path: &Path, options: &ReadOptions) -> Result<ShardReader> {
        Self::open_range(path, file_name(path), 0..u64::MAX, options)
    }

    /// Opens the records that start in `range`: the first is guessed by proof (or [`ReadOptions::exact_start`]), the
    /// last is the one that spans the end. `name` is what tables call the shard.
    ///
    /// # Errors
    /// As [`ShardReader::open`].
    pub fn open_range(
        path: &Path,
        name: Arc<str>,
        range: Range<u64>,
        options: &ReadOptions,
    ) -> Result<ShardReader> {
        let mut stream = Stream::open(path, Arc::clone(&name), 0)?;
        let (format, container) = recognise(&mut stream)?;
        Self::start(stream, format, container, range, options)
    }

    /// Opens a shard whose format is known ([`super::discover`] found it), without recognising it again.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read.
    pub fn open_as(
        path: &Path,
        name: Arc<str>,
        (format, container): (Format, Container),
        range: Range<u64>,
        options: &ReadOptions,
    ) -> Result<ShardReader> {
        Self::start(Stream::open(path, name, 0)?, format, container, range, options)
    }

    /// Reads a shard from anything (standard input, a socket); `name` stands for the path.
    ///
    /// # Errors
    /// As [`ShardReader::open`].
    pub fn from_reader(
        reader: Box<dyn Read + Send>,
        name: &str,
        options: &ReadOptions,
    ) -> Result<ShardReader> {
        let mut stream = Stream::from_reader(reader, name);
        let (format, container) = recognise(&mut stream)?;
        Self::start(stream, format, container, 0..u64::MAX, options)
    }

    fn start(
        stream: Stream,
        format: Format,
        container: Container,
        range: Range<u64>,
        options: &ReadOptions,
    ) -> Result<ShardReader> {
        let mut undone = None;
        let inner = match format {
            Format::RawDb => {
                let mut stream = unwrapped(stream, container)?;
                if options.undo_text_mode && text_mode::may_occur(&mut stream) {
                    let named = (Arc::from(stream.path()), Arc::clone(stream.name()));
                    let taken = undone.insert(Arc::default());
                    let decoder = text_mode::UndoneTextMode::new(stream, Arc::clone(taken));
                    stream = Stream::decoded(decoder, |decoder| &mut decoder.stream, named);
                }
                Inner::Raw(Box::new(RawReader::new(stream, range, options)))
            }
            Format::Warc | Format::Arc => {
                Inner::Warc(Box::new(WarcReader::new(stream, format, container, range, options)?))
            }
        };
        Ok(ShardReader { inner, format, container, undone })
    }

    /// The grammar that was recognised.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The compression around the records.
    pub fn container(&self) -> Container {
        self.container
    }

    /// Whether single records can be read by their places, as [`super::Input::by_place`] says.
    ///
    /// # Errors
    /// [`Error::Incompatible`], with what to do.
    pub fn by_place(&self, path: &Path) -> Result<()> {
        by_place(path, self.format, self.container)
    }

    /// Whether a transfer in text mode is undone ([`ReadOptions::undo_text_mode`]): for files that show one, and for pipes.
    pub fn undoes_text_mode(&self) -> bool {
        self.undone.is_some()
    }

    /// Bytes that were taken out so far to undo it.
    pub fn undone_bytes(&self) -> u64 {
        self.undone.as_ref().map_or(0, |taken| taken.load(Ordering::Relaxed))
    }

    /// The next record, an error for damage (after which reading goes on after it), or `None` at the end.
    #[allow(clippy::should_implement_trait, reason = "a lending reader cannot be an Iterator")]
    pub fn next(&mut self) -> Option<Result<Record<'_>>> {
        match &mut self.inner {
            Inner::Raw(reader) => reader.next(),
            Inner::Warc(reader) => reader.next(),
        }
    }

    /// Where the walk of this range started: exactly, or guessed by proof. `None`: no record starts in the range as
    /// far as could be guessed. Known from the start.
    pub fn first_offset(&self) -> Option<u64> {
        match &self.inner {
            Inner::Raw(reader) => reader.first_offset(),
            Inner::Warc(reader) => reader.first_offset(),
        }
    }

    /// Bytes of zeros after the last record of a WARC or ARC file, once it was read: they are no damage.
    pub fn padding(&self) -> u64 {
        match &self.inner {
            Inner::Raw(_) => 0,
            Inner::Warc(reader) => reader.padding(),
        }
    }

    /// Stored offset after the last record: where the next one would start.
    pub fn position(&self) -> u64 {
        self.resume().offset
    }

    /// Where the walk is, for the range that follows; see [`super::follows`].
    pub fn resume(&self) -> Resume {
        match &self.inner {
            Inner::Raw(reader) => reader.resume(),
            Inner::Warc(reader) => reader.resume(),
        }
    }
}

/// A RAW DB file that is compressed as a whole is read through the decoder: offsets are then those inside.
pub(super) fn unwrapped(stream: Stream, container: Container) -> Result<Stream> {
    let named = (Arc::from(stream.path()), Arc::clone(stream.name()));
    Ok(match container {
        Container::WholeGzip => {
            let decoder = flate2::bufread::MultiGzDecoder::new(stream);
            Stream::decoded(decoder, |decoder| decoder.get_mut(), named)
        }
        Container::WholeZstd => {
            let path = stream.path().to_path_buf();
            let decoder =
                zstd::stream::read::Decoder::with_buffer(stream).map_err(|e| Error::io(&path, e))?;
            Stream::decoded(decoder, |decoder| decoder.get_mut(), named)
        }
        Container::WholeLz4 => {
            Stream::decoded(Lz4Frames(FrameDecoder::new(stream)), |decoder| decoder.0.get_mut(), named)
        }
        _ => stream,
    })
}

/// LZ4 frames, one after the other.
pub(super) struct Lz4Frames(pub FrameDecoder<Stream>);

impl Read for Lz4Frames {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        loop {
            // The decoder stops after each frame.
            match self.0.read(into)? {
                0 if !into.is_empty() && !self.0.get_mut().at_end() => {}
                n => return Ok(n),
            }
        }
    }
}
