//! Finds the folder that a program itself changes to by an option, before it looks at any path: `git -C`, `make -C`,
//! `npm --prefix`.

use crate::review::Scope;
use crate::review::folder::{either, entered, start, unknown};
use crate::review::path_class::resolved;
use crate::review::value::{Argument, Value};
use std::path::Path;

/// Programs, and their options that name the folder to work in.
const OPTIONS: &[(&[&str], &[&str])] = &[
    (&["make", "gmake", "bmake", "ninja", "samu"], &["-C", "--directory"]),
    (&["npm", "pnpm", "bun", "yarn"], &["-C", "--prefix", "--dir", "--cwd"]),
    (&["cargo", "go", "meson"], &["-C"]),
    (&["poetry"], &["-C", "--directory"]),
    (&["uv"], &["--directory"]),
    (&["composer"], &["-d", "--working-dir"]),
    (&["just"], &["-d", "--working-directory"]),
    (&["gradle"], &["-p", "--project-dir"]),
    (&["terraform", "tofu"], &["-chdir"]),
];

/// Options of git before its verb that take the next word.
const OPTIONS_OF_GIT: &[&str] = &[
    "-C",
    "-c",
    "--work-tree",
    "--git-dir",
    "--namespace",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];

/// The folder in which a program works that was started in `folder`; `None` if it stays there.
pub(super) fn entered_by_options(
    name: &str,
    words: &[Argument],
    folder: Option<&Value>,
    scope: &Scope,
) -> Option<Value> {
    if name == "git" {
        return entered_by_git(words, folder, scope);
    }
    let options = OPTIONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, options)| *options)?;
    after_moves(&moves(words, options), folder)
}

/// The folder behind these changes, one after the other; `None` if there are none.
fn after_moves(moves: &[Value], folder: Option<&Value>) -> Option<Value> {
    moves.iter().fold(None, |now, to| Some(entered(now.as_ref().or(folder), to)))
}

/// The operands of tar, from the folders that its options `-C` name.
pub(super) fn members_of_archive(words: &mut [Argument]) {
    let mut folder: Option<Value> = None;
    let mut at = 0;
    while let Some(word) = words.get_mut(at) {
        at += 1;
        let known = word.value.as_text().map(|(text, whole)| (text.to_owned(), whole));
        let (text, whole) = known.unwrap_or_default();
        if let Some(to) = text.strip_prefix("--directory=") {
            folder = Some(entered(folder.as_ref(), &Value::of_text(to, whole)));
        } else if matches!(text.as_str(), "-C" | "--directory") {
            folder = words.get(at).map(|to| entered(folder.as_ref(), &to.value));
            at += 1;
        } else if text.starts_with('-') {
            // A file of an archive is named from where tar was started.
            at += usize::from(text == "--file" || !text.starts_with("--") && text.ends_with('f'));
        } else if at > 1 && folder.is_some() {
            word.value = entered(folder.as_ref(), &word.value).tainted(word.value.taint);
        }
    }
}

/// The folders that the options of a program name, in their order.
fn moves(words: &[Argument], options: &[&str]) -> Vec<Value> {
    let mut moves = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some((text, whole)) = word.value.as_text() else { continue };
        if text == "--" {
            break;
        }
        if options.contains(&text) {
            moves.extend(words.next().map(|to| to.value.clone()));
            continue;
        }
        let attached = options.iter().find_map(|option| {
            let rest = text.strip_prefix(option)?;
            rest.strip_prefix('=').or_else(|| (option.len() == 2 && !rest.is_empty()).then_some(rest))
        });
        if let Some(to) = attached {
            moves.push(Value::of_text(to, whole));
        }
    }
    moves
}

/// The folder in which git works by the options before its verb. `-C` changes to another one. `--work-tree` names the
/// folder of the files that git manages: paths start there if git was started outside of it, else where it was started.
fn entered_by_git(words: &[Argument], folder: Option<&Value>, scope: &Scope) -> Option<Value> {
    let (mut moves, mut tree, mut takes_all) = (Vec::new(), None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some((text, whole)) = word.value.as_text() else {
            // It may be such an option.
            moves.push(unknown());
            break;
        };
        if let Some(to) = text.strip_prefix("--work-tree=") {
            tree = Some(Value::of_text(to, whole));
        } else if OPTIONS_OF_GIT.contains(&text) {
            let Some(to) = words.next() else { break };
            match text {
                "-C" => moves.push(to.value.clone()),
                "--work-tree" => tree = Some(to.value.clone()),
                _ => {}
            }
        } else if !text.starts_with('-') {
            // A reset takes all files, wherever git was started.
            takes_all = text == "reset";
            break;
        }
    }
    let here = after_moves(&moves, folder);
    let Some(tree) = tree else { return here };
    let top = entered(here.as_ref().or(folder), &tree);
    if takes_all || here.is_none() && is_outside(folder, &top, scope) {
        return Some(top);
    }
    Some(either(Some(top), here.or_else(|| folder.cloned()), scope))
}

/// Whether a folder, or each that it may be, certainly lies outside of another.
fn is_outside(folder: Option<&Value>, top: &Value, scope: &Scope) -> bool {
    let place = |folder: &Value| folder.as_whole_text().and_then(|path| resolved(path, scope));
    let Some(top) = place(top) else { return false };
    let folders = folder.cloned().unwrap_or_else(start).alternatives();
    folders.iter().all(|folder| place(folder).is_some_and(|place| !Path::new(&place).starts_with(&top)))
}
