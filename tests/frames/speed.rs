//! Figures, looked at by hand: `cargo test --test frames -- --ignored --nocapture`. Nothing is asserted here.

use super::drawn;
use super::scene::{Scene, report};
use sayso::domain::ReplyEvent;
use std::time::Instant;

#[test]
#[ignore = "figures for people"]
fn figures() {
    let mut scene = Scene::new();
    for n in 0..1_000 {
        scene.ask(&format!("question {n}: what about the *numbers* of row {n}?"));
        scene.reply(&format!("Answer {n}. It has **some** markdown, `code` and\n\n- a list\n- of things\n"));
    }
    let start = Instant::now();
    drawn(&mut scene, 140, 40);
    println!("2,000 messages, first frame: {:?}", start.elapsed());
    let start = Instant::now();
    for _ in 0..100 {
        drawn(&mut scene, 140, 40);
    }
    println!("the next ones, each: {:?}", start.elapsed() / 100);

    let mut scene = Scene::new();
    let words: Vec<String> = (0..20_000)
        .map(|n| if n % 40 == 39 { ".\n\n".to_string() } else { format!("word{} ", n % 7) })
        .collect();
    let (mut first, mut last) = (None, None);
    let whole = Instant::now();
    for (n, word) in words.iter().enumerate() {
        scene.replied(ReplyEvent::Delta(word.clone()));
        if n % 10 == 9 {
            let start = Instant::now();
            drawn(&mut scene, 140, 40);
            if n < 1_000 {
                first = Some(start.elapsed());
            }
            last = Some(start.elapsed());
        }
    }
    println!(
        "20,000 tokens, a frame every 10: {:?}; a frame early {first:?}, late {last:?}",
        whole.elapsed()
    );

    let code: String = (0..20_000).map(|n| format!("value_{n} = compute({n}, 'text {n}')\n")).collect();
    let mut scene = Scene::worked();
    scene.reply(&format!("```python\n{code}```\n"));
    scene.inspect(3, Vec::new());
    let start = Instant::now();
    drawn(&mut scene, 140, 40);
    println!("a block of 20,000 lines, first frame: {:?}", start.elapsed());
    let start = Instant::now();
    drawn(&mut scene, 140, 40);
    println!("the next one: {:?}", start.elapsed());

    let text: String = (0..20_000).map(|n| format!("line {n} of the output\n")).collect();
    let mut scene = Scene::waiting();
    scene.ran_with(3, report(&text, 10));
    let start = Instant::now();
    drawn(&mut scene, 140, 40);
    println!("20,000 lines of output, first frame: {:?}", start.elapsed());
    let start = Instant::now();
    drawn(&mut scene, 140, 40);
    println!("the next one: {:?}", start.elapsed());

    let mut scene = Scene::worked();
    drawn(&mut scene, 140, 40);
    let start = Instant::now();
    for _ in 0..200 {
        scene.press(&["x"]);
        drawn(&mut scene, 140, 40);
    }
    println!("a key and its frame: {:?}", start.elapsed() / 200);
}
