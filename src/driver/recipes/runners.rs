//! Finds the test runners that could run here, and the command for the project's own tests. Pure: facts about the
//! folder and the machine are arguments.

use crate::text::shell::quoted;
use crate::workspace::test_markers::ProjectMarkers;

/// Nothing is written beside the tests: no bytecode that could be outdated, no cache.
const PYTEST: &str = "-B -m pytest --verbosity=-1 -rfE --tb=short --color=no -p no:cacheprovider";
const UNITTEST: &str = "-B -m unittest discover -v -s";
const NODE: &str = "node --test --test-reporter=tap";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Machine {
    /// The Python in use as a shell word; `None` if there is none.
    pub(super) python: Option<String>,
    pub(super) pytest: bool,
    /// Whether a node with a test runner is installed.
    pub(super) node: bool,
    /// The command words that run a TypeScript file; `None` if nothing does.
    pub(super) typescript: Option<Vec<String>>,
    pub(super) npm: bool,
    pub(super) cargo: bool,
    pub(super) go: bool,
    pub(super) make: bool,
}

impl Machine {
    /// Whether a test runner is installed, whatever the folder contains.
    pub(super) fn runs(&self, runner: &str) -> bool {
        match runner {
            "pytest" => self.python.is_some() && self.pytest,
            "unittest" => self.python.is_some(),
            "node" => self.node,
            "cargo" => self.cargo,
            "go" => self.go,
            _ => true,
        }
    }
}

/// The runners that could run here, the likeliest first.
pub(super) fn runners(marks: &ProjectMarkers, machine: &Machine) -> Vec<&'static str> {
    let python = match (marks.python_project || marks.python_tests.is_some(), marks.python) {
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 1,
    };
    let node = match (marks.package, marks.javascript) {
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 0,
    };
    let rows = [
        ("cargo", machine.cargo && marks.cargo, 3),
        ("go", machine.go && marks.go, 3),
        ("pytest", machine.python.is_some() && machine.pytest, python),
        ("unittest", machine.python.is_some(), python),
        ("node", machine.node, node),
    ];
    let mut there: Vec<_> = rows.into_iter().filter(|(_, there, _)| *there).collect();
    there.sort_by_key(|(_, _, likely)| std::cmp::Reverse(*likely));
    there.into_iter().map(|(name, ..)| name).collect()
}

/// The command for the project's own tests, if it has some that can be run here.
pub(super) fn command(marks: &ProjectMarkers, machine: &Machine) -> Option<String> {
    let python = machine.python.as_deref().zip(marks.python_tests.as_deref());
    let pytest = python.filter(|_| machine.pytest);
    // A script that only starts node's own runner gives less information through npm.
    let npm =
        machine.npm && marks.package_tests.as_ref().is_some_and(|script| !script.starts_with("node --test"));
    let known = [
        (machine.cargo && marks.cargo && marks.cargo_tests).then(|| "cargo test --color never".to_owned()),
        (machine.go && marks.go && marks.go_tests).then(|| "go test -v ./...".to_owned()),
        npm.then(|| "npm test --silent".to_owned()),
        (machine.node && marks.package_tests.is_some()).then(|| NODE.to_owned()),
        pytest.map(|(python, _)| format!("{python} {PYTEST}")),
        python.map(|(python, folder)| format!("{python} {UNITTEST} {}", quoted(folder))),
        (machine.node && marks.javascript_tests).then(|| NODE.to_owned()),
        (machine.make && marks.make_tests).then(|| "make test".to_owned()),
    ];
    known.into_iter().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Machine {
        Machine {
            python: Some("python3".into()),
            pytest: true,
            node: true,
            typescript: None,
            npm: true,
            cargo: true,
            go: true,
            make: true,
        }
    }

    #[test]
    fn the_likeliest_runner_comes_first() {
        let none = ProjectMarkers::default();
        assert_eq!(runners(&none, &all()), ["pytest", "unittest", "node"]);
        assert_eq!(runners(&none, &Machine::default()), <[&str; 0]>::default());
        assert_eq!(runners(&none, &Machine { pytest: false, ..all() }), ["unittest", "node"]);
        let rust = ProjectMarkers { cargo: true, ..none.clone() };
        assert_eq!(runners(&rust, &all()), ["cargo", "pytest", "unittest", "node"]);
        assert_eq!(runners(&rust, &Machine { cargo: false, ..all() }), ["pytest", "unittest", "node"]);
        let node = ProjectMarkers { package: true, javascript: true, ..none.clone() };
        assert_eq!(runners(&node, &all()), ["node", "pytest", "unittest"]);
        let both = ProjectMarkers { python: true, javascript: true, ..none };
        assert_eq!(runners(&both, &all()), ["pytest", "unittest", "node"]);
    }

    #[test]
    fn the_projects_own_tests() {
        let none = ProjectMarkers::default();
        assert_eq!(command(&none, &all()), None);
        let python = ProjectMarkers { python: true, python_tests: Some("my tests".into()), ..none.clone() };
        assert_eq!(command(&python, &all()), Some(format!("python3 {PYTEST}")));
        let bare = Machine { pytest: false, ..all() };
        assert_eq!(command(&python, &bare), Some(format!("python3 {UNITTEST} 'my tests'")));
        let script =
            |text: &str| ProjectMarkers { package: true, package_tests: Some(text.into()), ..none.clone() };
        assert_eq!(command(&script("jest"), &all()).as_deref(), Some("npm test --silent"));
        assert_eq!(command(&script("node --test test/"), &all()).as_deref(), Some(NODE));
        let rust = ProjectMarkers { cargo: true, cargo_tests: true, make_tests: true, ..none };
        assert_eq!(command(&rust, &all()).as_deref(), Some("cargo test --color never"));
        assert_eq!(command(&rust, &Machine { cargo: false, ..all() }).as_deref(), Some("make test"));
    }
}
