//! Parses times, sizes and counts as people type them. Pure; each limit checks its own bounds.

/// A number and the unit after it, in lower case.
fn number(typed: &str) -> Option<(f64, String)> {
    let typed = typed.trim().replace([',', '_'], "");
    let at = typed.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(typed.len());
    let (digits, unit) = typed.split_at_checked(at)?;
    Some((digits.parse().ok()?, unit.trim().to_ascii_lowercase()))
}

fn scaled(number: f64, unit: f64) -> Option<u64> {
    let amount = (number * unit).round();
    // Above this a float is not exact any more, and far above all bounds.
    (amount < 9.0e15).then_some(amount as u64)
}

/// `90`, `90 s`, `5 min`, `1h`, `500 ms`: seconds, unless a unit is given.
pub(super) fn milliseconds(typed: &str) -> Option<u64> {
    let (amount, unit) = number(typed)?;
    let unit = match unit.as_str() {
        "" | "s" | "sec" | "second" | "seconds" => 1000.0,
        "ms" => 1.0,
        "m" | "min" | "minute" | "minutes" => 60_000.0,
        "h" | "hour" | "hours" => 3_600_000.0,
        _ => return None,
    };
    scaled(amount, unit)
}

/// `2G`, `2 GiB`, `512m`, `1.5 GB`, `4096`: bytes, unless a unit is given.
pub(super) fn bytes(typed: &str) -> Option<u64> {
    let (amount, unit) = number(typed)?;
    let (letter, rest) = unit.split_at_checked(1.min(unit.len()))?;
    let power = match letter {
        "" | "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let base: f64 = match (power, rest) {
        (0, "" | "ytes" | "yte") | (_, "" | "ib" | "i") => 1024.0,
        (1.., "b") => 1000.0,
        _ => return None,
    };
    scaled(amount, base.powi(power))
}

pub(super) fn count(typed: &str) -> Option<u64> {
    number(typed).filter(|(n, unit)| unit.is_empty() && n.fract() == 0.0).and_then(|(n, _)| scaled(n, 1.0))
}
