"""HTML pages of weir in a real browser: Chromium without a window, driven through its own pipe.

Usage: browser.py [--shots FOLDER] PAGE.html...

At the width of a desk and of a telephone each page must open without an error or a request for anything outside itself,
show its pictures and the verdicts on claims, stay within the window and show where what is wider goes on, sort its
tables, and run no script but its own (a test that hides markup in names sets window.evil with it). The page must print on A4 and follow the
reader's dark mode. Exit status 77: there is no Chromium.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = {"desk": 1200, "phone": 390}

CHECKS = """
(() => {
  const wrong = [];
  const say = (text) => wrong.push(text);
  if (window.evil !== undefined) say("text became a script: " + window.evil);
  if (document.scripts.length !== 1) say(document.scripts.length + " scripts");
  for (const element of document.querySelectorAll("body *"))
    for (const attribute of element.attributes)
      if (attribute.name.startsWith("on")) say("an attribute " + attribute.name);
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) say("the page is " + wide + " pixels wider than the window");
  const images = Array.from(document.images);
  for (const image of images) {
    const box = image.getBoundingClientRect();
    if (!image.complete || !image.naturalWidth || box.width < 100 || box.height < 50) say("a picture is not visible: " + image.alt);
    if (!image.alt) say("a picture has no words");
  }
  for (const place of document.querySelectorAll(".scroll"))
    if (!place.closest("details:not([open])") && place.scrollWidth > place.clientWidth + 2 && !place.classList.contains("more"))
      say("nothing shows that there is more to the right");
  for (const verdict of document.querySelectorAll("table.cards .verdict"))
    if (verdict.getBoundingClientRect().right > document.documentElement.clientWidth) say("a verdict is out of sight");
  if (parseFloat(getComputedStyle(document.body).fontSize) < 14) say("the text is too small");
  let columns = 0;
  for (const table of document.querySelectorAll("table.sortable")) {
    const details = table.closest("details");
    if (details) details.open = true;
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      const cells = () => Array.from(table.tBodies[0].rows).filter((row) => !row.classList.contains("mean")).map((row) => row.cells[column]);
      if (cells().length < 2) return;
      const before = table.tBodies[0].rows.length;
      const numeric = cells().some((cell) => cell.dataset.v !== undefined);
      const key = (cell) => (numeric ? parseFloat(cell.dataset.v) : cell.textContent);
      for (const turn of [0, 1]) {
        head.querySelector("button").click();
        const up = head.getAttribute("aria-sort") === "ascending";
        const values = cells().map(key).filter((value) => !numeric || !isNaN(value));
        for (let i = 1; i < values.length; i++) {
          const order = numeric ? values[i] - values[i - 1] : values[i].localeCompare(values[i - 1], undefined, { numeric: true });
          if (up ? order < 0 : order > 0) { say("not sorted: " + head.textContent); break; }
        }
        if (!numeric === turn > 0 === up) say("the first click sorts the wrong way: " + head.textContent);
      }
      if (table.tBodies[0].rows.length !== before) say("rows were lost: " + head.textContent);
      const rows = Array.from(table.tBodies[0].rows), mean = rows.findIndex((row) => row.classList.contains("mean"));
      if (mean >= 0 && rows.slice(mean).some((row) => !row.classList.contains("mean"))) say("means do not stand last");
      columns++;
    });
  }
  return { wrong, pictures: images.length, columns };
})()
"""


# How bright the page, its words, and the words of a picture drawn by the page are, from 0 to 255.
COLORS = """
(() => {
  const bright = (color) => { const n = color.match(/[0-9.]+/g).map(Number); return Math.round((n[0] * 2 + n[1] * 5 + n[2]) / 8); };
  const style = (element) => getComputedStyle(element);
  const drawn = document.querySelector("svg.chart text");
  const paper = bright(style(document.body).backgroundColor), ink = bright(style(document.body).color);
  return {
    paper, ink,
    picture: drawn ? bright(style(drawn).fill) : ink,
    under: drawn ? bright(style(drawn.closest(".scroll")).backgroundColor) : paper,
  };
})()
"""


class Browser:
    def __init__(self, program):
        self.home = tempfile.mkdtemp()
        down, self.write = os.pipe()
        self.read, up = os.pipe()
        for fd in down, up:
            os.set_inheritable(fd, True)

        def wire():  # the pipe's ends are descriptors 3 and 4
            spare = os.dup(up), os.dup(down)
            os.dup2(spare[1], 3)
            os.dup2(spare[0], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + self.home, "--no-first-run", "--disable-extensions", "about:blank"],
            preexec_fn=wire, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.buffer, self.next, self.events = b"", 0, []

    def receive(self):
        while b"\0" not in self.buffer:
            got = os.read(self.read, 1 << 20)
            if not got:
                raise SystemExit("the browser ended")
            self.buffer += got
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, session=None, **parameters):
        self.next += 1
        message = {"id": self.next, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise SystemExit("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def complaints(events):
    for event in events:
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            yield "exception: %s" % values["exceptionDetails"].get("text")
        elif method == "Runtime.consoleAPICalled":
            yield "the console says: %s" % json.dumps(values.get("args"))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            yield "the browser says: %s" % values["entry"]["text"]
        elif method == "Network.requestWillBeSent":
            url = values["request"]["url"]
            if not url.startswith("data:") and not url.endswith(".html"):
                yield "it asks for %s" % url


def paper(browser, session):
    """Printed, a page is on A4, in black on white, with nothing cut off at the side."""
    pdf = base64.b64decode(browser.ask("Page.printToPDF", session, preferCSSPageSize=True)["data"])
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", pdf)
    if not pdf.startswith(b"%PDF") or not box:
        return ["it does not print"]
    wide, high = map(float, box.groups())
    if abs(wide - 595) > 2 or abs(high - 842) > 2:
        return ["it prints on %g x %g points, not on A4" % (wide, high)]
    browser.ask("Emulation.setEmulatedMedia", session, media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    found = browser.ask("Runtime.evaluate", session, expression=COLORS, returnByValue=True)["result"]["value"]
    browser.ask("Emulation.setEmulatedMedia", session, media="", features=[])
    return [] if found["paper"] == 255 and found["ink"] == 0 else ["it prints %s on %s" % (found["ink"], found["paper"])]


def darkness(browser, session):
    """The page follows the reader's setting, and can be read there."""
    seen = {}
    for setting in "light", "dark":
        browser.ask("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": setting}])
        seen[setting] = browser.ask("Runtime.evaluate", session, expression=COLORS, returnByValue=True)["result"]["value"]
    browser.ask("Emulation.setEmulatedMedia", session, features=[])
    wrong = []
    if seen["light"]["paper"] < 200 or seen["dark"]["paper"] > 60:
        wrong.append("it does not follow the reader's light or dark setting: %s" % seen)
    for setting, value in seen.items():
        if abs(value["ink"] - value["paper"]) < 120 or abs(value["picture"] - value["under"]) < 120:
            wrong.append("%s: words on too little contrast: %s" % (setting, value))
    return wrong


