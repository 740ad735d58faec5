//! What archives call their records.

crate::words! {
    /// What a record holds. RAW DB has responses only, but for what was converted; ARC has responses after its file description.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    // Not `non_exhaustive`: tables mirror it, and the compiler shall ask for a further variant there.
    pub enum RecordType {
        /// About the shard itself.
        Warcinfo = "warcinfo",
        /// A complete HTTP response.
        Response = "response",
        /// A document without a protocol around it.
        Resource = "resource",
        /// What was sent to get a response.
        Request = "request",
        /// About another record.
        Metadata = "metadata",
        /// The same content as an earlier record.
        Revisit = "revisit",
        /// Another record's content in another form.
        Conversion = "conversion",
        /// The rest of a record cut in two.
        Continuation = "continuation",
        /// The first record of an ARC file.
        FileDesc = "filedesc",
        /// A type this program has no name for.
        Unknown = "unknown",
    }
}
