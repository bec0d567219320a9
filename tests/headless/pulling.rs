//! Tests a missing container image when nobody can be asked.

use crate::home::Home;
use crate::model_server::{Answer, ModelServer};

#[test]
#[ignore = "needs a container engine in DOCKER_HOST"]
fn an_image_that_is_missing_needs_a_decision() {
    let host = std::env::var("DOCKER_HOST").expect("DOCKER_HOST is not set");
    let turn = |approve: &str| {
        let home = Home::new();
        let server = ModelServer::start(vec![Answer::text("```python\nprint(1)\n```\n")]);
        let options = ["--json", "--executor", "container:127.0.0.1:1/sayso/none:1", "--approve", approve];
        let mut command = home.turn_command(&server, "go", &options);
        crate::home::run_to_end(command.env("DOCKER_HOST", &host))
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
