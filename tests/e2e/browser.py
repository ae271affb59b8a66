"""Opens an exported page in headless Chromium and looks at it as a reader's browser does. Called by html.sh.

    browser.py STAGE PICTURES     STAGE holds result.json and the page.html made from it; PICTURES gets screenshots

Chromium is spoken to through a pipe (--remote-debugging-pipe), so nothing but Python is needed.
"""

import base64
import json
import os
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Empty, Queue

SECONDS = 60

# Text that is cut to nothing for screen readers has no colour to judge.
CONTRAST = r"""
(() => {
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => {
    const part = (value) => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const color = parse(getComputedStyle(element).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
      if (color[3] > 0) throw new Error("a ground that shines through: " + element.outerHTML.slice(0, 80));
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = { texts: 0, inCharts: 0, least: 21, bad: [] };
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const box = element.getBoundingClientRect();
    if (!walker.currentNode.data.trim() || box.width < 2 || box.height < 2 || element.closest("script, style")) continue;
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const inChart = element instanceof SVGElement;
    const color = parse(inChart ? style.fill : style.color);
    const [one, other] = [luminance(color), luminance(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    seen.texts += 1;
    seen.inCharts += inChart ? 1 : 0;
    seen.least = Math.min(seen.least, contrast);
    if (contrast < 4.5) seen.bad.push([walker.currentNode.data.slice(0, 60), contrast, style.color]);
  }
  return seen;
})()
"""

CHARTS = r"""
[...document.querySelectorAll(".chart svg")].filter((svg) => svg.checkVisibility()).map((svg) => {
  const box = svg.getBoundingClientRect();
  const marks = [...svg.querySelectorAll("path, rect")].filter((mark) => {
    const part = mark.getBoundingClientRect();
    const style = getComputedStyle(mark);
    const painted = [style.fill, style.stroke].some((paint) => paint.startsWith("rgb"));
    return painted && part.width + part.height > 0 && part.left >= box.left - 8 && part.right <= box.right + 8;
  });
  const texts = [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  const cut = texts.filter((text) => text.left < box.left - 1 || text.right > box.right + 1).length;
  return { name: svg.getAttribute("aria-label"), width: box.width, height: box.height, marks: marks.length, texts: texts.length, cut };
})
"""


class Browser:
    """A running Chromium with one page."""

    def __init__(self, stage):
        to_read, to_write = os.pipe(), os.pipe()

        def hand_over():
            # Chromium reads commands from 3 and writes answers to 4.
            ends = [os.dup(to_read[0]), os.dup(to_write[1])]
            for number, end in zip([3, 4], ends):
                os.dup2(end, number, inheritable=True)

        words = [
            "chromium",
            "--headless=new",
            "--remote-debugging-pipe",
            f"--user-data-dir={stage / 'chromium'}",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-gpu",
            "--hide-scrollbars",
            # The sandbox refuses to run as root, as in CI.
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
        ]
        self.log = open(stage / "chromium.log", "wb")
        self.process = subprocess.Popen(
            words, preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
        )
        os.close(to_read[0])
        os.close(to_write[1])
        self.commands = os.fdopen(to_read[1], "wb", buffering=0)
        self.messages = os.fdopen(to_write[0], "rb")
        self.heard = Queue()
        self.events = []
        self.last = 0
        self.session = None
        threading.Thread(target=self.listen, daemon=True).start()
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"]:
            self.ask(f"{domain}.enable")

    def listen(self):
        whole = b""
        while part := self.messages.read1(1 << 16):
            *finished, whole = (whole + part).split(b"\0")
            for message in finished:
                self.heard.put(json.loads(message))

    def next(self, end):
        try:
            return self.heard.get(timeout=max(0.01, end - time.monotonic()))
        except Empty:
            sys.exit(f"Chromium said nothing for {SECONDS} seconds. Its last words are in chromium.log")

    def ask(self, method, **parameters):
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.commands.write(json.dumps(command).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while True:
            message = self.next(end)
            if message.get("id") == self.last:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def wait_for(self, method):
        end = time.monotonic() + SECONDS
        while not any(event["method"] == method for event in self.events):
            message = self.next(end)
            if "method" in message:
                self.events.append(message)

    def evaluate(self, script):
        answer = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            sys.exit(f"The page's script failed: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, page, width, theme):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.events.clear()
        self.ask("Page.navigate", url=page.as_uri())
        self.wait_for("Page.loadEventFired")
        time.sleep(0.3)
        self.evaluate("1")

    def complaints(self):
        """What stands on the console."""
        said = [event for event in self.events if event["method"] in ("Runtime.consoleAPICalled", "Log.entryAdded")]
        thrown = [event for event in self.events if event["method"] == "Runtime.exceptionThrown"]
        return [event["params"] for event in said + thrown]

    def requests(self):
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def photograph(self, file):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        file.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def check(claim, found):
    if not claim:
        sys.exit(f"Not as it should be: {found}")


def look(browser, page, pictures, width, theme):
    """What every reader sees, whatever the screen."""
    browser.open(page, width, theme)
    check(browser.complaints() == [], browser.complaints())
    outside = [url for url in browser.requests() if url != page.as_uri() and not url.startswith("data:")]
    check(outside == [], outside)
    charts = browser.evaluate(CHARTS)
    check(len(charts) >= 4, charts)
    for chart in charts:
        check(chart["width"] > 250 and chart["height"] > 100 and chart["marks"] > 4 and chart["texts"] > 4, chart)
        check(chart["cut"] == 0, chart)
    contrast = browser.evaluate(CONTRAST)
    check(contrast["texts"] > 100 and contrast["inCharts"] > 20 and not contrast["bad"], contrast)
    check(browser.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), "the page is wider than the screen")
    browser.photograph(pictures / f"page-{theme}-{width}.png")
    browser.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)")
    contrast = browser.evaluate(CONTRAST)
    check(not contrast["bad"], contrast)
    return browser.evaluate("getComputedStyle(document.body).backgroundColor"), contrast["least"]


