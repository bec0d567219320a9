//! Lists what an `import` of Python, or `python -m`, would load from a folder in place of an installed module.
//!
//! Only names are looked at, at the top of the folder and in packages without a file of their own; nothing is read from
//! the files.

use crate::text::names::first_names;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules by their names, each with its files. Which one of several is run depends on the version of Python.
pub(crate) type PythonModules = BTreeMap<String, String>;

/// How many names at the top of a folder are looked at, and how many in its packages.
const MAX_ENTRIES: usize = 100_000;

/// How many files of one module are named; the others are counted.
const MAX_NAMED: usize = 3;

/// What is told as the file of a module if there are more names than are looked at.
const ONE_OF_MANY: &str = "one of very many";

/// The modules at the top of a folder that a text may mean: those whose names it contains. In a folder with too many
/// names, each word of the text may be one. This reads the disk, so it is called on a worker.
pub(crate) fn modules_for(source: &str, folder: &Path) -> PythonModules {
    modules_within(source, folder, MAX_ENTRIES)
}

/// `most`: how many names are looked at.
fn modules_within(source: &str, folder: &Path, most: usize) -> PythonModules {
    // `python -m json.tool` looks for a module as well, also as `-Bm`.
    if !["import", "-m", "py"].iter().any(|word| source.contains(word)) {
        return PythonModules::new();
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut is_whole, mut left_in_packages) = (true, most);
    for (count, entry) in std::fs::read_dir(folder).into_iter().flatten().enumerate() {
        if count == most {
            is_whole = false;
            break;
        }
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        // A name that is not UTF-8 can't be the name of a module in a text.
        let Some(name) = name.to_str() else { continue };
        // The text is searched last, because that takes longest in a folder with many files of data.
        if let Some(module) = module_of(name) {
            if source.contains(module) {
                found.entry(module.to_owned()).or_default().insert(name.to_owned());
            }
        } else if !name.contains('.')
            && source.contains(name)
            && let Some(file) = package_file(source, &entry.path(), &mut left_in_packages)
        {
            found.entry(name.to_owned()).or_default().insert(format!("{name}/{file}"));
        }
    }
    let mut modules: PythonModules =
        found.into_iter().map(|(module, files)| (module, alternatives(&files))).collect();
    if !is_whole {
        let words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|word| !word.is_empty()) {
            modules.entry(word.to_owned()).or_insert_with(|| ONE_OF_MANY.to_owned());
        }
    }
    modules
}

/// The module that Python loads from a file of this name; that of native code may have a platform before its ending.
fn module_of(name: &str) -> Option<&str> {
    let (module, ending) = name.split_once('.')?;
    let is_loaded = matches!(ending, "py" | "pyc") || ending.rsplit('.').next() == Some("so");
    (is_loaded && !module.is_empty()).then_some(module)
}

/// A file of a folder that runs if the folder is imported as a package: the package's own file or, because a folder
/// without one is a package too, the first one in it that the text may mean. `left`: how many names are still looked
/// at.
fn package_file(source: &str, folder: &Path, left: &mut usize) -> Option<String> {
    if let Some(own) = ["__init__.py", "__init__.pyc"].into_iter().find(|file| folder.join(file).exists()) {
        return Some(own.to_owned());
    }
    let (mut files, mut folders) = (Vec::new(), vec![String::new()]);
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&below)).into_iter().flatten().flatten() {
            if *left == 0 {
                return Some(ONE_OF_MANY.to_owned());
            }
            *left -= 1;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(module) = module_of(name) {
                if ["__init__", "__main__"].contains(&module) || source.contains(module) {
                    files.push(format!("{below}{name}"));
                }
            } else if !name.contains('.') && source.contains(name) {
                folders.push(format!("{below}{name}/"));
            }
        }
    }
    // Links between folders may give one file many longer names.
    files.into_iter().min_by_key(|file| (file.matches('/').count(), file.clone()))
}

/// The file of a module, or how many it may be: their number comes first, so that one more is noticed even where a long
/// text is cut.
fn alternatives(files: &BTreeSet<String>) -> String {
    let names: Vec<&String> = files.iter().collect();
    let told = first_names(&names, MAX_NAMED);
    if names.len() > 1 { format!("one of {} ({told})", names.len()) } else { told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_packages_that_a_text_may_mean_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for package in ["pkg", "data", "other"] {
            std::fs::create_dir(at(package)).unwrap();
        }
        let files = [
            "csv.py",
            "fast.py",
            "fast.cpython-312-x86_64-linux-gnu.so",
            "fast.pyc",
            "pkg/__init__.py",
            "pkg.py",
            "notes.txt",
            "csv.old.py",
            "notes.old.py",
        ];
        for name in [&files[..], &["other/__init__.py", "json.py"]].concat() {
            std::fs::write(at(name), "").unwrap();
        }
        let text = "import csv, fast, pkg, data\nnotes = 1\n";
        let listed: Vec<_> = modules_for(text, folder.path()).into_iter().collect();
        let named = |module: &str, file: &str| (module.to_owned(), file.to_owned());
        assert_eq!(
            listed,
            [
                named("csv", "csv.py"),
                named("fast", "one of 3 (fast.cpython-312-x86_64-linux-gnu.so, fast.py, fast.pyc)"),
                named("pkg", "one of 2 (pkg.py, pkg/__init__.py)"),
            ]
        );
        assert!(modules_for("print(csv)", folder.path()).is_empty(), "nothing is imported");
        assert!(modules_for(text, &at("gone")).is_empty());
        // What was not looked at may be any of them.
        let within = |most| modules_within("import json", folder.path(), most);
        assert_eq!(within(0)["json"], ONE_OF_MANY);
        let count = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(within(count), BTreeMap::from([named("json", "json.py")]));
    }

    /// `import data.load` runs `data/load.py` without a file that makes `data` a package.
    #[test]
    fn a_folder_is_a_package_without_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("data/deep")).unwrap();
        for name in ["data/load.py", "data/other.py", "data/a.csv", "data/deep/part.py"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::os::unix::fs::symlink(".", at("data/data")).unwrap();
        for (text, file) in [
            ("import data.load", Some("data/load.py")),
            ("from data import load, other", Some("data/load.py")),
            ("import data.deep.part", Some("data/deep/part.py")),
            ("import csv\nopen('data/a.csv')", None),
        ] {
            let listed = modules_for(text, folder.path());
            assert_eq!(listed.get("data").map(String::as_str), file, "{text}");
        }
        assert_eq!(package_file("load", &at("data"), &mut 0).as_deref(), Some(ONE_OF_MANY));
    }

    #[test]
    fn of_very_many_files_of_a_module_some_are_named() {
        let files = |count: usize| (1..=count).map(|n| format!("a.{n}.so")).collect::<BTreeSet<_>>();
        assert_eq!(alternatives(&files(1)), "a.1.so");
        assert_eq!(alternatives(&files(2)), "one of 2 (a.1.so, a.2.so)");
        assert_eq!(alternatives(&files(8)), "one of 8 (a.1.so, a.2.so, a.3.so and 5 more)");
    }
}
