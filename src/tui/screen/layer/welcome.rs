//! The first choice: where answers come from.

use crate::domain::Interpreter;
use crate::driver::Server;
use crate::tui::screen::Choice;
use crate::tui::screen::field::Field;
use crate::tui::screen::filter::Cursor;
use secrecy::SecretString;

/// Where a model server on this computer is expected.
pub const USUAL_SERVER: &str = "http://127.0.0.1:11434/v1";

/// One of the places that answers can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Scripted answers.
    Demo,
    /// A model server on this computer.
    Ollama,
    /// OpenAI.
    OpenAi,
    /// Any address.
    Other,
}

impl Row {
    /// All of them, in the order of their digits.
    pub const ALL: [Row; 4] = [Row::Demo, Row::Ollama, Row::OpenAi, Row::Other];
}

/// The choice.
#[derive(Debug)]
pub struct Welcome {
    /// The chosen row.
    pub cursor: Cursor,
    /// Whether a key for OpenAI is known from the environment.
    pub has_openai_key: bool,
    /// Model servers that answered on this computer. `None`: not known yet.
    pub servers: Option<Vec<Server>>,
    /// Interpreters that were found.
    pub interpreters: Option<Vec<Interpreter>>,
    /// A field that is being filled, and what for.
    pub field: Option<(Filling, Field)>,
    /// A key that was pasted; it stays in memory.
    pub key: Option<SecretString>,
}

/// What a field is filled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// A key.
    Key,
    /// The address of a server.
    Address,
}

impl Welcome {
    /// Nothing is known yet.
    pub fn new(has_openai_key: bool) -> Self {
        Self {
            cursor: Cursor::default(),
            has_openai_key,
            servers: None,
            interpreters: None,
            field: None,
            key: None,
        }
    }

    /// The chosen row.
    pub fn row(&self) -> Row {
        Row::ALL.get(self.cursor.0).copied().unwrap_or(Row::Demo)
    }

    /// The first model server that answered.
    pub fn server(&self) -> Option<&Server> {
        self.servers.as_ref()?.first()
    }

    /// Takes the chosen row; `Err` tells what is missing.
    ///
    /// # Errors
    /// When a key or an address is needed first; the field for it is open then.
    pub fn accept(&mut self) -> Result<Choice, &'static str> {
        if let Some((filling, mut field)) = self.field.take() {
            return self.filled(filling, field.take().trim().to_owned());
        }
        match self.row() {
            Row::Demo => Ok(Choice::Demo),
            Row::Ollama => Ok(Choice::Server {
                base_url: self.server().map_or_else(|| USUAL_SERVER.to_owned(), |s| s.base_url.clone()),
                model: self.server().and_then(|s| s.models.first().cloned()),
            }),
            Row::OpenAi if self.has_openai_key || self.key.is_some() => Ok(Choice::OpenAi(self.key.take())),
            Row::OpenAi => {
                self.field = Some((Filling::Key, Field::secret()));
                Err("Paste a key and press Enter. It stays in memory.")
            }
            Row::Other => {
                self.field = Some((Filling::Address, Field::line()));
                Err("Type the address of the server, then Enter.")
            }
        }
    }

    fn filled(&mut self, filling: Filling, text: String) -> Result<Choice, &'static str> {
        match filling {
            _ if text.is_empty() => Err("Nothing was typed."),
            Filling::Key => {
                self.key = Some(SecretString::from(text));
                match self.row() {
                    Row::OpenAi => Ok(Choice::OpenAi(self.key.take())),
                    _ => Err("The key is kept in memory until you leave."),
                }
            }
            Filling::Address if !text.starts_with("http://") && !text.starts_with("https://") => {
                let mut field = Field::line();
                field.set(&text);
                self.field = Some((Filling::Address, field));
                Err("An address begins with http:// or https://.")
            }
            Filling::Address => Ok(Choice::Address { base_url: text, key: self.key.take() }),
        }
    }
}
