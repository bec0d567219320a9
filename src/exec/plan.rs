//! Builds the invocation of an interpreter: exactly which program, with which arguments, environment, folder and
//! descriptors. Pure; `process` starts it.

use super::environment::{self, Environment};
use super::helper_wire::{FIRST_INHERITED_FD, ProgramSpec};
use super::own_names::OwnNames;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The source of the kernel: first what displays values, then the loop.
pub(super) const KERNEL: &str = concat!(
    include_str!("../../assets/display.py"),
    include_str!("../../assets/page.py"),
    include_str!("../../assets/kernel.py")
);
/// Runs a block in bash, and writes down the state with which the next one starts.
pub(super) const SHELL: &str = include_str!("../../assets/shell.sh");
/// Runs a block in node.
pub(super) const NODE: &str = include_str!("../../assets/node.js");

/// The content of a descriptor that a program gets; the first one has the number [`FIRST_INHERITED_FD`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InheritedFd {
    /// The control socket of a kernel.
    Control,
    /// The source of the kernel.
    KernelText,
    /// The approved bytes, in a sealed file.
    Source,
    /// The script that R or Julia reads beside the block.
    Profile,
    /// A file to which a program writes its state or report.
    State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    /// The program with its arguments, environment and folder.
    pub(crate) program: ProgramSpec,
    /// The descriptors that it gets, in order.
    pub(crate) inherited: Vec<InheritedFd>,
    /// The names under which its errors would show the source, and what is shown instead.
    pub(super) names: OwnNames,
}

impl Invocation {
    /// A program that gets these descriptors, and whose errors would show the source under these names.
    pub(super) fn new(
        executable: &Path,
        args: Vec<OsString>,
        (inherited, names): (Vec<InheritedFd>, OwnNames),
        cwd: &Path,
        env: Environment,
    ) -> Self {
        let (executable, cwd) = (executable.into(), cwd.into());
        let program = ProgramSpec { executable, args, env, cwd, ..ProgramSpec::default() };
        Self { program, inherited, names }
    }
}

/// The empty kernel. `-I` ignores `PYTHON*` variables and keeps the working folder off the module path. The kernel gets
/// its own copy of the built-in names, so that code which replaces those does not replace them for the kernel.
pub(super) fn kernel(python: &Path, cwd: &Path, env: Environment) -> Invocation {
    let control = FIRST_INHERITED_FD;
    let start = format!(
        "import sys\n\
         if sys.version_info < (3, 8): sys.exit('Python 3.8 or newer is needed, this is ' + sys.version.split()[0])\n\
         exec(compile(open({}, 'rb').read(), '<sayso kernel>', 'exec'), \
         {{'__name__': 'sayso_kernel', '__builtins__': dict(vars(__import__('builtins')))}})",
        control + 1
    );
    let mut env = env;
    // A figure needs no display. A setting of the person's own is kept.
    if environment::value(&env, "MPLBACKEND").is_none() {
        env.push(("MPLBACKEND".into(), "Agg".into()));
    }
    let args = ["-I", "-c", &start, &control.to_string()].map(OsString::from).to_vec();
    let inherited = vec![InheritedFd::Control, InheritedFd::KernelText];
    Invocation::new(python, args, (inherited, OwnNames::default()), cwd, env)
}

/// The program for one block, named `label` in its own messages.
pub(super) fn subprocess(
    language: &str,
    interpreter: &Path,
    label: &str,
    cwd: &Path,
    env: Environment,
) -> Invocation {
    let text = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let source = vec![InheritedFd::Source];
    let (args, inherited, names) = match language {
        "bash" => (
            text(&["--noprofile", "--norc", "-c", SHELL.trim_end(), label]),
            vec![InheritedFd::Source, InheritedFd::State],
            OwnNames::default(),
        ),
        "javascript" => {
            (text(&["--experimental-vm-modules", "-e", NODE, label]), source, OwnNames::default())
        }
        _ => (text(&[&format!("/dev/fd/{FIRST_INHERITED_FD}")]), source, OwnNames::of_descriptor(label)),
    };
    Invocation::new(interpreter, args, (inherited, names), cwd, env)
}

/// Why this source can't be run in this language at all.
pub(crate) fn refuses(language: &str, source: &str) -> Option<String> {
    if language != "bash" {
        return None;
    }
    if source.contains('\0') {
        return Some("the text holds a NUL character, which bash would silently leave out; remove it".into());
    }
    // What looks like the end of a line would be a part of its last word.
    source.contains("\r\n").then(|| {
        "its lines end as in Windows (CR LF), and bash would take each CR for a part of the line's last word; edit it \
         so that they end in LF alone"
            .into()
    })
}

/// Sets a variable, replacing an existing one.
pub(super) fn set(env: &mut Environment, name: &str, value: impl AsRef<OsStr>) {
    env.retain(|(known, _)| known != name);
    env.push((name.into(), value.as_ref().into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(invocation: &Invocation) -> String {
        let ProgramSpec { executable, args, env, cwd, .. } = &invocation.program;
        let args: Vec<String> = args
            .iter()
            .map(|a| a.to_string_lossy().into_owned())
            .map(|a| match a.as_str() {
                a if a == SHELL.trim_end() => "(assets/shell.sh)".into(),
                NODE => "(assets/node.js)".into(),
                _ => a,
            })
            .collect();
        format!("{executable:?}\n{args:#?}\n{env:?}\nin {cwd:?}\n{:?}", invocation.inherited)
    }

    fn env() -> Environment {
        vec![("PATH".into(), "/usr/bin".into())]
    }

    #[test]
    fn invocations() {
        let cwd = Path::new("/work");
        insta::assert_snapshot!("kernel", shown(&kernel(Path::new("/usr/bin/python3.11"), cwd, env())));
        for (language, path) in
            [("bash", "/usr/bin/bash"), ("javascript", "/usr/bin/node"), ("ruby", "/usr/bin/ruby")]
        {
            let invocation = subprocess(language, Path::new(path), "block 3", cwd, env());
            insta::assert_snapshot!(language, shown(&invocation));
        }
    }

    #[test]
    fn a_nul_in_bash_is_refused() {
        assert!(refuses("bash", "echo a\0b").is_some());
        assert!(refuses("python", "print('a\0b')").is_none());
    }

    #[test]
    fn line_ends_of_windows_in_bash_are_refused_with_words() {
        assert!(refuses("bash", "echo a\r\necho b\r\n").unwrap().contains("CR LF"));
        assert_eq!(refuses("bash", "printf 'a\\r\\n'\n"), None);
        assert_eq!(refuses("python", "print(1)\r\n"), None);
    }
}
