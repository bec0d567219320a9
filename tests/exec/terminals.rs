//! Runs with a terminal of their own: they ask questions and get answers.

use crate::support::*;
use sayso::domain::*;
use sayso::exec::ExecutorError;
use std::time::Duration;

impl Shop {
    async fn terminal_terms(&self, language: &str, wall_ms: u64) -> Terms {
        let limits = Some(Limits { wall_ms, ..Limits::default() });
        let terms = self.executor.terms(&Language(language.into()), limits).await.unwrap();
        self.executor.terminal_terms(terms).await.unwrap()
    }

    async fn start_asking(&self, language: &str, source: &str) -> (RunId, Events) {
        let terms = self.terminal_terms(language, 20_000).await;
        self.start(self.request_under(terms, source))
    }

    /// Runs a block, and types each answer once its question was printed.
    async fn asked(&self, language: &str, source: &str, answers: &[(&str, &str)]) -> Told {
        let (run, mut events) = self.start_asking(language, source).await;
        let mut seen = Vec::new();
        for (question, answer) in answers {
            seen.extend(until_output(&mut events, question).await);
            self.executor.control(run, RunControl::Type(answer.as_bytes().to_vec()));
        }
        rest_of(events, seen).await
    }
}

/// Both ways in which this machine confines runs: with the outer layer and without.
pub fn shops() -> [Shop; 2] {
    [Shop::new(), Shop::with(|setup| setup.without = NO_BWRAP)]
}

#[tokio::test]
async fn bash_reads_what_is_typed() {
    for shop in shops() {
        let told =
            shop.asked("bash", "read -p 'Name? ' x; echo \"Hello $x.\"", &[("Name? ", "Ada\r")]).await.ok();
        assert!(told.out().contains("Name? Ada\r\nHello Ada.\r\n"), "{:?}", told.out());
        assert_eq!(told.err(), "", "both streams are one");
    }
}

#[tokio::test]
async fn a_program_that_lets_go_of_its_terminal_goes_on_and_finds_it_again() {
    for shop in shops() {
        let source = "exec >/dev/null 2>&1 </dev/null\nsleep 0.3\necho back > /dev/tty\n";
        let told = shop.asked("bash", source, &[]).await.ok();
        assert!(told.out().contains("back"), "{:?}", told.out());
    }
}

#[tokio::test]
async fn one_key_takes_back_one_letter_whatever_it_is_made_of() {
    let source = "read -p 'Name? ' x; printf '<%s>' \"$x\"";
    let told = Shop::new().asked("bash", source, &[("Name? ", "é\x7fx\r")]).await.ok();
    assert!(told.out().ends_with("<x>"), "{:?}", told.out());
}

#[tokio::test]
async fn what_a_terminal_needs_is_not_carried_over_to_the_next_block() {
    let shop = Shop::new();
    let before = shop.sh("echo \"$TERM\"").await.ok().out();
    shop.asked("bash", "export KEPT=1", &[]).await.ok();
    assert_eq!(shop.sh("echo \"$TERM\"").await.ok().out(), before);
    let terms = shop.terms("bash").await;
    assert_eq!(terms.shared.unwrap().changed, ["variables exported: KEPT"]);
}

#[tokio::test]
async fn python_asks_in_a_process_of_its_own() {
    let shop = Shop::new();
    let terms = shop.terminal_terms("python", 20_000).await;
    assert_eq!((terms.executor, terms.kernel), (ExecutorKind::Subprocess, None));
    assert!(terms.rights.terminal);
    let source = "import sys, getpass\nn = input('How many? ')\nsecret = getpass.getpass('Word: ')\n\
                  print(int(n) * 2, len(secret), sys.stdin.isatty(), file=sys.stderr)\n";
    let told = shop.asked("python", source, &[("How many? ", "21\r"), ("Word: ", "hidden\r")]).await.ok();
    assert!(told.out().contains("42 6 True"), "{}", told.out());
    assert!(!told.out().contains("hidden"), "what is not echoed is nowhere: {}", told.out());
}

#[tokio::test]
async fn an_error_in_a_terminal_names_the_block() {
    for (language, source, line) in [
        ("python", "import sys\nn = input('How many? ')\nraise ValueError(n)\n", "line 3"),
        ("ruby", "print 'How many? '\ngets\nraise 'no'\n", ":3"),
    ] {
        let shop = Shop::new();
        if language == "ruby" && shop.executor.terms(&Language(language.into()), None).await.is_err() {
            continue;
        }
        let told = shop.asked(language, source, &[("How many? ", "21\r")]).await.ended(Outcome::Failed);
        let out = told.out();
        assert_has(&out, &["block 1", line]);
        assert!(!out.contains("/dev/fd") && !out.contains("memfd"), "{out}");
    }
}

