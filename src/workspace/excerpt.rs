//! Excerpts lines of a text file for a model. The excerpt is bounded and says what it leaves out; a file that is no
//! text is only described.

use crate::text::number::{counted, size};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};

/// The most bytes of lines in an excerpt.
const MAX_BYTES: usize = 256 << 10;
const MAX_LINE_BYTES: usize = 4 << 10;
const MAX_SCANNED_BYTES: u64 = 64 << 20;
/// The number of bytes that decide whether a file is text.
const SNIFFED_BYTES: usize = 8 << 10;

/// The excerpt of a file. Its first line says which lines of how many it holds.
pub(crate) fn lines(file: File, named: &str, from: u32, count: u32) -> std::io::Result<String> {
    let length = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(SNIFFED_BYTES, file.take(MAX_SCANNED_BYTES));
    let start = reader.fill_buf()?;
    if let Some(kind) = binary_kind(start) {
        return Ok(format!("{named}: {kind}, {}. It is no text: nothing of it is shown.\n", size(length)));
    }
    let mut told = ExcerptFacts::default();
    let mut line = Vec::new();
    let mut number = 0u64;
    let last = u64::from(from) + u64::from(count);
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        if number >= u64::from(from) && number < last && !told.full {
            told.add(number, &line);
        }
    }
    let whole = reader.get_ref().limit() > 0;
    let more = if whole { "" } else { "more than " };
    let what = match told.last {
        Some(last) => format!("lines {from}-{last} of {more}{number}"),
        None if number == 0 => "empty".into(),
        None => format!("{more}{}, none of them at {from}", counted(number as usize, "line")),
    };
    let mut out = format!("{named}: {what}, {}\n{}", size(length), told.text);
    let next = told.last.map_or(u64::from(from), |last| last + 1);
    if told.last.is_some() && next <= number {
        if !out.ends_with('\n') {
            out.push('\n');
        }
        let rest = counted((number + 1 - next) as usize, "more line");
        out.push_str(&format!("[{rest}: from_line {next} goes on]\n"));
    }
    Ok(out)
}

#[derive(Default)]
struct ExcerptFacts {
    text: String,
    last: Option<u64>,
    full: bool,
}

impl ExcerptFacts {
    fn add(&mut self, number: u64, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let cut = text.get(..text.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or("");
        if self.text.len() + cut.len() > MAX_BYTES {
            self.full = true;
            return;
        }
        self.text.push_str(cut);
        if cut.len() < text.len() {
            self.text.push_str(&format!(" [… {} more bytes of this line]\n", text.len() - cut.len()));
        }
        self.last = Some(number);
    }
}

/// The kind of a file with this beginning; `None` if it is text.
pub(super) fn binary_kind(start: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 12] = [
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"%PDF", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive (or a document made as one)"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\x7fELF", "a program"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"PAR1", "a Parquet file"),
        (b"\x93NUMPY", "a NumPy array"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
    ];
    if let Some((_, kind)) = KINDS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(kind);
    }
    if start.contains(&0) {
        return Some("binary data");
    }
    match std::str::from_utf8(start) {
        // A character that is cut off at the end of `start` is no error.
        Err(error) if error.error_len().is_some() => {
            Some("text in another encoding than UTF-8, or binary data")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8], from: u32, count: u32) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f");
        std::fs::write(&path, bytes).expect("written");
        lines(File::open(&path).expect("opened"), "f", from, count).expect("read")
    }

    #[test]
    fn lines_are_told_with_what_is_left() {
        let expected = "f: lines 2-3 of 4, 7 B\nb\nc\n[1 more line: from_line 4 goes on]\n";
        assert_eq!(told(b"a\nb\nc\nd", 2, 2), expected);
        assert_eq!(told(b"a\nb", 1, 400), "f: lines 1-2 of 2, 3 B\na\nb");
        assert_eq!(told(b"a\n", 9, 4), "f: 1 line, none of them at 9, 2 B\n");
        assert_eq!(told(b"", 1, 4), "f: empty, 0 B\n");
    }

    #[test]
    fn what_is_no_text_is_described() {
        for (bytes, kind) in [
            (b"\x89PNG\r\n\x1a\n".as_slice(), "a PNG image"),
            (b"a\0b", "binary data"),
            (b"caf\xe9 au lait", "another encoding"),
        ] {
            let told = told(bytes, 1, 9);
            assert!(told.contains(kind) && told.lines().count() == 1, "{told}");
        }
        let cut = "é".repeat(SNIFFED_BYTES);
        assert!(told(cut.as_bytes(), 1, 1).contains("lines 1-1 of 1"), "a character across the edge");
    }

    #[test]
    fn long_files_and_lines_are_bounded() {
        let long = told("x".repeat(100_000).as_bytes(), 1, 9);
        assert!(long.len() < MAX_LINE_BYTES + 200, "{}", long.len());
        assert!(long.contains("more bytes of this line"));
        let many = told("123456789\n".repeat(100_000).as_bytes(), 1, 100_000);
        assert!(many.len() < MAX_BYTES + 200 && many.contains("goes on]"), "{}", many.len());
    }
}
