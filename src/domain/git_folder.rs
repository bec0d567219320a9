//! Folders of git's own, as git finds them: by what is in them, whatever their names. Which files in them git obeys, and
//! where their texts lead. Pure.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// What git obeys in a folder of its own. A folder stands for everything in it.
pub(crate) const OBEYED_BY_GIT: [&str; 6] =
    ["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"];

/// The folders in which git keeps folders of its own for submodules and worktrees.
pub(crate) const INNER_FOLDERS: [&str; 2] = ["modules", "worktrees"];

/// What git keeps by the names of branches and hashes, which may be any.
pub(crate) const NAMED_BY_CONTENT: [&str; 3] = ["refs", "logs", "objects"];

/// Whether git takes a folder with these entries for one of its own. It checks no more than that they are there.
pub(crate) fn is_git_folder<'a>(entries: impl IntoIterator<Item = &'a OsStr>) -> bool {
    let (mut head, mut objects, mut refs, mut common) = (false, false, false, false);
    for name in entries {
        match name.to_string_lossy().to_lowercase().as_str() {
            "head" => head = true,
            "objects" => objects = true,
            "refs" => refs = true,
            "commondir" => common = true,
            _ => {}
        }
    }
    head && (objects && refs || common)
}

/// The folder in which git would obey this file, if that folder is one of git's own.
pub(crate) fn folder_that_obeys(path: &Path) -> Option<&Path> {
    let (parent, name) = (path.parent()?, path.file_name()?);
    let is = |name: &OsStr, wanted: &str| name.eq_ignore_ascii_case(wanted);
    if OBEYED_BY_GIT.iter().any(|wanted| is(name, wanted)) {
        return Some(parent);
    }
    let folder = parent.file_name()?;
    (is(folder, "hooks") || is(folder, "info") && is(name, "attributes")).then(|| parent.parent()).flatten()
}

/// Whether git obeys a file with these names because it lies in the folder of a submodule or a worktree.
pub(crate) fn is_obeyed_in_inner_folder(names: &[String]) -> bool {
    names.windows(2).enumerate().any(|(at, pair)| {
        let [git, kind] = pair else { return false };
        let inner = names.get(at + 2..).unwrap_or_default();
        git == ".git" && INNER_FOLDERS.contains(&kind.as_str()) && is_obeyed_below(inner)
    })
}

/// Whether names below `.git/modules`, the first ones those of a submodule, are of something that git obeys.
fn is_obeyed_below(inner: &[String]) -> bool {
    let Some((_, below)) = inner.split_first() else { return false };
    let kept = below.iter().take_while(|name| !NAMED_BY_CONTENT.contains(&name.as_str())).count();
    let obeyed = |at: usize, wanted: &str| {
        let wanted: Vec<&str> = wanted.split('/').collect();
        let is_last = at + wanted.len() == below.len() || wanted == ["hooks"];
        is_last
            && below.iter().skip(at).zip(&wanted).filter(|(name, wanted)| name == *wanted).count()
                == wanted.len()
    };
    (0..kept).any(|at| OBEYED_BY_GIT.iter().any(|wanted| obeyed(at, wanted)))
}

/// The path in a `.git` that is a file: `gitdir: ../.git/modules/sub`.
pub(crate) fn gitdir(text: &[u8]) -> Option<&Path> {
    text.strip_prefix(b"gitdir:").map(path_in).filter(|path| !path.as_os_str().is_empty())
}

/// The path that is all of a text, without the blanks around it.
pub(crate) fn path_in(text: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(text.trim_ascii()))
}

/// The folder of hooks that git's settings name. At its beginning, `~/` stands for the person's home folder.
pub(crate) fn hooks_path(settings: &[u8], home: Option<&Path>) -> Option<PathBuf> {
    let path = core_setting(settings, "hookspath")?;
    let in_home = path.strip_prefix("~/").ok().zip(home).map(|(below, home)| home.join(below));
    Some(in_home.unwrap_or(path))
}

