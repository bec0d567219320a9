//! Blocks that fetch what another block needs: packages, an image. Who does it, from where, where to, and what stays.

use super::scene::Scene;
use super::snapshots;
use sayso::domain::*;
use sayso::exec;
use sayso::tui::widgets::layout::Pane;
use std::sync::Arc;

/// A block of sayso's own that waits in front of block 3.
fn fetching(kind: BlockKind, source: &str, note: &str, terms: Terms, review: Review) -> Scene {
    let mut scene = Scene::waiting();
    scene.record(Entry::Block(Block {
        id: BlockId(4),
        step: StepId(9),
        kind,
        origin: Origin {
            dialect: Dialect::Fences,
            info: String::new(),
            range: 0..0,
            closed: true,
            call: None,
            note: Some(note.into()),
            own: false,
        },
        versions: vec![Version {
            revision: Revision(1),
            source: Arc::from(source),
            language: Some(Language::python()),
            whole: true,
        }],
    }));
    scene.inspect(4, Vec::new());
    let inspected = scene.state.live.blocks.get_mut(&BlockId(4)).unwrap().inspected.as_mut().unwrap();
    inspected.review = review;
    inspected.terms = Ok(terms);
    inspected.venv = Some("/home/ada/data/sales/.venv".into());
    scene.decide(4);
    scene.frame();
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    scene.pass(2_000);
    scene
}

#[test]
fn an_image_is_asked_for() {
    snapshots("04_pull", || {
        let image = "docker.io/library/python:3.12-slim";
        let terms = Terms {
            executor: ExecutorKind::Engine,
            kernel: None,
            interpreter: "unix:///var/run/docker.sock".into(),
            version: None,
            rights: Rights { network: true, ..Rights::default() },
            limits: Limits { wall_ms: 1_800_000, ..Limits::default() },
            ..Scene::terms("python")
        };
        let note = format!("block 3 runs in {image}, which is not on the container engine: pull it first?");
        let kind = BlockKind::Pull { wanted_by: Some(BlockId(3)) };
        let source = format!("{image}\n");
        fetching(kind, &source, &note, terms, exec::images::review(&source))
    });
}

fn installing(source: &str, cwd: &str) -> Scene {
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
    let terms = Terms {
        executor: ExecutorKind::Installer,
        kernel: None,
        interpreter: "/usr/bin/uv".into(),
        version: None,
        cwd: cwd.into(),
        rights: Rights {
            network: true,
            write: vec![cwd.into()],
            read: vec!["/home/ada/data/sales".into()],
            environment: vec!["PATH".into()],
            sandbox,
        },
        limits: Limits { wall_ms: 600_000, ..Limits::default() },
        ..Scene::terms("python")
    };
    let kind = BlockKind::Install { wanted_by: Some(BlockId(3)) };
    let note = "block 3 needs numpy, pandas: install it first?";
    fetching(kind, source, note, terms, exec::packages::review("python", source))
}

#[test]
fn packages_go_beside_the_session() {
    let beside = "/home/ada/.local/share/sayso/blobs/1/packages/python";
    snapshots("04_install", || installing("numpy\npandas\n", beside));
}

#[test]
fn packages_go_into_the_projects_environment() {
    let source = "into: .venv\nnumpy\npandas\n";
    snapshots("04_install_into_venv", || installing(source, "/home/ada/data/sales/.venv"));
}

#[test]
fn the_other_place_is_a_new_text_that_is_asked_about() {
    let mut scene = installing("numpy\npandas\n", "/home/ada/.local/share/sayso/blobs/1/packages/python");
    let wishes = scene.press(&["I"]);
    let shown = format!("{wishes:?}");
    assert!(shown.contains(r#"Edit("into: .venv\nnumpy\npandas\n")"#), "{shown}");
    let mut scene = installing("into: .venv\nnumpy\n", "/home/ada/data/sales/.venv");
    let shown = format!("{:?}", scene.press(&["I"]));
    assert!(shown.contains(r#"Edit("numpy\n")"#), "{shown}");
    // Where there is no such environment, nothing is offered.
    let mut scene = installing("numpy\n", "/home/ada/.local/share/sayso/blobs/1/packages/python");
    scene.state.live.blocks.get_mut(&BlockId(4)).unwrap().inspected.as_mut().unwrap().venv = None;
    assert!(scene.press(&["I"]).is_empty());
    // Other blocks have no other place.
    let mut scene = Scene::waiting();
    scene.frame();
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    assert!(scene.press(&["I"]).is_empty());
}
