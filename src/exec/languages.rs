//! Builds the invocation for a block of a language that has no kernel. Pure.
//!
//! A program reads the source through a descriptor if it can. Otherwise `assets/build.sh` writes it to a private
//! folder, builds it if needed, and removes the folder afterwards. The source is never read from a place where others
//! can write.

use super::environment::{self, Environment};
use super::helper_wire::FIRST_INHERITED_FD;
use super::julia;
use super::own_names::OwnNames;
use super::plan::{self, InheritedFd, Invocation};
use crate::domain::language::RunMethod;
use crate::domain::{Languages, RunError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const BUILD: &str = include_str!("../../assets/build.sh");
/// A script that R runs before a block: how errors are located, and where plots go.
const PROFILE: &str = include_str!("../../assets/profile.R");
const SQL: &str = include_str!("../../assets/sql.py");

/// The script that a program of this language reads beside the source.
pub(super) fn profile(language: &str) -> &'static str {
    if language == "julia" { julia::START } else { PROFILE }
}

/// The names of a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextName<'a> {
    /// The name in messages: `block 3`, or the person's file.
    pub(crate) label: &'a str,
    /// The path of a private folder for it, which does not exist yet.
    pub(crate) folder: &'a str,
}

/// The program that runs one block in this way. `extension` is that of the language's files.
pub(super) fn invocation(
    language: &str,
    way: &RunMethod,
    extension: &str,
    interpreter: &Path,
    TextName { label, folder }: TextName<'_>,
    cwd: &Path,
    mut env: Environment,
) -> Invocation {
    if needs_file(way) {
        let args = build(way, (label, extension), interpreter, folder);
        let inherited = vec![InheritedFd::Source, InheritedFd::State];
        let name = file_name(label, extension);
        let names = match named_otherwise(label, &name) {
            Some(named) => {
                OwnNames::default().with(&format!("{folder}/{name}"), named).with(&format!("{folder}/"), "")
            }
            None => OwnNames::of_folder(folder),
        };
        return Invocation::new(Path::new("/bin/sh"), args, (inherited, names), cwd, env);
    }
    let of_descriptor = || (vec![InheritedFd::Source], OwnNames::of_descriptor(label));
    if !way.arguments.is_empty() {
        let is_julia = language == "julia" && way.arguments.iter().any(|word| word == "{file}");
        let file = if is_julia { julia::start() } else { format!("/dev/fd/{FIRST_INHERITED_FD}") };
        let fill = |word: &String| word.replace("{file}", &file).replace("{folder}", &cwd.to_string_lossy());
        let mut args: Vec<OsString> = way.arguments.iter().map(|word| fill(word).into()).collect();
        if is_julia {
            args.push(label.into());
            let home = environment::value(&env, "HOME").map(PathBuf::from);
            let names = julia::names(label, cwd, home.as_deref());
            return Invocation::new(interpreter, args, (julia::INHERITED_FDS.into(), names), cwd, env);
        }
        if way.profile {
            plan::set(&mut env, "R_PROFILE", format!("/dev/fd/{}", FIRST_INHERITED_FD + 1));
            let (mut inherited, names) = of_descriptor();
            inherited.push(InheritedFd::Profile);
            return Invocation::new(interpreter, args, (inherited, names), cwd, env);
        }
        return Invocation::new(interpreter, args, of_descriptor(), cwd, env);
    }
    match language {
        "sql" => {
            let args = ["-I", "-c", SQL, label].map(OsString::from).to_vec();
            Invocation::new(interpreter, args, of_descriptor(), cwd, env)
        }
        "typescript" => {
            let mut invocation = plan::subprocess("javascript", interpreter, label, cwd, env);
            invocation.program.args.push("typescript".into());
            invocation
        }
        _ => plan::subprocess(language, interpreter, label, cwd, env),
    }
}

/// The statements in a line of code. A statement in braces stays together with what precedes the brace.
fn statements(code: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i32;
    code.split(move |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ';' && depth <= 0
    })
}

