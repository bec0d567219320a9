//! The book of all recipes: the shipped ones, and the person's own (`recipes/*.toml` in the configuration folder), read
//! at the start and again whenever somebody lists recipes.
//!
//! A file that can't be used is left out, with a notice that says why and where. No own recipe can take the name of
//! another one, so shipped recipes can't be replaced. A change that a run could have made is not trusted: the earlier
//! text is used, or none.

use crate::domain::{Notice, RecipeCards, Rights};
use crate::driver::Driver;
use crate::driver::job::JobResult;
use crate::launch::WritableFolders;
use crate::recipe::{self, Recipe, RecipeList};
use crate::text::position::LocatedError;
use crate::workspace::{FileError, own_files};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Larger files are not read as recipes.
const MAX_BYTES: u64 = 64 << 10;

/// The recipes of a process. Cheap to clone; clones share their content.
#[derive(Clone, Debug)]
pub struct RecipeBook(Arc<BookState>);

#[derive(Debug)]
struct BookState {
    folder: PathBuf,
    contents: Mutex<BookContents>,
}

#[derive(Clone, Debug)]
struct BookContents {
    list: RecipeList,
    /// The trusted text of each existing file.
    known: BTreeMap<PathBuf, String>,
    /// The texts that sayso itself wrote for the person.
    written: BTreeMap<PathBuf, String>,
    /// The problems found at the last reading.
    faults: Vec<String>,
    /// The folders that runs so far could write.
    reached: ReachedFolders,
}

/// Where runs could write.
#[derive(Clone, Debug, Default)]
struct ReachedFolders {
    /// A run was not confined at all.
    everywhere: bool,
    folders: BTreeSet<PathBuf>,
}

impl RecipeBook {
    /// Opens the book with the shipped recipes and those of this folder; also returns notices about unusable files.
    pub fn open(folder: PathBuf) -> (Self, Vec<Notice>) {
        let contents = BookContents {
            list: RecipeList::shipped(),
            known: BTreeMap::new(),
            written: BTreeMap::new(),
            faults: Vec::new(),
            reached: ReachedFolders::default(),
        };
        let book = Self(Arc::new(BookState { folder, contents: Mutex::new(contents) }));
        let notices = book.read();
        (book, notices)
    }

    /// The folder of the person's own recipes.
    pub(crate) fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// All recipes as of the last reading, shipped ones first.
    pub(crate) fn list(&self) -> RecipeList {
        self.contents().list.clone()
    }

    /// Reads the person's own recipes again; returns notices about unusable files that are new.
    pub(crate) fn read(&self) -> Vec<Notice> {
        let files = own_files::toml_files(&self.0.folder);
        let texts: Vec<_> = files.into_iter().map(|path| (own_files::text(&path, MAX_BYTES), path)).collect();
        // Taken after the files were read: a run that begins from now on can't have changed these texts.
        let before = self.contents().clone();
        let (known, mut faults) = trusted_texts(texts, &before);
        let (list, wrong) = recipes(&known);
        faults.extend(wrong);
        let is_news = |fault: &&String| !before.faults.contains(fault);
        let notices = faults.iter().filter(is_news).map(Notice::warn).collect();
        let mut contents = self.contents();
        (contents.list, contents.known, contents.faults) = (list, known, faults);
        notices
    }

    /// A run with these rights is about to begin: from now on, changes where it can write may be its work.
    pub(crate) fn run_begins(&self, rights: &Rights) {
        let reached = &mut self.contents().reached;
        reached.everywhere |= !rights.sandbox.writes_confined;
        reached.folders.extend(rights.write.iter().cloned());
    }

    /// sayso itself is about to write this text for the person.
    pub(crate) fn writes(&self, path: PathBuf, text: &str) {
        self.contents().written.insert(path, text.to_owned());
    }

    fn contents(&self) -> MutexGuard<'_, BookContents> {
        self.0.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReachedFolders {
    /// Whether a run could have written this file, or a link on the way to it.
    fn could_write(&self, path: &Path) -> bool {
        self.everywhere || WritableFolders::of(self.folders.iter().cloned()).is_foreign(path)
    }
}

/// The trusted texts, and notices about the others.
fn trusted_texts(
    texts: Vec<(Result<String, FileError>, PathBuf)>,
    before: &BookContents,
) -> (BTreeMap<PathBuf, String>, Vec<String>) {
    let (mut known, mut faults) = (BTreeMap::new(), Vec::new());
    for (text, path) in texts {
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                faults.push(format!("{error}. The recipe is not used."));
                continue;
            }
        };
        let earlier = before.known.get(&path);
        let is_known = [earlier, before.written.get(&path)].contains(&Some(&text));
        if is_known || !before.reached.could_write(&path) {
            known.insert(path, text);
            continue;
        }
        let instead = if earlier.is_some() { "the recipe before that is used" } else { "it is not used" };
        faults.push(format!(
            "{} changed since a run began that could write there: {instead} until sayso starts again.",
            path.display()
        ));
        known.extend(earlier.map(|earlier| (path, earlier.clone())));
    }
    (known, faults)
}

