//! Formats numbers for people.

/// A number with separated thousands: `34,100`.
pub(crate) fn grouped(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        more => format!("{},{:03}", grouped(more), number % 1000),
    }
}

/// A size in the largest unit in which it is a whole number, so that parsing it back is exact.
pub(crate) fn whole_size(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, shift)| bytes > 0 && bytes.is_multiple_of(1 << shift)) {
        Some((name, shift)) => format!("{} {name}", bytes >> shift),
        None => bytes.to_string(),
    }
}

/// An amount in billionths of a US dollar: `$2.00`; small amounts with four decimals.
pub(crate) fn dollars(nanos: u64) -> String {
    let amount = nanos as f64 / 1e9;
    if nanos > 0 && nanos < 100_000_000 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// A count with its noun: `1 block`, `2,000 blocks`, `3 entries`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {}", grouped(count as u64), plural(noun)) }
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

/// The size of a file: `61 B`, `48 KB`, `1.2 MB`.
pub fn size(bytes: u64) -> String {
    scaled(bytes, 1000, ["B", "KB", "MB", "GB", "TB", "PB"])
}

/// An amount of memory: `118 MiB`, `1.5 GiB`.
pub fn memory(bytes: u64) -> String {
    scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

/// The first two units have no decimals; larger ones have one below 10, unless it is 0.
fn scaled(bytes: u64, step: u64, units: [&str; 6]) -> String {
    let mut scale = 1;
    let mut unit = 0;
    // What would be rounded up to the next unit is one of that.
    while unit + 1 < units.len() && bytes.saturating_add(scale / 2) / scale >= step {
        scale *= step;
        unit += 1;
    }
    let name = units.get(unit).copied().unwrap_or_default();
    let tenths = (u128::from(bytes) * 10 / u128::from(scale)).max(if unit > 0 { 10 } else { 0 });
    if unit < 2 || tenths >= 100 || tenths.is_multiple_of(10) {
        format!("{} {name}", (tenths + 5) / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

/// Formats milliseconds: `12 ms`, `0.1 s`, `6.1 s`, `14 s`, `3 min 20 s`.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..=94 => format!("{ms} ms"),
        95..=9_949 => format!("{}.{} s", (ms + 50) / 1000, (ms + 50) % 1000 / 100),
        9_950..=99_499 => format!("{} s", (ms + 500) / 1000),
        _ => {
            let seconds = (ms + 500) / 1000;
            match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
                (0, m, 0) => format!("{m} min"),
                (0, m, s) => format!("{m} min {s} s"),
                (h, m, _) => format!("{h} h {m} min"),
            }
        }
    }
}

/// Formats a limit without meaningless digits: `60 s`, `1.5 s`.
pub fn limit(ms: u64) -> String {
    if ms.is_multiple_of(1000) {
        format!("{} s", ms / 1000)
    } else {
        format!("{}.{} s", ms / 1000, ms % 1000 / 100)
    }
}

/// The leading numbers of a version, for comparison; stops at the first part that is no number.
pub(crate) fn version_numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// These bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_in_one_unit() {
        for (bytes, file, held) in [
            (0, "0 B", "0 B"),
            (61, "61 B", "61 B"),
            (999, "999 B", "999 B"),
            (1536, "2 KB", "2 KiB"),
            (48_000, "48 KB", "47 KiB"),
            (999_499, "999 KB", "976 KiB"),
            (999_999, "1 MB", "977 KiB"),
            ((1 << 20) - 1, "1 MB", "1 MiB"),
            (1_200_000, "1.2 MB", "1.1 MiB"),
            (999_600_000, "1 GB", "953 MiB"),
            (118 << 20, "124 MB", "118 MiB"),
            (3 << 29, "1.6 GB", "1.5 GiB"),
            (2 << 30, "2.1 GB", "2 GiB"),
            (3 << 40, "3.2 TB", "3 TiB"),
            (u64::MAX, "18447 PB", "16384 PiB"),
        ] {
            assert_eq!((size(bytes).as_str(), memory(bytes).as_str()), (file, held), "{bytes}");
        }
    }

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
    fn counts_have_their_nouns() {
        for (count, noun, text) in [
            (1, "entry", "1 entry"),
            (0, "entry", "0 entries"),
            (2, "key", "2 keys"),
            (3, "match", "3 matches"),
            (4, "old session", "4 old sessions"),
            (1_500, "block", "1,500 blocks"),
        ] {
            assert_eq!(counted(count, noun), text);
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
