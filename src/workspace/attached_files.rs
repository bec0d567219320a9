//! Reads the files that a message names with `@`: text files of the working folder, within limits. If one of them
//! can't be attached, the message is not sent.
//!
//! Each path is walked component by component through opened folders. Links are resolved by this code and never by
//! the system, and a link that leads out of the folder is refused.

use super::FileError;
use super::excerpt::binary_kind;
use super::held_path::{Folder, HeldPath};
use super::read as whole_file;
use crate::domain::{AttachedFile, Masker};
use crate::text::at_words::{AtWord, at_words};
use crate::text::path::normalize;
use rustix::fs::FileType;
use std::io::Read as _;
use std::path::{Path, PathBuf};

const MAX_FILE_BYTES: usize = 32_000;
const MAX_TOTAL_BYTES: usize = 128_000;
/// How far to read beyond the limit, to find the end of a key that begins before it.
const MARGIN_BYTES: usize = 16_000;
const MAX_FILES: usize = 50;

/// Why a file can't be attached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachedFileError {
    /// No file in the folder has this name.
    #[error("There is no file {0} here.")]
    Missing(String),
    /// The name is that of a folder.
    #[error("{0} is a folder: name the files in it.")]
    Folder(String),
    /// A pipe, a device or the like.
    #[error("{0} is no plain file.")]
    Special(String),
    /// The file is outside of the folder, or a link leads there.
    #[error("{0} leads out of the working folder, to {path}.", path = .1.display())]
    Outside(String, PathBuf),
    /// The file is of this kind, which is no text.
    #[error("{0} is {1}, no text.")]
    NoText(String, &'static str),
    /// The system refuses, or another program changes the file right now.
    #[error("{0} can't be read: {1}")]
    Unreadable(String, FileError),
    /// The working folder itself can't be used.
    #[error("No file can be given: {0}")]
    NoFolder(FileError),
    /// The message names too many files.
    #[error("{0} files are too many for one message: at most 50.")]
    TooMany(usize),
    /// Reading them panicked.
    #[error("Reading the files of the message broke off inside sayso; the log tells more.")]
    BrokeOff,
}

impl AttachedFileError {
    /// Whether the word is perhaps not meant as a file name. It may then stay in the message as a word.
    pub(crate) fn may_be_a_word(&self) -> bool {
        matches!(self, AttachedFileError::Missing(_) | AttachedFileError::Folder(_))
    }
}

/// Reads the files that a message names, each once, and masks the keys in them.
///
/// # Errors
/// All files that can't be attached, in the order of the message.
pub(crate) fn read(
    folder: &Folder,
    text: &str,
    masker: &Masker,
) -> Result<Vec<AttachedFile>, Vec<AttachedFileError>> {
    let words = at_words(text);
    let (mut files, mut errors) = (Vec::<AttachedFile>::new(), Vec::new());
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut room = MAX_TOTAL_BYTES;
    for word in &words {
        match find(folder, word) {
            Ok((_, place)) if seen.contains(&place.path()) => {}
            Ok((name, place)) => {
                seen.push(place.path());
                // Files beyond the limit are only counted.
                if seen.len() > MAX_FILES {
                    continue;
                }
                match give(name, &place, room.min(MAX_FILE_BYTES), masker) {
                    Ok(file) => {
                        room = room.saturating_sub(file.text.len());
                        files.push(file);
                    }
                    Err(error) => errors.push(error),
                }
            }
            Err(error) if errors.contains(&error) => {}
            Err(error) => errors.push(error),
        }
    }
    if seen.len() > MAX_FILES {
        return Err(vec![AttachedFileError::TooMany(seen.len())]);
    }
    if errors.is_empty() { Ok(files) } else { Err(errors) }
}

