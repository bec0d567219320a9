//! The first choice: where answers come from.

mod draw;
mod wanted_text;

use super::{LetterEffect, Overlay, OverlayContext, OverlayProperties, OverlayResponse, OwnKey};
use crate::domain::Interpreter;
use crate::domain::sentences::sending;
use crate::driver::JobResult;
use crate::driver::catalogue::Offer;
use crate::tui::panes::Panes;
use crate::tui::setup::{Cloud, Setup, TypedAddress, UsualServer};
use crate::tui::slash::Slash;
use crate::tui::ui_command::{Choice, Exit, UiCommand};
use crate::tui::widgets::field::{Edit, Field};
use crate::tui::widgets::filter::Cursor;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use secrecy::SecretString;
use wanted_text::{KeyOwner, TYPE_AN_ADDRESS, WantedText};

/// The model server that is expected on this computer: its name in the configuration, which contains its address.
pub(crate) const USUAL_SERVER: &str = "ollama";

/// The row of the model server on this computer.
const LOCAL_ROW: usize = 1;

/// One of the sources of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProviderRow {
    Demo,
    /// A model server on this computer.
    Local,
    /// A provider in the cloud: its index in [`Welcome::clouds`].
    Cloud(usize),
    Other,
}

/// The choice.
#[derive(Debug, Default)]
pub struct Welcome {
    cursor: Cursor,
    /// Providers in the cloud.
    clouds: Vec<Cloud>,
    /// The state of [`USUAL_SERVER`], from the configuration.
    usual: UsualServer,
    /// Model servers that answered on this computer; `None` until they are known.
    servers: Option<Vec<Offer>>,
    /// Interpreters that were found.
    interpreters: Option<Vec<Interpreter>>,
    /// The open text field, and what it is for.
    field: Option<(WantedText, Field)>,
    /// A key for the server whose address is typed next; it is only kept in memory and sent to no other server.
    key: Option<SecretString>,
    /// Whether a key was typed with the address that led to no model; it was dropped with it.
    key_is_gone: bool,
    /// Whether the person has moved the cursor.
    touched: bool,
}

impl Welcome {
    /// The choice before servers are known.
    pub(crate) fn new(setup: &Setup) -> Self {
        Self {
            cursor: Cursor(if setup.chose_server { LOCAL_ROW } else { 0 }),
            clouds: setup.clouds.clone(),
            usual: setup.usual.clone(),
            touched: setup.chose_server,
            ..Self::default()
        }
    }

    /// Puts an address that was typed before and led to no model back into its field.
    #[must_use]
    pub(crate) fn with_address(mut self, address: Option<&TypedAddress>) -> Self {
        if let Some(TypedAddress { text, with_key }) = address {
            self.touched = true;
            self.key_is_gone = *with_key;
            self.cursor.0 = self.rows().len().saturating_sub(1);
            self.field = Some((WantedText::Address, Field::with(text)));
        }
        self
    }

    /// The rows, in the order of their digits. They never move, so that a digit still means what it meant when the
    /// person looked.
    fn rows(&self) -> Vec<ProviderRow> {
        let clouds = (0..self.clouds.len()).map(ProviderRow::Cloud);
        [ProviderRow::Demo, ProviderRow::Local]
            .into_iter()
            .chain(clouds)
            .chain([ProviderRow::Other])
            .collect()
    }

    fn row(&self) -> ProviderRow {
        self.rows().get(self.cursor.0).copied().unwrap_or(ProviderRow::Demo)
    }

    fn walk(&mut self, by: isize) {
        self.touched = true;
        self.cursor.step(by, self.rows().len());
    }

    /// Takes the servers that answered on this computer. One with models is proposed, unless the person has already
    /// chosen a row.
    fn servers_found(&mut self, servers: Vec<Offer>) {
        self.servers = Some(servers);
        if !self.touched && self.field.is_none() && self.server().is_some_and(|s| !s.models().is_empty()) {
            self.cursor.0 = LOCAL_ROW;
        }
    }

    /// The model server to propose: the first that has models, else the first that answered.
    fn server(&self) -> Option<&Offer> {
        let servers = self.servers.as_ref()?;
        servers.iter().find(|server| !server.models().is_empty()).or_else(|| servers.first())
    }

    /// Takes the chosen row. `Err` says what is still missing; the field for it is then open.
    fn choose(&mut self) -> Result<Choice, String> {
        if let Some((filling, mut field)) = self.field.take() {
            return self.accept_text(filling, field.take().trim().to_owned());
        }
        match self.row() {
            ProviderRow::Demo => Ok(Choice::Demo),
            ProviderRow::Local => Ok(match self.server() {
                Some(server) => Choice::Server {
                    provider: server.name.clone(),
                    model: server.models().first().map(|model| model.name.model.clone()),
                },
                None => Choice::Server { provider: USUAL_SERVER.into(), model: None },
            }),
            ProviderRow::Cloud(at) => match self.clouds.get(at) {
                Some(cloud) if cloud.key_location.is_some() => {
                    Ok(Choice::Cloud { provider: cloud.provider.clone(), key: None })
                }
                _ => Err(self.ask_for_key(KeyOwner::Cloud(at))),
            },
            ProviderRow::Other => {
                self.field = Some((WantedText::Address, Field::single_line()));
                Err(TYPE_AN_ADDRESS.into())
            }
        }
    }

