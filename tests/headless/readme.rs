//! The examples of the README are real: every piece of configuration in it loads.

use crate::home::Home;
use std::os::unix::fs::PermissionsExt as _;

/// The fenced pieces of this language, in their order.
fn pieces(language: &str) -> Vec<String> {
    let readme = include_str!("../../README.md");
    let fence = format!("```{language}\n");
    readme
        .split(&fence)
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next())
        .map(|p| format!("{p}\n"))
        .collect()
}

#[test]
fn every_configuration_in_the_readme_loads_and_names_its_model() {
    let mut models = Vec::new();
    for piece in pieces("toml") {
        let home = Home::new();
        if piece.starts_with("name = ") {
            let folder = home.sayso().join("recipes");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("own.toml"), &piece).unwrap();
            let done = home.run(&["recipes", "--json"]);
            let own = done.json()[0]["recipes"].as_array().unwrap().iter().any(|r| !r["file"].is_null());
            assert!(own, "{}", done.err);
            continue;
        }
        std::fs::create_dir_all(home.sayso()).unwrap();
        if piece.starts_with("# credentials.toml") {
            let file = home.sayso().join("credentials.toml");
            std::fs::write(&file, &piece).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        } else {
            std::fs::write(home.sayso().join("config.toml"), &piece).unwrap();
        }
        let done = home.run(&["config", "check"]);
        assert_eq!(done.code, Some(0), "{piece}\n{}", done.err);
        let done = home.run(&["doctor", "--json"]);
        let looks = done.json().remove(0)["looks"].clone();
        let model = looks.as_array().unwrap().iter().find(|look| look["what"] == "model").unwrap().clone();
        if piece.contains("\nmodel = ") {
            assert_eq!(model["good"], true, "{piece}\n{model}");
            models.push(model["found"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(models, ["lab/llama-3.3-70b", "openrouter/qwen/qwen3-coder", "azure/gpt-4.1"]);
}
