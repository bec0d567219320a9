//! Opens an image with the desktop's program for it, outside of any sandbox. A run made the image, so what is opened
//! has to be harmless by its bytes, name and record: a picture in one of a few plain formats, and nothing that a
//! desktop would run. The person is asked first (in `tui`), and the file has to match the record.

use super::images::{SessionFileError, kind, session_file};
use crate::domain::ImageRef;
use crate::launch::{LaunchError, Launcher, Start};
use crate::text::system_error::words;
use crate::workspace::read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const OPENER: Start = if cfg!(target_os = "macos") { Start::Open } else { Start::XdgOpen };
/// Larger files are not opened.
const MAX_BYTES: u64 = 64 << 20;
/// What may be opened: MIME types, and their file extensions. No text, no SVG, nothing that can contain a script.
const INERT_TYPES: &[(&str, &[&str])] = &[
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
];

/// Why an image was not opened, and what can be done instead.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenError {
    /// The image by its name, and why it may not be opened.
    #[error("{0} is not opened: {1}. w saves it.")]
    NotInert(String, SessionFileError),
    /// The desktop's program is missing, or can't be trusted.
    #[error("{why}. The file is {}", path.display())]
    NoOpener { why: LaunchError, path: PathBuf },
    #[error("{}. The file is {}", words(why), path.display())]
    NotStarted { why: std::io::Error, path: PathBuf },
}

/// Starts the desktop's opener on an image without waiting for it. Returns the opened file.
///
/// # Errors
/// When the file no longer matches its record, is of a kind that is not opened, or there is no opener.
pub(super) fn open_externally(
    image: &ImageRef,
    blobs: &Path,
    programs: &Launcher,
) -> Result<PathBuf, OpenError> {
    let path = inert_file(image, blobs).map_err(|why| OpenError::NotInert(image.name.clone(), why))?;
    let mut command =
        programs.command(OPENER).map_err(|why| OpenError::NoOpener { why, path: path.clone() })?;
    command.arg(&path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|why| OpenError::NotStarted { why, path: path.clone() })?;
    std::thread::spawn(move || child.wait());
    Ok(path)
}

/// The file of an image, if it is among this session's own files, is of an inert type and matches the record.
fn inert_file(image: &ImageRef, blobs: &Path) -> Result<PathBuf, SessionFileError> {
    let info = std::fs::symlink_metadata(&image.path).map_err(|_| SessionFileError::Gone)?;
    if !info.is_file() {
        return Err(SessionFileError::NoFile);
    }
    let place = session_file(&image.path, blobs)?;
    let path = place.path();
    let endings = INERT_TYPES.iter().find(|(mime, _)| *mime == image.mime).map(|(_, endings)| *endings);
    let endings = endings.ok_or_else(|| SessionFileError::MayRun(image.mime.clone()))?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !endings.contains(&ending) {
        return Err(SessionFileError::Name);
    }
    let bytes = read::held(&place, MAX_BYTES)?;
    if bytes.len() as u64 != image.bytes || kind(&bytes) != Some(image.mime.as_str()) {
        return Err(SessionFileError::Changed);
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";

    fn image(path: PathBuf, mime: &str, bytes: usize) -> ImageRef {
        ImageRef { path, name: "figure".into(), mime: mime.into(), width: 1, height: 1, bytes: bytes as u64 }
    }

    #[test]
    fn only_a_plain_image_of_the_session_that_is_as_it_was_made_is_opened() {
        let home = tempfile::tempdir().unwrap();
        let blobs = home.path().join("blobs");
        std::fs::create_dir(&blobs).unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = blobs.join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let good = put("a.png", PNG);
        assert!(inert_file(&image(good.clone(), "image/png", PNG.len()), &blobs).is_ok());
        let entry = b"[Desktop Entry]\nExec=touch /tmp/x\n";
        let page = b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>";
        let outside = home.path().join("b.png");
        std::fs::write(&outside, PNG).unwrap();
        let link = blobs.join("link.png");
        symlink(&good, &link).unwrap();
        let cases = [
            (image(put("x.desktop", entry), "image/png", entry.len()), "its name"),
            (image(put("x.png", entry), "image/png", entry.len()), "not what the run made"),
            (image(put("x.svg", page), "image/svg+xml", page.len()), "may be run"),
            (image(put("x.html", page), "text/html", page.len()), "may be run"),
            (image(put("p.desktop", PNG), "image/png", PNG.len()), "its name"),
            (image(good, "image/png", PNG.len() + 1), "not what the run made"),
            (image(outside, "image/png", PNG.len()), "does not belong"),
            (image(blobs.join("../b.png"), "image/png", PNG.len()), "does not belong"),
            (image(link, "image/png", PNG.len()), "link"),
            (image(blobs.join("gone.png"), "image/png", 1), "gone"),
        ];
        for (image, why) in cases {
            let told = inert_file(&image, &blobs).unwrap_err().to_string();
            assert!(told.contains(why), "{}: {told}", image.path.display());
        }
    }

    #[test]
    fn an_opener_that_a_run_could_have_written_is_not_started() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let (blobs, work) = (home.path().join("blobs"), home.path().join("work"));
        for folder in [&blobs, &work] {
            std::fs::create_dir(folder).unwrap();
        }
        let trap = work.join("xdg-open");
        std::fs::write(&trap, format!("#!/bin/sh\ntouch {}/mark\n", home.path().display())).unwrap();
        std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = blobs.join("a.png");
        std::fs::write(&path, PNG).unwrap();
        let launcher =
            Launcher::new(work.as_os_str(), crate::launch::WritableFolders::new(&work, None, &[], &[]));
        let told =
            open_externally(&image(path, "image/png", PNG.len()), &blobs, &launcher).unwrap_err().to_string();
        assert!(told.contains("is not on the PATH outside"), "{told}");
        assert!(!home.path().join("mark").exists());
    }
}
