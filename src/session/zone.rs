//! The person's time zone. It is read when a time is first shown, directly from the file of the zone, because finding
//! the zone's name would search all zones of the system.

use jiff::tz::TimeZone;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

const SYSTEM_ZONE: &str = "/etc/localtime";
/// Where the system keeps its zones, by name.
const ZONE_FOLDER: &str = "/usr/share/zoneinfo";
/// Zone files have a few KiB.
const MAX_BYTES: u64 = 256 << 10;

/// The person's time zone: that of `TZ`, else the system's.
pub(crate) fn local() -> TimeZone {
    static LOCAL: OnceLock<TimeZone> = OnceLock::new();
    let found = || {
        let named = std::env::var("TZ").ok();
        file(named.as_deref()).and_then(|path| read(&path)).unwrap_or_else(TimeZone::system)
    };
    LOCAL.get_or_init(found).clone()
}

/// The zone file to read; `None` if `TZ` names no file.
fn file(named: Option<&str>) -> Option<PathBuf> {
    let Some(name) = named else { return Some(SYSTEM_ZONE.into()) };
    let path = Path::new(name.strip_prefix(':').unwrap_or(name));
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::RootDir);
    (!path.as_os_str().is_empty() && path.components().all(plain)).then(|| Path::new(ZONE_FOLDER).join(path))
}

fn read(path: &Path) -> Option<TimeZone> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    TimeZone::tzif("local", &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_a_file_of_the_system_or_what_tz_names() {
        assert_eq!(file(None), Some(SYSTEM_ZONE.into()));
        assert_eq!(file(Some("Europe/Berlin")), Some("/usr/share/zoneinfo/Europe/Berlin".into()));
        assert_eq!(file(Some(":/srv/zone")), Some("/srv/zone".into()));
        assert_eq!((file(Some("")), file(Some("../../etc/passwd"))), (None, None));
    }

    #[test]
    fn a_zone_that_is_read_tells_the_time_there() {
        // One time type, two hours east of Greenwich, in the format of RFC 9636.
        let mut bytes = b"TZif".to_vec();
        bytes.extend([0; 16 + 4 * 4]);
        bytes.extend([0, 0, 0, 1, 0, 0, 0, 4]);
        bytes.extend(7200_i32.to_be_bytes());
        bytes.extend(*b"\0\0EET\0");
        let mut zone = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut zone, &bytes).unwrap();
        let noon: jiff::Timestamp = "2026-07-01T12:00:00Z".parse().unwrap();
        assert_eq!(noon.to_zoned(read(zone.path()).unwrap()).hour(), 14);
        assert!(read(Path::new("/dev/null")).is_none());
    }
}
