//! Tasks about data: a table and its plot, a page, a database.

use super::Plan;
use crate::model_server::{Answer, ModelServer};

const SALES: &str = "month,units\nJan,12\nFeb,30\nMar,21\nApr,44\n";

#[test]
fn a_table_is_analysed_and_plotted() {
    let mut task = Plan::new("analyse a CSV and plot it").file("sales.csv", SALES).start(&[
        "First the numbers.\n\n```python\nimport csv\nrows = list(csv.DictReader(open('sales.csv')))\n\
         units = [int(row['units']) for row in rows]\n\
         print('total', sum(units), 'best', max(rows, key=lambda row: int(row['units']))['month'])\n```\n",
        "Now the chart.\n\n```python\nimport struct, zlib\n\
         def part(kind, data):\n    return struct.pack('>I', len(data)) + kind + data + \
         struct.pack('>I', zlib.crc32(kind + data))\n\
         lines = [[255 * (y < 50 - u) for u in units for _ in range(16)] for y in range(50)]\n\
         pixels = b''.join(b'\\0' + bytes(line) for line in lines)\n\
         size = struct.pack('>IIBBBBB', 64, 50, 8, 0, 0, 0, 0)\n\
         png = part(b'IHDR', size) + part(b'IDAT', zlib.compress(pixels)) + part(b'IEND', b'')\n\
         written = open('chart.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + png)\n```\n",
        "April was the best month.",
    ]);
    task.say("which month was best? plot it");
    task.approve(1);
    assert!(task.told(1).contains("total 107 best Apr"));
    task.approve(2);
    task.ends_with("April was the best month.");
    task.terminal.wait_for("chart.png");
    task.terminal.wait_for("64x50");
    assert!(std::fs::read(task.path("chart.png")).expect("the chart").starts_with(b"\x89PNG"));
}

#[test]
fn a_page_is_read_with_the_network_that_was_opened() {
    let page = "<html><title>Prices</title><li>tea 3</li><li>milk 2</li></html>";
    let site = ModelServer::in_order(vec![Answer::status(200, "text/html", page)]);
    let mut task = Plan::new("scrape a local page").arg("--allow-network").start(&[
        &format!(
            "I read it.\n\n```python\nimport re, urllib.request\n\
             page = urllib.request.urlopen('{}/prices').read().decode()\n\
             print(dict(re.findall(r'<li>(\\w+) (\\d+)', page)))\n```\n",
            site.url()
        ),
        "Tea costs 3 and milk costs 2.",
    ]);
    task.say("what does the page say?");
    task.approve(1);
    task.ends_with("Tea costs 3 and milk costs 2.");
    assert!(task.told(1).contains("'tea': '3'"), "{}", task.told(1));
    assert_eq!(site.requests().len(), 1);
}

#[test]
fn json_becomes_a_database() {
    let people = r#"[{"name": "Ada", "born": 1815}, {"name": "Alan", "born": 1912}]"#;
    let mut task = Plan::new("JSON to SQLite").file("people.json", people).start(&[
        "A table of them.\n\n```python\nimport json, sqlite3\npeople = json.load(open('people.json'))\n\
         db = sqlite3.connect('people.db')\ndb.execute('create table people (name text, born int)')\n\
         db.executemany('insert into people values (:name, :born)', people)\ndb.commit()\n```\n",
        "And a look.\n\n```python\n\
         print(db.execute('select count(*), min(born) from people').fetchone())\n```\n",
        "The database has two people.",
    ]);
    task.say("put people.json into SQLite");
    task.approve(1);
    task.approve(2);
    task.ends_with("The database has two people.");
    assert!(task.told(2).contains("(2, 1815)"), "{}", task.told(2));
    assert!(std::fs::read(task.path("people.db")).expect("the database").starts_with(b"SQLite format 3"));
}
