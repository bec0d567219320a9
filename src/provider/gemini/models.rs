//! Reads models from the lists that Google sends.

use crate::domain::{ModelInfo, ModelName};
use crate::provider::catalogue::model_list::{ModelPage, has_word, number, text};
use serde_json::Value;

/// Reads a page of the list; `None` if the value is not a list.
pub(super) fn read_page(value: &Value, provider: &str) -> Option<ModelPage> {
    let all = value.get("models").or_else(|| value.get("publisherModels"))?.as_array()?;
    let models = all.iter().filter_map(|model| read_model(model, provider)).collect();
    Some(ModelPage { models, next: text(value, "nextPageToken").map(|token| ("pageToken", token)) })
}

/// Reads one model of the list; `None` if it does not answer prompts.
pub(super) fn read_model(value: &Value, provider: &str) -> Option<ModelInfo> {
    let methods = value["supportedGenerationMethods"].as_array();
    if methods.is_some_and(|all| !has_word(all, "generateContent")) {
        return None;
    }
    let path = value.get("name")?.as_str()?;
    let model = path.rsplit('/').next().unwrap_or(path).to_owned();
    Some(ModelInfo {
        context: number(value, &["/inputTokenLimit"]),
        output: number(value, &["/outputTokenLimit"]),
        ..ModelInfo::named(ModelName { provider: provider.to_owned(), model })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn geminis_list_holds_what_answers_prompts() {
        let value = json!({ "models": [
            { "name": "models/embedding", "supportedGenerationMethods": ["embedContent"] },
            { "name": "models/gemini-x", "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536,
              "supportedGenerationMethods": ["generateContent"] },
        ], "nextPageToken": "t" });
        let page = read_page(&value, "gemini").unwrap();
        assert_eq!(page.next, Some(("pageToken", "t".to_owned())));
        assert_eq!(page.models.len(), 1);
        assert_eq!(page.models[0].name.model, "gemini-x");
        assert_eq!((page.models[0].context, page.models[0].output), (Some(1_048_576), Some(65_536)));
    }
}
