//! Writes one file of a table from typed rows.
//!
//! Every job calls it, mostly through `run`; `merge` uses it to join files that were written before.
//!
//! **Schema.** A column that is never null is required, in Parquet and in Arrow, and so are elements of lists. The
//! Arrow schema in the footer names plain types (no views), so that every Arrow library opens the file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use polars_arrow::array::{Array, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowSchema, Field};
use polars_error::{PolarsError, PolarsResult};
use polars_parquet::read::{ParquetError, ParquetType};
use polars_parquet::write::{
    CompressedPage, CompressionOptions, Compressor, DynIter, DynStreamingIterator, Encoding,
    FallibleStreamingIterator, FileWriter, KeyValue, Page, StatisticsOptions, Version, WriteOptions,
    array_to_columns, get_dtype_encoding, schema_to_metadata_key,
};
use rayon::prelude::*;

use crate::Table;
use crate::cell::{ArrayBox, KEY_DIGITS};
use crate::column_type::ColumnType;
use crate::gathered::{AT_ONCE, Gathered};
use crate::seal::{Seal, Sealed};
use webmill_capture::error::{AtPath, Error, Result};
use webmill_capture::timing::{self, Part};

/// Rows a row group: small enough that a reader of one group needs little memory, large enough to compress well.
pub const ROW_GROUP_ROWS: usize = 32_768;

/// Bytes that are gathered before the file system is asked to write.
const BUFFER_BYTES: usize = 1 << 18;

/// Bytes of the least and the greatest text of a row group as its footer states them: longer ones are cut, to a bound that is wider.
/// Addresses are hardly ever longer.
const LONGEST_BOUND: u64 = 256;

const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: true,
        max_value: true,
        distinct_count: true,
        null_count: true,
        binary_statistics_truncate_length: Some(LONGEST_BOUND),
    },
    version: Version::V1,
    compression: CompressionOptions::Zstd(None),
    data_page_size: None,
};

/// Where the footer names the columns that the rows are sorted by, with commas between. The Parquet library that writes the
/// files leaves `sorting_columns` of row groups empty.
pub(crate) const SORTED_BY_KEY: &str = "webmill.sorted_by";

/// Where the footer of a table that no program knows beforehand has its schema, as JSON.
pub(crate) const SCHEMA_KEY: &str = "webmill.schema";

/// Those of a file that later steps read: without statistics, packed by a fast method that has no context to set up, since row
/// groups of such files are small.
fn aside_options() -> WriteOptions {
    let (statistics, compression) = (StatisticsOptions::empty(), CompressionOptions::Snappy);
    WriteOptions { statistics, compression, ..OPTIONS }
}

/// What stands in the file's footer beside the schema: the table, and the key of the job that wrote it.
#[derive(Debug, Clone)]
pub struct Footer {
    /// Key of the job (hex), by which a table is traced to its configuration and inputs.
    pub job_key: String,
}

/// A column as the file declares it.
pub(crate) struct DeclaredColumn<'a> {
    pub name: &'a str,
    pub kind: ColumnType,
    pub nullable: bool,
}

/// A file, and why it could not be written: the Parquet library turns an `io::Error` into words and loses its kind.
struct Output {
    file: BufWriter<File>,
    seal: Seal,
    fault: Arc<Mutex<Option<io::Error>>>,
}

impl Output {
    fn keep<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let told = io::Error::from(error.kind());
            *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            told
        })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write(bytes);
        let written = self.keep(result)?;
        self.seal.take(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.flush();
        self.keep(result)
    }
}

/// Writes row groups of any columns into one Parquet file.
pub(crate) struct GroupWriter {
    path: PathBuf,
    table: String,
    sorted_by: String,
    /// The schema, where the file is to explain itself.
    pub(crate) schema: Option<String>,
    footer: Footer,
    writer: FileWriter<Output>,
    seal: Seal,
    options: WriteOptions,
    fault: Arc<Mutex<Option<io::Error>>>,
    gathered: Gathered,
    /// Row groups that wait until there are `together` of them, which all threads encode; 0: the caller alone, each at once.
    waiting: Vec<(usize, Vec<ArrayBox>)>,
    pub(crate) together: usize,
    rows: u64,
}

