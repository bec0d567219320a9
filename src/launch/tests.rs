use super::environment::{KeptVariables, is_steering, leads_astray};
use super::*;
use crate::test_folder::TestFolder;
use std::collections::BTreeSet;

impl TestFolder {
    fn launcher(&self, path: &[&str]) -> Launcher {
        let folder =
            |entry: &&str| if entry.starts_with('/') { PathBuf::from(entry) } else { self.base.join(entry) };
        let mut path: Vec<PathBuf> = path.iter().map(folder).collect();
        path.insert(0, PathBuf::new());
        path.insert(1, ".".into());
        path.insert(2, "bin".into());
        let writable = WritableFolders::new(&self.base.join("work"), None, &[self.base.join("out")], &[]);
        Launcher::new(&std::env::join_paths(path).unwrap(), writable)
    }
}

#[test]
fn a_program_of_a_writable_folder_never_stands_in_for_another() {
    let disk = TestFolder::new();
    for row in TABLE {
        if let FindRule::OnPath(name) = row.found {
            disk.program(&format!("work/bin/{name}"), "trap");
            disk.program(&format!("out/{name}"), "trap");
            disk.program(&format!("good/{name}"), "");
        }
    }
    let launcher = disk.launcher(&["work/bin", "work", "out", "good"]);
    for row in TABLE {
        if let FindRule::OnPath(name) = row.found {
            assert_eq!(launcher.path_of(row.start), Some(disk.base.join("good").join(name).as_path()));
            let command = launcher.command(row.start).unwrap();
            assert!(command.get_program() == disk.base.join("good").join(name));
            assert_eq!(command.get_current_dir(), Some(Path::new("/")));
        }
    }
    assert_eq!(launcher.path(), disk.base.join("good").as_os_str());
    let none = disk.launcher(&["work/bin", "out"]);
    let why = none.command(Start::Tmux).unwrap_err().to_string();
    assert!(why.contains("tmux is not on the PATH outside of folders"), "{why}");
}

#[test]
fn what_the_person_names_is_not_taken_from_such_a_folder_either() {
    let disk = TestFolder::new();
    let trap = disk.program("work/bin/pass", "trap");
    let good = disk.program("good/pass", "");
    let launcher = disk.launcher(&["work/bin", "good"]);
    assert_eq!(launcher.locate("pass"), Ok(good.clone()));
    assert_eq!(launcher.locate(good.to_str().unwrap()), Ok(good));
    for bad in [trap.to_str().unwrap(), "./pass", "bin/pass", "/nowhere/pass", "nothing"] {
        assert!(launcher.locate(bad).unwrap_err().to_string().starts_with("can't be started"), "{bad}");
    }
}

#[test]
fn a_line_that_names_such_a_program_by_its_place_meets_no_shell() {
    let disk = TestFolder::new();
    let trap = disk.program("work/pass", "trap").display().to_string();
    let launcher = disk.launcher(&["good"]);
    for line in [trap.clone(), format!("A=1 '{trap}' show"), format!("echo $({trap})"), format!("x; {trap}")]
    {
        let why = launcher.shell_command(Start::KeyCommand, &line).unwrap_err().to_string();
        assert!(why.contains("may have written"), "{line}: {why}");
    }
    let fine = launcher.shell_command(Start::KeyCommand, "cat /etc/hostname").unwrap();
    let path = fine.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
    assert_eq!(path, Some(OsStr::new("")));
    assert_eq!(fine.get_current_dir(), Some(Path::new("/")));
}

#[test]
fn each_thing_is_in_the_table_once_and_has_a_row() {
    let all: BTreeSet<Start> = TABLE.iter().map(|row| row.start).collect();
    assert_eq!(all.len(), TABLE.len());
    for row in TABLE {
        assert_eq!(row.start.row().start, row.start);
    }
}

#[test]
fn what_steers_loaders_and_shells_stays_behind() {
    let all = [
        "LD_PRELOAD",
        "VIMINIT",
        "EXINIT",
        "BASH_ENV",
        "GIT_SSH_COMMAND",
        "LESSOPEN",
        "PYTHONSTARTUP",
        "BASH_FUNC_ls%%",
        "PATH",
    ];
    let all =
        || all.iter().chain(&["HOME", "EDITOR_OPTION", "LC_ALL"]).map(|n| (OsString::from(n), "x".into()));
    let names = |keeps: KeptVariables| -> Vec<String> {
        keeps.of(all()).into_iter().map(|(name, _)| name.into_string().unwrap()).collect()
    };
    assert_eq!(names(KeptVariables::Person), ["HOME", "EDITOR_OPTION", "LC_ALL"]);
    assert_eq!(names(KeptVariables::Only(&["HOME"])), ["HOME", "LC_ALL"]);
    for row in TABLE {
        assert!(!names(row.keeps).iter().any(|name| is_steering(OsStr::new(name)) || name == "PATH"));
    }
}

#[test]
fn a_place_in_the_working_folder_is_not_passed_on() {
    let disk = TestFolder::new();
    let (work, own) = (disk.base.join("work"), disk.base.join("own"));
    std::fs::create_dir_all(work.join("cfg")).unwrap();
    std::fs::create_dir_all(&own).unwrap();
    std::os::unix::fs::symlink(work.join("cfg"), own.join("link")).unwrap();
    let launcher = Launcher::new(OsStr::new(""), WritableFolders::new(&work, None, &[], &[]));
    let (work, own) = (work.to_string_lossy(), own.to_string_lossy());
    let astray = |name: &str, value: &str| {
        leads_astray(OsStr::new(name), OsStr::new(value), |place| launcher.trusts(place))
    };
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_DIRS", "MYVIMRC", "EMACSLOADPATH", "TERMINFO", "TERMINFO_DIRS"]
    {
        assert!(astray(name, &format!("{work}/cfg")) && astray(name, "cfg"), "{name}");
        for value in [format!("{own}:{work}/cfg:"), format!("{own}/link")] {
            assert!(astray(name, &value), "{name}");
        }
        assert!(!astray(name, &own) && !astray(name, &format!("{own}:/usr/share:/no/such:")), "{name}");
    }
    assert!(!astray("EDITOR_OPTION", &format!("{work}/cfg")));
}

#[test]
fn a_program_that_is_many_in_one_is_called_by_its_name() {
    let disk = TestFolder::new();
    let real = disk.program("good/busybox", "#!/bin/sh\n");
    std::os::unix::fs::symlink(&real, disk.base.join("good/tmux")).unwrap();
    let launcher = disk.launcher(&["good"]);
    // Links are followed at the start: what they lead to later is not started.
    let command = launcher.command(Start::Tmux).unwrap();
    assert_eq!(command.get_program(), real.as_os_str());
}
