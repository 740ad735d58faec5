//! What archives call their records.

/// What a record holds. RAW DB has responses only, but for what was converted; ARC has responses after its file description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
// Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
pub enum RecordType {
    /// About the shard itself.
    Warcinfo,
    /// A complete HTTP response.
    Response,
    /// A document without a protocol around it.
    Resource,
    /// What was sent to get a response.
    Request,
    /// About another record.
    Metadata,
    /// The same content as an earlier record.
    Revisit,
    /// Another record's content in another form.
    Conversion,
    /// The rest of a record cut in two.
    Continuation,
    /// The first record of an ARC file.
    FileDesc,
    /// A type this program has no name for.
    Unknown,
}

impl RecordType {
    /// The name that WARC gives the type.
    pub fn name(self) -> &'static str {
        match self {
            RecordType::Warcinfo => "warcinfo",
            RecordType::Response => "response",
            RecordType::Resource => "resource",
            RecordType::Request => "request",
            RecordType::Metadata => "metadata",
            RecordType::Revisit => "revisit",
            RecordType::Conversion => "conversion",
            RecordType::Continuation => "continuation",
            RecordType::FileDesc => "filedesc",
            RecordType::Unknown => "unknown",
        }
    }
}