impl GroupWriter {
    pub(crate) fn create(
        path: &Path,
        table: &str,
        columns: &[DeclaredColumn<'_>],
        sorted_by: &[&str],
        footer: &Footer,
    ) -> Result<Self> {
        GroupWriter::create_with(path, table, columns, sorted_by, footer, OPTIONS)
    }

    fn create_with(
        path: &Path,
        table: &str,
        columns: &[DeclaredColumn<'_>],
        sorted_by: &[&str],
        footer: &Footer,
        options: WriteOptions,
    ) -> Result<Self> {
        let schema: ArrowSchema = columns
            .iter()
            .map(|c| (c.name.into(), Field::new(c.name.into(), c.kind.declared(), c.nullable)))
            .collect();
        let mut writer = GroupWriter::over(path, table, schema, footer, options)?;
        writer.sorted_by = sorted_by.join(",");
        Ok(writer)
    }

    /// A writer of columns of any type that Parquet knows.
    pub(crate) fn with_schema(
        path: &Path,
        table: &str,
        schema: ArrowSchema,
        footer: &Footer,
    ) -> Result<Self> {
        GroupWriter::over(path, table, schema, footer, OPTIONS)
    }

    fn over(
        path: &Path,
        table: &str,
        schema: ArrowSchema,
        footer: &Footer,
        options: WriteOptions,
    ) -> Result<Self> {
        let file = File::create(path).at(path)?;
        let fault = Arc::new(Mutex::new(None));
        let seal = Seal::default();
        let file = BufWriter::with_capacity(BUFFER_BYTES, file);
        let output = Output { file, seal: seal.clone(), fault: Arc::clone(&fault) };
        let writer = FileWriter::try_new(output, schema, options)
            .map_err(|e| Error::Internal(format!("table {table}: {e}")))?;
        let (path, table) = (path.to_path_buf(), table.to_owned());
        let (footer, sorted_by, schema) = (footer.clone(), String::new(), None);
        let (gathered, waiting, together, rows) = Default::default();
        Ok(GroupWriter {
            path,
            table,
            sorted_by,
            schema,
            footer,
            writer,
            seal,
            options,
            fault,
            gathered,
            waiting,
            together,
            rows,
        })
    }

    /// The failure of a call into the Parquet library: what the file system said, where it is to blame.
    fn failed(&self, error: &PolarsError) -> Error {
        match self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(cause) => Error::io(&self.path, cause),
            None => Error::Internal(format!("table {} in {}: {error}", self.table, self.path.display())),
        }
    }

    /// Adds rows to those that are gathered, and writes these if they are a row group.
    pub(crate) fn gather(&mut self, rows: usize, columns: &[ArrayBox]) -> Result<()> {
        self.gathered.add(columns, rows);
        if self.gathered.is_full() { self.end_group() } else { Ok(()) }
    }

    /// Writes the gathered rows as a row group.
    pub(crate) fn end_group(&mut self) -> Result<()> {
        let (rows, columns) = self.gathered.take();
        self.write_group(rows, columns)
    }

    /// Writes a row group, behind those that were ended.
    pub(crate) fn write_group(&mut self, rows: usize, columns: Vec<ArrayBox>) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        self.rows += rows as u64;
        if self.together > 0 && rayon::current_num_threads() > 1 {
            self.waiting.push((rows, columns));
            return if self.waiting.len() < self.together { Ok(()) } else { self.write_waiting() };
        }
        self.try_group(rows, &columns).map_err(|e| self.failed(&e))
    }

