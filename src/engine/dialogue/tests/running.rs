//! Runs, and how they end.

use super::*;

#[test]
fn every_outcome_has_its_words() {
    let cases = [
        (Outcome::Failed, "'Block 1 failed: exit 1, 0.8 s. The error is in Output.', ask s2", "FAILED 1"),
        (Outcome::TimedOut, "'Stopped at the 60 s limit.', ask s2", "TIMEOUT"),
        (Outcome::Limit("memory".into()), "'Stopped at a limit: memory.', ask s2", "LIMIT"),
        (Outcome::Interrupted, "'Block 1 interrupted after 0.8 s.', +end stopped", "INTERRUPTED"),
        (Outcome::Crashed("signal 11".into()), "'Block 1 died: signal 11.', ask s2", "DIED"),
        (
            Outcome::Refused("the kernel is another one".into()),
            "'Block 1 was refused: the kernel is another one. Nothing ran. It waits again.', +back 1",
            "WAITING",
        ),
        (
            Outcome::NotStarted("no space left".into()),
            "'Block 1 did not start: no space left. Nothing ran. It can be put back for review.', +end stopped",
            "NOT STARTED",
        ),
    ];
    for (outcome, told, word) in cases {
        let mut d = Dialogue::after_reply(ONE);
        d.accepts(1);
        let line = d.ended(1, outcome.clone());
        assert!(line.contains(told), "{outcome:?}: {line}");
        assert_eq!(d.word(1), word);
    }
}

#[test]
fn a_kernel_that_dies_in_a_run_is_told_to_both() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    let kernel = KernelFate::Lost(KernelRef { generation: 1, variables: 14, keeps_running: false });
    let line =
        d.ended_as(1, RunReport { kernel, ..report(Outcome::Crashed("killed, memory 2.0 of 2 GiB".into())) });
    let told = "'Kernel k1 died, 14 variables lost, nothing was rerun: killed, memory 2.0 of 2 GiB.'";
    assert_eq!(line, format!("+ran r1 crashed, {told}, ask s2 | replying s2"));
    assert!(d.state().live.kernels.is_empty());
    assert!(d.told().contains("Block 1 (python): died after 0.8 s: killed, memory 2.0 of 2 GiB"));
    assert!(d.told().contains("The Python kernel ended with it"), "{}", d.told());
}

#[test]
fn a_kernel_that_dies_while_a_block_waits_has_it_looked_at_again() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply(ONE);
    d.inspected_ok(2);
    d.send(Event::KernelDied(DeadKernel::of_python("signal 9")))
        .is("'Kernel k1 died, 14 variables lost, nothing was rerun: signal 9.', look 2.1 | deciding 2");
    assert_eq!(d.approve(2), "'Block 2 is still being checked.' | deciding 2");
    d.accepts_under(2, in_kernel(2));
    d.passes(2, ok());
    d.told().has("The Python kernel had ended before: this block met an empty one.");
}

#[test]
fn a_server_that_does_not_answer_while_nothing_runs_is_told_and_its_kernel_is_gone_only_when_it_stays_away() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, ok());
    d.reply("Done.");
    d.send(Event::KernelWarning("The server does not answer.".into()))
        .is("'The server does not answer.' | idle");
    assert_eq!(d.send(Event::KernelBack("It answers again.".into())), "'It answers again.' | idle");
    d.send(Event::KernelWarning("The server does not answer.".into()));
    d.send(Event::KernelDied(DeadKernel::of_python("the connection was lost")))
        .is("'Kernel k1 died, 14 variables lost, nothing was rerun: the connection was lost.' | idle");
    assert_eq!(d.state().variables().count(), 0);
}

/// Two kernels of a Jupyter executor: Python with 14 variables, and R, which ran last.
fn python_and_r() -> Dialogue {
    let mut d = Dialogue::after_reply("```python\na = 1\n```\n");
    d.begins(1, 1);
    let known = Variable {
        name: "a".into(),
        kind: "int".into(),
        size: String::new(),
        value: "1".into(),
        change: None,
    };
    d.ran(1, RunEvent::Variables(vec![known]));
    d.ended(1, ok());
    d.reply("```r\nb <- 1\n```\n");
    let kernel = KernelRef { generation: 3, variables: 0, keeps_running: true };
    d.inspected(
        2,
        Review::default(),
        Ok(Terms { language: Language("r".into()), kernel: Some(kernel), ..terms() }),
    );
    d.type_run(2);
    d.started(2);
    d.ended_as(2, RunReport { kernel: KernelFate::Kept(kernel), ..report(ok()) });
    d.reply("Done.");
    d
}