#[tokio::test]
async fn node_asks() {
    let source = "const rl = require('readline').createInterface({ input: process.stdin, output: process.stdout });\n\
                  rl.question('Sure? ', (a) => { console.log('said ' + a); rl.close(); });\n";
    let told = Shop::new().asked("javascript", source, &[("Sure? ", "yes\r")]).await.ok();
    assert!(told.out().contains("said yes"), "{}", told.out());
}

#[tokio::test]
async fn the_terminal_is_its_own_and_has_a_size() {
    for shop in shops() {
        let source = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo all three\n\
                      echo from the terminal > /dev/tty\n\
                      echo \"term $TERM\"; stty size; read -p 'Go? ' x; stty size";
        let (run, mut events) = shop.start_asking("bash", source).await;
        let seen = until_output(&mut events, "Go? ").await;
        shop.executor.control(run, RunControl::Resize(11, 97));
        shop.executor.control(run, RunControl::Type(b"\r".to_vec()));
        let told = rest_of(events, seen).await.ok();
        assert_has(&told.out(), &["all three", "from the terminal", "term xterm-256color", "24 80", "11 97"]);
    }
}

#[tokio::test]
async fn a_program_finds_its_terminal_by_a_name_and_no_other_there() {
    for shop in shops() {
        let source = "tty\nif [ \"$(tty)\" = /dev/console ]; then\n\
                      echo written > \"$(tty)\"; echo \"others $(ls /dev/pts)\"\nfi";
        let told = shop.asked("bash", source, &[]).await.ok();
        match told.out().lines().collect::<Vec<_>>()[..] {
            ["/dev/console", "written", "others ptmx"] => {}
            // Without the outer layer the terminal has its usual name.
            [name] => assert!(name.starts_with("/dev/pts/"), "{name}"),
            _ => panic!("{}", told.out()),
        }
    }
}

#[tokio::test]
async fn no_other_terminal_is_reached_and_nothing_is_typed_into_this_one() {
    for shop in shops() {
        let source = "import fcntl, glob, os, termios\n\
                      try:\n    fcntl.ioctl(0, termios.TIOCSTI, b'x'); print('typed')\n\
                      except OSError as e: print('refused', e.errno)\n\
                      own = os.fstat(0).st_rdev\nothers = []\n\
                      for path in glob.glob('/dev/pts/[0-9]*') + ['/dev/console', '/dev/tty0', '/dev/tty1']:\n\
                      \x20   try:\n        fd = os.open(path, os.O_RDWR | os.O_NOCTTY)\n\
                      \x20       if os.fstat(fd).st_rdev != own: others.append(path)\n\
                      \x20   except OSError: pass\n\
                      print('others', others)\n";
        let told = shop.asked("python", source, &[]).await.ok();
        assert_has(&told.out(), &["refused 1\r\n", "others []"]);
    }
}

#[tokio::test]
async fn ctrl_c_and_ctrl_d_are_the_programs() {
    let shop = Shop::new();
    // Not in a `read`: between its prompt and reading, bash keeps a signal until a line arrives.
    let source = "trap 'echo caught; exit 3' INT\necho 'Wait? '\nwhile :; do sleep 0.05; done\n";
    let told = shop.asked("bash", source, &[("Wait? ", "\x03")]).await;
    assert_eq!((told.report.outcome.clone(), told.report.receipt.exit_code), (Outcome::Failed, Some(3)));
    assert!(told.out().contains("caught"), "{}", told.out());
    let told = shop.asked("bash", "read -p 'More? ' x || echo end", &[("More? ", "\x04")]).await.ok();
    assert!(told.out().contains("end"), "{}", told.out());
}

#[tokio::test]
async fn the_person_stops_it_and_the_time_limit_ends_it() {
    let shop = Shop::new();
    // Not in a `read`, for the same reason.
    let (run, mut events) = shop.start_asking("bash", "echo 'Wait? '; sleep 60").await;
    let seen = until_output(&mut events, "Wait? ").await;
    shop.executor.control(run, RunControl::Interrupt);
    assert_eq!(rest_of(events, seen).await.report.outcome, Outcome::Interrupted);
    let play = async || {
        let terms = shop.terminal_terms("bash", 300).await;
        let (_, events) = shop.start(shop.request_under(terms, "read -p 'Wait? ' x"));
        rest_of(events, Vec::new()).await.ended(Outcome::TimedOut)
    };
    in_time(Duration::from_secs(5), play).await;
}

