//! Words of the columns that say what a document is.

use webmill_table::text_enum;

text_enum! {
    /// A format of documents, as tables say it.
    pub enum DocumentKind from webmill_documents::Kind {
        /// Portable Document Format.
        Pdf = "pdf",
        /// Word since 2007.
        Docx = "docx",
        /// Word 97 to 2003.
        Doc = "doc",
        /// OpenDocument text.
        Odt = "odt",
        /// Rich Text Format.
        Rtf = "rtf",
        /// PowerPoint since 2007.
        Pptx = "pptx",
        /// PowerPoint 97 to 2003.
        Ppt = "ppt",
        /// OpenDocument presentation.
        Odp = "odp",
        /// Excel since 2007.
        Xlsx = "xlsx",
        /// Excel 97 to 2003.
        Xls = "xls",
        /// Excel's binary workbook.
        Xlsb = "xlsb",
        /// OpenDocument spreadsheet.
        Ods = "ods",
        /// EPUB.
        Epub = "epub",
        /// RSS, Atom, JSON Feed or XSPF.
        Feed = "feed",
        /// Markdown.
        Markdown = "markdown",
        /// Values between commas, semicolons or tabs.
        Csv = "csv",
        /// Plain text.
        Text = "text",
    }
}

text_enum! {
    /// Where the title of a document was found, as tables say it.
    pub enum DocumentTitle from webmill_documents::TitleSource {
        /// The document's metadata.
        Metadata = "metadata",
        /// A paragraph in the style of a title, or the title of a slide.
        Style = "style",
        /// The largest type of the first page, or the line of most weight.
        Type = "type",
        /// The first heading.
        Heading = "heading",
        /// The first line.
        Line = "line",
    }
}