    fn try_group(&mut self, rows: usize, columns: &[ArrayBox]) -> PolarsResult<()> {
        let mut chunks = Vec::with_capacity(columns.len());
        for (array, stored) in columns.iter().zip(self.writer.parquet_schema().fields()) {
            for pages in pages_of(array, stored.clone(), self.options)? {
                let pages = Sealed::new(pages.map_err(PolarsError::from), &self.seal);
                chunks.push(Ok(DynStreamingIterator::new(pages)));
            }
        }
        self.writer.write(rows as u64, DynIter::new(chunks.into_iter()))
    }

    /// Writes the row groups that wait, whose columns all threads encode: for whoever holds nothing that these may wait for.
    fn write_waiting(&mut self) -> Result<()> {
        let (options, fields) = (self.options, self.writer.parquet_schema().fields());
        let encode = |(array, stored): (&ArrayBox, &ParquetType)| {
            let _span = timing::span(Part::Tables);
            let columns = pages_of(array, stored.clone(), options)?;
            Ok(columns.into_iter().map(|pages| pages.collect::<Vec<_>>()).collect::<Vec<_>>())
        };
        let waiting = std::mem::take(&mut self.waiting);
        let encoded = waiting
            .par_iter()
            .map(|(_, columns)| columns.par_iter().zip(fields).map(encode).collect::<PolarsResult<Vec<_>>>());
        let groups = encoded.collect::<PolarsResult<Vec<_>>>().and_then(|encoded| {
            waiting.iter().zip(encoded).try_for_each(|((rows, _), encoded)| {
                let pages = encoded.into_iter().flatten().map(|pages| {
                    let pages = EncodedPages { pages: pages.into_iter(), page: None };
                    let pages = Sealed::new(pages.map_err(PolarsError::from), &self.seal);
                    Ok(DynStreamingIterator::new(pages))
                });
                self.writer.write(*rows as u64, DynIter::new(pages.collect::<Vec<_>>().into_iter()))
            })
        });
        groups.map_err(|e| self.failed(&e))
    }

    pub(crate) fn finish(mut self) -> Result<u64> {
        self.end_group()?;
        self.write_waiting()?;
        let pair = |key: &str, value: &str| KeyValue { key: key.to_owned(), value: Some(value.to_owned()) };
        let mut metadata = vec![
            schema_to_metadata_key(self.writer.schema()),
            pair("webmill.table", &self.table),
            pair("webmill.version", env!("CARGO_PKG_VERSION")),
            pair("webmill.key", &self.footer.job_key),
        ];
        if !self.sorted_by.is_empty() {
            metadata.push(pair(SORTED_BY_KEY, &self.sorted_by));
        }
        metadata.extend(self.schema.as_ref().map(|schema| pair(SCHEMA_KEY, schema)));
        metadata.extend(self.seal.pairs());
        self.writer.end(Some(metadata)).map_err(|e| self.failed(&e))?;
        let output = self.writer.into_inner();
        let mut file = output.file.into_inner().map_err(|e| Error::io(&self.path, e.into_error()))?;
        self.seal.close(&self.path, &mut file)?;
        Ok(self.rows)
    }
}

/// Pages of a column that are encoded already.
struct EncodedPages {
    pages: std::vec::IntoIter<Result<CompressedPage, ParquetError>>,
    page: Option<CompressedPage>,
}

impl FallibleStreamingIterator for EncodedPages {
    type Item = CompressedPage;
    type Error = ParquetError;

    fn advance(&mut self) -> Result<(), ParquetError> {
        self.page = self.pages.next().transpose()?;
        Ok(())
    }

    fn get(&self) -> Option<&CompressedPage> {
        self.page.as_ref()
    }
}

