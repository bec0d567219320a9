//! Parses moments as people write them: a date, a time, or an age. Pure.

use super::Timestamp;
use jiff::tz::TimeZone;
use jiff::{Span, civil};

/// The units of an age, in hours.
const UNITS: [(char, i64); 4] = [('h', 1), ('d', 24), ('w', 24 * 7), ('y', 24 * 365)];

/// Parses `90d`, `12h`, `2026-11-01` (its beginning in this zone), or a time of RFC 3339; `None` for anything else.
pub(crate) fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    for (unit, hours) in UNITS {
        if let Some(number) = text.strip_suffix(unit).and_then(|number| number.parse::<u32>().ok()) {
            let ms = i64::from(number).checked_mul(hours)?.checked_mul(3_600_000)?;
            return Some(Timestamp(now.0.saturating_sub(ms)));
        }
    }
    let at = match text.parse::<jiff::Timestamp>() {
        Ok(at) => at,
        Err(_) => match text.parse::<civil::DateTime>() {
            Ok(time) => time.to_zoned(zone.clone()).ok()?.timestamp(),
            Err(_) => text.parse::<civil::Date>().ok()?.to_zoned(zone.clone()).ok()?.timestamp(),
        },
    };
    Some(Timestamp(at.as_millisecond()))
}

/// The end of what was written: of a date, the beginning of the next day.
pub(crate) fn read_end(text: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(day) = text.trim().parse::<civil::Date>()
        && !text.contains(':')
    {
        let next = day.checked_add(Span::new().days(1)).ok()?.to_zoned(zone.clone()).ok()?;
        return Some(Timestamp(next.timestamp().as_millisecond()));
    }
    read(text, now, zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_767_225_600_000); // 2026-01-01T00:00:00Z

    #[test]
    fn a_moment_is_a_date_a_time_or_an_age() {
        let day = 86_400_000;
        for (text, moment) in [
            ("0h", Some(NOW.0)),
            ("90d", Some(NOW.0 - 90 * day)),
            ("2w", Some(NOW.0 - 14 * day)),
            ("2025-12-31", Some(NOW.0 - day)),
            ("2025-12-31T12:00", Some(NOW.0 - day / 2)),
            ("2025-12-31T12:00:00+12:00", Some(NOW.0 - day)),
            ("", None),
            ("90", None),
            ("-3d", None),
            ("99999999999d", None),
            ("d", None),
            ("yesterday", None),
        ] {
            assert_eq!(read(text, NOW, &TimeZone::UTC), moment.map(Timestamp), "{text}");
        }
        assert_eq!(read_end("2025-12-31", NOW, &TimeZone::UTC), Some(NOW));
        assert_eq!(read_end("1d", NOW, &TimeZone::UTC), Some(Timestamp(NOW.0 - day)));
    }
}
