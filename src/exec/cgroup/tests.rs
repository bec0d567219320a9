//! Tests with folders of plain files: what is written where, and what is refused.

use super::*;
use crate::exec::entry::HelperEntry;

/// A group as the system would show it, in a folder of plain files.
fn shown(folder: &Path, controllers: &str, enabled: &str, processes: &str) {
    fs::create_dir_all(folder).unwrap();
    for (name, text) in [
        ("cgroup.controllers", controllers),
        ("cgroup.subtree_control", enabled),
        ("cgroup.procs", processes),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn at(root: &Path, own: &str) -> Result<Scope, CgroupError> {
    Scope::at(root, own, 4711, &HelperFile::at(Path::new("/bin/true")).unwrap())
}

#[test]
fn the_hierarchy_is_found_among_the_mounts() {
    let text = "25 21 0:22 / /proc rw - proc proc rw\n\
                33 21 0:28 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                34 21 0:29 / /sys/fs/my\\040groups rw,relatime shared:4 - cgroup2 cgroup2 rw\n";
    assert_eq!(parent::mount_point(text), Some("/sys/fs/my groups".into()));
    assert_eq!(parent::mount_point("25 21 0:22 / /proc rw - proc proc rw\n"), None);
    assert_eq!(parent::mount_point("torn - cgroup2"), None);
}

#[test]
fn only_a_group_below_the_mount_is_taken() {
    let root = Path::new("/cg");
    let own = |told: &str| parent::own_group(root, told);
    assert_eq!(own("4:memory:/x\n0::/user.slice/a.scope\n").unwrap(), Path::new("/cg/user.slice/a.scope"));
    assert_eq!(own("0::/\n").unwrap(), Path::new("/cg"));
    assert!(matches!(own("0::/../other\n"), Err(CgroupError::OutOfSight)));
    assert!(own("4:memory:/x\n").is_err());
}

#[test]
fn without_controllers_or_among_others_there_is_no_place_and_it_says_why() {
    let root = tempfile::tempdir().unwrap();
    let own = root.path().join("a.scope");
    shown(&own, "cpu pids", "", "4711\n");
    let why = at(root.path(), "0::/a.scope\n").unwrap_err().to_string();
    assert!(why.contains("no control of memory;") && why.contains("systemd-run"), "{why}");
    shown(&own, "cpu memory pids", "", "12\n4711\n");
    let why = at(root.path(), "0::/a.scope\n").unwrap_err().to_string();
    assert!(why.contains("other processes"), "{why}");
    assert!(
        fs::read_dir(&own).unwrap().all(|e| e.unwrap().file_type().unwrap().is_file()),
        "nothing was made"
    );
}

#[test]
fn what_can_not_be_moved_is_as_before() {
    // In a folder of plain files the new group lacks the file that moves the process.
    let root = tempfile::tempdir().unwrap();
    let own = root.path().join("a.scope");
    shown(&own, "cpu memory pids", "", "4711\n");
    let why = at(root.path(), "0::/a.scope\n").unwrap_err().to_string();
    assert!(why.contains("can't have others"), "{why}");
    assert!(fs::read_dir(&own).unwrap().all(|e| e.unwrap().file_type().unwrap().is_file()));
    assert_eq!(fs::read_to_string(own.join("cgroup.subtree_control")).unwrap(), "");
}

#[test]
fn a_later_session_uses_the_place_of_the_first() {
    let root = tempfile::tempdir().unwrap();
    let own = root.path().join("a.scope");
    shown(&own, "memory pids", "memory pids", "");
    let first = at(root.path(), "0::/a.scope\n").unwrap();
    assert_eq!(first.folder, own);
    let leaf = format!("0::/a.scope/{}-self\n", first.name);
    assert_eq!(at(root.path(), &leaf).unwrap().folder, own);
}

#[test]
fn limits_are_written_with_room_for_what_carries_the_run() {
    let root = tempfile::tempdir().unwrap();
    let group = Group::make(root.path(), "g").unwrap();
    let file = |name: &str| root.path().join("g").join(name);
    assert!(group.set(&Limits::default()).is_err(), "a limit that can't be set is not called set");
    for name in ["memory.max", "memory.swap.max", "memory.oom.group", "pids.max"] {
        fs::write(file(name), "").unwrap();
    }
    let limits = Limits { memory_bytes: 256 << 20, processes: 10, ..Limits::default() };
    group.set(&limits).unwrap();
    let read = |name: &str| fs::read_to_string(file(name)).unwrap();
    assert_eq!((read("memory.max"), read("pids.max")), ((272u64 << 20).to_string(), "14".into()));
    assert_eq!((read("memory.swap.max"), read("memory.oom.group")), ("0".into(), "1".into()));
    for name in ["memory.max", "pids.max"] {
        fs::write(file(name), "").unwrap();
    }
    group.set(&Limits { memory_bytes: 0, processes: 0, ..limits }).unwrap();
    assert_eq!((read("memory.max"), read("pids.max")), ("max".into(), "max".into()));
}

#[test]
fn running_out_of_memory_is_read_from_the_events() {
    let root = tempfile::tempdir().unwrap();
    let group = Group::make(root.path(), "g").unwrap();
    let put = |name: &str, text: &str| fs::write(root.path().join("g").join(name), text).unwrap();
    assert!(group.out_of_memory(256 << 20).is_none() && group.is_empty());
    put("memory.events", "low 0\nhigh 0\nmax 31\noom 1\noom_kill 0\noom_group_kill 0\n");
    assert_eq!(group.out_of_memory(256 << 20), None);
    put("memory.events", "low 0\nhigh 0\nmax 31\noom 1\noom_kill 3\noom_group_kill 1\n");
    for (limit, told) in
        [(0, None), (1 << 10, Some("memory: over 1 KiB")), (256 << 20, Some("memory: over 256 MiB"))]
    {
        assert_eq!(group.out_of_memory(limit).as_deref(), told, "{limit}");
    }
    put("cgroup.events", "populated 1\nfrozen 0\n");
    assert!(!group.is_empty());
}

#[test]
fn groups_of_owners_that_are_gone_are_removed_and_no_others() {
    let root = tempfile::tempdir().unwrap();
    let own = std::process::id();
    let living = format!("sayso-{own}-{}-0", started_at(own).unwrap());
    let reused = format!("sayso-{own}-1-0");
    for name in [living.as_str(), &reused, "sayso-999999999-5-self", "sayso-notes", "other"] {
        fs::create_dir(root.path().join(name)).unwrap();
    }
    parent::sweep(root.path());
    let mut left: Vec<String> =
        fs::read_dir(root.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    let mut wanted = vec!["other".to_owned(), living, "sayso-notes".to_owned()];
    wanted.sort();
    assert_eq!(left, wanted);
}

#[test]
fn an_entry_leads_through_the_group() {
    let root = tempfile::tempdir().unwrap();
    let group = Group::make(root.path(), "g").unwrap();
    let helper = HelperFile::at(Path::new("/bin/true")).unwrap();
    let entry = HelperEntry {
        outer: Some(("/usr/bin/bwrap".into(), vec!["--".into()])),
        apart: true,
        ..HelperEntry::plain(&helper)
    };
    let through = group.entry(&entry);
    assert_eq!(through.door, Some(root.path().join("g/cgroup.procs")));
    assert!(through.apart && through.outer == entry.outer);
}
