//! Tests a missing container image when nobody can be asked.

use crate::home::Home;
use crate::model_server::ModelServer;
use serde_json::json;

#[test]
#[ignore = "needs a container engine in DOCKER_HOST"]
fn an_image_that_is_missing_needs_a_decision() {
    let host = std::env::var("DOCKER_HOST").expect("DOCKER_HOST is not set");
    let turn = |approve: &str| {
        let home = Home::new();
        let server = ModelServer::replying(&["```python\nprint(1)\n```\n"]);
        let options = ["--json", "--executor", "container:127.0.0.1:1/sayso/none:1", "--approve", approve];
        let mut command = home.turn_command(&server, "go", &options);
        crate::home::run_to_end(command.env("DOCKER_HOST", &host))
    };
    let done = turn("never").ended(10);
    let blocks = done.events("block");
    assert_eq!(blocks.len(), 2, "{}", done.out);
    assert_eq!(
        json!([blocks[1]["kind"], blocks[1]["source"]]),
        json!(["pull", "127.0.0.1:1/sayso/none:1\n"])
    );
    assert_eq!(done.events("decision").len(), 0);
    // The approval was for blocks of the model, not for what they need.
    let done = turn("all").ended(10).prints(&["is not on the container engine"]);
    assert_eq!((done.events("block").len(), done.events("run").len()), (1, 0), "{}", done.out);
}
