//! Package lists: what a block installs, and which package provides a module whose import failed. Pure.
//!
//! A list is text, one package a line; that text is shown, hashed and approved. Only plain names with versions are
//! accepted. Addresses, paths and options of the installer are refused, so that the list has no hidden meaning. A line
//! `into: .venv` installs Python packages into the project's own environment instead of the session's folder.

use super::BlockTextError;

const MAX_PACKAGES: usize = 50;
const MAX_LINE_BYTES: usize = 200;

/// The line that installs the packages into the project's environment.
const INTO_PROJECT: &str = "into: .venv";

/// Where packages are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InstallInto {
    /// Into a folder beside the session, which later runs of the session find.
    #[default]
    Session,
    /// Into the project's `.venv`, permanently; only if the person chooses it.
    Project,
}

impl InstallInto {
    /// The other of the two places.
    #[must_use]
    pub(crate) fn other(self) -> Self {
        match self {
            InstallInto::Session => InstallInto::Project,
            InstallInto::Project => InstallInto::Session,
        }
    }
}

/// The packages that a block installs, in order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PackageList {
    /// Where all of them are installed.
    pub into: InstallInto,
    /// Each in the syntax of the installer: `numpy`, `pandas[excel]>=2,<3`, `@types/node@20`.
    pub(crate) packages: Vec<String>,
}

impl PackageList {
    /// Parses a list for `python` or `javascript`.
    ///
    /// # Errors
    /// What is wrong with the list.
    pub fn parse(language: &str, text: &str) -> Result<Self, BlockTextError> {
        let fits: fn(&str) -> bool = match language {
            "python" => is_python_package,
            "javascript" => is_node_package,
            other => return Err(BlockTextError::NoInstaller(other.to_owned())),
        };
        let mut packages: Vec<String> = Vec::new();
        let mut into = InstallInto::Session;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            if line == INTO_PROJECT && language == "python" {
                into = InstallInto::Project;
                continue;
            }
            if line.len() > MAX_LINE_BYTES || !fits(line) {
                return Err(BlockTextError::Package(line.chars().take(60).collect()));
            }
            if !packages.iter().any(|known| known == line) {
                packages.push(line.to_owned());
            }
        }
        match packages.len() {
            0 => Err(BlockTextError::NoPackage),
            1..=MAX_PACKAGES => Ok(Self { into, packages }),
            count => Err(BlockTextError::ManyPackages { count, most: MAX_PACKAGES }),
        }
    }

    /// The list as the text of a block.
    pub(crate) fn text(&self) -> String {
        let head = match self.into {
            InstallInto::Session => String::new(),
            InstallInto::Project => format!("{INTO_PROJECT}\n"),
        };
        self.packages.iter().fold(head, |text, package| format!("{text}{package}\n"))
    }

    /// The list for a sentence: `numpy, pandas`.
    pub(crate) fn words(&self) -> String {
        self.packages.join(", ")
    }
}

/// Accepts `name` or `name[extra,other]`, with or without conditions like `>=2,<3`.
fn is_python_package(text: &str) -> bool {
    let name_end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    let rest = rest.trim_start();
    let (extras, conditions) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((extras, conditions)) => (extras, conditions),
        None => ("", rest),
    };
    is_whole_name(name)
        && (extras.is_empty() || extras.split(',').all(|extra| is_whole_name(extra.trim())))
        && !extras.starts_with(',')
        && (conditions.trim().is_empty() || conditions.split(',').all(|one| is_condition(one.trim())))
}

fn is_condition(text: &str) -> bool {
    let sign = ["===", "==", ">=", "<=", "~=", "!=", ">", "<"].into_iter().find(|s| text.starts_with(s));
    let version = sign.and_then(|sign| text.strip_prefix(sign)).map(str::trim);
    version.is_some_and(|version| {
        version.starts_with(|c: char| c.is_ascii_alphanumeric())
            && version
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '*' | '+' | '!' | '-' | '_'))
    })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

fn is_whole_name(name: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    name.starts_with(edge) && name.ends_with(edge) && name.chars().all(is_name)
}

/// Accepts `name` or `@scope/name`, with or without `@version`.
fn is_node_package(text: &str) -> bool {
    let (scope, rest) = match text.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, rest)) => (Some(scope), rest),
            None => return false,
        },
        None => (None, text),
    };
    let (name, version) = rest.split_once('@').map_or((rest, None), |(name, version)| (name, Some(version)));
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && name.chars().all(is_name)
    };
    let sound = |version: &str| {
        !version.is_empty()
            && version.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '.' | '^' | '~' | '<' | '>' | '=' | '*' | '-' | '+')
            })
    };
    scope.is_none_or(plain) && plain(name) && version.is_none_or(sound)
}