/// Where the hooks are that the settings in this folder of git's name. Git resolves a relative path where it works: at
/// the top of the person's files (beside its folder, or for a submodule the working tree that the settings name), or in
/// its own folder.
pub(crate) fn hooks_folders(git: &Path, settings: &[u8], home: Option<&Path>) -> Vec<PathBuf> {
    let Some(path) = hooks_path(settings, home) else { return Vec::new() };
    let tree = core_setting(settings, "worktree").map(|tree| git.join(tree));
    let starts = git.parent().into_iter().chain([git]).chain(tree.as_deref());
    starts.map(|start| start.join(&path)).collect()
}

/// The last value of a setting in the section `core`. A path may have any bytes, so each byte is read as a character of
/// its own.
fn core_setting(settings: &[u8], name: &str) -> Option<PathBuf> {
    let (mut is_core, mut found) = (false, None);
    let settings = settings.strip_prefix("\u{feff}".as_bytes()).unwrap_or(settings);
    let settings = settings.iter().copied().map(char::from).collect::<String>().replace("\r\n", "\n");
    let mut rest = settings.trim_start();
    while !rest.is_empty() {
        if let Some(header) = rest.strip_prefix('[') {
            let (section, behind) = header.split_at(end_of_section(header));
            is_core = section.trim().eq_ignore_ascii_case("core");
            rest = behind.strip_prefix(']').unwrap_or(behind).trim_start();
            continue;
        }
        let (key, behind) = rest.split_at(rest.find(['=', '#', ';', '\n']).unwrap_or(rest.len()));
        let Some(text) = behind.strip_prefix('=') else {
            rest = behind_line(behind).trim_start();
            continue;
        };
        let (value, behind) = read_value(text);
        if is_core && key.trim().eq_ignore_ascii_case(name) {
            found = Some(value);
        }
        rest = behind.trim_start();
    }
    let value: Vec<u8> = found?.chars().filter_map(|c| u8::try_from(c).ok()).collect();
    (!value.is_empty()).then(|| OsString::from_vec(value).into())
}

/// Where the name of a section ends: at its bracket, but for brackets in quotes, or with the line.
fn end_of_section(header: &str) -> usize {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let ends = |c: char| {
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        c == '\n' || c == ']' && !is_quoted
    };
    header.find(ends).unwrap_or(header.len())
}

/// The value at the start of a text as git reads it, and the text behind its line. Quotes are left out; outside of them
/// a comment ends the value, and blanks at its start and end do not count. A backslash takes the next character as it
/// is, or joins the next line.
fn read_value(text: &str) -> (String, &str) {
    let (mut value, mut length, mut is_quoted) = (String::new(), 0, false);
    let mut chars = text.chars();
    let behind = loop {
        match chars.next() {
            None => break "",
            Some('\n') => break chars.as_str(),
            Some('#' | ';') if !is_quoted => break behind_line(chars.as_str()),
            Some(c @ (' ' | '\t' | '\r')) if !is_quoted => {
                if !value.is_empty() {
                    value.push(c);
                }
            }
            Some(c) => {
                match c {
                    '"' => is_quoted = !is_quoted,
                    '\\' => value.extend(chars.next().and_then(escaped)),
                    c => value.push(c),
                }
                length = value.len();
            }
        }
    };
    // For git, a text ends at its first NUL.
    value.truncate(value.find('\0').unwrap_or(length));
    (value, behind)
}

