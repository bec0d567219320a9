//! Blocks that fetch what another block needs (packages, an image): who fetches, from where, to where, and what
//! stays.

use super::scene::{Scene, findings, inspection, terms};
use super::snapshots;
use sayso::domain::*;
use sayso::engine::Inspection;
use sayso::exec;
use sayso::tui::widgets::layout::Pane;

/// A block made by sayso waits in front of block 3, which lacks something.
fn fetching(lacks: Inspection, found: Inspection) -> Scene {
    let mut scene = Scene::waiting_with(lacks);
    scene.inspected(4, found);
    scene.review();
    scene
}

#[test]
fn an_image_is_asked_for() {
    snapshots("04_pull", || {
        let image = "docker.io/library/python:3.12-slim";
        let pull = Terms {
            executor: ExecutorKind::Engine,
            kernel: None,
            interpreter: "unix:///var/run/docker.sock".into(),
            version: None,
            rights: Rights { network: true, ..Rights::default() }.into(),
            limits: Limits { wall_ms: 1_800_000, ..Limits::default() },
            ..terms("python")
        };
        let name = ImageName::parse(image).unwrap();
        let container = Terms { executor: ExecutorKind::Container, kernel: None, ..terms("python") };
        let lacks = Inspection { image: Some(name), ..inspection(container, findings()) };
        let review = exec::images::review(&format!("{image}\n"));
        fetching(lacks, Inspection { review, ..inspection(pull, Vec::new()) })
    });
}

const BESIDE: &str = "/home/ada/.local/share/sayso/blobs/1/packages/python";
const VENV: &str = "/home/ada/data/sales/.venv";

/// Terms under which packages are installed into this folder.
fn into(cwd: &str) -> Terms {
    let sandbox = SandboxReport {
        level: SandboxLevel::ReadOnly,
        writes_confined: true,
        reads_confined: true,
        contained: true,
        memory: Enforcement::Watched,
        layers: ["bwrap", "landlock", "seccomp"]
            .map(|name| Layer { name: name.into(), active: true, tested: true, why: None })
            .to_vec(),
        ..SandboxReport::default()
    };
    Terms {
        executor: ExecutorKind::Installer,
        kernel: None,
        interpreter: "/usr/bin/uv".into(),
        version: None,
        cwd: cwd.into(),
        rights: Rights {
            network: true,
            write: vec![cwd.into()],
            environment: vec!["PATH".into()],
            sandbox,
            ..Rights::default()
        }
        .into(),
        limits: Limits { wall_ms: 600_000, ..Limits::default() },
        ..terms("python")
    }
}

/// The inspection of an installation of these packages into this folder.
fn installation(source: &str, cwd: &str, venv: bool) -> Inspection {
    let review = exec::packages::review_with("python", source, [], &Reach::default());
    Inspection { review, venv: venv.then(|| VENV.into()), ..inspection(into(cwd), Vec::new()) }
}

/// Block 3 lacks two packages, and a block that installs them beside the session waits in front of it.
pub fn installing(venv: bool) -> Scene {
    let lacking = ["numpy", "pandas"].map(String::from).to_vec();
    let lacks = Inspection { lacking, ..inspection(terms("python"), findings()) };
    fetching(lacks, installation("numpy\npandas\n", BESIDE, venv))
}

/// The same when the person wants them in the project's environment.
fn installing_into_venv() -> Scene {
    let mut scene = installing(true);
    let source = "into: .venv\nnumpy\npandas\n";
    scene.decide(4, Decision::Edit(source.into()));
    scene.inspected(4, installation(source, VENV, true));
    scene.frame();
    scene.pass(2_000);
    scene
}

#[test]
fn packages_go_beside_the_session() {
    snapshots("04_install", || installing(true));
}

#[test]
fn packages_go_into_the_projects_environment() {
    snapshots("04_install_into_venv", installing_into_venv);
}

#[test]
fn the_other_place_is_a_new_text_that_is_asked_about() {
    let mut scene = installing(true);
    let shown = format!("{:?}", scene.press(&["I"]));
    assert!(shown.contains(r#"Edit("into: .venv\nnumpy\npandas\n")"#), "{shown}");
    let shown = format!("{:?}", installing_into_venv().press(&["I"]));
    assert!(shown.contains(r#"Edit("numpy\npandas\n")"#), "{shown}");
    // Without such an environment, nothing is offered.
    assert!(installing(false).press(&["I"]).is_empty());
    // For other blocks there is no other place.
    let mut scene = Scene::waiting();
    scene.go_to(Pane::Code);
    assert!(scene.press(&["I"]).is_empty());
}