/// Reads a whole file of at most `most` bytes that the person named. A path that stays in the folder as it is typed
/// must lead to a file in it, because whoever made the folder may have made the links in it. A path that is typed as
/// one of another folder is followed.
///
/// # Errors
/// When it can't be read, or leads out of the folder.
pub(crate) fn read_named(folder: &Path, path: &Path, most: u64) -> Result<Vec<u8>, AttachedFileError> {
    let held = Folder::find(folder).map_err(AttachedFileError::NoFolder)?;
    let (typed, name) = (normalize(&folder.join(path)), path.to_string_lossy());
    let is_inside = typed.starts_with(normalize(folder)) || typed.starts_with(held.path());
    let bytes = if is_inside {
        whole_file::held(&open(&held, &name)?, most)
    } else {
        whole_file::bounded(&folder.join(path), most)
    };
    bytes.map_err(|error| AttachedFileError::Unreadable(name.into_owned(), error))
}

/// Opens the file that a word means: the longest of its candidate names that exists.
fn find<'w>(folder: &Folder, word: &'w AtWord) -> Result<(&'w str, HeldPath), AttachedFileError> {
    if !folder.is_in_place() {
        return Err(AttachedFileError::Unreadable(word.name.clone(), FileError::Moved(folder.path().into())));
    }
    let mut missing = None;
    for name in word.candidates() {
        match open(folder, name) {
            Err(error @ AttachedFileError::Missing(_)) => missing = Some(error),
            found => return found.map(|place| (name, place)),
        }
    }
    Err(missing.unwrap_or_else(|| AttachedFileError::Missing(word.name.clone())))
}

fn open(folder: &Folder, name: &str) -> Result<HeldPath, AttachedFileError> {
    let missing = || AttachedFileError::Missing(name.to_owned());
    if name.contains('\0') {
        return Err(missing());
    }
    let place = match HeldPath::find(&folder.path().join(name)) {
        Ok(place) => place,
        // A path that continues behind a file, or is too long for the system, names no file.
        Err(FileError::Io(..) | FileError::BehindNothing(_)) => return Err(missing()),
        Err(error) => return Err(AttachedFileError::Unreadable(name.to_owned(), error)),
    };
    match place.found() {
        None if place.name().is_none() && is_below(folder, &place.path()) => {
            Err(AttachedFileError::Folder(name.to_owned()))
        }
        None if place.name().is_some() => Err(missing()),
        _ if !is_below(folder, &place.path()) => {
            Err(AttachedFileError::Outside(name.to_owned(), place.path()))
        }
        Some(found) if found.kind != FileType::RegularFile => {
            Err(AttachedFileError::Special(name.to_owned()))
        }
        _ => Ok(place),
    }
}

fn is_below(folder: &Folder, path: &Path) -> bool {
    path.starts_with(folder.path())
}

/// Reads up to `most` bytes of an opened file.
fn give(
    name: &str,
    place: &HeldPath,
    most: usize,
    masker: &Masker,
) -> Result<AttachedFile, AttachedFileError> {
    let unreadable = |error| AttachedFileError::Unreadable(name.to_owned(), error);
    let io = |error: std::io::Error| unreadable(FileError::io(&place.path(), &error));
    let file = place.open().map_err(unreadable)?;
    let length = file.metadata().map_err(io)?.len();
    let mut bytes = Vec::new();
    // Reads more than is attached: a key across the limit is recognized only as a whole, and is masked before the text
    // is cut. Even if there is no room left, the beginning is read to check whether the file is text.
    file.take((most.max(MAX_FILE_BYTES) + MARGIN_BYTES) as u64).read_to_end(&mut bytes).map_err(io)?;
    if let Some(kind) = binary_kind(&bytes) {
        return Err(AttachedFileError::NoText(name.to_owned(), kind));
    }
    let is_whole = bytes.len() as u64 >= length && bytes.len() <= most;
    let valid = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The limit cuts a character in two.
        Err(error) if !is_whole => {
            std::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => return Err(AttachedFileError::NoText(name.to_owned(), "cut off inside of a character")),
    };
    let masked = masker.mask(valid.to_owned()).into_inner();
    let (given, before) =
        if is_whole { (&*masked, valid) } else { (beginning(&masked, most), beginning(valid, most)) };
    let is_masked = given != before;
    // If the file grows meanwhile, its size is at least what was read.
    let bytes = length.max(bytes.len() as u64);
    Ok(AttachedFile { path: name.to_owned(), bytes, text: given.to_owned(), masked: is_masked })
}