/// The shipped recipes, then those of these texts, and what is wrong with the others.
fn recipes(texts: &BTreeMap<PathBuf, String>) -> (RecipeList, Vec<String>) {
    if texts.is_empty() {
        return (RecipeList::shipped(), Vec::new());
    }
    let (mut recipes, mut faults) = (recipe::shipped(), Vec::new());
    for (path, text) in texts {
        match parse_own(path, text, &recipes) {
            Ok(recipe) => recipes.push(recipe),
            Err(wrong) => faults.extend(wrong),
        }
    }
    (recipes.into(), faults)
}

/// Parses the recipe in a file.
fn parse_own(path: &Path, text: &str, known: &[Recipe]) -> Result<Recipe, Vec<String>> {
    let recipe = Recipe::read(text, Some(path)).map_err(|faults| {
        let describe = |fault: &LocatedError| match fault.hint.as_str() {
            "" => format!("{fault}. The recipe is not used."),
            hint => format!("{fault} ({hint}). The recipe is not used."),
        };
        faults.iter().map(describe).collect::<Vec<_>>()
    })?;
    let name = &recipe.card().name;
    let Some(other) = known.iter().find(|other| other.card().name == *name) else { return Ok(recipe) };
    let whose = match &other.card().file {
        Some(file) => format!("is in {}", file.display()),
        None => "ships with sayso".into(),
    };
    let line = text.lines().position(|line| line.trim_start().starts_with("name")).map_or(1, |at| at + 1);
    Err(vec![format!(
        "{}:{line}:1: a recipe named {name} {whose}. Give this one another name. The recipe is not used.",
        path.display()
    )])
}

impl Driver {
    /// All recipes in the order of their list, as of the last reading.
    pub(crate) fn recipes(&self) -> RecipeCards {
        self.rooms.recipes.list().cards()
    }

