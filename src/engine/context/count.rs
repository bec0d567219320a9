//! Estimates how many tokens a text has where no provider counted them.

/// About how many tokens a text has: one for four ASCII characters, one for each other character.
pub(in crate::engine) fn tokens(text: &str) -> u64 {
    // Most texts are ASCII alone, which is found out many bytes at a time.
    if text.is_ascii() {
        return (text.len() as u64).div_ceil(4);
    }
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    // Each non-ASCII character has exactly one byte from 0xc0 on; the others are continuation bytes.
    let other = text.bytes().filter(|byte| *byte >= 0xc0).count() as u64;
    ascii.div_ceil(4) + other
}
