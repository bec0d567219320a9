//! placeholder
use super::Setup;
use super::executors::*;
use crate::config::JupyterExecutor;
use crate::domain::*;
use std::sync::Arc;
use tokio::sync::mpsc;
/// x
pub struct Jupyter;
impl Jupyter {
    /// x
    pub fn new(_: Arc<Setup>, _: JupyterExecutor, _: Option<String>) -> Self {
        Self
    }
}
impl Backend for Jupyter {
    async fn terms(&mut self, _: &Language, _: Limits) -> Result<Terms, String> {
        Err("x".into())
    }
    async fn begin(&mut self, _: Job) {}
    async fn hear(&mut self) -> Heard {
        std::future::pending().await
    }
    fn interrupt(&mut self) {}
    fn kill(&mut self) {}
    async fn warm(&mut self, _: &Language) {}
    async fn restart(&mut self) {}
    async fn missing(&mut self, _: &Language) -> Option<Missing> {
        None
    }
    async fn fetch(&mut self, _: Missing, _: mpsc::Sender<String>) -> Fetch {
        Box::pin(std::future::ready(Ok(())))
    }
    async fn found(&mut self) -> Vec<Interpreter> {
        Vec::new()
    }
    async fn close(&mut self) {}
}
