//! An interrupt at any moment of a loop over programs ends the loop.

use crate::support::*;
use sayso::domain::*;
use std::time::Duration;

/// Loops that a single interrupt does not always end, because one of their programs may just be ending normally.
const LOOPS: [&str; 12] = [
    "echo go; for i in $(seq 1000); do sleep 0.05; done",
    "echo go; while true; do sleep 0.01; done",
    "echo go; while :; do /bin/true; done",
    "echo go; until /bin/false; do :; done",
    "echo go; (for i in $(seq 1000); do sleep 0.03; done); echo after; sleep 60",
    "echo go; seq 1000 | while read n; do sleep 0.02; done; sleep 60",
    "echo go; x=$(for i in $(seq 1000); do sleep 0.03; done); sleep 60",
    "echo go; bash -c 'for i in $(seq 1000); do sleep 0.03; done'; sleep 60",
    "echo go; f() { while true; do sleep 0.02; done; }; f | cat; sleep 60",
    "echo go; trap - INT; for i in $(seq 1000); do sleep 0.03; done",
    "echo go; for i in $(seq 1000); do sh -c 'sleep 0.02; exit 0'; done",
    "echo go; for i in $(seq 1000); do (bash -c '(sleep 0.02)'); done",
];

#[tokio::test]
async fn a_loop_over_short_programs_ends_at_every_interrupt() {
    let shop = Shop::unconfined();
    let plays = std::cell::Cell::new(0);
    for (number, source) in LOOPS.iter().enumerate() {
        for phase in 0..8u64 {
            let play = async || {
                plays.set(plays.get() + 1);
                let (id, receiver, events) = shop.start_until("bash", source, Some(30_000), "go").await;
                // The test is about this exact moment.
                tokio::time::sleep(Duration::from_millis(11 * phase + number as u64 + 3)).await;
                shop.executor.control(id, RunControl::Interrupt);
                let told = rest_of(receiver, events).await;
                assert_eq!(told.report.outcome, Outcome::Interrupted, "{source} at {phase}");
                told
            };
            in_time(Duration::from_millis(2500), play).await;
        }
    }
    // A test that is late by chance is not late every time; a wrong one would need many attempts.
    assert!(plays.get() <= LOOPS.len() * 10, "{} plays", plays.get());
}

#[tokio::test]
async fn what_a_shell_does_at_an_interrupt_is_done_once() {
    let shop = Shop::unconfined();
    let source = "trap 'echo caught; for i in 1 2 3 4; do sleep 0.1 && echo slept; done; echo cleaned; exit 3' INT; \
                  echo go; sleep 20; sleep 20";
    let (id, receiver, events) = shop.start_until("bash", source, Some(30_000), "go").await;
    shop.executor.control(id, RunControl::Interrupt);
    let told = rest_of(receiver, events).await.ended(Outcome::Interrupted);
    assert!(told.out().contains("cleaned"), "{}", told.out());
    assert_eq!(told.out().matches("caught").count(), 1, "{}", told.out());
    assert_eq!(told.out().matches("slept").count(), 4, "what cleans up is left in peace: {}", told.out());
    assert_eq!(told.report.receipt.exit_code, Some(3));
}

#[tokio::test]
async fn the_state_of_a_shell_stays_when_it_is_interrupted() {
    let shop = Shop::unconfined();
    let (id, receiver, events) =
        shop.start_until("bash", "cd /; export KEPT=7; echo go; sleep 20", Some(30_000), "go").await;
    shop.executor.control(id, RunControl::Interrupt);
    rest_of(receiver, events).await;
    assert_eq!(shop.sh("pwd; echo $KEPT").await.out(), "/\n7\n");
}
