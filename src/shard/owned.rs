//! A record that owns its bytes: the result of random access, and a record kept while the reader goes on.

use std::borrow::Cow;

use super::Record;

/// A record without a reader behind it. [`OwnedRecord::record`] lends it in the form that readers lend theirs.
#[derive(Debug, Clone)]
pub struct OwnedRecord {
    head: Vec<u8>,
    /// Only where it is not the data itself.
    stored: Option<Vec<u8>>,
    stored_is_data: bool,
    pub(super) rest: Record<'static>,
}

impl OwnedRecord {
    /// The record, borrowed.
    pub fn record(&self) -> Record<'_> {
        let rest = &self.rest;
        let stored = if self.stored_is_data { Some(&*rest.data) } else { self.stored.as_deref() };
        let revisit = rest.revisit.as_ref().map(|revisit| super::Revisit {
            profile: revisit.profile,
            refers_to_url: lent(&revisit.refers_to_url),
            refers_to_date_ms: revisit.refers_to_date_ms,
            refers_to_id: lent(&revisit.refers_to_id),
        });
        Record {
            format: rest.format,
            kind: rest.kind,
            head: &self.head,
            url: Cow::Borrowed(&rest.url),
            origin: lent(&rest.origin),
            date_ms: rest.date_ms,
            ip: lent(&rest.ip),
            content_type: lent(&rest.content_type),
            data: Cow::Borrowed(&rest.data),
            full_length: rest.full_length,
            truncated: rest.truncated,
            place: rest.place.clone(),
            proven: rest.proven,
            stored,
            id: lent(&rest.id),
            block_digest: lent(&rest.block_digest),
            payload_digest: lent(&rest.payload_digest),
            revisit,
            defects: rest.defects.clone(),
        }
    }

    /// Whether nothing is missing and nothing had to be put right.
    pub(super) fn is_flawless(&self) -> bool {
        self.rest.truncated.is_none() && self.rest.defects.is_empty()
    }

    /// The block, given away.
    pub fn into_data(self) -> Vec<u8> {
        self.rest.data.into_owned()
    }
}

fn lent<'a>(text: &'a Option<Cow<'static, str>>) -> Option<Cow<'a, str>> {
    text.as_deref().map(Cow::Borrowed)
}

impl Record<'_> {
    /// The same record with bytes of its own.
    pub fn into_owned(self) -> OwnedRecord {
        let own = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        let stored_is_data = self.stored.is_some_and(|stored| *stored == *self.data);
        let stored = self.stored.filter(|_| !stored_is_data).map(<[u8]>::to_vec);
        OwnedRecord {
            head: self.head.to_vec(),
            stored,
            stored_is_data,
            rest: Record {
                format: self.format,
                kind: self.kind,
                head: &[],
                url: Cow::Owned(self.url.into_owned()),
                origin: own(self.origin),
                date_ms: self.date_ms,
                ip: own(self.ip),
                content_type: own(self.content_type),
                data: Cow::Owned(self.data.into_owned()),
                full_length: self.full_length,
                truncated: self.truncated,
                place: self.place,
                proven: self.proven,
                stored: None,
                id: own(self.id),
                block_digest: own(self.block_digest),
                payload_digest: own(self.payload_digest),
                revisit: self.revisit.map(super::Revisit::into_owned),
                defects: self.defects,
            },
        }
    }
}