def check(browser, page, name, width, shots):
    target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
    session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.events.clear()
    for domain in "Page", "Runtime", "Log", "Network":
        browser.ask(domain + ".enable", session)
    browser.ask("Emulation.setDeviceMetricsOverride", session, width=width, height=900, deviceScaleFactor=1, mobile=name == "phone")
    browser.events.clear()
    browser.ask("Page.navigate", session, url="file://" + os.path.abspath(page))
    browser.wait_for("Page.loadEventFired")
    if shots:
        height = browser.ask("Runtime.evaluate", session, expression="document.documentElement.scrollHeight")["result"]["value"]
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 8000), "scale": 1}
        image = browser.ask("Page.captureScreenshot", session, format="png", clip=clip, captureBeyondViewport=True)["data"]
        base = os.path.splitext(os.path.basename(page))[0]
        with open(os.path.join(shots, "%s-%s.png" % (base, name)), "wb") as f:
            f.write(base64.b64decode(image))
    answer = browser.ask("Runtime.evaluate", session, expression=CHECKS, returnByValue=True)
    if "exceptionDetails" in answer:
        return ["the check itself failed: %s" % answer["exceptionDetails"]["exception"].get("description")], 0, 0
    found = answer["result"]["value"]
    wrong = found["wrong"] + list(complaints(browser.events))
    if name == "desk":
        wrong += paper(browser, session) + darkness(browser, session)
    browser.ask("Target.closeTarget", targetId=target)
    return wrong, found["pictures"], found["columns"]


def main():
    arguments = sys.argv[1:]
    shots = None
    if arguments[:1] == ["--shots"]:
        shots = arguments[1]
        del arguments[:2]
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program:
        print("there is no Chromium: apt-get install chromium")
        sys.exit(77)
    browser = Browser(program)
    failed = False
    try:
        for page in arguments:
            for name, width in WIDTHS.items():
                wrong, pictures, columns = check(browser, page, name, width, shots)
                print("%s, %s: %d pictures, %d columns sorted%s" % (page, name, pictures, columns, "".join("\n  " + w for w in wrong)))
                failed |= bool(wrong) or not columns
    finally:
        browser.close()
    sys.exit(failed)


main()