    /// Reads the recipes again for somebody who lists them.
    pub(in crate::driver) fn read_recipes(&self) {
        let book = self.rooms.recipes.clone();
        self.spawn_job(async move {
            let reading = book.clone();
            let notices = super::with_timeout(move || reading.read()).await;
            let folder = book.folder().display();
            let too_slow = || {
                vec![Notice::warn(format!(
                    "{folder} does not answer: the recipes are those that were read before."
                ))]
            };
            JobResult::Recipes(book.list().cards(), notices.unwrap_or_else(too_slow))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SandboxReport;
    use crate::engine::dialogue::TextChecks as _;
    use std::fs;

    struct Home {
        _folder: tempfile::TempDir,
        recipes: PathBuf,
        work: PathBuf,
    }

    impl Home {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = fs::canonicalize(folder.path()).unwrap();
            let (recipes, work) = (base.join("config/recipes"), base.join("work"));
            fs::create_dir_all(&recipes).unwrap();
            fs::create_dir_all(&work).unwrap();
            Self { _folder: folder, recipes, work }
        }

        fn put(&self, file: &str, name: &str, title: &str) -> PathBuf {
            let path = self.recipes.join(file);
            fs::write(&path, definition(name, title)).unwrap();
            path
        }

        fn rights(&self, confined: bool) -> Rights {
            let sandbox = SandboxReport { writes_confined: confined, ..SandboxReport::default() };
            Rights { write: vec![self.work.clone()], sandbox, ..Rights::default() }
        }
    }

    fn definition(name: &str, title: &str) -> String {
        format!(
            "name = '{name}'\ntitle = '{title}'\nwhen = 'Always.'\nprompt = 'p'\n\
             [[step]]\nname = 'a'\ntitle = 'A'\nsay = 's'\ncheck = 'reply'\n[step.on.answered]\nthen = 'end'\n[end]\nsummary = 's'\n"
        )
    }

    /// Names and titles of the person's own.
    fn own_titles(book: &RecipeBook) -> Vec<String> {
        let cards = book.list().cards();
        let own = cards.iter().filter(|card| card.file.is_some());
        own.map(|card| format!("{} {}", card.name, card.title)).collect()
    }

    fn texts(told: &[Notice]) -> Vec<&str> {
        told.iter().map(|notice| notice.text.as_str()).collect()
    }

    #[test]
    fn what_the_person_adds_changes_and_removes_is_seen_at_the_next_look() {
        let home = Home::new();
        let (book, told) = RecipeBook::open(home.recipes.clone());
        assert!(told.is_empty() && own_titles(&book).is_empty());
        home.put("one.toml", "one", "First");
        book.run_begins(&home.rights(true));
        assert!(own_titles(&book).is_empty(), "nobody looked");
        assert_eq!(texts(&book.read()), Vec::<&str>::new());
        assert_eq!(own_titles(&book), ["one First"]);
        let path = home.put("one.toml", "one", "Second");
        home.put("zwei.toml", "zwei", "Two");
        assert!(book.read().is_empty());
        assert_eq!(own_titles(&book), ["one Second", "zwei Two"]);
        fs::remove_file(path).unwrap();
        assert!(book.read().is_empty());
        assert_eq!(own_titles(&book), ["zwei Two"]);
    }

    #[test]
    fn what_is_wrong_is_told_once_and_again_when_it_came_back() {
        let home = Home::new();
        home.put("one.toml", "tdd", "Mine");
        let (book, told) = RecipeBook::open(home.recipes.clone());
        let [fault] = *texts(&told) else { panic!("{told:?}") };
        assert!(fault.contains("one.toml:1:1: a recipe named tdd ships with sayso"), "{fault}");
        assert!(book.read().is_empty(), "it is known");
        home.put("one.toml", "one", "Mine");
        assert!(book.read().is_empty());
        assert_eq!(own_titles(&book), ["one Mine"]);
        home.put("one.toml", "tdd", "Mine");
        assert_eq!(book.read().len(), 1);
        assert!(own_titles(&book).is_empty());
        rustix::fs::mkfifoat(rustix::fs::CWD, home.recipes.join("pipe.toml"), 0o600.into()).unwrap();
        let told = book.read();
        assert!(texts(&told)[0].contains("pipe.toml: not a plain file. The recipe is not used."), "{told:?}");
    }

    #[test]
    fn what_a_run_could_have_written_is_not_believed() {
        let home = Home::new();
        home.put("old.toml", "old", "As before");
        let (book, _) = RecipeBook::open(home.recipes.clone());
        book.run_begins(&home.rights(false));
        home.put("old.toml", "old", "Changed");
        home.put("a.toml", "new", "New");
        // Another file can't take the name of a trusted recipe.
        home.put("0.toml", "old", "In front");
        let told = book.read();
        assert_eq!(own_titles(&book), ["old As before"]);
        let told = texts(&told).join("\n");
        told.has("a.toml changed since a run began that could write there: it is not used");
        told.has("old.toml changed").has("the recipe before that is used");
        assert!(book.read().is_empty(), "told once");
        // A text that sayso wrote itself is trusted if it is unchanged.
        book.writes(home.recipes.join("mine.toml"), &definition("mine", "Mine"));
        home.put("mine.toml", "mine", "Mine");
        assert!(book.read().is_empty());
        assert_eq!(own_titles(&book), ["mine Mine", "old As before"]);
        home.put("mine.toml", "mine", "Not mine");
        assert_eq!(book.read().len(), 1);
        assert_eq!(own_titles(&book), ["mine Mine", "old As before"]);
        // The next start trusts all files as they are.
        assert_eq!(
            own_titles(&RecipeBook::open(home.recipes.clone()).0),
            ["old In front", "new New", "mine Not mine"]
        );
    }

    #[test]
    fn a_link_that_leads_where_runs_write_is_as_good_as_what_is_there() {
        let home = Home::new();
        let elsewhere = home.work.join("shared.toml");
        fs::write(&elsewhere, definition("shared", "As before")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, home.recipes.join("shared.toml")).unwrap();
        let (book, _) = RecipeBook::open(home.recipes.clone());
        fs::write(&elsewhere, definition("shared", "By the person")).unwrap();
        assert!(book.read().is_empty());
        book.run_begins(&home.rights(true));
        fs::write(&elsewhere, definition("shared", "By whom?")).unwrap();
        home.put("own.toml", "own", "Out of reach");
        assert_eq!(book.read().len(), 1);
        assert_eq!(own_titles(&book), ["own Out of reach", "shared By the person"]);
    }
}
