//! Parses the lists of models that servers send into [`ModelInfo`]; servers have many names for the same facts. Pure.

use crate::domain::{ModelInfo, ModelName, Price};
use serde_json::Value;

/// How the servers of a format list their models.
#[derive(Debug)]
pub(in crate::provider) enum Listing {
    /// One list; facts that it lacks are asked for at other addresses.
    All,
    /// A list in pages, and an address for each model.
    Paged {
        /// The query parameter that asks for a large page.
        size: (&'static str, &'static str),
        /// Reads a page; `None` if the value is not a list.
        page: fn(&Value, &str) -> Option<ModelPage>,
        /// Reads the answer about one model.
        model: fn(&Value, &str) -> Option<ModelInfo>,
    },
    /// Only names, as Ollama does: each model is asked about in a request of its own, also before the first request
    /// for a reply.
    Names,
}

#[derive(Debug, PartialEq)]
pub(in crate::provider) struct ModelPage {
    pub(in crate::provider) models: Vec<ModelInfo>,
    /// The query parameter that asks for the next page; `None`: this is the last one.
    pub(in crate::provider) next: Option<(&'static str, String)>,
}

/// A string field of an answer; `None` also if it is empty.
pub(in crate::provider) fn text(value: &Value, name: &str) -> Option<String> {
    value[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Reads a page; `None` if the value is not a list.
pub(in crate::provider) fn page(value: &Value, provider: &str) -> Option<ModelPage> {
    let (models, is_list) = read_list(value, provider);
    let more = value["has_more"].as_bool().unwrap_or(false);
    let next = text(value, "last_id").filter(|_| more).map(|id| ("after_id", id));
    is_list.then_some(ModelPage { models, next })
}

/// Reads a list of models, bare or under `data` or `models`; the flag says whether the value was a list.
pub(super) fn read_list(value: &Value, provider: &str) -> (Vec<ModelInfo>, bool) {
    let all =
        [Some(value), value.get("data"), value.get("models")].into_iter().flatten().find_map(Value::as_array);
    let models = all.into_iter().flatten().filter_map(|model| one(model, provider)).collect();
    (models, all.is_some())
}

/// Reads one model, under any of the names that servers use for its facts.
pub(in crate::provider) fn one(value: &Value, provider: &str) -> Option<ModelInfo> {
    let named = |name: &&str| value.get(*name)?.as_str().filter(|id| !id.trim().is_empty());
    let id = ["id", "name", "model"].iter().find_map(named)?;
    let name = ModelName { provider: provider.to_owned(), model: id.to_owned() };
    let listed = |path: &str, word: &str| Some(has_word(value.pointer(path)?.as_array()?, word));
    let told = |path: &str| {
        let value = value.pointer(path)?;
        value.as_bool().or_else(|| value.get("supported")?.as_bool())
    };
    let kind = value["type"].as_str().unwrap_or_default();
    Some(ModelInfo {
        context: number(
            value,
            &[
                "/loaded_context_length",
                "/top_provider/context_length",
                "/context_length",
                "/context_window",
                "/max_model_len",
                "/max_context_length",
                "/max_input_tokens",
                "/meta/n_ctx",
                "/limits/max_context_window_tokens",
            ],
        ),
        output: number(
            value,
            &[
                "/top_provider/max_completion_tokens",
                "/max_completion_tokens",
                "/max_output_tokens",
                "/max_tokens",
            ],
        ),
        price: read_price(value),
        tools: listed("/supported_parameters", "tools")
            .or_else(|| told("/capabilities/function_calling"))
            .or_else(|| told("/capabilities/tool_use"))
            .or_else(|| listed("/capabilities", "tool_use")),
        images: listed("/architecture/input_modalities", "image")
            .or_else(|| told("/capabilities/vision"))
            .or_else(|| told("/capabilities/image_input"))
            .or_else(|| (kind == "vlm").then_some(true)),
        ..ModelInfo::named(name)
    })
}

/// Reads Ollama's answer about a model.
pub(super) fn read_model(value: &Value, name: ModelName) -> ModelInfo {
    let facts = value["model_info"].as_object();
    let context = facts.into_iter().flatten().find(|(key, _)| key.ends_with(".context_length"));
    let able = |word: &str| Some(has_word(value["capabilities"].as_array()?, word));
    ModelInfo {
        context: context.and_then(|(_, tokens)| tokens.as_u64()).filter(|tokens| *tokens > 0),
        tools: able("tools"),
        images: able("vision"),
        ..ModelInfo::named(name)
    }
}

/// Reads the properties of a llama.cpp server.
pub(super) fn read_properties(value: &Value, info: &mut ModelInfo) {
    if let Some(context) = number(value, &["/default_generation_settings/n_ctx", "/n_ctx"]) {
        info.context = Some(context);
    }
    let told = |path: &str| value.pointer(path).and_then(Value::as_bool);
    info.tools = info.tools.or_else(|| told("/chat_template_caps/supports_tool_calls"));
    info.images = info.images.or_else(|| told("/modalities/vision"));
}

/// Copies facts that `info` lacks; the context of `from` always wins.
pub(super) fn fill_missing(info: &mut ModelInfo, from: &ModelInfo) {
    info.context = from.context.or(info.context);
    info.output = info.output.or(from.output);
    info.tools = info.tools.or(from.tools);
    info.images = info.images.or(from.images);
}

pub(in crate::provider) fn has_word(list: &[Value], word: &str) -> bool {
    list.iter().any(|one| one.as_str() == Some(word))
}

pub(in crate::provider) fn number(value: &Value, paths: &[&str]) -> Option<u64> {
    let read = |path: &&str| {
        let value = value.pointer(path)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok()).filter(|number| *number > 0)
    };
    paths.iter().find_map(read)
}

/// Reads the price of tokens as OpenRouter gives it (dollars, as text) into billionths of a dollar.
fn read_price(value: &Value) -> Option<Price> {
    let pricing = value.get("pricing")?;
    let cost = |name: &str| {
        let value = pricing.get(name)?;
        let dollars = value.as_str().and_then(|text| text.parse::<f64>().ok())?;
        // OpenRouter gives -1 for a price that changes from request to request.
        (dollars.is_finite() && dollars >= 0.0).then(|| (dollars * 1e9).round() as u64)
    };
    let input = cost("prompt")?;
    Some(Price {
        input,
        output: cost("completion")?,
        cached: cost("input_cache_read").unwrap_or(input),
        cache_written: cost("input_cache_write").unwrap_or(input),
        long: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn first(value: &Value) -> ModelInfo {
        page(value, "p").unwrap().models.remove(0)
    }

    #[test]
    fn the_facts_are_found_under_all_their_names() {
        for (entry, context, output) in [
            (json!({ "id": "m", "max_model_len": 4096 }), Some(4096), None),
            (
                json!({ "id": "m", "context_window": 131_072, "max_completion_tokens": 8192 }),
                Some(131_072),
                Some(8192),
            ),
            (
                json!({ "id": "m", "max_context_length": 32_768, "loaded_context_length": 4096 }),
                Some(4096),
                None,
            ),
            (
                json!({ "id": "m", "max_input_tokens": 200_000, "max_tokens": 64_000 }),
                Some(200_000),
                Some(64_000),
            ),
            (json!({ "id": "m", "context_length": "9000" }), Some(9000), None),
            (json!({ "id": "m", "context_length": null, "created": 1 }), None, None),
        ] {
            let info = first(&json!({ "object": "list", "data": [entry] }));
            assert_eq!((info.context, info.output), (context, output), "{entry}");
            assert_eq!(info.name.to_string(), "p/m");
        }
        let bare = json!([{ "id": "m" }, { "no": "name" }, { "id": "" }]);
        assert_eq!(page(&bare, "p").unwrap().models.len(), 1);
        assert_eq!(page(&json!({ "x": 1 }), "p"), None);
    }

    #[test]
    fn prices_and_abilities_are_read() {
        let value = json!({ "data": [{
            "id": "a/b", "context_length": 9, "architecture": { "input_modalities": ["text", "image"] },
            "pricing": { "prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003" },
            "supported_parameters": ["tools", "temperature"],
        }] });
        let info = first(&value);
        let price = Price { input: 3_000, output: 15_000, cached: 300, cache_written: 3_000, long: None };
        assert_eq!((info.price, info.tools, info.images), (Some(price), Some(true), Some(true)));
        let dynamic = json!({ "data": [{ "id": "m", "pricing": { "prompt": "-1", "completion": "-1" } }] });
        assert_eq!(first(&dynamic).price, None);
    }

    #[test]
    fn ollama_and_llama_cpp_tell_what_they_really_have() {
        let value = json!({
            "model_info": { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
            "capabilities": ["completion", "tools"],
        });
        let name = ModelName { provider: "ollama".into(), model: "q".into() };
        let mut info = read_model(&value, name.clone());
        assert_eq!((info.context, info.tools, info.images), (Some(40_960), Some(true), Some(false)));
        read_properties(
            &json!({ "default_generation_settings": { "n_ctx": 8192 }, "modalities": { "vision": true } }),
            &mut info,
        );
        assert_eq!((info.context, info.images), (Some(8192), Some(false)));
        assert_eq!(read_model(&json!({}), name.clone()), ModelInfo::named(name));
    }
}
