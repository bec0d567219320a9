//! Whether a time that a program printed is that of its run. A date that stands in data is not: it lies elsewhere, and has
//! to be the same.

use super::RunFacts;
use jiff::civil::{Date, DateTime, Time};

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// How far a moment may lie from its run: whatever the time zone is in which it was told, and a little more.
const MAX_MOMENT_DISTANCE: i64 = 16 * 60 * MINUTE;
/// How far a day may lie from it.
const MAX_DAY_DISTANCE: i64 = DAY + MAX_MOMENT_DISTANCE;
/// Time zones are quarters of an hour apart.
const QUARTER_HOUR: i64 = 15 * MINUTE;
/// Clocks are not read at one moment, and what measures rounds: so much longer than the run a duration may be, and
/// milliseconds besides.
const MAX_DURATION_FACTOR: f64 = 1.25;
const DURATION_MARGIN_MS: f64 = 100.0;
/// How far a time of day may lie from its run, in some zone.
const MAX_CLOCK_DISTANCE: i64 = 2 * MINUTE;

/// A time as it was printed, whatever its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintedTime {
    /// Milliseconds of Unix time, as if it were told in UTC.
    Moment(i64),
    Day(i64),
    /// Without a year: month, day, and milliseconds of that day.
    OfSomeYear(i8, i8, i64),
    /// Milliseconds of a day.
    Clock(i64),
}

impl PrintedTime {
    /// Reads what has the shape of a time; `None`: there is no such day or hour.
    pub(super) fn read(text: &str) -> Option<Self> {
        let numbers: Vec<i64> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .map_while(|digits| digits.parse().ok())
            .collect();
        if let Some(month) = month(text) {
            return match *numbers.as_slice() {
                [day, hour, minute] => {
                    Some(PrintedTime::OfSomeYear(month, i8::try_from(day).ok()?, clock(hour, minute, 0)?))
                }
                [day, hour, minute, second, year] => {
                    of_day(year, i64::from(month), day, Some(clock(hour, minute, second)?))
                }
                _ => None,
            };
        }
        match *numbers.as_slice() {
            [hour, minute, second] | [hour, minute, second, _] if text.get(2..3) == Some(":") => {
                clock(hour, minute, second).map(PrintedTime::Clock)
            }
            [year, month, day] => of_day(year, month, day, None),
            // In Python a whole hour or minute is told without what is 0 behind it.
            [year, month, day, hour] => of_day(year, month, day, Some(clock(hour, 0, 0)?)),
            [year, month, day, hour, minute] => of_day(year, month, day, Some(clock(hour, minute, 0)?)),
            [year, month, day, hour, minute, second, ..] => {
                of_day(year, month, day, Some(clock(hour, minute, second)?))
            }
            _ => None,
        }
    }

    /// Whether it is the time of a run.
    pub(super) fn is_of(self, run: &RunFacts) -> bool {
        let (from, to) = run.time;
        match self {
            PrintedTime::Moment(at) => (from - MAX_MOMENT_DISTANCE..=to + MAX_MOMENT_DISTANCE).contains(&at),
            PrintedTime::Day(at) => (from - MAX_DAY_DISTANCE..=to + MAX_MOMENT_DISTANCE).contains(&at),
            PrintedTime::OfSomeYear(month, day, clock) => years(run).into_iter().any(|year| {
                let of_year = of_day(i64::from(year), i64::from(month), i64::from(day), Some(clock));
                of_year.is_some_and(|stamp| stamp.is_of(run))
            }),
            PrintedTime::Clock(at) => {
                // The zone is not known: any quarter of an hour may be its offset.
                let behind = (at - from + MAX_CLOCK_DISTANCE).rem_euclid(QUARTER_HOUR);
                behind <= to.saturating_sub(from).max(0) + 2 * MAX_CLOCK_DISTANCE
            }
        }
    }
}

/// Whether a number is the Unix time of a run: in seconds, or in thousandths, millionths or billionths of them.
pub(super) fn is_unix_time(text: &str, run: &RunFacts) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let unit = match whole.len() {
        10 => 1000.0,
        13 => 1.0,
        16 => 1e-3,
        19 => 1e-6,
        _ => return false,
    };
    if !part.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let (from, to) = run.time;
    // A day around it: what a program reckons from now is as much of its time.
    text.parse::<f64>().is_ok_and(|value| ((from - DAY) as f64..=(to + DAY) as f64).contains(&(value * unit)))
}

/// Whether a duration may be one of the run itself: longer than it took is nothing that it measured, but data.
pub(super) fn is_within(text: &str, run: &RunFacts) -> bool {
    let (from, to) = run.time;
    let longest = to.saturating_sub(from).max(run.processor_ms).max(0) as f64;
    duration(text).is_some_and(|ms| ms <= longest * MAX_DURATION_FACTOR + DURATION_MARGIN_MS)
}

/// Milliseconds of a duration: `0m1.5s`, `0:00:01.5`, `12 ms`.
fn duration(text: &str) -> Option<f64> {
    let text = text.replace(',', ".");
    let number = |digits: &str| digits.trim().parse::<f64>().ok();
    if let Some((minutes, seconds)) = text.strip_suffix('s').and_then(|text| text.split_once('m'))
        && let (Some(minutes), Some(seconds)) = (number(minutes), number(seconds))
    {
        return Some((minutes * 60.0 + seconds) * 1000.0);
    }
    if text.contains(':') {
        let parts = text.split(':').map(number).collect::<Option<Vec<f64>>>()?;
        return Some(parts.into_iter().fold(0.0, |all, part| all * 60.0 + part) * 1000.0);
    }
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (digits, unit) = text.split_at_checked(unit)?;
    let ms = match unit.trim() {
        "ns" => 1e-6,
        "us" | "µs" | "μs" => 1e-3,
        "ms" => 1.0,
        _ => 1000.0,
    };
    Some(number(digits)? * ms)
}

/// The years in which a run may have been, in some time zone.
fn years(run: &RunFacts) -> [i16; 2] {
    let year = |at: i64| {
        jiff::Timestamp::from_millisecond(at).map_or(1970, |at| at.to_zoned(jiff::tz::TimeZone::UTC).year())
    };
    [year(run.time.0.saturating_sub(DAY)), year(run.time.1.saturating_add(DAY))]
}

fn month(text: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    (1..).zip(MONTHS).find(|(_, name)| text.contains(name)).map(|(month, _)| month)
}

/// Milliseconds of a day.
fn clock(hour: i64, minute: i64, second: i64) -> Option<i64> {
    let part = |value: i64| i8::try_from(value).ok();
    Time::new(part(hour)?, part(minute)?, part(second)?, 0).ok()?;
    Some(((hour * 60 + minute) * 60 + second) * 1000)
}

fn of_day(year: i64, month: i64, day: i64, clock: Option<i64>) -> Option<PrintedTime> {
    let part = |value: i64| i8::try_from(value).ok();
    let date = Date::new(i16::try_from(year).ok()?, part(month)?, part(day)?).ok()?;
    let begin = DateTime::from_parts(date, Time::midnight()).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    let begin = begin.timestamp().as_millisecond();
    Some(clock.map_or(PrintedTime::Day(begin), |clock| PrintedTime::Moment(begin + clock)))
}