/// The packages that the info string of a fence, or the attributes of a tag, request: `packages="numpy,pandas>=2"`.
pub fn asked_for(info: &str) -> Vec<String> {
    let Some((_, rest)) = info.split_once("packages=") else { return Vec::new() };
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let text = match quote {
        Some(quote) => rest.get(1..).and_then(|rest| rest.split(quote).next()),
        None => rest.split_whitespace().next(),
    };
    let mut names = Vec::new();
    for entry in text.unwrap_or_default().split(',').map(str::trim) {
        let words: Vec<&str> = entry.split_whitespace().collect();
        // What is no list of packages as a whole, such as a command, names none.
        if is_python_package(entry) {
            names.push(entry.to_owned());
        } else if words.iter().all(|word| is_python_package(word)) {
            names.extend(words.iter().map(|word| (*word).to_owned()));
        }
    }
    names.truncate(MAX_PACKAGES);
    names
}

/// Python modules whose package has another name.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("Bio", "biopython"),
    ("Crypto", "pycryptodome"),
    ("MySQLdb", "mysqlclient"),
    ("OpenSSL", "pyOpenSSL"),
    ("PIL", "pillow"),
    ("attr", "attrs"),
    ("bs4", "beautifulsoup4"),
    ("chess", "python-chess"),
    ("cv2", "opencv-python-headless"),
    ("dateutil", "python-dateutil"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("faiss", "faiss-cpu"),
    ("fitz", "pymupdf"),
    ("git", "GitPython"),
    ("google.protobuf", "protobuf"),
    ("jose", "python-jose"),
    ("jwt", "PyJWT"),
    ("kaleido", "kaleido"),
    ("ldap", "python-ldap"),
    ("magic", "python-magic"),
    ("mpl_toolkits", "matplotlib"),
    ("nacl", "pynacl"),
    ("osgeo", "gdal"),
    ("pptx", "python-pptx"),
    ("psycopg2", "psycopg2-binary"),
    ("pylab", "matplotlib"),
    ("serial", "pyserial"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("telegram", "python-telegram-bot"),
    ("tensorflow_hub", "tensorflow-hub"),
    ("umap", "umap-learn"),
    ("usb", "pyusb"),
    ("wx", "wxPython"),
    ("xdist", "pytest-xdist"),
    ("yaml", "pyyaml"),
    ("zmq", "pyzmq"),
];

/// Modules of Python itself that may be missing all the same; no package of that name provides them.
const PARTS_OF_PYTHON: &str = "\
     asynchat asyncore cgi crypt curses dbm distutils idlelib imp lib2to3 msilib nis pipes pwd readline \
     smtpd sqlite3 ssl telnetlib test tkinter turtle winreg winsound";

/// The package that provides this Python module; `None` if the name can't be that of a package.
pub(crate) fn python_package(module: &str) -> Option<String> {
    let known =
        |name: &str| OTHER_NAMES.iter().find(|(import, _)| *import == name).map(|(_, package)| *package);
    let top = module.split('.').next().unwrap_or(module);
    let package = known(module).or_else(|| known(top)).unwrap_or(top);
    let is_of_python = PARTS_OF_PYTHON.split_whitespace().any(|part| part == top);
    (!is_of_python && is_whole_name(package)).then(|| package.to_owned())
}

/// The missing module in the message of a `ModuleNotFoundError`.
pub(crate) fn missing_module(message: &str) -> Option<&str> {
    let rest = message.trim().strip_prefix("No module named '")?;
    let (name, _) = rest.split_once('\'')?;
    let sound = !name.is_empty()
        && name.len() <= MAX_LINE_BYTES
        && name.split('.').all(|part| {
            part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
    sound.then_some(name)
}

/// The missing node package in a text on standard error.
pub(crate) fn missing_node_package(printed: &str) -> Option<String> {
    let (_, rest) = ["Cannot find module '", "Cannot find package '"]
        .into_iter()
        .find_map(|words| printed.split_once(words))?;
    let (name, _) = rest.split_once('\'')?;
    // A path is a file of the person's own, and `a/b` is a part of `a`.
    if name.starts_with(['.', '/']) || name.starts_with("node:") {
        return None;
    }
    let parts = if name.starts_with('@') { 2 } else { 1 };
    let package = name.split('/').take(parts).collect::<Vec<_>>().join("/");
    is_node_package(&package).then_some(package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_names_and_versions_are_taken() {
        let text = "numpy\npandas[excel, parquet]>=2,<3  \n# remark\n\nscikit-learn == 1.5.*\nnumpy\n";
        let list = PackageList::parse("python", text).unwrap();
        assert_eq!(list.packages, ["numpy", "pandas[excel, parquet]>=2,<3", "scikit-learn == 1.5.*"]);
        let list = PackageList::parse("javascript", "lodash@^4.17.0\n@types/node@20\nleft-pad").unwrap();
        assert_eq!(list.words(), "lodash@^4.17.0, @types/node@20, left-pad");
    }

    #[test]
    fn what_is_no_plain_name_is_refused() {
        for text in [
            "",
            "# nothing",
            "--index-url=http://evil",
            "-r requirements.txt",
            "-e .",
            "./wheel.whl",
            "/tmp/x",
            "git+https://evil/x",
            "numpy @ https://evil/x.whl",
            "numpy; python_version < '3'",
            "a b",
            "numpy>=",
            "numpy[",
            "numpy[a",
            "numpy\u{200b}",
            "_x",
        ] {
            assert!(PackageList::parse("python", text).is_err(), "{text:?}");
        }
        for text in ["--foo", "file:../x", "git+ssh://x", "https://x/y.tgz", "a/b", "@a", "@a/", "x@", "x@ 1"]
        {
            assert!(PackageList::parse("javascript", text).is_err(), "{text:?}");
        }
        assert!(PackageList::parse("ruby", "rails").is_err());
        let many = (0..60).fold(String::new(), |all, n| format!("{all}p{n}\n"));
        assert!(PackageList::parse("python", &many).unwrap_err().to_string().contains("60 packages"));
    }

    #[test]
    fn modules_and_their_packages() {
        let package = |message| missing_module(message).and_then(python_package);
        assert_eq!(package("No module named 'numpy'").as_deref(), Some("numpy"));
        assert_eq!(package("No module named 'cv2'").as_deref(), Some("opencv-python-headless"));
        assert_eq!(package("No module named 'sklearn.linear_model'").as_deref(), Some("scikit-learn"));
        assert_eq!(package("No module named 'google.protobuf'").as_deref(), Some("protobuf"));
        assert_eq!(package("No module named 'yaml'; 'yaml' is not a package").as_deref(), Some("pyyaml"));
        for message in ["", "No module named ''", "No module named '../x'", "No module named '--help'"] {
            assert_eq!(package(message), None, "{message:?}");
        }
    }

    #[test]
    fn packages_that_a_fence_asks_for() {
        assert_eq!(asked_for("python packages=\"numpy, pandas>=2\" x=1"), ["numpy", "pandas>=2"]);
        assert_eq!(asked_for("packages=six"), ["six"]);
        assert_eq!(asked_for("packages=\"numpy pandas>=2, six >= 1\""), ["numpy", "pandas>=2", "six >= 1"]);
        for no_list in ["numpy; rm -rf /", "numpy && rm", "$(x)", "-r x.txt", "git+https://x/y", ",", ""] {
            assert_eq!(asked_for(&format!("packages=\"{no_list}\"")), Vec::<String>::new(), "{no_list}");
        }
        assert!(asked_for("python title=x").is_empty() && asked_for("packages=\"").is_empty());
    }

    #[test]
    fn packages_of_node() {
        let found = |text| missing_node_package(text);
        assert_eq!(found("Error: Cannot find module 'lodash/fp'\nRequire stack:").as_deref(), Some("lodash"));
        let esm = "Cannot find package '@a/b' imported from /w/x.mjs";
        assert_eq!(found(esm).as_deref(), Some("@a/b"));
        for text in
            ["Cannot find module './own'", "Cannot find module 'node:x'", "Cannot find module '/a/b'", "x"]
        {
            assert_eq!(found(text), None, "{text}");
        }
    }

    proptest! {
        /// Nothing that is accepted can be read as an option, an address or a path.
        #[test]
        fn what_is_taken_is_plain(text in "[-a-z@./:\\[\\]<>=;+ ]{0,20}", node in any::<bool>()) {
            let language = if node { "javascript" } else { "python" };
            if let Ok(list) = PackageList::parse(language, &text) {
                for package in &list.packages {
                    prop_assert!(!package.starts_with(['-', '.', '/']) && !package.contains("://"), "{package}");
                    prop_assert!(!package.contains(';') && !package.contains(" @"), "{package}");
                }
                prop_assert_eq!(PackageList::parse(language, &list.text()), Ok(list));
            }
        }

        #[test]
        fn any_message(text in any::<String>()) {
            let _ = missing_module(&text).and_then(python_package);
            let _ = missing_node_package(&text);
        }
    }
}