def check_words(browser, page, result):
    """What a screen reader is told, and that a stranger's words stayed words."""
    browser.open(page, 1080, "light")
    title = browser.evaluate("document.title")
    check(title != "broken" and title.endswith("CommitMark"), title)
    check(browser.evaluate("document.documentElement.lang") == "en", "the language")
    check(browser.evaluate("document.querySelectorAll('img, script:not([type=\"application/json\"])').length") == 0, "markup")
    check(browser.evaluate("document.querySelector('.note').textContent").endswith(result["note"]), "the note")
    held = json.loads(browser.evaluate("document.getElementById('result').textContent"))
    check(held == result, "the result in the page is another one")
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    named = {}
    for node in nodes:
        if not node.get("ignored"):
            named.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
    tables = named.get("table", [])
    check(len(tables) >= 6 and all(tables), tables)
    images = named.get("image", []) + named.get("img", [])
    check(len(images) >= 4 and all(name.startswith("Chart: ") for name in images), named.keys())
    check(len(named.get("rowheader", [])) > 20 and len(named.get("columnheader", [])) > 20, named.keys())
    check(len(named.get("heading", [])) >= 6, named.get("heading"))


def check_download(browser, stage, page, result):
    folder = stage / "downloads"
    folder.mkdir()
    browser.open(page, 1080, "light")
    session, browser.session = browser.session, None
    browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.session = session
    browser.evaluate("document.querySelector('a[download]').click()")
    end = time.monotonic() + SECONDS
    while not [file for file in folder.iterdir() if file.suffix == ".json"]:
        check(time.monotonic() < end, list(folder.iterdir()))
        time.sleep(0.1)
    file = next(folder.iterdir())
    check(re.fullmatch(r"\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{4}\.commitmark\.json", file.name), file.name)
    check(json.loads(file.read_text(encoding="utf-8")) == result, "the downloaded result is another one")


def check_policy(browser, page):
    """Even a script in the page could neither run nor send anything."""
    asked = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    browser.open(page, 1080, "light")
    ran = browser.evaluate(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';"
        " document.body.append(script); return window.ran === true; })()"
    )
    check(not ran, "a script ran")
    fetched = browser.evaluate(f"fetch('{address}/fetch', {{ mode: 'no-cors' }}).then(() => true, () => false)")
    check(not fetched, "a request was allowed")
    browser.evaluate(f"document.body.append(Object.assign(new Image(), {{ src: '{address}/image' }}))")
    time.sleep(1)
    server.shutdown()
    check(asked == [], asked)


def main():
    stage, pictures = map(Path, sys.argv[1:])
    page = stage / "page.html"
    result = json.loads((stage / "result.json").read_text(encoding="utf-8"))
    browser = Browser(stage)
    try:
        grounds = {}
        for theme in ["light", "dark"]:
            for width in [1080, 400]:
                ground, least = look(browser, page, pictures, width, theme)
                grounds[theme] = ground
                print(f"the page: {theme}, {width} px: quiet console, no request, charts seen, least contrast {least:.2f}")
        check(grounds["light"] == "rgb(246, 247, 249)" and grounds["dark"] == "rgb(20, 23, 27)", grounds)
        check_words(browser, page, result)
        check_download(browser, stage, page, result)
        check_policy(browser, page)
        browser.open(page, 1080, "dark")
        printed = base64.b64decode(browser.ask("Page.printToPDF", printBackground=False, preferCSSPageSize=True)["data"])
        (pictures / "page.pdf").write_bytes(printed)
        sheets = len(re.findall(rb"/Type\s*/Page\b", printed))
        check(1 <= sheets <= 12, f"{sheets} sheets of paper")
        print(f"the page: read aloud, downloaded from, forbidden to run or send anything, printed on {sheets} sheets")
    finally:
        browser.close()


main()
