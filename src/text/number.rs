//! Numbers as people read them.

/// A number with its thousands apart: `34,100`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of bytes in the largest unit in which it is a whole number, so that nothing is lost by reading it again.
pub fn whole_size(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, shift)| bytes > 0 && bytes.is_multiple_of(1 << shift)) {
        Some((name, shift)) => format!("{} {name}", bytes >> shift),
        None => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (34_100, "34,100"),
            (1_251_510, "1,251,510"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn sizes_lose_nothing() {
        for (bytes, text) in [
            (0, "0"),
            (1, "1"),
            (1000, "1000"),
            (1 << 10, "1 KiB"),
            (64 << 10, "64 KiB"),
            (3 << 19, "1536 KiB"),
            (16 << 20, "16 MiB"),
            (2 << 30, "2 GiB"),
            (1 << 40, "1 TiB"),
            (5 << 50, "5120 TiB"),
            ((1 << 20) + 1, "1048577"),
        ] {
            assert_eq!(whole_size(bytes), text);
        }
    }
}
