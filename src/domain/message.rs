//! What sayso sends to a model: messages, tools, requests.

use super::{OpaqueItem, StepId, ToolCall};

/// Who speaks in a conversation, in the terms of providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// sayso's own instructions to the model, before all others.
    System,
    /// The person, and results of runs in dialects without tools.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; in a message of the role `Tool`, the result.
    pub text: String,
    /// The tool calls in this message of the model.
    pub tool_calls: Vec<ToolCall>,
    /// The id of the call that a message of the role `Tool` answers.
    pub answers: Option<String>,
    /// Items that the provider sent with the reply and wants back unchanged.
    pub kept: Vec<OpaqueItem>,
    /// Images beside the text.
    pub images: Vec<MessageImage>,
}

impl Message {
    /// A message that is text alone.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            text: text.into(),
            tool_calls: Vec::new(),
            answers: None,
            kept: Vec::new(),
            images: Vec::new(),
        }
    }

    /// The result of a tool call.
    pub fn result(call: impl Into<String>, text: impl Into<String>) -> Self {
        Self { answers: Some(call.into()), ..Self::new(Role::Tool, text) }
    }
}

/// An image that is sent with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageImage {
    /// The image, as the run recorded it.
    pub(crate) image: super::ImageRef,
    /// Its bytes. The engine leaves this empty; the driver reads the file before the request is sent.
    pub(crate) data: Option<std::sync::Arc<[u8]>>,
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Its parameters: the text of a JSON schema of an object.
    pub parameters: String,
}

/// The JSON form that an answer has to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerForm {
    /// The name under which providers expect the form.
    pub(crate) name: String,
    /// The text of a JSON schema of an object.
    pub(crate) schema: String,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Purpose {
    /// The next step of the turn.
    #[default]
    Answer,
    /// A second opinion on a block.
    Opinion,
    /// A summary of older turns.
    Summary,
}

/// One request to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// The step that it belongs to.
    pub step: StepId,
    /// What it is for.
    pub purpose: Purpose,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call; empty: it is offered none.
    pub tools: Vec<Tool>,
    /// The form of the answer, if one is required. Providers that don't support forms ignore this: the messages ask for
    /// it.
    pub form: Option<AnswerForm>,
}

impl ModelRequest {
    /// A request with these messages alone.
    pub fn new(step: StepId, purpose: Purpose, messages: Vec<Message>) -> Self {
        Self { step, purpose, messages, tools: Vec::new(), form: None }
    }
}
