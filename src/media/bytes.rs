//! Numbers at a place of bytes, `None` where these end before.

macro_rules! number {
    ($($name:ident: $kind:ty, $from:ident;)*) => {
        $(
            #[doc = concat!("The ", stringify!($kind), " that begins at `at`.")]
            pub(crate) fn $name(bytes: &[u8], at: usize) -> Option<$kind> {
                Some(<$kind>::$from(*bytes.get(at..)?.first_chunk()?))
            }
        )*
    };
}

number! {
    be16: u16, from_be_bytes;
    be32: u32, from_be_bytes;
    be64: u64, from_be_bytes;
    le16: u16, from_le_bytes;
    le32: u32, from_le_bytes;
    le64: u64, from_le_bytes;
}

/// The byte at `at`.
pub(crate) fn byte(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

/// The 24 bits at `at`, the highest byte first.
pub(crate) fn be24(bytes: &[u8], at: usize) -> Option<u32> {
    let [a, b, c] = *bytes.get(at..)?.first_chunk()?;
    Some(u32::from_be_bytes([0, a, b, c]))
}

/// The 24 bits at `at`, the lowest byte first.
pub(crate) fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    let [a, b, c] = *bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes([a, b, c, 0]))
}

/// The bytes from `at` on; none where there are none.
pub(crate) fn from(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// As many of the first `length` bytes as there are.
pub(crate) fn first(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// `amount · per / of` without overflow; `None` for a division by zero.
pub(crate) fn scaled(amount: u64, per: u64, of: u64) -> Option<u64> {
    let exact = u128::from(amount) * u128::from(per);
    // Halves are rounded up.
    u64::try_from((exact + u128::from(of) / 2).checked_div(u128::from(of))?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_with_the_bytes() {
        let bytes = [1, 2, 3, 4, 5];
        assert_eq!((be16(&bytes, 0), le16(&bytes, 3), le16(&bytes, 4)), (Some(258), Some(1284), None));
        assert_eq!((be24(&bytes, 2), le24(&bytes, 2)), (Some(0x30405), Some(0x50403)));
        assert_eq!(be32(&bytes, usize::MAX), None);
    }

    #[test]
    fn a_product_beyond_64_bits_is_divided_first() {
        assert_eq!(scaled(u64::MAX, 1000, 1000), Some(u64::MAX));
        assert_eq!((scaled(3, 1, 2), scaled(u64::MAX, 2, 1), scaled(1, 1, 0)), (Some(2), None, None));
    }
}
