//! Opens an exported page in a real browser that runs scripts and loads what a page requests: all content is visible,
//! and nothing of it is active.

use crate::browser::Browser;
use crate::home::Home;
use crate::model_server::ModelServer;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Text that would show itself in every possible way if it were active.
const LIVE: &str = concat!(
    "<script>document.title='RAN';console.log('RAN');fetch('http://leaks.example/script')</script>",
    "<img src=http://leaks.example/img.png onerror=\"console.log('RAN')\">",
    "<svg onload=\"console.log('RAN')\"><image href='http://leaks.example/svg.png'/></svg>",
    "<link rel=stylesheet href=http://leaks.example/a.css><style>@import 'http://leaks.example/b.css';</style>",
    "<iframe src=http://leaks.example/frame></iframe><meta http-equiv=refresh content='0;url=http://leaks.example/'>",
    "<form action=http://leaks.example/><button autofocus onfocus=\"console.log('RAN')\">go</button></form>",
    "<a href=\"javascript:console.log('RAN')\">script</a> </textarea></title></style></pre></main>"
);

/// The model's first reply: prose with all features of Markdown, code that is only shown, and blocks.
fn reply(work: &Path) -> String {
    let live = serde_json::to_string(LIVE).unwrap();
    let long = "x".repeat(6000);
    format!(
        "# The sales of *May*\n\nProse with **weight**, `code`, [words](javascript:console.log('RAN')), \
         [a site](http://leaks.example/link), ![a picture](http://leaks.example/markdown.png), ~~gone~~ and \
         \u{202e}turned\u{202c} words.\n\n> quoted\n\n- [x] done\n- one\n  1. nested\n\n\
         | product | sold | price |\n|:--|--:|:-:|\n| tea & <b>co</b> | 12 | 3.40 |\n| coffee | 7 | 4.10 |\n\n\
         {LIVE}\n\n<div>\n{LIVE}\n</div>\n\n\
         ```json\n{{\"rows\": [1, 2, 3], \"name\": \"sales\", \"ok\": true}}\n```\n\n\
         ```\"><script>console.log('RAN')</script>\nno such language\n```\n\n\
         ```python\nimport struct, zlib\n\n\nclass Chart:\n    \"\"\"A picture of a size that can be asked for.\"\"\"\n\n    \
         def __init__(self, width, height):\n        self.size = (width, height)  # in pixels\n\n    \
         def _repr_png_(self):\n        part = lambda n, d: struct.pack('>I', len(d)) + n + d + struct.pack('>I', zlib.crc32(n + d))\n        \
         width, height = self.size\n        rows = b''.join(b'\\0' + bytes([40, 120, 80 + y % 120] * width) for y in range(height))\n        \
         return (b'\\x89PNG\\r\\n\\x1a\\n' + part(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))\n                \
         + part(b'IDAT', zlib.compress(rows)) + part(b'IEND', b''))\n\n\n\
         open('written.png', 'wb').write(Chart(320, 90)._repr_png_())\nChart(300, 120)\n```\n\n\
         ```bash\ncd {}\nfor name in one two; do\n  echo \"$name: 10%\" >&2  # told apart\ndone\n\
         printf '\\033[31mred\\033[0m and a bell \\007\\n'\ntouch \"<img src=x onerror=console.log('RAN')>.txt\"\n```\n\n\
         ```python\nlive = {live}\nprint(live)\nprint('{long}')\nprint('שלום', '\\u202eevil', '日本語', '👍')\nlive\n```\n\n\
         ```python\nraise ValueError(live)\n```\n\nThat is all.\n",
        work.display()
    )
}

/// The exported page of such a session.
fn page(home: &Home) -> PathBuf {
    let server = ModelServer::replying(&[&reply(&home.work()), "Done: the **last** words."]);
    let prompt = format!("What did we sell? {LIVE}\n\n  indented words\n{}", "y".repeat(5000));
    let done = home.turn(&server, &prompt, &["--approve", "all", "--sandbox", "off"]);
    assert!(done.err.contains("ValueError") || done.out.contains("ValueError"), "{}\n{}", done.out, done.err);
    let page = home.work().join("page.html");
    let id = home.session_id();
    home.run(&["sessions", "rename", &id, "May</title><script>console.log('RAN')</script>"]).ended(0);
    home.run(&["sessions", "export", &id, "-o", "page.html"]).ended(0);
    page
}

/// Checks the layout from outside: whether anything is wider than the window, and the lowest contrast of text.
const LOOKS: &str = r"(() => {
    const parts = colour => colour.match(/[\d.]+/g).map(Number);
    const light = colour => {
        const [r, g, b] = parts(colour).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const behind = e => {
        for (; e; e = e.parentElement) {
            const colour = getComputedStyle(e).backgroundColor;
            if ((parts(colour)[3] ?? 1) > 0) return colour;
        }
        return 'rgb(255, 255, 255)';
    };
    let least = [99, ''];
    const words = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
        if (!words.currentNode.data.trim()) continue;
        const e = words.currentNode.parentElement;
        const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((a, b) => b - a);
        const ratio = (a + .05) / (b + .05);
        if (ratio < least[0]) least = [ratio, e.className + ': ' + words.currentNode.data.slice(0, 40)];
    }
    return {
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        least: least[0], where: least[1],
        paper: light(getComputedStyle(document.body).backgroundColor),
        colours: new Set([...document.querySelectorAll('.code [class]')].map(e => getComputedStyle(e).color)).size,
    };
})()";