/// The pages of a column, and of each that it is made of, packed as they are asked for.
fn pages_of(
    array: &ArrayBox,
    stored: ParquetType,
    options: WriteOptions,
) -> PolarsResult<Vec<Compressor<impl Iterator<Item = Result<Page, ParquetError>> + Send + Sync>>> {
    let mut encodings = get_dtype_encoding(array.dtype());
    // What is read once more is not worth a dictionary.
    if options.statistics.is_empty() {
        encodings.fill(Encoding::Plain);
    } else if are_keys(array.as_ref()) {
        encodings.fill(Encoding::DeltaLengthByteArray);
    }
    let columns = array_to_columns(array, stored, options, &encodings)?;
    let packed = columns.into_iter().map(|pages| {
        let pages = pages.map(|page| {
            page.map_err(|e| ParquetError::FeatureNotSupported(format!("cannot be encoded: {e}")))
        });
        Compressor::new_from_vec(pages, options.compression, Vec::new())
    });
    Ok(packed.collect())
}

/// Whether these are keys. Without a length between them zstd packs their digits into half the bytes, and finds those that
/// come again: with lengths, or a dictionary that has them, nodes were 4 % larger and target keys of links 60 %.
fn are_keys(array: &dyn Array) -> bool {
    let texts = array.as_any().downcast_ref::<Utf8ViewArray>();
    texts.is_some_and(|texts| {
        texts.null_count() < texts.len() && texts.iter().flatten().all(|text| text.len() == KEY_DIGITS)
    })
}

fn groups_of<T: Table>(path: &Path, footer: &Footer, options: WriteOptions) -> Result<GroupWriter> {
    let info = T::info();
    let columns: Vec<_> =
        info.iter().map(|c| DeclaredColumn { name: c.name, kind: c.kind, nullable: c.nullable }).collect();
    GroupWriter::create_with(path, T::NAME, &columns, T::SORTED_BY, footer, options)
}

/// A writer of row groups of table `T`, to a file that stays or is read once more.
pub(crate) fn writer_of<T: Table>(path: &Path, footer: &Footer, aside: bool) -> Result<GroupWriter> {
    groups_of::<T>(path, footer, if aside { aside_options() } else { OPTIONS })
}

/// Streams rows of one table into one Parquet file, a row group at a time.
pub struct PartWriter<T: Table> {
    groups: GroupWriter,
    pending: Vec<T>,
    row: PhantomData<T>,
}

impl<T: Table> PartWriter<T> {
    /// Creates the file at `path`, which must not exist under its final name: jobs stage first, rename later.
    ///
    /// # Errors
    /// [`Error::Io`] where the file cannot be created.
    pub fn create(path: &Path, footer: &Footer) -> Result<Self> {
        PartWriter::create_with(path, footer, OPTIONS)
    }

    /// The same for a file that its writer reads once more and puts away: without statistics.
    ///
    /// # Errors
    /// [`Error::Io`] where the file cannot be created.
    pub fn create_aside(path: &Path, footer: &Footer) -> Result<Self> {
        PartWriter::create_with(path, footer, aside_options())
    }

    fn create_with(path: &Path, footer: &Footer, options: WriteOptions) -> Result<Self> {
        Ok(PartWriter {
            groups: groups_of::<T>(path, footer, options)?,
            pending: Vec::new(),
            row: PhantomData,
        })
    }

    /// The same, for whoever holds nothing that threads may wait for: this many row groups are held until all threads encode them.
    #[must_use]
    pub fn by_threads(mut self, together: usize) -> Self {
        self.groups.together = together;
        self
    }

    /// Adds one row; writes a row group when enough have come together.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn push(&mut self, row: T) -> Result<()> {
        self.pending.push(row);
        if self.pending.len() >= AT_ONCE { self.gather() } else { Ok(()) }
    }

    /// Ends the row group, so that what comes is in another one.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn end_group(&mut self) -> Result<()> {
        self.gather()?;
        self.groups.end_group()
    }

    fn gather(&mut self) -> Result<()> {
        self.groups.gather(self.pending.len(), &T::columns(&self.pending))?;
        self.pending.clear();
        Ok(())
    }

    /// Writes rows as a row group of their own, behind those that were pushed and ended.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn write_group(&mut self, rows: &[T]) -> Result<()> {
        self.end_group()?;
        self.groups.write_group(rows.len(), T::columns(rows))
    }

    /// Writes pending rows and the footer; returns the number of rows.
    ///
    /// # Errors
    /// [`Error::Io`] where the disk refuses.
    pub fn finish(mut self) -> Result<u64> {
        self.gather()?;
        self.groups.finish()
    }
}

