use super::*;
use crate::domain::InstallInto;
use crate::launch::WritableFolders;
use crate::test_folder::TestFolder;
use std::fs;

/// Answers queries without starting anything, and records which programs were queried.
#[derive(Debug, Default)]
struct Book {
    asked: Arc<Mutex<Vec<PathBuf>>>,
    answer: Option<String>,
}

impl Questions for Book {
    fn ask(&self, program: &Path, _: &[&str]) -> QuestionResult {
        self.asked.lock().unwrap().push(program.into());
        self.answer.clone().map_or(QuestionResult::NotAsked, QuestionResult::Said)
    }
}

struct Bench {
    folder: TestFolder,
    asked: Arc<Mutex<Vec<PathBuf>>>,
}

impl Bench {
    fn new() -> Self {
        let folder = TestFolder::new();
        fs::create_dir(folder.at("work")).unwrap();
        Self { folder, asked: Arc::default() }
    }

    /// A program that leaves a mark if it is started.
    fn trap(&self, path: &str) -> PathBuf {
        self.folder.program(path, &format!("#!/bin/sh\ntouch {}\n", self.folder.at("mark").display()))
    }

    fn finder(&self, python: Option<&Path>, path: &[&str], answer: Option<String>) -> Finder {
        self.finder_of(Languages::default(), python, path, answer)
    }

    /// Checks that nothing in the folder was asked.
    #[track_caller]
    fn assert_own_not_asked(&self) {
        let asked = self.asked();
        assert!(asked.iter().all(|path| !path.starts_with(&self.folder.base)), "{asked:?}");
    }

    fn finder_of(
        &self,
        languages: Languages,
        python: Option<&Path>,
        path: &[&str],
        answer: Option<String>,
    ) -> Finder {
        let folders: Vec<PathBuf> = path.iter().map(|folder| self.folder.base.join(folder)).collect();
        let (cwd, out) = (self.folder.base.join("work"), self.folder.base.join("out"));
        let launcher =
            Launcher::new(&env::join_paths(folders).unwrap(), WritableFolders::new(&cwd, None, &[out], &[]));
        let place = ProgramPaths { cwd, home: None, python: python.map(Into::into), launcher };
        Finder::new(languages, place, Arc::new(Book { asked: self.asked.clone(), answer }))
    }

