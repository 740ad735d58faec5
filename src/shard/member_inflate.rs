//! A whole gzip member from one slice into another, by libdeflate: all `unsafe` code of the shard readers.
//!
//! Archives hold one small gzip member a record. Where its stored bytes are at hand together with room for what they
//! decode to, the state that a streaming decoder keeps between calls is not needed, and libdeflate, which keeps none,
//! takes about half the time (its CRC-32 included). It names no place and no reason for what it refuses, nor can it
//! tell damage from too little input: whoever needs to know asks a streaming decoder, whose verdict counts. In turn it
//! takes a few members that streaming decoders refuse for the form of their codes although what they decode to agrees
//! with its CRC-32 and length: their data is sound, and nothing is lost.
//!
//! Reference: RFC 1951, RFC 1952; <https://github.com/ebiggers/libdeflate>, `libdeflate.h`.

use std::ptr::NonNull;

use libdeflate_sys as c;

/// Why a member was not inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InflateStop {
    /// The output is too small; or the input ends, and the zeros that libdeflate assumes after it (8 bytes at most)
    /// decode to more than there is room for.
    Output,
    /// The input ends first, or is no sound gzip member.
    Input,
}

/// A decompressor, to be used again from member to member.
pub(super) struct Inflater(NonNull<c::libdeflate_decompressor>);

// SAFETY: the decompressor is memory of its own that points nowhere but to the function that frees it; libdeflate keeps
// nothing of it per thread, and whoever owns the `Inflater` owns the only pointer to it.
unsafe impl Send for Inflater {}

impl Inflater {
    /// `None` when memory for its tables (12 KiB) is lacking.
    pub fn new() -> Option<Inflater> {
        // SAFETY: takes nothing; gives null or an object that is ours until `drop`. What else it does, finding the
        // CPU's features, is idempotent and meant to run in several threads at once.
        NonNull::new(unsafe { c::libdeflate_alloc_decompressor() }).map(Inflater)
    }

    /// Inflates the gzip member at the start of `input`, whatever follows it, to the start of `out`, and checks CRC-32
    /// and length. Gives the number of bytes read and written; after a [`InflateStop`], `out` may hold anything.
    pub fn member(&mut self, input: &[u8], out: &mut [u8]) -> Result<(usize, usize), InflateStop> {
        let (mut read, mut made) = (0, 0);
        // SAFETY: `self.0` came from `libdeflate_alloc_decompressor`, is not freed before `drop`, and `&mut self` keeps
        // every other call away. `input` is readable and `out` writable for the lengths given with them, and they do
        // not overlap, one being borrowed mutably; libdeflate never reads or writes beyond these lengths, whatever the
        // bytes are. `out` is initialised and stays so, since bytes are only ever written. `read` and `made` are live
        // for the call; nothing is kept after it.
        let status = unsafe {
            c::libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                out.as_mut_ptr().cast(),
                out.len(),
                &mut read,
                &mut made,
            )
        };
        match status {
            // The bounds are promised; whoever slices by these numbers may rely on more than a promise.
            c::libdeflate_result_LIBDEFLATE_SUCCESS if read <= input.len() && made <= out.len() => {
                Ok((read, made))
            }
            c::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err(InflateStop::Output),
            _ => Err(InflateStop::Input),
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `libdeflate_alloc_decompressor`, and nobody can use it after this.
        unsafe { c::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

#[cfg(test)]
#[path = "member_inflate_tests.rs"]
mod tests;