    /// Whose key can be pasted at the cursor, if the source needs one.
    fn takes_key(&self) -> Option<KeyOwner> {
        match self.row() {
            ProviderRow::Demo | ProviderRow::Local => None,
            ProviderRow::Cloud(at) => Some(KeyOwner::Cloud(at)),
            ProviderRow::Other => Some(KeyOwner::OwnServer),
        }
    }
}

/// The source of answers, and what was sent so far.
pub(crate) fn source_text(ctx: OverlayContext<'_>) -> String {
    let state = ctx.state;
    let runs = state.transcript.blocks.values().flat_map(|item| &item.runs);
    let open = runs.filter(|run| sending::could_send(&run.terms)).count();
    let sent = sending::departed(ctx.sent_requests, open);
    match &state.transcript.model {
        _ if ctx.setup.welcome => format!("No provider yet. {sent}"),
        Some(model) => format!("{} answers. {sent}", safe::one_line(&model.to_string())),
        None => sent,
    }
}

impl Overlay for Welcome {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 72, ..OverlayProperties::default() }
    }

    fn own_keys(&self, ctx: OverlayContext<'_>) -> Vec<OwnKey> {
        if self.field.is_some() {
            return Vec::new();
        }
        let key = self.takes_key().map(|_| ("k".to_owned(), "paste a key"));
        let digits = (format!("1-{}", self.rows().len()), "choose");
        std::iter::once(digits).chain(key).chain([("q".to_owned(), leave_hint(ctx).1)]).collect()
    }

    fn field(&mut self) -> Option<&mut Field> {
        self.field.as_mut().map(|(_, field)| field)
    }

    fn step(&mut self, by: isize, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        if self.field.is_none() {
            self.walk(by);
        }
        Vec::new()
    }

    fn accept(&mut self, _: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        vec![match self.choose() {
            Ok(choice) => OverlayResponse::UiCommand(UiCommand::Leave(Exit::UseProvider(choice))),
            Err(text) => OverlayResponse::info(text),
        }]
    }

    fn letter(&mut self, letter: char, ctx: OverlayContext<'_>, panes: &mut Panes) -> Vec<OverlayResponse> {
        match letter {
            _ if self.field.is_some() => self.edit(Edit::Insert(letter), ctx, panes),
            'q' if ctx.setup.welcome => vec![OverlayResponse::Run(Slash::Quit, String::new())],
            'q' => self.back(ctx, panes),
            '?' => vec![OverlayResponse::Run(Slash::Help, String::new())],
            'k' => match self.takes_key() {
                Some(of) => vec![OverlayResponse::info(self.ask_for_key(of))],
                None => Vec::new(),
            },
            digit => {
                let at = digit.to_digit(10).and_then(|d| (d as usize).checked_sub(1));
                let Some(at) = at.filter(|at| *at < self.rows().len()) else { return Vec::new() };
                self.touched = true;
                self.cursor.0 = at;
                self.accept(ctx, panes)
            }
        }
    }

    /// While a provider is being chosen, letters only move and choose.
    fn letter_effect(&self, _: char) -> LetterEffect {
        LetterEffect::Harmless
    }

    /// Closes the text field, else the choice; without a provider the choice can't be left.
    fn back(&mut self, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        // A key that was typed for one address must not be used for another.
        self.key = None;
        if self.field.take().is_some() || ctx.setup.welcome {
            Vec::new()
        } else {
            vec![OverlayResponse::Close]
        }
    }

    fn job_done(&mut self, found: &JobResult) -> Option<Vec<OverlayResponse>> {
        match found {
            JobResult::Interpreters(found) => self.interpreters = Some(found.clone()),
            JobResult::Servers(found) => self.servers_found(found.clone()),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn hints(&self, ctx: OverlayContext<'_>, hints: &mut Hints<'_>) {
        if self.field.is_some() {
            hints.plain("Enter", "take it", 0).plain("Esc", "back", 0);
            return;
        }
        hints.plain("Enter", "choose", 0);
        if self.takes_key().is_some() {
            hints.plain("k", "paste a key", 1);
        }
        let (key, word) = leave_hint(ctx);
        hints.plain("?", "help", 2).plain(key, word, 0);
    }

    fn status(&self, ctx: OverlayContext<'_>) -> Option<String> {
        Some(source_text(ctx))
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        Some(self.draw(ctx, room.width))
    }
}

/// The key that leaves the choice, and what it does: without a provider, it quits.
fn leave_hint(ctx: OverlayContext<'_>) -> (&'static str, &'static str) {
    if ctx.setup.welcome { ("q", "quit") } else { ("Esc", "back") }
}
