//! Tasks about programs: files renamed, a failing test, a command with its tests, a module taken apart.

use super::{Plan, holds};

#[test]
fn files_are_renamed() {
    let mut task = Plan::new("rename files").file("IMG_1.txt", "one").file("IMG_2.txt", "two").start(&[
        "One block.\n\n```python\nfrom pathlib import Path\n\
         for file in sorted(Path('.').glob('IMG_*.txt')):\n    \
         print(file.rename('trip-' + file.stem[4:].zfill(3) + '.txt'))\n```\n",
        "Both have their new names.",
    ]);
    task.say("rename IMG_1 to trip-001 and so on");
    task.approve(1);
    task.ends_with("Both have their new names.");
    assert_eq!((task.read("trip-001.txt"), task.read("trip-002.txt")), ("one".into(), "two".into()));
    assert!(!task.path("IMG_1.txt").exists());
}

const AVERAGE: &str = "def average(numbers):\n    return sum(numbers) / len(numbers)\n";
const TESTS: &str = "import unittest\nfrom stats import average\n\n\nclass Average(unittest.TestCase):\n    \
                     def test_some(self):\n        self.assertEqual(average([2, 4]), 3)\n\n    \
                     def test_none(self):\n        self.assertEqual(average([]), 0)\n";

#[test]
fn a_failing_test_is_made_to_pass() {
    let plan = Plan::new("fix a failing test").file("stats.py", AVERAGE).file("test_stats.py", TESTS);
    let mut task = plan.start(&[
        "I run it.\n\n```bash\npython3 -m unittest -q\n```\n",
        "An empty list divides by zero.\n\n```python\nfrom pathlib import Path\nfile = Path('stats.py')\n\
         text = file.read_text()\n\
         written = file.write_text(text.replace('len(numbers)', 'len(numbers) if numbers else 0'))\n```\n",
        "Again.\n\n```bash\npython3 -m unittest -q\n```\n",
        "The test passes now.",
    ]);
    task.say("fix the failing test");
    task.approve(1);
    assert!(task.told(1).contains("ZeroDivisionError"), "{}", task.told(1));
    task.approve(2);
    task.approve(3);
    task.ends_with("The test passes now.");
    assert!(task.told(3).contains("OK"), "{}", task.told(3));
    assert!(holds(&task.path("stats.py"), "if numbers else 0"));
}

#[test]
fn a_command_is_written_with_its_tests() {
    let mut task = Plan::new("a CLI with tests").start(&[
        "The command.\n\n```python\ncode = '''import sys\n\ndef count(text):\n    return len(text.split())\n\n\
         if __name__ == '__main__':\n    print(count(sys.stdin.read()))\n'''\n\
         written = open('words.py', 'w').write(code)\n```\n\nIts test.\n\n\
         ```python\ntest = '''from words import count\n\nassert count('a b  c') == 3\nassert count('') == 0\n\
         print('all good')\n'''\nwritten = open('test_words.py', 'w').write(test)\n```\n\nAnd both at work.\n\n\
         ```bash\npython3 test_words.py && echo one two | python3 words.py\n```\n",
        "The command counts words.",
    ]);
    task.say("a command that counts words, with tests");
    for block in 1..=3 {
        task.approve(block);
    }
    task.ends_with("The command counts words.");
    let told = task.told(1);
    assert!(told.contains("all good\n2"), "{told}");
}

const SHOP: &str = "def bill(items):\n    total = 0\n    for price, count in items:\n        total += price * count\n    \
                    return round(total * 1.2, 2)\n\n\ndef offer(items):\n    total = 0\n    \
                    for price, count in items:\n        total += price * count\n    return round(total * 0.9, 2)\n";

#[test]
fn a_module_is_taken_apart_and_does_the_same() {
    let mut task = Plan::new("refactor a module").file("shop.py", SHOP).start(&[
        "What it does now.\n\n```python\nimport importlib, shop\nitems = [(2.5, 4), (1, 3)]\n\
         before = shop.bill(items), shop.offer(items)\nprint(before)\n```\n",
        "The sum has a place of its own.\n\n```python\ncode = '''def total(items):\n    \
         return sum(price * count for price, count in items)\n\n\ndef bill(items):\n    \
         return round(total(items) * 1.2, 2)\n\n\ndef offer(items):\n    return round(total(items) * 0.9, 2)\n'''\n\
         written = open('shop.py', 'w').write(code)\n```\n",
        "The same as before?\n\n```python\nimportlib.invalidate_caches()\nimportlib.reload(shop)\n\
         print('same', (shop.bill(items), shop.offer(items)) == before)\n```\n",
        "Nothing changed for its users.",
    ]);
    task.say("shop.py repeats itself");
    for block in 1..=3 {
        task.approve(block);
    }
    task.ends_with("Nothing changed for its users.");
    assert!(task.told(3).contains("same True"), "{}", task.told(3));
    assert!(holds(&task.path("shop.py"), "def total"));
}
