//! The first choice: where answers come from.

use crate::domain::Interpreter;
use crate::driver::catalogue::Offer;
use crate::tui::screen::Choice;
use crate::tui::screen::field::Field;
use crate::tui::screen::filter::Cursor;
use secrecy::SecretString;

/// The model server that is expected on this computer: its name in the configuration, and where it listens.
pub const USUAL_SERVER: (&str, &str) = ("ollama", "http://127.0.0.1:11434");

/// A provider in the cloud that the screen knows by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloud {
    /// Its name in the configuration.
    pub provider: String,
    /// Its name as its maker writes it.
    pub title: String,
    /// Where its key is looked for: `OPENAI_API_KEY`.
    pub place: String,
    /// Where its key is kept, if there is one.
    pub kept: Option<String>,
}

/// One of the places that answers can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// Scripted answers.
    Demo,
    /// A model server on this computer.
    Local,
    /// A provider in the cloud: its place in [`Welcome::clouds`].
    Cloud(usize),
    /// Any address.
    Other,
}

/// The choice.
#[derive(Debug)]
pub struct Welcome {
    /// The chosen row.
    pub cursor: Cursor,
    /// Providers in the cloud.
    pub clouds: Vec<Cloud>,
    /// Model servers that answered on this computer. `None`: not known yet.
    pub servers: Option<Vec<Offer>>,
    /// Interpreters that were found.
    pub interpreters: Option<Vec<Interpreter>>,
    /// A field that is being filled, and what for.
    pub field: Option<(Filling, Field)>,
    /// A key that was pasted; it stays in memory.
    pub key: Option<SecretString>,
    /// Whether the person has moved the cursor.
    touched: bool,
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
    /// Nothing is known of servers yet.
    pub fn new(clouds: Vec<Cloud>) -> Self {
        Self {
            cursor: Cursor::default(),
            clouds,
            servers: None,
            interpreters: None,
            field: None,
            key: None,
            touched: false,
        }
    }

    /// The rows, in the order of their digits. They never change their places, so that a digit means what it meant when
    /// the person looked.
    pub fn rows(&self) -> Vec<Row> {
        let clouds = (0..self.clouds.len()).map(Row::Cloud);
        [Row::Demo, Row::Local].into_iter().chain(clouds).chain([Row::Other]).collect()
    }

    /// The chosen row.
    pub fn row(&self) -> Row {
        self.rows().get(self.cursor.0).copied().unwrap_or(Row::Demo)
    }

    /// Moves the cursor.
    pub fn step(&mut self, by: isize) {
        self.touched = true;
        self.cursor.step(by, self.rows().len());
    }

    /// Takes in which servers answered on this computer. One that has models is proposed, as long as the person has
    /// chosen no row.
    pub fn found(&mut self, servers: Vec<Offer>) {
        self.servers = Some(servers);
        if !self.touched && self.field.is_none() && self.server().is_some_and(|s| !s.models().is_empty()) {
            self.cursor.0 = 1;
        }
    }

    /// The model server that answered and is offered: the first that has models.
    pub fn server(&self) -> Option<&Offer> {
        let servers = self.servers.as_ref()?;
        servers.iter().find(|server| !server.models().is_empty()).or_else(|| servers.first())
    }

    fn cloud(&self) -> Option<&Cloud> {
        match self.row() {
            Row::Cloud(at) => self.clouds.get(at),
            _ => None,
        }
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
            Row::Local => Ok(match self.server() {
                Some(server) => Choice::Server {
                    provider: server.name.clone(),
                    model: server.models().first().map(|model| model.name.model.clone()),
                },
                None => Choice::Server { provider: USUAL_SERVER.0.into(), model: None },
            }),
            Row::Cloud(_) => self.accept_cloud().ok_or_else(|| {
                self.field = Some((Filling::Key, Field::secret()));
                "Paste a key and press Enter. It stays in memory."
            }),
            Row::Other => {
                self.field = Some((Filling::Address, Field::line()));
                Err("Type the address of the server, then Enter.")
            }
        }
    }

    /// The chosen provider, where it has a key.
    fn accept_cloud(&mut self) -> Option<Choice> {
        let cloud = self.cloud()?;
        let (provider, kept) = (cloud.provider.clone(), cloud.kept.is_some());
        (kept || self.key.is_some()).then(|| Choice::Cloud { provider, key: self.key.take() })
    }

    fn filled(&mut self, filling: Filling, text: String) -> Result<Choice, &'static str> {
        match filling {
            _ if text.is_empty() => Err("Nothing was typed."),
            Filling::Key => {
                self.key = Some(SecretString::from(text));
                self.accept_cloud().ok_or(crate::domain::sentences::saving::KEY_IN_MEMORY)
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