/// What stands for this character behind a backslash.
fn escaped(c: char) -> Option<char> {
    match c {
        '\n' => None,
        'n' => Some('\n'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        other => Some(other),
    }
}

/// The text behind the first line.
fn behind_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, behind)| behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_gits_by_what_is_in_it() {
        let is = |names: &[&str]| is_git_folder(names.iter().map(OsStr::new));
        assert!(is(&["HEAD", "config", "objects", "refs"]) && is(&["HEAD", "commondir"]));
        assert!(!is(&["HEAD", "config", "objects"]) && !is(&["config", "objects", "refs"]) && !is(&[]));
    }

    #[test]
    fn what_git_would_obey_is_found_with_its_folder() {
        for (path, folder) in [
            ("data/config", Some("data")),
            ("data/hooks/post-checkout", Some("data")),
            ("data/info/attributes", Some("data")),
            ("data/index", None),
            ("config", Some("")),
        ] {
            assert_eq!(folder_that_obeys(Path::new(path)), folder.map(Path::new), "{path}");
        }
    }

    #[test]
    fn values_are_read_as_git_reads_them() {
        for (settings, path) in [
            ("[core]\n\thooksPath = \"a#b;c\" # mine\n", "a#b;c"),
            ("[core]\n\thooksPath = a \"b c \"  ; mine\n", "a b c "),
            ("[core]\nhooksPath = a\\\\b\\\"c\\\"\r\n", "a\\b\"c\""),
            ("[core]\nhooksPath = to\\\nols\n", "tools"),
            ("[core]\r\nhooksPath = \\\r\n\ttools\r\n", "tools"),
            ("\u{feff}[core]\nhooksPath = \"\" to ols\u{a0}\n", "to ols\u{a0}"),
            ("[core]\nhooksPath = yes\n[x \"\\\"][core]\"]\nhooksPath = no\n", "yes"),
            ("[core]\r\nhooksPath = to\\\r\nols\r\n", "tools"),
            ("[core]\nhooksPath = a\u{a0}\u{c} \r\n", "a\u{a0}\u{c}"),
            ("[core]\nhooksPath = tools\0x\nbare = true\n", "tools"),
            ("[core]\nhooksPath = yes\n[x \"\\\"]#\"] k = \\\n[core]\nhooksPath = no\n", "yes"),
            ("[core]\nx = \"a \\\nhooksPath = no\"\nhooksPath = yes", "yes"),
            ("[core]\n# hooksPath = no \\\nhooksPath = yes\n", "yes"),
            ("[branch \"a]=b\"]\nhooksPath = no\n[ CORE ]\nbare\nhooksPath = yes\n", "yes"),
        ] {
            assert_eq!(hooks_path(settings.as_bytes(), None).as_deref(), Some(Path::new(path)), "{settings}");
        }
        let no_utf8 = hooks_path(b"[user]\nname = Jos\xe9\n[core]\nhooksPath = caf\xe9/h\xa0 # \xff\n", None);
        assert_eq!(no_utf8, Some(OsString::from_vec(b"caf\xe9/h\xa0".to_vec()).into()));
        for settings in ["", "[core", "[core]\nhooksPath", "[core]\nhooksPath =", "[core]\nhooksPath = # a\n"]
        {
            assert_eq!(hooks_path(settings.as_bytes(), None), None, "{settings}");
        }
    }

    #[test]
    fn settings_lead_to_hooks_and_a_file_to_its_folder() {
        let home = Some(Path::new("/home/ann"));
        for (settings, path) in [
            ("[core]\n\tbare = false\n\thooksPath = .githooks\n", Some(".githooks")),
            ("[core] hookspath=\"a b\" # mine\n[x]\n", Some("a b")),
            ("[core]\nhooksPath = ~/w/tools\n", Some("/home/ann/w/tools")),
            ("[core]\nhooksPath = ~//w/tools\n", Some("/home/ann/w/tools")),
            ("[core]\nhooksPath = ~w\n", Some("~w")),
            ("[user]\n\thooksPath = x\n", None),
        ] {
            assert_eq!(hooks_path(settings.as_bytes(), home), path.map(PathBuf::from), "{settings}");
        }
        let of_submodule = b"[core]\n\tworktree = ../../../lib\n\thooksPath = tools\n";
        let git = Path::new("/w/.git/modules/lib");
        assert_eq!(
            hooks_folders(git, of_submodule, home),
            ["/w/.git/modules/tools", "/w/.git/modules/lib/tools", "/w/.git/modules/lib/../../../lib/tools"]
                .map(PathBuf::from)
        );
        assert!(hooks_folders(git, b"[core]\n\tworktree = x\n", home).is_empty());
        assert_eq!(gitdir(b"gitdir: ../a\n"), Some(Path::new("../a")));
        assert_eq!(gitdir(b"gitdir: \n"), None);
        assert_eq!(gitdir(b"ref: x"), None);
    }
}
