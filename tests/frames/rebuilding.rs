//! What is shown before a kernel is rebuilt, and the one block into which several are joined.

use super::scene::{Scene, engine_commands, inspection, report, terms};
use super::{assert_shown, drawn, snapshots};
use sayso::domain::*;
use sayso::engine::Command;
use sayso::tui::widgets::layout::Pane;

/// Four blocks ran in a kernel that no longer exists.
fn lost() -> Scene {
    let mut scene = Scene::new();
    scene.ask("Which months are strong?");
    for (block, text, writes) in [
        (1, "import pandas as pd\ndf = pd.read_csv('sales.csv')", None),
        (2, "by_month = df.groupby('month').sum()\nby_month.head()", None),
        (3, "by_month.to_csv('out.csv')\nwritten = True", Some("out.csv")),
        (4, "best = by_month.idxmax()", None),
    ] {
        scene.reply(&format!("Next.\n\n```python\n{text}\n```\n"));
        let mut found = inspection(terms("python"), Vec::new());
        if block == 1 {
            found.review.effects.reads.push("sales.csv".into());
        }
        found.review.effects.writes.extend(writes.map(str::to_owned));
        scene.inspected(block, found);
        scene.ran(block, 800 * u64::from(block), "");
    }
    scene.reply("Done.");
    scene.command(Command::RestartKernel);
    scene
}

fn asked() -> Scene {
    let mut scene = lost();
    scene.focus(Pane::Message);
    scene.enter("/rebuild");
    scene.frame();
    scene
}

#[test]
fn what_becomes_of_variables_and_what_each_block_took_and_touched_is_told_first() {
    snapshots("rebuild", asked);
}

#[test]
fn blocks_that_touch_nothing_else_come_back_as_one_that_waits() {
    let mut scene = asked();
    assert_shown(&mut scene, 100, 30, "4 blocks, 3 decisions");
    let commands = engine_commands(&scene.press_alone("n"));
    scene.command(commands.into_iter().next().expect("a command"));
    scene.inspected(5, inspection(terms("python"), Vec::new()));
    let text = drawn(&mut scene, 100, 30);
    for part in ["to rebuild the kernel: blocks 1, 2", "# block 1", "# block 2", "by_month.head()"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // A value different from before ends it.
    scene.ran_with(5, RunReport { value: Some("another".into()), ..report("", 900) });
    let told = scene.state().live().notice.as_ref().map(|notice| notice.text.as_str());
    let end = "Block 5 differs in value: then nothing; now another. 2 blocks not run again.";
    assert_eq!(told, Some(end));
}
