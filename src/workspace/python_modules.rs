//! Lists what an `import` of Python, or `python -m`, would load from a folder in place of an installed module.
//!
//! Only names at the top of the folder are looked at, and nothing is read from the files.

use std::collections::BTreeMap;
use std::path::Path;

/// The modules by their names, each with the file that would be run.
pub(crate) type PythonModules = BTreeMap<String, String>;

/// How many names of a folder are looked at.
const MAX_ENTRIES: usize = 100_000;

/// What is told as the file of a module if the folder has more names than are looked at.
const ONE_OF_MANY: &str = "one of very many";

/// What stands behind the first dot in the name of a file that Python loads as a module, in the order in which it looks
/// for them; that of native code may have a platform in front.
const ENDINGS: [&str; 3] = ["so", "py", "pyc"];

/// The modules at the top of a folder that a text may mean: those whose names it contains. In a folder with too many
/// names, each word of the text may be one. This reads the disk, so it is called on a worker.
pub(crate) fn modules_for(source: &str, folder: &Path) -> PythonModules {
    modules_within(source, folder, MAX_ENTRIES)
}

/// `most`: how many names of the folder are looked at.
fn modules_within(source: &str, folder: &Path, most: usize) -> PythonModules {
    let mut modules = PythonModules::new();
    // `python -m json.tool` looks for a module as well, also as `-Bm`.
    if !["import", "-m", "py"].iter().any(|word| source.contains(word)) {
        return modules;
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().enumerate();
    for (count, entry) in entries {
        if count == most {
            let words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
            for word in words.filter(|word| !word.is_empty()) {
                modules.entry(word.to_owned()).or_insert_with(|| ONE_OF_MANY.to_owned());
            }
            break;
        }
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        // A name that is not UTF-8 can't be the name of a module in a text.
        let Some(name) = name.to_str() else { continue };
        let module = name.split('.').next().unwrap_or_default();
        let is_file = rank(name).is_some();
        let may_be_package = module == name;
        // The text is searched last, because that takes longest in a folder with many files of data.
        if module.is_empty() || !(is_file || may_be_package) || !source.contains(module) {
            continue;
        }
        let loads = if is_file {
            Some(name.to_owned())
        } else {
            first_file(&entry.path()).map(|file| format!("{name}/{file}"))
        };
        if let Some(file) = loads {
            let known = modules.entry(module.to_owned()).or_insert_with(|| file.clone());
            // A package, whose file has no rank, is loaded before a file of the same name.
            let order = |file: &str| if file.contains('/') { None } else { rank(file) };
            if order(&file) < order(known) {
                *known = file;
            }
        }
    }
    modules
}

/// How late Python looks for a file of this name; `None` if it loads no such file as a module, such as `csv.old.py`.
fn rank(name: &str) -> Option<usize> {
    let (_, ending) = name.split_once('.')?;
    let is_native = ending.ends_with(".so");
    ENDINGS.iter().position(|known| ending == *known || is_native && *known == "so")
}

/// The file of a folder that makes it a package.
fn first_file(folder: &Path) -> Option<&'static str> {
    ["__init__.py", "__init__.pyc"].into_iter().find(|file| folder.join(file).exists())
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
            "data.old.py",
            "notes.txt",
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
                named("fast", "fast.cpython-312-x86_64-linux-gnu.so"),
                named("pkg", "pkg/__init__.py"),
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
}
