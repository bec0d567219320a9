//! Paths and sizes in words. Pure.

use std::path::{Path, PathBuf};

/// A path as it is shown: what lies below the home folder begins with `~`.
pub fn short(path: &Path, home: Option<&Path>) -> String {
    match home.filter(|home| home.components().count() > 1).and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".into(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// The place that a path means: relative to `cwd`, or below `~`.
pub fn expand(path: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => cwd.join(path),
    }
}

/// A size in words: `61 B`, `48 KB`, `1.2 MB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // What would be rounded to 1000 is one of the next unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let word = UNITS.get(unit).unwrap_or(&"PB");
    let digits = usize::from(value < 9.95);
    let text = format!("{value:.digits$}");
    format!("{} {word}", text.strip_suffix(".0").unwrap_or(&text))
}

/// A number with its thousands apart: `18,240`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened_and_expanded() {
        let home = Some(Path::new("/home/ada"));
        let cwd = Path::new("/work");
        for (path, shown) in [
            ("/home/ada/data/sales", "~/data/sales"),
            ("/home/ada", "~"),
            ("/home/adam/x", "/home/adam/x"),
            ("/etc", "/etc"),
        ] {
            assert_eq!(short(Path::new(path), home), shown);
            assert_eq!(expand(shown, cwd, home), Path::new(path));
        }
        assert_eq!(
            short(Path::new("/x"), Some(Path::new("/"))),
            "/x",
            "a root that is home shortens nothing"
        );
        assert_eq!(expand("a/b", cwd, home), Path::new("/work/a/b"));
        assert_eq!(expand("~ada", cwd, home), Path::new("/work/~ada"));
        assert_eq!(expand("~/x", cwd, None), Path::new("/work/~/x"));
    }

    #[test]
    fn sizes_and_counts_in_words() {
        for (bytes, words) in [
            (0, "0 B"),
            (61, "61 B"),
            (999, "999 B"),
            (1000, "1 KB"),
            (1_240, "1.2 KB"),
            (9_960, "10 KB"),
            (48_200, "48 KB"),
            (999_700, "1 MB"),
            (1_200_034, "1.2 MB"),
            (u64::MAX, "18447 PB"),
        ] {
            assert_eq!(size(bytes), words);
        }
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
    }
}
