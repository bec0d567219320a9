//! Makes a recipe of the person's own from a session: writes a definition for the person to change, and overwrites
//! nothing. The room `recipe` makes its text.

use super::Driver;
use super::job::{JobError, JobResult};
use super::recipes::RecipeBook;
use crate::recipe::scaffold;
use crate::workspace;

const MAX_NAME_LENGTH: usize = 40;

impl Driver {
    /// Writes a definition made from this session and sends the result.
    pub(super) fn new_recipe(&self, name: &str) {
        let text = scaffold(&self.state().transcript, name);
        let (name, book) = (name.to_owned(), self.rooms.recipes.clone());
        self.spawn_disk_job(move || write(&book, &name, &text));
    }
}

fn write(book: &RecipeBook, name: &str, text: &str) -> Result<JobResult, JobError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > MAX_NAME_LENGTH || !name.chars().all(fits) || name.starts_with('-') {
        let why = format!(
            "A recipe's name has up to {MAX_NAME_LENGTH} letters a-z, digits and -: /recipe new tidy-up"
        );
        return Err(why.into());
    }
    let file = format!("{name}.toml");
    book.writes(book.folder().join(&file), text);
    let path = workspace::write::below(book.folder(), &file, text.as_bytes());
    let path = path.map_err(|error| format!("{error}. Nothing was written."))?;
    Ok(JobResult::NewRecipe(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten_and_a_name_is_a_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().join("recipes");
        let (book, _) = RecipeBook::open(at.clone());
        assert!(
            matches!(write(&book, "tidy", "name = 'tidy'\n"), Ok(JobResult::NewRecipe(path)) if path == at.join("tidy.toml"))
        );
        assert!(
            write(&book, "tidy", "name = 'tidy'\n")
                .expect_err("it is there")
                .to_string()
                .contains("Nothing was written")
        );
        for name in ["", "../x", "a b", "A", "-x", "a/b", &"a".repeat(41)] {
            assert!(write(&book, name, "").is_err(), "{name}");
        }
    }
}