#[test]
fn of_two_kernels_the_one_that_died_is_told_and_the_other_stays_as_it_is() {
    let died = |language: Language| Event::KernelDied(DeadKernel { language, cause: "signal 9".into() });
    let left = |d: &Dialogue| {
        let kernels: Vec<_> = d.state().live.kernels.keys().map(Language::as_str).collect();
        (kernels.join(" "), d.state().variables().count())
    };
    let mut d = python_and_r();
    assert!(!d.told().contains("had ended before"), "{}", d.told());
    assert_eq!(left(&d), ("python r".into(), 1));
    let line = d.send(died(Language("r".into())));
    assert_eq!(
        line, "'Kernel k3 of r died, nothing was rerun: signal 9.' | idle",
        "none is known, so none is told"
    );
    assert_eq!(left(&d), ("python".into(), 1));

    let mut d = python_and_r();
    d.send(died(Language::python()))
        .is("'Kernel k1 died, 14 variables lost, nothing was rerun: signal 9.' | idle");
    assert_eq!(left(&d), ("r".into(), 0));
    let line = d.send(died(Language::bash()));
    assert_eq!(line, "'The kernel of bash died, nothing was rerun: signal 9.' | idle", "it ran nothing yet");
    assert_eq!(left(&d), ("r".into(), 0));
}

#[test]
fn a_new_kernel_is_told_of_all_that_there_are_and_of_the_one_that_a_block_is_for() {
    let mut d = python_and_r();
    d.user("more");
    d.reply("```python\nc = 1\n```\n");
    d.inspected_ok(3);
    let line = d.command(Command::ToggleNewKernel(BlockId(3)));
    assert!(line.contains("would run in a new kernel: k1 ends then, 14 variables lost."), "{line}");
    let line = d.command(Command::RestartKernel);
    let ended =
        "Kernel k1 of python, k3 of r ended: 14 variables of python and all of r lost. Nothing was rerun.";
    assert!(line.contains(ended), "{line}");
    assert!(d.state().live.kernels.is_empty() && d.state().variables().count() == 0);
    d.skip(3);
    d.user("again");
    let told = format!("{:?}", d.request());
    assert!(told.contains("[The person restarted the kernels of python and r: variables"), "{told}");
}

#[test]
fn restarting_the_kernel_is_recorded_and_refused_while_something_runs() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected_ok(1);
    d.command(Command::RestartKernel)
        .is("'The next block starts a new kernel.', +restarted, restart, look 1.1 | deciding 1");
    d.accepts(1);
    let refused = "'A block runs: Ctrl-C interrupts it, then the kernel can be restarted.' | running r1";
    assert_eq!(d.command(Command::RestartKernel), refused);
    d.passes(1, ok());
    d.reply("Done.");
    let ended = "'Kernel k1 ended: 14 variables lost. Nothing was rerun.', +restarted, restart | idle";
    assert_eq!(d.command(Command::RestartKernel), ended);
    d.user("and now");
    assert!(d.told().starts_with("[The person restarted the Python kernel"), "{}", d.told());
    assert!(d.told().ends_with("and now"));
}

#[test]
fn what_a_run_tells_is_shown_while_it_lasts() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    d.prints("one\n");
    d.ran(1, RunEvent::Usage { rss_bytes: 9, cpu_ms: 7 });
    let run = d.state().live.run.clone().unwrap();
    assert_eq!((run.started, run.rss_bytes, run.cpu_ms), (true, 9, 7));
    assert_eq!(run.output.bytes(Stream::Stdout), b"one\n");
}

#[test]
fn what_came_too_fast_is_missing_in_what_is_shown_of_a_run() {
    let mut d = Dialogue::after_reply(ONE);
    d.begins(1, 1);
    d.prints("1\n4554");
    let chunk = crate::domain::Chunk { stream: Stream::Stdout, bytes: b"3\n".to_vec(), skipped: 7 };
    d.ran(1, RunEvent::Output(chunk));
    let output = d.state().live.run.clone().unwrap().output;
    assert_eq!(output.in_order(), b"1\n4554\n... 7 bytes of output left out here ...\n3\n");
}