#[test]
#[ignore = "needs Chromium"]
fn a_session_is_read_in_a_browser_and_nothing_of_it_acts() {
    let home = Home::new();
    let page = page(&home);
    // The test can fail: an active page sends requests and runs scripts.
    let live = home.file("live.html", format!("<!DOCTYPE html><body>{LIVE}"));
    let mut browser = Browser::start();
    browser.open(&live);
    assert!(browser.asked_for().iter().any(|url| url.contains("leaks.example/img")), "{:?}", browser.events);
    assert!(!browser.left("leaks.example").is_empty());
    let ran = browser.happened("Runtime.consoleAPICalled").len();
    assert!(ran >= 2, "{ran}");

    let mut browser = Browser::start();
    browser.open(&page);
    let address = format!("file://{}", page.display());
    let asked: Vec<String> =
        browser.asked_for().into_iter().filter(|url| !url.starts_with("data:image/")).collect();
    assert_eq!(asked, [address]);
    for event in [
        "Runtime.consoleAPICalled",
        "Page.javascriptDialogOpening",
        "Log.entryAdded",
        "Runtime.exceptionThrown",
    ] {
        assert_eq!(browser.happened(event), Vec::<Value>::new(), "{event}");
    }

    // The page contains no active element, whatever its security policy forbids.
    let acting = "document.querySelectorAll('script, iframe, object, embed, link, form, button, svg, base, [src]:not(img), \
                  [href]:not([href^=\"#\"]), meta[http-equiv=refresh]').length";
    assert_eq!(browser.ask(acting), json!(0));
    let handlers = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => /^on|^style$/.test(n))";
    assert_eq!(browser.ask(handlers), json!([]));

    // Words and pictures are in order and complete.
    let text = browser.ask("document.body.innerText").as_str().unwrap().to_owned();
    let mut rest = text.as_str();
    for words in [
        "What did we sell? <script>document.title='RAN'",
        "  indented words",
        "The sales of May",
        "Prose with weight, code, words",
        "(javascript:console.log('RAN'))",
        "(http://leaks.example/link)",
        "quoted",
        "tea & <b>co</b>",
        "<iframe src=http://leaks.example/frame></iframe>",
        "\"rows\": [1, 2, 3]",
        "no such language",
        "Block 1",
        "\"\"\"A picture of a size that can be asked for.\"\"\"",
        "written.png",
        "Block 2",
        "done, ",
        "created <img src=x onerror=console.log('RAN')>.txt",
        "Block 3",
        "שלום",
        "日本語 👍",
        "Block 4",
        "ValueError",
        "That is all.",
        "Done: the last words.",
    ] {
        let at =
            rest.find(words).unwrap_or_else(|| panic!("`{words}` is not in, or not behind what is before"));
        rest = &rest[at + words.len()..];
    }
    // The order of two streams is not determined.
    assert!(text.contains("one: 10%\n") && text.contains("red and a bell"));
    assert!(!text.contains(['\u{202e}', '\u{1b}', '\u{7}']), "what turns or hides text is shown by its name");
    assert_eq!(
        browser.ask("[...document.querySelectorAll('td')].map(e => e.innerText).join()"),
        json!("tea & <b>co</b>,12,3.40,coffee,7,4.10")
    );
    let pictures =
        browser.ask("[...document.images].map(i => [i.complete, i.naturalWidth, i.naturalHeight])");
    assert_eq!(pictures, json!([[true, 300, 120], [true, 320, 90]]));

    it_can_be_read(&mut browser);
    assert_eq!(browser.left("leaks.example"), Vec::<String>::new());
    assert_eq!(browser.ask("document.title"), "May</title><script>console.log('RAN')</script>");
}

/// Checks wide and narrow windows, light and dark schemes, and print.
fn it_can_be_read(browser: &mut Browser) {
    for (width, scheme) in [(1200, "light"), (360, "light"), (1200, "dark")] {
        browser.order(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false }),
        );
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        browser.order("Emulation.setEmulatedMedia", json!({ "features": features }));
        let looks = browser.ask(LOOKS);
        assert_eq!(looks["wide"], json!(0), "{width} {scheme}: {looks}");
        assert!(looks["least"].as_f64().unwrap() >= 4.5, "{width} {scheme}: {looks}");
        assert_eq!(looks["paper"].as_f64().unwrap() > 0.5, scheme == "light", "{looks}");
        assert!(looks["colours"].as_u64().unwrap() >= 5, "{looks}");
    }
    let printed = browser.order("Page.printToPDF", json!({ "printBackground": false }));
    assert!(printed["data"].as_str().unwrap().starts_with("JVBERi"), "it can be printed");
}