/// While the person's keys go to it, only its computing time counts.
#[tokio::test]
async fn a_person_may_think_before_they_type_and_a_program_may_not_compute_for_ever() {
    use CountedTime::{Computing, Passing};
    let shop = Shop::new();
    let counts = |told: &Told| {
        let counts = told.events.iter().filter_map(|event| match event {
            RunEvent::Counts(what) => Some(*what),
            _ => None,
        });
        counts.collect::<Vec<_>>()
    };
    let terms = shop.terminal_terms("bash", 1_000).await;
    // On a busy machine the time may be over before the helper hears what counts, or samples.
    let computing = async |source: &str, most_computed_us: u64| {
        let play = async || {
            let (run, events) = shop.start(shop.request_under(terms.clone(), source));
            shop.executor.control(run, RunControl::Count(Computing));
            let told = rest_of(events, Vec::new()).await;
            let was_in_time = counts(&told) == [Computing] && told.report.receipt.cpu_us < most_computed_us;
            told.late_unless(was_in_time)
        };
        in_time(Duration::from_secs(20), play).await
    };
    let waits = "for n in {1..25}; do read -t 0.1 x; done; echo over";
    let told = computing(waits, u64::MAX).await.ok();
    assert!(told.out().contains("over"), "{}", told.out());
    let used = Duration::from_micros(told.report.receipt.wall_us);
    assert!(used > Duration::from_secs(2), "{used:?}");

    let told = computing("while :; do :; done", u64::MAX).await.ended(Outcome::TimedOut);
    assert!(told.report.receipt.cpu_us > 900_000, "{:?}", told.report.receipt);

    // Two that compute at once reach the limit in half the time; a sample is taken before that.
    let two = "(while :; do :; done) & while :; do :; done";
    let told = computing(two, 1_900_000).await.ended(Outcome::TimedOut);
    assert!(told.report.receipt.cpu_us >= 900_000, "{:?}", told.report.receipt);

    // Computing of children counts too, even if nobody waits for them and the system counts it for nobody.
    let forks = "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nend = time.time() + 30\n\
                 while time.time() < end:\n    if os.fork() == 0:\n        till = time.time() + 0.05\n        \
                 while time.time() < till: pass\n        os._exit(0)\n    time.sleep(0.05)\n";
    computing(&format!("python3 -c '{forks}'"), u64::MAX).await.ended(Outcome::TimedOut);

    // Once the keys are back, elapsed time counts from then on, as for every other run.
    let play = async || {
        let (run, mut events) = shop.start(shop.request_under(terms.clone(), "echo ready; sleep 60"));
        shop.executor.control(run, RunControl::Count(Computing));
        let seen = until_output(&mut events, "ready").await;
        shop.executor.control(run, RunControl::Count(Passing));
        let told = rest_of(events, seen).await;
        let was_in_time = counts(&told).first() == Some(&Computing);
        told.late_unless(was_in_time)
    };
    let told = in_time(Duration::from_secs(20), play).await;
    assert_eq!((told.report.outcome.clone(), counts(&told)), (Outcome::TimedOut, vec![Computing, Passing]));

    // Typing into a run without a terminal has no effect.
    let limits = Some(Limits { wall_ms: 300, ..Limits::default() });
    let terms = shop.executor.terms(&Language::bash(), limits).await.unwrap();
    let (run, events) = shop.start(shop.request_under(terms, "sleep 60"));
    shop.executor.control(run, RunControl::Count(Computing));
    let told = rest_of(events, Vec::new()).await;
    assert_eq!((told.report.outcome.clone(), counts(&told)), (Outcome::TimedOut, Vec::new()));
}

#[tokio::test]
async fn much_of_both_ways_is_bounded_and_complete() {
    let shop = Shop::new();
    let told = shop.asked("bash", "stty -onlcr; seq 1 200000", &[]).await.ok();
    let whole: u64 = (1..=200_000u64).map(|n| n.to_string().len() as u64 + 1).sum();
    assert_eq!(told.report.output.total(Stream::Stdout), whole);
    // It never reads: what was typed waits, and is dropped with it.
    let (run, mut events) =
        shop.start_asking("bash", "stty -icanon -echo; echo ready; sleep 0.5; echo over").await;
    let seen = until_output(&mut events, "ready").await;
    shop.executor.control(run, RunControl::Type(vec![b'x'; 1 << 20]));
    let told = rest_of(events, seen).await.ok();
    assert!(told.out().contains("over"), "{}", told.out());
}

#[tokio::test]
async fn what_is_left_behind_ends_with_it() {
    let shop = Shop::new();
    let play = async || shop.asked("bash", "(trap '' HUP; sleep 100; echo late) & echo over", &[]).await.ok();
    let told = in_time(Duration::from_secs(10), play).await;
    assert!(told.out().contains("over"), "{}", told.out());
}

#[tokio::test]
async fn an_approval_without_a_terminal_gives_none_and_none_can_be_had_for_packages() {
    let shop = Shop::new();
    let plain = shop.terms("bash").await;
    let with = shop.executor.terminal_terms(plain.clone()).await.unwrap();
    assert!(!plain.same_as(&with) && !with.same_as(&plain));
    let terms = Terms { executor: ExecutorKind::Installer, ..plain };
    assert_eq!(shop.executor.terminal_terms(terms).await, Err(ExecutorError::NoTerminal));
}