    fn asked(&self) -> Vec<PathBuf> {
        assert!(!self.folder.base.join("mark").exists(), "a program was started");
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

#[test]
fn versions_as_programs_tell_them() {
    assert_eq!(version_in("Python 3.12.4\n").as_deref(), Some("3.12.4"));
    assert_eq!(version_in("v20.20.2\n").as_deref(), Some("20.20.2"));
    let bash = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright";
    assert_eq!(version_in(bash).as_deref(), Some("5.2.15"));
    assert_eq!(version_in("none"), None);
}

#[test]
fn a_stand_in_is_asked_once_for_the_real_one() {
    let bench = Bench::new();
    let (shim, real) = (bench.trap("shim/python3"), bench.trap("real/python3"));
    let finder = bench.finder(Some(&shim), &[], Some(format!("{}\n3.99.1\n", real.display())));
    for _ in 0..3 {
        let found = finder.find(&Language::python()).unwrap();
        assert_eq!(found.path, real);
        assert_eq!(found.version.as_deref(), Some("3.99.1"));
    }
    assert_eq!(bench.asked(), [shim]);
}

#[test]
fn a_program_that_runs_may_write_is_found_and_not_even_asked() {
    let bench = Bench::new();
    let python = bench.trap("work/.venv/bin/python");
    fs::write(bench.folder.base.join("work/.venv/pyvenv.cfg"), "version = 3.12.1\n").unwrap();
    bench.trap("work/bin/node");
    bench.trap("out/bash");
    let finder = bench.finder(None, &["work/bin", "out"], Some("9.9.9".into()));
    let found = finder.find(&Language::python()).unwrap();
    assert_eq!(found.path, python);
    let all = finder.all();
    let version = |name: &str| all.iter().find(|i| i.language.as_str() == name).unwrap().version.clone();
    assert_eq!(version("python").as_deref(), Some("3.12.1"));
    assert!(!finder.is_plain(&python) && !finder.python_has("pytest"));
    bench.assert_own_not_asked();
}

#[test]
fn a_program_that_can_be_trusted_goes_before_one_that_can_not() {
    let bench = Bench::new();
    bench.trap("work/bin/node");
    let good = bench.trap("good/node");
    let finder = bench.finder(None, &["work/bin", "good"], None);
    assert_eq!(finder.find(&Language("javascript".into())).unwrap().path, good);
    bench.asked();
}

#[test]
fn a_file_of_typescript_is_run_by_what_runs_it_here() {
    let words = |version: &str, tool: &str| {
        let bench = Bench::new();
        bench.trap("good/node");
        if !tool.is_empty() {
            bench.trap(tool);
        }
        let finder = bench.finder(None, &["good"], Some(version.into()));
        let words = finder.typescript().map(|words| words.join(" "));
        bench.asked();
        words
    };
    let told = "node --experimental-strip-types --disable-warning=ExperimentalWarning";
    assert_eq!(words("v22.18.0", "").as_deref(), Some("node"));
    assert_eq!(words("v22.13.1", "").as_deref(), Some(told));
    assert_eq!(words("v20.20.2", "work/node_modules/tsx/a.js").as_deref(), Some("node --import tsx"));
    assert_eq!(words("v20.1.0", "good/bun").as_deref(), Some("bun"));
    assert_eq!(words("v20.1.0", "good/deno").as_deref(), Some("deno run --no-prompt"));
    let expected = Some("ts-node --transpile-only");
    assert_eq!(words("v20.1.0", "work/node_modules/.bin/ts-node").as_deref(), expected);
    assert_eq!(words("v20.20.2", ""), None);
}

#[test]
fn what_runs_typescript_is_told_by_words_that_are_not_quoted() {
    let bench = Bench::new();
    let deno = bench.trap("my tools/deno").to_string_lossy().into_owned();
    let mut languages = Languages::default();
    let entry = Arc::make_mut(&mut languages.0).iter_mut().find(|entry| entry.name.as_str() == "typescript");
    let entry = entry.unwrap();
    entry.command.clone_from(&deno);
    entry.arguments = ["run", "--allow-env=A B", "{source}"].map(str::to_owned).to_vec();
    let words = bench.finder_of(languages, None, &[], None).typescript();
    bench.asked();
    assert_eq!(words, Some(vec![deno, "run".into(), "--allow-env=A B".into()]));
}

#[test]
fn the_projects_pip_is_for_the_project_alone() {
    let bench = Bench::new();
    let venv = bench.folder.base.join("work/.venv");
    bench.trap("work/.venv/bin/python");
    fs::write(venv.join("pyvenv.cfg"), "").unwrap();
    bench.folder.file("work/.venv/lib/python3.12/site-packages/pip/__main__.py", "");
    let found = bench.finder(None, &[], Some("True".into()));
    let python = found.find(&Language::python()).unwrap();
    assert_eq!(found.project_venv(), Some(venv));
    assert!(found.has_pip(&python, InstallInto::Project));
    assert!(!found.has_pip(&python, InstallInto::Session));
    // A program elsewhere inside the environment is not its Python.
    let tool = bench.trap("work/.venv/tools/python");
    let found = bench.finder(Some(&tool), &[], None);
    assert_eq!(found.project_venv(), None);
    assert_eq!(bench.asked(), Vec::<PathBuf>::new());
}

#[test]
fn a_link_of_the_working_folder_makes_no_program_trusted() {
    for (link, to) in [
        ("work/.venv/bin/python", "dl/bin/python"),
        ("work/.venv/bin", "dl/bin"),
        ("work/.venv", "dl"),
        ("work/venv/bin", "dl/bin"),
        ("work/venv", "dl"),
        ("work/env", "dl"),
    ] {
        let bench = Bench::new();
        bench.trap("dl/bin/python");
        fs::write(bench.folder.base.join("dl/pyvenv.cfg"), "").unwrap();
        let link = bench.folder.base.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        if !link.ends_with("venv") {
            let venv = link.ancestors().find(|folder| folder.ends_with("venv"));
            let _ = fs::write(venv.unwrap_or(&bench.folder.base).join("pyvenv.cfg"), "");
        }
        std::os::unix::fs::symlink(bench.folder.base.join(to), &link).unwrap();
        let finder = bench.finder(None, &[], Some("3.12.1".into()));
        let found = finder.find(&Language::python()).unwrap();
        assert!(found.path.ends_with("bin/python"), "{found:?}");
        assert!(!finder.is_plain(&found.path), "{found:?}");
        assert!(!finder.has_pip(&found, InstallInto::Session), "{found:?}");
        assert_eq!(finder.python_to_install(InstallInto::Session), None, "{found:?}");
        finder.all();
        bench.assert_own_not_asked();
    }
}

#[test]
fn an_installation_beside_the_session_starts_the_python_behind_the_environment() {
    let bench = Bench::new();
    let uv = bench.trap("tools/uv");
    let venv = bench.folder.base.join("work/.venv");
    fs::create_dir_all(venv.join("bin")).unwrap();
    fs::write(venv.join("pyvenv.cfg"), "").unwrap();
    std::os::unix::fs::symlink("/usr/bin/env", venv.join("bin/python")).unwrap();
    let finder = bench.finder(None, &["tools"], None);
    let python = fs::canonicalize("/usr/bin/env").unwrap();
    assert_eq!(finder.python_to_install(InstallInto::Session), Some(python));
    assert_eq!(finder.python_to_install(InstallInto::Project), Some(venv.join("bin/python")));
    assert_eq!(finder.installer(&Language::python(), InstallInto::Session).unwrap().path, uv);
    // A Python that came with the project is not started for it.
    fs::remove_file(venv.join("bin/python")).unwrap();
    bench.trap("work/.venv/bin/python");
    let finder = bench.finder(None, &["tools"], None);
    let refused = finder.installer(&Language::python(), InstallInto::Session);
    assert!(matches!(refused, Err(ExecutorError::ProjectPip)), "{refused:?}");
    assert_eq!(finder.installer(&Language::python(), InstallInto::Project).unwrap().path, uv);
    bench.asked();
}

#[test]
fn what_is_missing_is_told_with_what_to_do() {
    let bench = Bench::new();
    let missing = bench.finder(Some(Path::new("/nowhere/python")), &[], None);
    let why = missing.find(&Language::python()).unwrap_err().to_string();
    assert_eq!(why, "the Python that is set, /nowhere/python, is not there: set another one");
    let why = missing.find(&Language("cobol".into())).unwrap_err().to_string();
    assert!(why.contains("no interpreter is configured"), "{why}");
}

#[test]
fn versions_are_told_beforehand_by_places_alone() {
    let bench = Bench::new();
    fs::write(bench.trap("work/.venv/bin/python"), "\x7fELF").unwrap();
    fs::write(bench.folder.base.join("work/.venv/pyvenv.cfg"), "version = 3.12.4\n").unwrap();
    let told = versions_by_files(&bench.folder.base.join("work"), None, None);
    assert!(told.contains(&(Language::python(), "3.12.4".into())), "{told:?}");
    let chosen = bench.trap("pythons/3.10.2/bin/python3");
    let told = versions_by_files(&bench.folder.base.join("work"), None, Some(&chosen));
    // A script that may not be queried has no known version.
    assert!(!told.iter().any(|(language, _)| *language == Language::python()), "{told:?}");
    assert_eq!(bench.asked(), Vec::<PathBuf>::new());
}

#[test]
fn what_is_too_old_is_named_once_with_what_it_needs() {
    let bench = Bench::new();
    let node = bench.trap("bin/node");
    fs::write(&node, "\x7fELF").unwrap();
    let finder = bench.finder(None, &["bin"], Some("v20.1.0\n".into()));
    let error = finder.find(&Language("typescript".into())).unwrap_err().to_string();
    assert!(error.contains("node 22.6 or newer (it is 20.1.0)"), "{error}");
    assert_eq!(error.matches("node ").count(), 1, "{error}");
}