/// Writes all `rows` as one file at `path`; returns their number.
///
/// # Errors
/// [`Error::Io`] where the disk refuses.
pub fn write_part<T: Table>(path: &Path, rows: &[T], footer: &Footer) -> Result<u64> {
    let mut writer = PartWriter::<T>::create(path, footer)?;
    for group in rows.chunks(ROW_GROUP_ROWS) {
        writer.write_group(group)?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::AnyRow;
    use polars_parquet::read::read_metadata;
    use polars_parquet::write::ParquetPhysicalType;

    fn required(stored: &ParquetType) -> bool {
        let repetition = format!("{:?}", stored.get_field_info().repetition);
        assert!(["Required", "Optional", "Repeated"].contains(&repetition.as_str()));
        repetition == "Required"
    }

    #[test]
    fn the_footer_declares_plain_types_and_what_is_never_null() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part-0.parquet");
        write_part(&path, &[AnyRow::default()], &Footer { job_key: "0123".into() }).unwrap();
        let metadata = read_metadata(&mut File::open(&path).unwrap()).unwrap();
        let fields = metadata.schema_descr.fields();
        assert_eq!(fields.len(), AnyRow::info().len());
        for (stored, column) in fields.iter().zip(AnyRow::info()) {
            assert_eq!(stored.name(), column.name);
            assert_eq!(required(stored), !column.nullable, "{}", column.name);
            if let ParquetType::GroupType { fields: lists, .. } = stored {
                let ParquetType::GroupType { fields: elements, .. } = &lists[0] else {
                    panic!("{}: a list of three levels", column.name);
                };
                assert!(required(&elements[0]), "{}", column.name);
            } else if column.kind == ColumnType::Timestamp {
                assert!(
                    matches!(stored, ParquetType::PrimitiveType(t) if t.physical_type == ParquetPhysicalType::Int64)
                );
            }
        }
        let declared: ArrowSchema = AnyRow::info()
            .iter()
            .map(|c| (c.name.into(), Field::new(c.name.into(), c.kind.declared(), c.nullable)))
            .collect();
        let pairs: Vec<(String, String)> = metadata
            .key_value_metadata
            .unwrap()
            .into_iter()
            .map(|pair| (pair.key, pair.value.unwrap_or_default()))
            .collect();
        let arrow = schema_to_metadata_key(&declared);
        let expected = [
            (arrow.key, arrow.value.unwrap()),
            ("webmill.table".to_owned(), "any".to_owned()),
            ("webmill.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("webmill.key".to_owned(), "0123".to_owned()),
        ];
        let (ours, sealed) = pairs.split_at(expected.len());
        assert_eq!(ours, expected);
        assert_eq!(sealed.iter().map(|pair| pair.1.len()).collect::<Vec<_>>(), [16 * fields.len(), 16]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_as_such() {
        let full = Path::new("/dev/full");
        let row = AnyRow { text: "x".repeat(1000), ..AnyRow::default() };
        let small = write_part(full, std::slice::from_ref(&row), &Footer { job_key: String::new() });
        let rows: Vec<AnyRow> =
            (0..60_000).map(|n| AnyRow { i64: n, f64: (n as f64).sqrt(), ..row.clone() }).collect();
        let large = write_part(full, &rows, &Footer { job_key: String::new() });
        for result in [small, large] {
            let Err(Error::Io { path, source }) = result else { panic!("{result:?}") };
            assert_eq!((path.as_path(), source.kind()), (full, io::ErrorKind::StorageFull));
            assert!(source.to_string().contains("No space left"), "{source}");
        }
    }
}
