//! `rejects`: a sample of what was not taken, with its address.

use crate::table::table;

table! {
    /// One row a rejected or damaged record, at most a hundred for each reason and unit of work; the manifest counts all.
    RejectRow = "rejects" {
        reason: String = "named reason, the same word that the manifest counts by", "corrupt-record";
        shard: String = "file the record stands in", "crawl-00001.raw";
        offset: u64 = "byte offset in that file", "183214";
        detail: String = "what exactly was wrong, in words", "length 99999 runs past the end of the file";
    }
}
