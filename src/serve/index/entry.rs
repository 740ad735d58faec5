//! One line of a capture index.

use std::borrow::Cow;

use crate::index::Timestamp;

/// One capture as an index knows it. The fields of CDX by their names; what only CDXJ can say stands in [`Entry::extra`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key it is sorted by: SURT as the Internet Archive's tools make it.
    pub urlkey: Cow<'a, str>,
    /// When it was captured.
    pub timestamp: Timestamp,
    /// The URL as captured.
    pub url: Cow<'a, str>,
    /// Media type, lower case; `warc/revisit` for revisits; empty where it is not known.
    pub mime: Cow<'a, str>,
    /// HTTP status; `None` where there is none (revisits without head, resources).
    pub status: Option<u16>,
    /// Digest of the payload as indexes write it: base32 SHA-1 without `sha1:`, or with the name of another algorithm; empty
    /// where it is not known.
    pub digest: Cow<'a, str>,
    /// Where a redirect leads, as the server wrote it; empty for none.
    pub redirect: Cow<'a, str>,
    /// Robots meta flags of CDX (`A`, `F`, `I`); empty for none.
    pub robotflags: Cow<'a, str>,
    /// Bytes of the stored record (of its gzip member, where it has one).
    pub length: Option<u64>,
    /// Byte offset of the stored record.
    pub offset: u64,
    /// Name of the shard.
    pub filename: Cow<'a, str>,
    /// Further fields of CDXJ, name and JSON value in the order written (`"method": "POST"`, `"charset": "UTF-8"`).
    pub extra: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl Entry<'_> {
    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Entry<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        Entry {
            urlkey: own(self.urlkey),
            timestamp: self.timestamp,
            url: own(self.url),
            mime: own(self.mime),
            status: self.status,
            digest: own(self.digest),
            redirect: own(self.redirect),
            robotflags: own(self.robotflags),
            length: self.length,
            offset: self.offset,
            filename: own(self.filename),
            extra: self.extra.into_iter().map(|(name, value)| (own(name), own(value))).collect(),
        }
    }

    /// Whether it stands for an earlier capture with the same content.
    pub fn is_revisit(&self) -> bool {
        self.mime == "warc/revisit"
    }
}
