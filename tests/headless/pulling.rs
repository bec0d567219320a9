//! Tests a missing container image when nobody can be asked.

use crate::home::{Home, finish};
use crate::model_server::{Answer, ModelServer};
use std::process::Stdio;

#[test]
#[ignore = "needs a container engine in DOCKER_HOST"]
fn an_image_that_is_missing_needs_a_decision() {
    let host = std::env::var("DOCKER_HOST").expect("DOCKER_HOST is not set");
    let turn = |approve: &str| {
        let home = Home::new();
        let server = ModelServer::start(vec![Answer::text("```python\nprint(1)\n```\n")]);
        let url = format!("{}/v1", server.url());
        let fixed = ["run", "go", "--model", "openai/test", "--base-url", &url, "--json"];
        let more = ["--executor", "container:127.0.0.1:1/sayso/none:1", "--approve", approve];
        let mut command = home.command(&[&fixed[..], &more].concat());
        command.env("DOCKER_HOST", &host).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(command.spawn().unwrap())
    };
    let done = turn("never");
    assert_eq!(done.code, Some(10), "{}\n{}", done.out, done.err);
    let blocks = done.events("block");
    assert_eq!(blocks.len(), 2, "{}", done.out);
    assert_eq!(
        (&blocks[1]["kind"], &blocks[1]["source"]),
        (&"pull".into(), &"127.0.0.1:1/sayso/none:1\n".into())
    );
    assert_eq!(done.events("decision").len(), 0);
    // The approval was for blocks of the model, not for what they need.
    let done = turn("all");
    assert_eq!(done.code, Some(10), "{}\n{}", done.out, done.err);
    assert_eq!((done.events("block").len(), done.events("run").len()), (1, 0), "{}", done.out);
    assert!(done.out.contains("is not on the container engine"), "{}", done.out);
}
