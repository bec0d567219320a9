//! The texts of several files in one: what a person reads, changes and approves of an edit that goes over several files.
//!
//! A line `==> path <==` stands in front of each. The text of one file alone is that text, without such a line.

use super::BlockTextError;

/// Says of the text in front of it that its last line has no end.
const OPEN_END: &str = "\\ No newline at end of file\n";

/// The line in front of the text of a file.
pub(crate) fn head(path: &str) -> String {
    format!("==> {path} <==\n")
}

/// All texts in one; `None` where they could not be told apart again.
pub(crate) fn join(files: &[(&str, &str)]) -> Option<String> {
    if let [(_, text)] = files {
        return Some((*text).to_owned());
    }
    let heads: Vec<String> = files.iter().map(|(path, _)| head(path)).collect();
    // Whoever reads it must not take a line of a text for a head, whatever stands around it.
    let like_head = |line: &str| {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        line.starts_with("==>") && heads.iter().any(|head| head.trim_end() == line)
    };
    if files.iter().any(|(_, text)| text.lines().any(like_head)) {
        return None;
    }
    let mut joined = String::new();
    for (path, text) in files {
        joined.push_str(&head(path));
        joined.push_str(text);
        if !text.is_empty() && !text.ends_with('\n') {
            joined.push('\n');
            joined.push_str(OPEN_END);
        }
    }
    let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let again = split(&paths, &joined).ok()?;
    let same = again.iter().zip(files).all(|(again, (_, text))| again == text);
    same.then_some(joined)
}

/// The text of each file.
///
/// # Errors
/// When the head of one is missing, or stands there twice.
pub(crate) fn split<'a>(paths: &[String], text: &'a str) -> Result<Vec<&'a str>, BlockTextError> {
    if paths.len() == 1 {
        return Ok(vec![text]);
    }
    let fault = |path: &String| BlockTextError::FileHead(head(path).trim_end().to_owned());
    let (mut texts, mut rest): (Vec<&str>, &str) = (Vec::new(), text);
    for (at, path) in paths.iter().enumerate() {
        let head = head(path);
        let places: Vec<usize> = rest
            .match_indices(&head)
            .map(|(place, _)| place)
            .filter(|place| *place == 0 || rest.as_bytes().get(place - 1) == Some(&b'\n'))
            .collect();
        let [place] = places.as_slice() else { return Err(fault(path)) };
        let before = rest.get(..*place).unwrap_or_default();
        match texts.last_mut() {
            Some(last) => *last = before,
            None if !before.is_empty() => return Err(fault(path)),
            None => {}
        }
        rest = rest.get(place + head.len()..).unwrap_or_default();
        texts.push(rest);
        if at + 1 < paths.len() && rest.is_empty() {
            return Err(paths.get(at + 1).map_or(BlockTextError::NoPath, fault));
        }
    }
    Ok(texts.into_iter().map(without_open_end).collect())
}

fn without_open_end(text: &str) -> &str {
    match text.strip_suffix(OPEN_END) {
        Some(bare) if bare.ends_with('\n') => bare.get(..bare.len() - 1).unwrap_or(bare),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heads_have_to_stand_there_once() {
        let paths = ["a".to_owned(), "b".to_owned()];
        let joined = join(&[("a", "1\n"), ("b", "2")]).unwrap();
        assert_eq!(joined, "==> a <==\n1\n==> b <==\n2\n\\ No newline at end of file\n");
        assert_eq!(split(&paths, &joined), Ok(vec!["1\n", "2"]));
        for text in ["", "==> a <==\n1\n", "x\n==> a <==\n==> b <==\n", "==> a <==\n==> b <==\n==> b <==\n"] {
            assert!(split(&paths, text).is_err(), "{text:?}");
        }
        assert_eq!(join(&[("a", "==> b <==\n"), ("b", "2")]), None);
        assert_eq!(join(&[("a", "==> b <==\n")]).as_deref(), Some("==> b <==\n"), "one file stands alone");
    }

    proptest! {
        #[test]
        fn joined_texts_are_told_apart(texts in proptest::collection::vec("[ab=> <\n]{0,12}", 1..4)) {
            let paths: Vec<String> = (0..texts.len()).map(|n| format!("f{n}")).collect();
            let files: Vec<(&str, &str)> = paths.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
            if let Some(joined) = join(&files) {
                prop_assert_eq!(split(&paths, &joined), Ok(texts.iter().map(String::as_str).collect()));
            }
        }
    }
}
