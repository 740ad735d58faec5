//! Numbers and strings as bytes: LEB128 numbers, strings behind their length. Reading never passes the end and says
//! what was wrong in words, to which whoever knows the file adds path and offset.

/// What rule some bytes break.
pub(super) type Fault = &'static str;

/// Appends a number, seven bits a byte.
pub(super) fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends bytes behind their length.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads what the above wrote.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wire<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Wire<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Wire { bytes, at: 0 }
    }

    /// How far it has read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let end = self.at.checked_add(length).ok_or("a length past all bounds")?;
        let taken = self.bytes.get(self.at..end).ok_or("it ends before its time")?;
        self.at = end;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn number(&mut self) -> Result<u64, Fault> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number of more than 64 bits")
    }

    /// A number that counts what lies in memory.
    pub(super) fn count(&mut self, limit: usize) -> Result<usize, Fault> {
        usize::try_from(self.number()?).ok().filter(|&n| n <= limit).ok_or("a number that is too large")
    }

    pub(super) fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.take(8)?.try_into().expect("eight bytes")))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")))
    }

    pub(super) fn sized(&mut self) -> Result<&'a [u8], Fault> {
        let length = self.count(usize::MAX)?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Fault> {
        std::str::from_utf8(self.sized()?).map_err(|_| "text that is not UTF-8")
    }
}

/// Signed numbers as unsigned ones, small where the distance from 0 is.
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in proptest::collection::vec(any::<u64>(), 0..20), signed in any::<i64>()) {
            let mut bytes = Vec::new();
            for &value in &values {
                put_number(&mut bytes, value);
            }
            let mut wire = Wire::new(&bytes);
            for &value in &values {
                prop_assert_eq!(wire.number(), Ok(value));
            }
            prop_assert!(wire.is_done() && wire.number().is_err());
            prop_assert_eq!(unzigzag(zigzag(signed)), signed);
        }

        #[test]
        fn foreign_bytes_are_an_error_at_worst(bytes in proptest::collection::vec(any::<u8>(), 0..30)) {
            let mut wire = Wire::new(&bytes);
            while wire.text().is_ok() || wire.number().is_ok() {}
        }
    }
}
