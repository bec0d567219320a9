//! Decides whether a printed time is that of its run. A date in the data is not: it is far from the run, and has to be
//! equal.

use super::RunFacts;
use jiff::civil::{Date, DateTime, Time};

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// The greatest distance of a moment from its run: any time zone, and a little more.
const MAX_MOMENT_DISTANCE: i64 = 16 * 60 * MINUTE;
/// The greatest distance of a day from its run.
const MAX_DAY_DISTANCE: i64 = DAY + MAX_MOMENT_DISTANCE;
/// Offsets of time zones are multiples of a quarter of an hour.
const QUARTER_HOUR: i64 = 15 * MINUTE;
/// How much longer than the run a printed duration may be, because clocks are read at different moments and rounded: by
/// this factor, plus this many milliseconds.
const MAX_DURATION_FACTOR: f64 = 1.25;
const DURATION_MARGIN_MS: f64 = 100.0;
/// The greatest distance of a time of day from its run, in some time zone.
const MAX_CLOCK_DISTANCE: i64 = 2 * MINUTE;

/// A printed time, in an unknown time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintedTime {
    /// Milliseconds of Unix time, if the time zone were UTC.
    Moment(i64),
    Day(i64),
    /// Without a year: month, day, and milliseconds of that day.
    OfSomeYear(i8, i8, i64),
    /// Milliseconds of a day.
    Clock(i64),
}

impl PrintedTime {
    /// Parses a text in the shape of a time; `None` if there is no such day or hour.
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
            // Python omits trailing parts that are 0.
            [year, month, day, hour] => of_day(year, month, day, Some(clock(hour, 0, 0)?)),
            [year, month, day, hour, minute] => of_day(year, month, day, Some(clock(hour, minute, 0)?)),
            [year, month, day, hour, minute, second, ..] => {
                of_day(year, month, day, Some(clock(hour, minute, second)?))
            }
            _ => None,
        }
    }

    /// Whether this can be a time of the run.
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
                // The time zone is not known: its offset may be any multiple of a quarter of an hour.
                let behind = (at - from + MAX_CLOCK_DISTANCE).rem_euclid(QUARTER_HOUR);
                behind <= to.saturating_sub(from).max(0) + 2 * MAX_CLOCK_DISTANCE
            }
        }
    }
}

/// Whether a number is the Unix time of a run, in seconds, milliseconds, microseconds or nanoseconds.
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
    // Up to a day from it: a program may compute times relative to now.
    text.parse::<f64>().is_ok_and(|value| ((from - DAY) as f64..=(to + DAY) as f64).contains(&(value * unit)))
}

/// Whether a duration can be that of something in the run. A longer one was not measured in it, so it is data.
pub(super) fn is_within(text: &str, run: &RunFacts) -> bool {
    let (from, to) = run.time;
    let longest = to.saturating_sub(from).max(run.processor_ms).max(0) as f64;
    duration(text).is_some_and(|ms| ms <= longest * MAX_DURATION_FACTOR + DURATION_MARGIN_MS)
}

/// Parses a duration to milliseconds: `0m1.5s`, `0:00:01.5`, `12 ms`.
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