/// The extension for this source. Node treats a TypeScript file as a script unless its name says that it is a module,
/// and only a module may use `await` outside of functions.
pub(super) fn extension_of<'a>(extension: &'a str, source: &str) -> &'a str {
    let waits = |line: &str| {
        let begins_code = !line.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '*'));
        // After a colon, two slashes belong to a URL.
        let before = |at: usize| line.get(..at).unwrap_or_default();
        let remark = line.match_indices("//").map(|(at, _)| before(at)).find(|code| !code.ends_with(':'));
        let code = remark.unwrap_or(line);
        let waits = |statement: &str| {
            let mut words = statement.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            // After `async`, the `await` is inside a function.
            words.find(|word| matches!(*word, "async" | "await")) == Some("await")
        };
        begins_code && statements(code).any(waits)
    };
    if extension == "ts" && source.lines().any(waits) { "mts" } else { extension }
}

/// Whether the program needs the source as a file, or builds one from it.
pub(super) fn needs_file(way: &RunMethod) -> bool {
    !way.compile.is_empty() || way.arguments.iter().any(|word| word.contains("{source}"))
}

/// The arguments of `assets/build.sh`: what builds, then what is passed to the built program or the interpreter.
fn build(
    way: &RunMethod,
    (label, extension): (&str, &str),
    interpreter: &Path,
    folder: &str,
) -> Vec<OsString> {
    let name = file_name(label, extension);
    let mut args: Vec<OsString> = vec!["-c".into(), BUILD.into(), label.into(), folder.into(), name.into()];
    let count = if way.compile.is_empty() { 0 } else { way.compile.len() + 1 };
    args.push(count.to_string().into());
    args.push(interpreter.into());
    args.extend(way.compile.iter().chain(&way.arguments).map(OsString::from));
    args
}

/// The name of the file with the source: that of the person's file if its extension belongs to the language, else one
/// made from the label. A TypeScript source with `await` outside of functions gets the extension of a module, whatever
/// the person's file is called.
fn file_name(label: &str, extension: &str) -> String {
    let language =
        |extension: &str| Languages::default().by_extension(extension).map(|entry| entry.name.clone());
    let is_plain = |name: &&str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        name.chars().all(is_plain) && name.starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    let named = Path::new(label).file_name().and_then(|name| name.to_str()).filter(is_plain);
    let fits = |name: &&str| {
        let own = Path::new(name).extension().and_then(|own| own.to_str());
        own.is_some_and(|own| {
            own == extension || language(own).is_some_and(|own| language(extension) == Some(own))
        })
    };
    match named.filter(fits) {
        Some(name) if extension == "mts" => {
            format!("{}.{extension}", name.strip_suffix(".ts").unwrap_or(name.trim_end_matches(".mts")))
        }
        Some(name) => name.to_owned(),
        None => format!("{}.{extension}", label.replace(|c: char| !c.is_ascii_alphanumeric(), "_")),
    }
}

/// The name of the person's file, if the file with the source got the extension of a module instead.
fn named_otherwise<'a>(label: &'a str, name: &str) -> Option<&'a str> {
    let named = label.rsplit('/').next()?;
    (name.strip_suffix(".mts")? == named.strip_suffix(".ts")?).then_some(named)
}

/// Whether the report of `assets/build.sh` means that the program was not built.
pub(super) fn stopped_building(way: &RunMethod, told: &[u8]) -> bool {
    !way.compile.is_empty() && told.starts_with(b"build")
}

