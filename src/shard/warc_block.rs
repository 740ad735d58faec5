//! Where a block ends: by its stated length if that can be believed, else by measure.

use memchr::memmem;

use crate::member::Step;
use crate::warc_frame::{Flaws, Head, Start};
use crate::{Format, RecordType};
use webmill_capture::error::Result;

use super::{MAX_BLANKS, Walk, WindowReach, blanks, find, separator, starts, starts_here};

/// This many zeros in a row are damage.
const SECTOR: usize = 512;

pub(super) struct BlockEnd {
    /// Where the block ends.
    pub block: u64,
    /// Where the record ends, separator included.
    pub after: u64,
    /// Because the file does.
    pub cut: bool,
}

impl BlockEnd {
    fn at(block: u64, after: u64) -> BlockEnd {
        BlockEnd { block, after, cut: false }
    }
}

/// Does a head start in `bytes`, which `blanks` line ends stand before?
fn starts_after(format: Format, blanks: usize, bytes: &[u8], at_end: bool) -> Start {
    if blanks > 0 { starts_here(format, bytes, at_end) } else { starts(format, bytes, at_end) }
}

impl Walk {
    /// Finds the end of a block of stated length.
    pub(super) fn block(&mut self, head: &mut Head, length: u64) -> Result<BlockEnd> {
        let from = head.block_at as u64;
        let Some(until) = from.checked_add(length) else {
            return self.fault(from, format!("a block of {length} bytes"));
        };
        let keep = head.block_at + length.min(self.limit as u64) as usize;
        if self.members.is_plain() && until > keep as u64 {
            return self.long_plain_block(head, until, keep);
        }
        if let WindowReach::Short { at, end_of_file } = self.reach(until, keep)? {
            return self.short_block(head, length, at, end_of_file);
        }
        if let Some(after) = self.separator(until, head)? {
            return Ok(BlockEnd::at(until, after));
        }
        if !self.lenient {
            return self.fault(until, "no blank lines behind the block: its stated length is wrong");
        }
        if until > keep as u64 {
            head.flaws.add(Flaws::UNENDED);
            self.searching = true;
            return Ok(BlockEnd::at(until, until));
        }
        self.measure(head, Some(until))
    }

    /// A block of a plain file that is too long to be held: its end is looked at from afar.
    fn long_plain_block(&mut self, head: &mut Head, until: u64, keep: usize) -> Result<BlockEnd> {
        let from = head.block_at as u64;
        self.members.fill(keep)?;
        let behind = self.members.peek(until, 4096);
        if behind.is_empty() && self.members.peek(until - 1, 1).is_empty() {
            let cut = self.fault(from, format!("the file ends inside a block of {} bytes", until - from));
            return cut.map_err(|error| error.cutting_off(true));
        }
        let behind = self.members.peek(until, 4096);
        let n = blanks(behind);
        if !behind.starts_with(separator(self.format)) {
            head.flaws.add(Flaws::BLANKS);
            if n < behind.len() && starts_after(self.format, n, &behind[n..], true) == Start::No {
                head.flaws.add(Flaws::UNENDED);
            }
        }
        Ok(BlockEnd::at(until, until + n as u64))
    }

    /// The bytes end at `at`, before the block does.
    fn short_block(&mut self, head: &mut Head, length: u64, at: u64, end_of_file: bool) -> Result<BlockEnd> {
        let from = head.block_at;
        let cut =
            format!("the record is cut off: {} of {length} bytes are there", at.saturating_sub(from as u64));
        if !self.lenient || self.members.tail(0).len() as u64 != self.members.reach() {
            return self.fault(from as u64, cut).map_err(|error| error.cutting_off(end_of_file));
        }
        let found = find(self.format, self.members.window(), from, true);
        match found {
            Ok(next) if (next as u64) < at => self.measured(head, next),
            _ if end_of_file && (self.members.is_plain() || self.cut.is_some()) => {
                self.cut = Some(self.corrupt(self.members.offset(), cut).cutting_off(true));
                Ok(BlockEnd { block: at, after: at, cut: true })
            }
            _ => self.measured(head, at as usize),
        }
    }