/// The first `most` bytes of a text, cut after the last whole line if that line ends in their second half.
fn beginning(text: &str, most: usize) -> &str {
    let cut = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    match cut.rfind('\n') {
        Some(at) if at >= cut.len() / 2 => cut.get(..=at).unwrap_or(cut),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, make_pipe, write};
    use std::os::unix::fs::symlink;

    struct Home(#[expect(dead_code, reason = "the folder goes with it")] TestFolder, Folder);

    fn home() -> Home {
        let home = TestFolder::new();
        std::fs::create_dir(home.at("work")).expect("made");
        let folder = Folder::find(&home.at("work")).expect("held");
        Home(home, folder)
    }

    impl Home {
        fn put(&self, name: &str, content: impl AsRef<[u8]>) {
            write(&self.1.path().join(name), content);
        }

        fn read(&self, text: &str) -> Result<Vec<AttachedFile>, Vec<AttachedFileError>> {
            read(&self.1, text, &Masker::default())
        }

        fn refused(&self, text: &str) -> String {
            let errors = self.read(text).expect_err("refused");
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
    }

    #[test]
    fn files_are_read_once_in_the_order_of_the_message() {
        let home = home();
        home.put("a.py", "x = 1\n");
        home.put("src/my file.rs", "fn main() {}\n");
        home.put("end.", "called so");
        let files = home.read("Fix @\"src/my file.rs\" (like @a.py). @./a.py and @end.").expect("read");
        let told: Vec<_> = files.iter().map(|f| (f.path.as_str(), f.bytes, f.text.as_str())).collect();
        assert_eq!(
            told,
            [("src/my file.rs", 13, "fn main() {}\n"), ("a.py", 6, "x = 1\n"), ("end.", 9, "called so")]
        );
        assert!(home.read("nothing for bob@example.com").expect("read").is_empty());
    }

    #[test]
    fn long_files_are_cut_behind_a_line_and_all_together_are_bounded() {
        let home = home();
        let long = "0123456789\n".repeat(10_000);
        for name in ["a", "b", "c", "d", "e", "f"] {
            home.put(name, &long);
        }
        let files = home.read("@a @b @c @d @e @f").expect("read");
        let first = &files[0];
        assert!(first.is_cut() && first.text.ends_with('\n') && first.text.len() <= MAX_FILE_BYTES);
        assert_eq!(first.bytes, long.len() as u64);
        let all: usize = files.iter().map(|file| file.text.len()).sum();
        assert!(all <= MAX_TOTAL_BYTES, "{all}");
        assert_eq!(files.len(), 6);
        assert!(files[5].text.is_empty() && files[5].is_cut());
        home.put("edge", "é".repeat(MAX_FILE_BYTES));
        assert!(home.read("@edge").expect("read")[0].is_cut(), "a character across the edge");
    }

    #[test]
    fn what_is_no_text_of_the_folder_is_refused_in_words() {
        let home = home();
        home.put("data.bin", b"a\0b");
        home.put("latin", b"caf\xe9 au lait");
        home.put("half", b"caf\xc3");
        home.put("sub/x", "x");
        home.put("../secret", "s");
        let at = |name: &str| home.1.path().join(name);
        symlink("../secret", at("away")).expect("a link");
        symlink("sub/x", at("near")).expect("a link");
        symlink("round", at("round")).expect("a link");
        symlink("/", at("root")).expect("a link");
        assert_eq!(home.refused("@data.bin"), "data.bin is binary data, no text.");
        assert!(home.refused("@latin").contains("encoding"));
        assert!(home.refused("@half").contains("no text"));
        assert_eq!(home.refused("@nothing.py,"), "There is no file nothing.py here.");
        assert_eq!(home.refused("@sub"), "sub is a folder: name the files in it.");
        for outside in ["@../secret", "@away", "@/etc/passwd", "@root/etc/passwd"] {
            assert!(home.refused(outside).contains("leads out of the working folder"), "{outside}");
        }
        assert!(home.refused("@round").contains("too many links"));
        assert_eq!(home.read("@near").expect("inside")[0].text, "x");
        assert_eq!(home.refused("@sub @gone @sub").matches("sub is").count(), 1);
        let missing = home.read("@x/y @a\u{0}b").expect_err("missing");
        assert!(missing.iter().all(AttachedFileError::may_be_a_word));
        assert!(!home.refused(&format!("@{}", "n".repeat(5_000))).is_empty());
    }

    #[test]
    fn a_path_that_is_typed_as_one_of_the_folder_is_not_followed_out_of_it() {
        let home = home();
        home.put("sub/x", "x");
        home.put("../secret", "s");
        let work = home.1.path();
        symlink("../secret", work.join("setup.py")).expect("a link");
        symlink("..", work.join("up")).expect("a link");
        symlink("sub/x", work.join("near")).expect("a link");
        let read = |path: &Path| read_named(work, path, 10).map_err(|error| error.to_string());
        let inside = work.join("setup.py");
        for path in [Path::new("setup.py"), Path::new("sub/../up/secret"), &inside] {
            let told = read(path).expect_err("refused");
            assert!(told.contains("leads out of the working folder, to /"), "{}: {told}", path.display());
        }
        let outside = work.with_file_name("secret");
        for (path, text) in [("near", "x"), ("sub/../sub/x", "x"), ("../secret", "s")] {
            assert_eq!(read(Path::new(path)).expect("read"), text.as_bytes(), "{path}");
        }
        assert_eq!(read(&outside).expect("read"), b"s");
        assert_eq!(read(Path::new("none")).expect_err("missing"), "There is no file none here.");
    }

    #[test]
    fn a_pipe_holds_nobody_up() {
        let home = home();
        make_pipe(&home.1.path().join("pipe"));
        assert_eq!(home.refused("@pipe"), "pipe is no plain file.");
    }

    #[test]
    fn keys_are_masked_and_that_is_told() {
        let home = home();
        home.put(".env", "KEY=swordfish2024\n");
        let masker = Masker::knowing(["swordfish2024".into()]);
        let files = read(&home.1, "@.env", &masker).expect("read");
        assert!(files[0].masked && !files[0].text.contains("swordfish"), "{:?}", files[0].text);
        assert!(!files[0].is_cut(), "a mask is as long as what it covers");
    }

    #[test]
    fn a_key_across_the_edge_is_masked_before_the_text_is_cut() {
        let home = home();
        let masker = Masker::knowing(["swordfish2024".into()]);
        for inside in 1.."swordfish2024".len() {
            home.put("log", format!("{}swordfish2024 and more", "x".repeat(MAX_FILE_BYTES - inside)));
            let files = read(&home.1, "@log", &masker).expect("read");
            assert!(files[0].is_cut() && files[0].masked && !files[0].text.contains("xs"), "{inside}");
        }
    }

    #[test]
    fn files_are_counted_and_not_the_words_for_them() {
        let home = home();
        home.put("a", "x");
        assert_eq!(home.read(&"@a ".repeat(60)).expect("one file").len(), 1);
        let mut text = String::new();
        for number in 0..=MAX_FILES {
            home.put(&format!("f{number}"), "x");
            text += &format!("@f{number} ");
        }
        assert_eq!(home.refused(&text), "51 files are too many for one message: at most 50.");
        assert_eq!(home.read(text.trim_start_matches("@f0")).expect("fifty").len(), MAX_FILES);
    }

    #[test]
    fn a_folder_that_was_swapped_gives_nothing() {
        let home = home();
        home.put("a.py", "x");
        let work = home.1.path().to_owned();
        std::fs::rename(&work, work.with_file_name("old")).expect("moved");
        write(&work.join("a.py"), "other");
        assert!(home.refused("@a.py").contains("was moved, removed or replaced"));
    }
}
