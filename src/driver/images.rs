//! Reads the images of a request before it is sent; for images that can't be read, the text says so instead.

use crate::domain::{MessageImage, ModelRequest};
use crate::workspace::FileError;
use crate::workspace::held_path::{Folder, HeldPath};
use crate::workspace::read;
use std::path::Path;

/// Larger images are not sent.
const MAX_BYTES: u64 = 3 << 20;

/// Why a file of the session is not read, shown or opened.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionFileError {
    #[error("the session's folder is gone")]
    NoFolder,
    #[error("it is gone")]
    Gone,
    #[error("it does not belong to this session")]
    Foreign,
    #[error("it can't be read")]
    Unreadable,
    #[error("it is no such image")]
    NoSuchImage,
    #[error("it is a link, or no file any more")]
    NoFile,
    #[error("what {0} holds may be run by the program that shows it")]
    MayRun(String),
    #[error("its name is not that of such an image")]
    Name,
    #[error("it is not what the run made")]
    Changed,
    #[error(transparent)]
    File(#[from] FileError),
}

/// Whether a request still lacks the bytes of its images.
pub(super) fn needs_bytes(request: &ModelRequest) -> bool {
    request.messages.iter().any(|message| message.images.iter().any(|image| image.data.is_none()))
}

/// Reads the images of a request. Only reads files in the session's own folder of blobs: the session file may come from
/// somebody else and must not cause other files to be sent. Blocks; for a worker.
pub(super) fn read(mut request: ModelRequest, blobs: &Path) -> ModelRequest {
    for message in &mut request.messages {
        let mut missing = Vec::new();
        message.images.retain_mut(|image| match bytes(image, blobs) {
            Ok(data) => {
                image.data = Some(data.into());
                true
            }
            Err(why) => {
                missing.push(format!("[The image {} can't be shown: {why}.]", image.image.name));
                false
            }
        });
        for note in missing {
            message.text.push_str("\n\n");
            message.text.push_str(&note);
        }
    }
    request
}

fn bytes(image: &MessageImage, blobs: &Path) -> Result<Vec<u8>, SessionFileError> {
    let place = session_file(&image.image.path, blobs)?;
    let bytes = read::held(&place, MAX_BYTES).map_err(|_| SessionFileError::Unreadable)?;
    if kind(&bytes) == Some(image.image.mime.as_str()) {
        Ok(bytes)
    } else {
        Err(SessionFileError::NoSuchImage)
    }
}

/// Opens a file of a run (an image or a large output) if it is among this session's own files. The open place
/// guarantees that what is read is among them too.
pub(super) fn session_file(path: &Path, blobs: &Path) -> Result<HeldPath, SessionFileError> {
    let folder = Folder::find(blobs).map_err(|_| SessionFileError::NoFolder)?;
    let place = HeldPath::find(path).ok().filter(|place| place.found().is_some());
    let place = place.ok_or(SessionFileError::Gone)?;
    let belongs = place.path().starts_with(folder.path());
    belongs.then_some(place).ok_or(SessionFileError::Foreign)
}

/// The image format, by the first bytes.
pub(super) fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ImageRef, Message, Purpose, Role, StepId, samples};

    fn request(paths: &[&Path]) -> ModelRequest {
        let mut message = Message::new(Role::User, "look");
        message.images = paths
            .iter()
            .map(|path| MessageImage { image: ImageRef { bytes: 8, ..samples::image(path) }, data: None })
            .collect();
        ModelRequest::new(StepId(1), Purpose::Answer, vec![message])
    }

    #[test]
    fn images_of_the_session_are_read_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let (blobs, outside) = (home.path().join("blobs"), home.path().join("secret"));
        std::fs::create_dir(&blobs).unwrap();
        let (good, text, link) = (blobs.join("a.png"), blobs.join("b.png"), blobs.join("c.png"));
        std::fs::write(&good, b"\x89PNG....").unwrap();
        std::fs::write(&text, b"root:x:0:0").unwrap();
        std::fs::write(&outside, b"\x89PNG secret").unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let gone = blobs.join("d.png");
        let asked = request(&[&good, &text, &link, &outside, &gone]);
        assert!(needs_bytes(&asked));
        let read = read(asked, &blobs);
        assert!(!needs_bytes(&read));
        let [message] = &read.messages[..] else { panic!() };
        assert_eq!(message.images.len(), 1);
        assert_eq!(message.images[0].data.as_deref(), Some(&b"\x89PNG...."[..]));
        for why in ["no such image", "does not belong to this session", "is gone"] {
            assert!(message.text.contains(why), "{}", message.text);
        }
    }
}