    /// Checks what follows the block that ends at `until`, and gives where the separator ends; `None` when neither a
    /// head nor an end follows.
    fn separator(&mut self, until: u64, head: &mut Head) -> Result<Option<u64>> {
        let exact = separator(self.format);
        loop {
            let bytes = self.members.tail(until);
            if self.format == Format::Warc && bytes.starts_with(exact) {
                return Ok(Some(until + exact.len() as u64));
            }
            // One line end after an ARC block says little: what follows must fit too.
            let mut n = blanks(bytes);
            let mut verdict =
                if n < bytes.len() { starts_after(self.format, n, &bytes[n..], false) } else { Start::More };
            if verdict == Start::More && n <= MAX_BLANKS && self.more(usize::MAX)? == Step::Data {
                continue;
            }
            let bytes = self.members.tail(until);
            if verdict == Start::More {
                n = blanks(bytes);
                verdict = if n == bytes.len() {
                    Start::Yes
                } else {
                    starts_after(self.format, n, &bytes[n..], true)
                };
            }
            if verdict != Start::Yes {
                return Ok(None);
            }
            if &bytes[..n] != exact && head.kind != RecordType::FileDesc {
                head.flaws.add(Flaws::BLANKS);
            }
            return Ok(Some(until + n as u64));
        }
    }

    /// No usable length: a compressed member or the next head ends the block.
    pub(super) fn unmeasured(&mut self, head: &mut Head) -> Result<BlockEnd> {
        let from = head.block_at as u64;
        let believed = !self.members.is_plain() || head.kind == RecordType::FileDesc;
        if !self.lenient || !believed {
            return self.fault(from, "the record states no length, or none that is a number");
        }
        head.flaws.add(Flaws::NO_LENGTH);
        self.measure(head, None)
    }

    /// Measures a block whose stated end (`until`) is wrong or missing: it ends before the next head, or with its
    /// member.
    fn measure(&mut self, head: &mut Head, until: Option<u64>) -> Result<BlockEnd> {
        let most = head.block_at + self.limit;
        let mut from = head.block_at;
        loop {
            let window = self.members.window();
            match find(self.format, &window[..window.len().min(most)], from, false) {
                Ok(next) => return self.measured_to(head, until, next),
                Err(seen) => from = seen.max(from),
            }
            if self.members.window().len() >= most {
                break;
            }
            if self.more(usize::MAX)? == Step::End {
                let all = self.members.window().len();
                return match find(self.format, self.members.window(), from, true) {
                    Ok(next) => self.measured_to(head, until, next),
                    Err(_) => self.measured_to(head, until, all),
                };
            }
        }
        head.flaws.add(Flaws::UNENDED);
        self.searching = true;
        let end = until.unwrap_or(most as u64);
        Ok(BlockEnd::at(end, end))
    }

    /// As [`Walk::measured`], but for a bad sector behind the stated end: it and what follows up to `next` is lost.
    fn measured_to(&mut self, head: &mut Head, until: Option<u64>, next: usize) -> Result<BlockEnd> {
        let window = self.members.window();
        if let Some(until) = until
            && window.get(until as usize..next).is_some_and(|gap| memmem::find(gap, &[0; SECTOR]).is_some())
        {
            head.flaws.add(Flaws::UNENDED);
            self.searching = true;
            return Ok(BlockEnd::at(until, until));
        }
        self.measured(head, next)
    }

    /// The block was found to end before `next`, less its separator.
    fn measured(&mut self, head: &mut Head, next: usize) -> Result<BlockEnd> {
        let separator = separator(self.format);
        let block = &self.members.window()[head.block_at..next];
        let block = block.strip_suffix(separator).or(block.strip_suffix(b"\n\n")).unwrap_or(block);
        if head.length.is_some() {
            head.flaws.add(Flaws::LENGTH);
        }
        Ok(BlockEnd::at((head.block_at + block.len()) as u64, next as u64))
    }
}
