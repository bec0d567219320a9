//! How long things take. No timed tests: this one is started by hand and prints.

use crate::support::*;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
#[ignore = "prints figures; run with --ignored --nocapture"]
async fn from_the_order_to_the_first_output() {
    let median = |mut all: Vec<Duration>| {
        all.sort();
        (all[all.len() / 2], *all.last().unwrap())
    };
    for (language, source) in
        [("python", "print('x')"), ("bash", "echo x"), ("javascript", "console.log('x')")]
    {
        let (mut cold, mut cold_end, mut warm, mut warm_end) = (vec![], vec![], vec![], vec![]);
        for _ in 0..15 {
            let shop = Shop::new();
            shop.executor.terms(&sayso::domain::Language(language.into()), None).await.unwrap();
            let since = Instant::now();
            let told = shop.run(language, source).await.ok();
            cold.push(told.first_output.unwrap());
            cold_end.push(since.elapsed());
            tokio::time::sleep(Duration::from_millis(60)).await;
            let since = Instant::now();
            let told = shop.run(language, source).await.ok();
            warm.push(told.first_output.unwrap());
            warm_end.push(since.elapsed());
        }
        println!(
            "{language}: first output cold {:?}, warm {:?}; end cold {:?}, warm {:?} (median, worst)",
            median(cold),
            median(warm),
            median(cold_end),
            median(warm_end)
        );
    }
    let shop = Shop::new();
    let since = Instant::now();
    shop.py("for i in range(300000): print(i)").await.ok();
    println!("300,000 prints: {:?}", since.elapsed());
    let since = Instant::now();
    shop.py("import sys\nfor i in range(2000):\n    print(i)\n    print(i, file=sys.stderr)").await.ok();
    println!("4,000 changes of stream: {:?}", since.elapsed());
    let since = Instant::now();
    shop.sh("head -c 1000000000 /dev/zero").await.ok();
    println!("1 GB: {:?}", since.elapsed());
}