/// The error of a program that was not built, with the compiler's first line about an error.
pub(super) fn build_error(printed: &[u8]) -> RunError {
    let printed = String::from_utf8_lossy(printed);
    let first = printed.lines().find(|line| line.contains("error")).or_else(|| printed.lines().next());
    let message = first.map_or("the compiler said nothing", str::trim);
    RunError {
        kind: "CompileError".into(),
        message: message.chars().take(400).collect(),
        traceback: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Languages;

    fn shown(language: &str, at: usize) -> String {
        let languages = Languages::default();
        let entry = languages.find(language).unwrap();
        let way = entry.ways().into_iter().nth(at).unwrap();
        let program = Path::new("/usr/bin").join(&way.command);
        let made = invocation(
            entry.name.as_str(),
            &way,
            &entry.extensions[0],
            &program,
            TextName { label: "block 3", folder: "/tmp/sayso-1" },
            Path::new("/work"),
            Vec::new(),
        );
        let words = made.program.args.iter().map(|word| word.to_string_lossy().into_owned());
        let words: Vec<String> = words
            .map(|word| match word {
                word if word == BUILD => "(build.sh)".into(),
                word if word == SQL => "(sql.py)".into(),
                word if word.contains("vm.Script") => "(node.js)".into(),
                word => word,
            })
            .collect();
        format!("{} {} {:?}", made.program.executable.display(), words.join(" "), made.inherited)
    }

    #[test]
    fn programs_and_what_they_are_given() {
        let build = "/bin/sh -c (build.sh) block 3 /tmp/sayso-1";
        let node = "/usr/bin/node --experimental-vm-modules -e (node.js) block 3";
        let r = "/usr/bin/Rscript --no-save --no-restore --no-environ --no-init-file";
        let rust = "/usr/bin/rustc --edition=2021 --crate-name block -o {program} {source}";
        let sql = "/usr/bin/sqlite3 -batch -bail -header -column :memory: .read";
        for (language, at, expected) in [
            ("ruby", 0, "/usr/bin/ruby /dev/fd/90 [Source]".to_owned()),
            ("sql", 0, format!("{sql} /dev/fd/90 [Source]")),
            ("sql", 2, "/usr/bin/python3 -I -c (sql.py) block 3 [Source]".into()),
            ("r", 0, format!("{r} /dev/fd/90 [Source, Profile]")),
            (
                "julia",
                0,
                "/usr/bin/julia --startup-file=no /dev/fd/91 block 3 [Source, Profile, State]".into(),
            ),
            ("rust", 0, format!("{build} block_3.rs 7 {rust} [Source, State]")),
            ("java", 0, format!("{build} block_3.java 0 /usr/bin/java {{source}} [Source, State]")),
            ("typescript", 0, format!("{node} typescript [Source]")),
        ] {
            assert_eq!(shown(language, at), expected);
        }
    }

    #[test]
    fn a_file_that_was_named_keeps_its_name() {
        for (label, extension, wanted) in [
            ("block 3", "c", "block_3.c"),
            ("sub/main.c", "c", "main.c"),
            ("/a b/main.cc", "cpp", "main.cc"),
            ("a b.c", "c", "a_b_c.c"),
            ("sub/-o.c", "c", "sub__o_c.c"),
            ("notes.txt", "c", "notes_txt.c"),
            ("sub/b.ts", "ts", "b.ts"),
            ("sub/b.ts", "mts", "b.mts"),
            ("b.mts", "mts", "b.mts"),
            ("b.mts", "ts", "b.mts"),
        ] {
            assert_eq!(file_name(label, extension), wanted);
        }
    }

    #[test]
    fn a_file_that_is_a_module_by_another_name_is_told_by_its_own() {
        assert_eq!(named_otherwise("sub/b.ts", &file_name("sub/b.ts", "mts")), Some("b.ts"));
        assert_eq!(named_otherwise("sub/b.ts", &file_name("sub/b.ts", "ts")), None);
        assert_eq!(named_otherwise("block 3", &file_name("block 3", "mts")), None);
        assert_eq!(named_otherwise("b.mts", &file_name("b.mts", "mts")), None);
    }

    #[test]
    fn typescript_that_waits_is_a_module() {
        for module in [
            "const n = await f();",
            "for (const u of ['http://a']) await get(u);",
            "const f = async () => 1; const n = await f();",
            "if (n) { await f(); }",
        ] {
            assert_eq!(extension_of("ts", module), "mts", "{module}");
        }
        assert_eq!(extension_of("ts", "async function f() {\n  await g();\n}\nlet awaited = 1;"), "ts");
        for script in [
            "const f = async () => { await g(); };\nconst fs = require('fs');",
            "// await the answer\nlet n = 1;",
            "let n = 1; // await",
        ] {
            assert_eq!(extension_of("ts", script), "ts", "{script}");
        }
        assert_eq!(extension_of("js", "const n = await f();"), "js");
    }

    #[test]
    fn a_compilers_first_error_is_told() {
        let printed = b"block_1.c: In function 'main':\nblock_1.c:2:5: error: expected ';'\nmore\n";
        assert_eq!(build_error(printed).message, "block_1.c:2:5: error: expected ';'");
        assert_eq!(build_error(b"").message, "the compiler said nothing");
    }
}
