//! Tests which pictures of a run a model that accepts images is sent, against a model server.

use crate::home::{Home, install};
use crate::model_server::ModelServer;
use serde_json::Value;
use std::path::Path;

const BLOCKS: &str = "I plot.\n\n```r\nplot(1:10)\npng('sales.png')\nhist(c(1, 2, 2))\ninvisible(dev.off())\n\
    file.copy('photo.png', 'copy.png')\n```\n";
/// One pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

/// The URLs of the images in a request.
fn images(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().into_iter().flatten();
    let parts = messages.filter_map(|message| message["content"].as_array()).flatten();
    parts.filter_map(|part| part["image_url"]["url"].as_str()).map(str::to_owned).collect()
}

/// A turn in which this Rscript draws; returns what the model was sent afterwards, and the event of the run.
fn drawn(programs: Option<&Path>, model: &str, sends: bool) -> (Vec<String>, Value) {
    let home = Home::new();
    home.configure(format!("[context]\nimages = {sends}\n"));
    home.file("photo.png", PIXEL);
    let server = ModelServer::replying(&[BLOCKS, "It rises."]);
    let (url, work) = (server.v1(), home.work().to_string_lossy().into_owned());
    let args = ["run", "plot", "--json", "--model", model, "--base-url", &url, "--cwd", &work];
    let mut command = home.command(&[&args[..], &["--approve", "all", "--sandbox", "off"]].concat());
    if let Some(programs) = programs {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(programs.to_path_buf()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(all).unwrap());
    }
    let done = crate::home::run_to_end(&mut command).ended(0);
    (images(&server.wait_for_requests(2)[1].json()), done.events("run").pop().unwrap())
}

fn names(run: &Value, which: &str) -> Vec<String> {
    let list = run[which].as_array().unwrap();
    let mut names: Vec<String> =
        list.iter().map(|image| image["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn assert_plots(sent: &[String], run: &Value) {
    assert_eq!(names(run, "images"), ["Rplot001.png", "sales.png"]);
    assert_eq!(names(run, "pictures"), ["copy.png"], "what it did not draw is nobody's but the person's");
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(sent.iter().all(|url| url.starts_with("data:image/png;base64,iVBOR")), "{sent:?}");
}

#[test]
fn plots_that_r_draws_reach_a_model_that_sees() {
    let folder = tempfile::tempdir().unwrap();
    // A stand-in that draws like Rscript: without a named device, into pages of its own.
    let script = "#!/bin/sh\ncp photo.png Rplot001.png\ncp photo.png sales.png\ncp photo.png copy.png\n";
    let (text, program) = (folder.path().join("text"), folder.path().join("Rscript"));
    std::fs::write(&text, script).unwrap();
    install(&text, &program);
    let (sent, run) = drawn(Some(folder.path()), "openai/gpt-4o", true);
    assert_plots(&sent, &run);
    for (model, images) in [("openai/blind", true), ("openai/gpt-4o", false)] {
        let (sent, run) = drawn(Some(folder.path()), model, images);
        assert_eq!((sent.len(), names(&run, "images").len()), (0, 2), "{model} {images}");
    }
}

#[test]
#[ignore = "needs Rscript"]
fn plots_of_the_real_r_reach_a_model_that_sees() {
    let (sent, run) = drawn(None, "openai/gpt-4o", true);
    assert_plots(&sent, &run);
    assert_eq!(run["images"][0]["width"], 480);
}

#[test]
#[ignore = "needs a Python with pandas, polars and rich: SAYSO_TEST_DATA_PYTHON"]
fn a_value_reaches_the_model_as_its_library_shows_it() {
    let python = std::env::var_os("SAYSO_TEST_DATA_PYTHON").expect("SAYSO_TEST_DATA_PYTHON names a Python");
    for (shows, told) in [
        (
            "pd.DataFrame({'name': ['x', 'yy'], 'n': [1, 22]}).style",
            "```text\n   name   n\n0  x      1\n1  yy    22\n```",
        ),
        ("pd.DataFrame({'n': range(1000)})", "[1000 rows x 1 columns]\n```"),
        ("pl.DataFrame({'a': [1]})", "shape: (1, 1)\n"),
        ("table", "┃ a ┃\n"),
    ] {
        let home = Home::new();
        let block = format!(
            "```python\nimport pandas as pd, polars as pl\nfrom rich.table import Table\ntable = Table('a')\n{shows}\n```\n"
        );
        let server = ModelServer::replying(&[&block, "Done."]);
        let python = python.to_string_lossy();
        home.configure(format!("[run]\npython = {python:?}\n"));
        home.turn(&server, "go", &["--approve", "all", "--sandbox", "off"]).ended(0);
        let request = server.wait_for_requests(2)[1].json();
        let last = request["messages"].as_array().unwrap().last().unwrap()["content"].clone();
        let last = last.as_str().unwrap();
        assert!(last.contains("Value:\n") && last.contains(told) && !last.contains(" object at "), "{last}");
    }
}
