//! About how many tokens a text has, where nobody counted them.

/// About how many tokens a text has: four letters of ASCII each, or one of other letters.
pub(in crate::engine) fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    // Every character that is not ASCII has one byte that is no continuation.
    let other = text.bytes().filter(|byte| *byte >= 0xc0).count() as u64;
    ascii.div_ceil(4) + other
}
