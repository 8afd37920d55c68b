import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findChromium, findPlaywright } from "../../../packages/biplane/src/pack/browser/find-chromium.ts";
import { browserPack } from "../../../packages/biplane/src/pack/browser/pack.ts";
import { LocalSite } from "../net/local-site.ts";
import { Browsing, page } from "./browsing.ts";
import { needs } from "../../support/needs.ts";

const front = page(
  "Front <b>",
  `<h1>Hello</h1><p>Some <b>bold</b> text with <a href="/found?by=link">a link</a>, and <a href="/found?by=window" target="_blank">a window</a>.</p>
  <ul><li>one<li>two</ul>
  <table><tr><th>a<th>b<tr><td>1<td>2</table>
  <pre>x
  y</pre>
  <div style="display:none">unseen</div><div hidden>unseen</div><script>"unseen"</script>
  <form action="/found"><label>Search <input name="q" value="old"></label>
    <select name="land"><option>France<option value="es">Spain</select>
    <input type="checkbox" name="agree" aria-label="I agree">
    <input type="date" name="day" title="Day"><input type="password" name="word" value="unseen">
    <input name="fixed" readonly value="fixed"><button>Go</button></form>
  <div id="host"></div>
  <script>host.attachShadow({ mode: "open" }).innerHTML = "<button onclick=\\"document.title='shadow'\\">In the shadow</button>"</script>
  <button disabled>Not now</button>
  <button onclick="alert(1); document.title = String(confirm('sure?')) + prompt('name?')">Dialogs</button>
  <button onclick="onbeforeunload = (e) => { e.preventDefault(); e.returnValue = 'stay' }">Stay</button>
  <button onclick="window.open('/found?by=open')">Opener</button>
  <button onclick="while (true);">Hang</button>
  <button onclick="location = 'file:///etc/passwd'">Disk</button>
  <a href="mailto:a@b.test">Mail</a> <a href="/file.zip" download>Download</a>
  <div style="position:relative"><button>Below</button><div style="position:absolute;inset:0;background:red">on top</div></div>
  <p style="margin-top:3000px"><a href="/found?by=scrolling">far down</a></p>`,
);

let site: LocalSite;
let browsing: Browsing;
let shared: string;
const pages = new Map([["/", front]]);
const lookups: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "biplane-browser-test-"));

beforeAll(async () => {
  for (const name of ["xdg-open", "xdg-email"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\ntouch ${folder}/was-started\n`, { mode: 0o755 });
  }
  vi.stubEnv("PATH", [folder, process.env["PATH"]].join(delimiter));
  site = await LocalSite.open(({ url, headers }, response) => {
    response.setHeader("content-type", "text/html");
    if (url === "/cookie") response.setHeader("set-cookie", `seen=${Math.random()}`);
    if (url === "/file.zip") response.setHeader("content-disposition", "attachment");
    if (url === "/never") return;
    response.end(pages.get(url) ?? page(`Found ${url}`, `cookies: ${headers.cookie ?? "none"}`));
  }, "127.0.0.2");
  shared = site.url;
  browsing = new Browsing({ allow: ["127.0.0.2"], timeoutMs: 5000 }, async (hostname) => {
    lookups.push(hostname);
    return [];
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
  await browsing[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function click(words: string): Promise<string> {
  await browsing.text("browser_open", { url: `${shared}/` });
  return browsing.text("browser_click", { element: await browsing.element(words) });
}

describe("a browser", () => {
  test("shows a page as text, with a number for whatever can be used", async () => {
    expect(await browsing.text("browser_read", {}, "nobody")).toBe(
      "EXECUTION_ERROR: No page is open. Open one with browser_open.",
    );
    expect(await browsing.text("browser_open", { url: `${shared}/` })).toBe(
      `Title: Front <b>\nURL: ${shared}/\nStatus: 200`,
    );
    const shown = await browsing.text("browser_read");
    expect(shown).toContain(
      '# Hello\n\nSome bold text with [1 link "a link"], and [2 link "a window"].\n\n- one\n- two\n\na | b\n1 | 2\n\nx\n  y\n\n',
    );
    expect(shown).toContain('[3 field "Search" = "old"] [4 choice "land" = "France" of "France", "Spain"]');
    expect(shown).toContain('[5 checkbox "I agree"] [6 field "Day" = ""] [7 field "word"]');
    expect(shown).toContain('[10 button "In the shadow"]');
    expect(shown).toContain('"Not now" (disabled)]');
    expect(shown).not.toContain("unseen");
  });

  test("gives a long page in parts, each with its own elements", async () => {
    pages.set(
      "/long",
      page("Long", Array.from({ length: 300 }, (_, at) => `<p>№${at} 🛩 <a href="/${at}">go</a></p>`).join("")),
    );
    await browsing.text("browser_open", { url: `${shared}/long` });
    let whole = "";
    for (let offset = 0, parts = 0; parts < 20; parts++) {
      const part = await browsing.text("browser_read", { offset, max_length: 1000 });
      whole += part.replace(/^[^]*?\n\n/, "").replace(/\n\n\[Content truncated[^]*$/, "");
      const next = /continue with offset (\d+)/.exec(part)?.[1];
      if (next === undefined) break;
      offset = Number(next);
    }
    const numbers = [...whole.matchAll(/№(\d+) 🛩 \[(\d+) link "go"\]/g)].map(
      ([, at, number]) => Number(number) - Number(at),
    );
    expect(numbers).toEqual(Array(300).fill(1));
  });

  test("fills in a form and sends it, and goes back", async () => {
    await browsing.text("browser_open", { url: `${shared}/` });
    await browsing.text("browser_type", { element: await browsing.element("Search"), text: "new words" });
    await browsing.text("browser_type", { element: await browsing.element("choice"), text: "Spain" });
    await browsing.text("browser_type", { element: await browsing.element("Day"), text: "2030-12-31" });
    await browsing.text("browser_click", { element: await browsing.element("I agree") });
    expect(await browsing.text("browser_read")).toContain('"I agree" (checked)]');
    const sent = await browsing.text("browser_type", {
      element: await browsing.element("Search"),
      text: "ünï",
      submit: true,
    });
    const query = new URL(/URL: (.*)/.exec(sent)?.[1] ?? "").searchParams;
    expect(Object.fromEntries(query)).toMatchObject({ q: "ünï", land: "es", agree: "on", day: "2030-12-31" });
    expect(await browsing.text("browser_back")).toContain(`URL: ${shared}/`);
  });

  test.each([
    ["In the shadow", "Title: shadow"],
    ["a link", "/found?by=link"],
    ["a window", "/found?by=window"],
    ["Opener", "/found?by=open"],
    ["far down", "/found?by=scrolling"],
    ["Dialogs", "Title: falsenull"],
    ["Disk", "URL: http://127.0.0.2"],
    ["Mail", "Title: Front"],
    ["Download", "Title: Front"],
    ["Below", "is covered by another element"],
    ["Not now", "is disabled or read-only"],
  ])("a click on %j ends at %j", async (words, end) => {
    expect(await click(words)).toContain(end);
    expect(readdirSync(folder)).not.toContain("was-started");
  });

  test("what cannot be typed into says so", async () => {
    await browsing.text("browser_open", { url: `${shared}/` });
    const type = async (words: string, text = "x") =>
      browsing.text("browser_type", { element: await browsing.element(words), text });
    expect(await type("Go")).toContain("is not a text field. Use browser_click");
    expect(await type("choice", "Mars")).toContain("has no such option");
    expect(await type("Day", "tomorrow")).toContain("does not accept this value");
    expect(await type("fixed")).toContain("read-only");
    expect(await browsing.text("browser_type", { element: 99, text: "" })).toContain("Element 99 is not on this page");
  });

  test("no page can keep the browser from leaving it", async () => {
    await click("Stay");
    expect(await browsing.text("browser_open", { url: `${shared}/found` })).toContain("Title: Found");
  });

  test("a picture of the page is a picture", async () => {
    await browsing.text("browser_open", { url: `${shared}/` });
    const [part] = await browsing.parts("browser_screenshot");
    expect(part).toMatchObject({ type: "image", mimeType: "image/png" });
    const bytes = Buffer.from(part?.type === "image" ? part.data : "", "base64");
    expect([bytes.toString("latin1", 1, 4), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([
      "PNG",
      1280,
      800,
    ]);
  });

  test("a page that tampers with its own world is read like any other", async () => {
    const names = [
      "childNodes",
      "localName",
      "nodeType",
      "shadowRoot",
      "getAttribute",
      "textContent",
      "checkVisibility",
    ];
    const form = `<form>${names.map((name) => `<input name="${name}">`).join("")}<b>inside the form</b></form>`;
    const script = `for (const name of Object.getOwnPropertyNames(Array.prototype)) if (name !== "constructor") delete Array.prototype[name];
      JSON.stringify = () => { throw 1 }; globalThis.biplane = { read: () => "mine" }; Element.prototype.getAttribute = () => "mine";`;
    pages.set("/tampers", page("Tampers", `${form}<script>${script}</script>`));
    await browsing.text("browser_open", { url: `${shared}/tampers` });
    const shown = await browsing.text("browser_read");
    expect(shown).toContain("inside the form");
    expect(shown).not.toContain("mine");
  });

  test("a page nested without end is cut, not fatal", async () => {
    const script = `let at = document.body; for (let i = 0; i < 1000; i++) at = at.appendChild(document.createElement("div")); at.textContent = "deep"`;
    pages.set("/deep", page("Deep", `<p>begin</p><script>${script}</script>`));
    await browsing.text("browser_open", { url: `${shared}/deep` });
    expect(await browsing.text("browser_read")).toMatch(/begin[^]*\[Content truncated\]$/);
  });

  test("the browser sends form contents to no third party", () => {
    expect(lookups).toEqual([]);
  });

  test.each([
    "file:///etc/passwd",
    "chrome://version",
    "view-source:http://x.test",
    "data:text/html,x",
    "javascript:1",
    "about:blank",
    "ws://x.test",
  ])("%s is no address to open", async (url) => {
    expect(await browsing.text("browser_open", { url })).toBe(
      "INVALID_INPUT: The URL must start with http:// or https://.",
    );
  });

  test("each session has cookies of its own, which end when it closes its browser", async () => {
    for (const session of ["a", "b"]) await browsing.text("browser_open", { url: `${shared}/cookie` }, session);
    const seen = async (session: string) => {
      await browsing.text("browser_open", { url: `${shared}/cookies` }, session);
      return /cookies: .*/.exec(await browsing.text("browser_read", {}, session))?.[0];
    };
    const [a, b] = [await seen("a"), await seen("b")];
    expect(a).toMatch(/seen=0\./);
    expect(b).toMatch(/seen=0\./);
    expect(a).not.toBe(b);
    expect(await browsing.text("browser_close", {}, "a")).toBe("Closed.");
    expect(await browsing.text("browser_close", {}, "a")).toBe("No page was open.");
    expect(await seen("a")).toBe("cookies: none");
    for (const session of ["a", "b"]) await browsing.text("browser_close", {}, session);
  });

  test("a site that never answers is given up, and a page that hangs is closed", async () => {
    await using hasty = new Browsing({ allow: ["127.0.0.2"], timeoutMs: 1000 });
    expect(await hasty.text("browser_open", { url: `${shared}/never` })).toBe(
      "TIMEOUT: The page did not load within 1 s.",
    );
    const gone = await LocalSite.open(() => undefined, "127.0.0.2");
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    expect(await hasty.text("browser_open", { url })).toContain("Status: 502");
    expect(await hasty.text("browser_open", { url: "http://127.0.0.2:6000/" })).toContain("(ERR_UNSAFE_PORT)");
    await hasty.text("browser_open", { url: `${shared}/` });
    const element = await hasty.element("Hang");
    expect(await hasty.text("browser_click", { element })).toBe("TIMEOUT: The page did not respond and was closed.");
    expect(await hasty.text("browser_read")).toContain("No page is open");
    expect(await hasty.text("browser_open", { url: `${shared}/` })).toContain("Title: Front");
  });

  test("a page that takes too much memory is ended", needs("linux"), async () => {
    await using small = new Browsing({ allow: ["127.0.0.2"], maxPageMemoryBytes: 200 * 2 ** 20 });
    const script = `const all = []; setInterval(() => all.push(new Uint8Array(2e7).fill(1)), 10)`;
    pages.set("/eats", page("Eats", `<script>${script}</script>`));
    await small.text("browser_open", { url: `${shared}/eats` });
    await vi.waitFor(async () => expect(await small.text("browser_read")).toMatch(/crashed|No page is open/), 10_000);
    expect(await small.text("browser_open", { url: `${shared}/` })).toContain("Title: Front");
  });

  test("there are only so many browsers, and one that is not used is closed", async () => {
    await using few = new Browsing({ allow: ["127.0.0.2"], maxContexts: 1, idleMs: 400 });
    await few.text("browser_open", { url: `${shared}/` }, "a");
    expect(await few.text("browser_open", { url: `${shared}/` }, "b")).toBe(
      "CAPACITY: All callers together can hold at most 1 browsers. Release some, or try again later.",
    );
    await vi.waitFor(async () => {
      expect(await few.text("browser_open", { url: `${shared}/` }, "b")).toContain("Title: Front");
    }, 5000);
    expect(await few.text("browser_read", {}, "a")).toContain("No page is open");
  });
});

test("what is missing is said when the pack is made", () => {
  expect(() => browserPack({ executablePath: "/nowhere/chromium" })).toThrow(
    "There is no Chromium at /nowhere/chromium. Install it, or set executablePath.",
  );
  expect(() => findChromium(undefined, ["/nowhere"])).toThrow("No Chromium or Chrome was found. Install it");
  expect(() => findPlaywright("file:///nowhere/x.js")).toThrow("npm install playwright-core");
});

test("no part of a secret is left where a page or a text on it is cut", async () => {
  const secret = "sk-Xq7Zt4Wm9Kv2Jh5Rb8Nc";
  const divided = (cut: number) => `${"p".repeat(cut - 20)}${secret} and more ${"q".repeat(cut)}`;
  pages.set(
    "/cuts",
    page(
      divided(500),
      `<p>${"p".repeat(50)}${secret} and more</p><button>${divided(200)}</button><input value="${divided(200)}">
      <a href="/${divided(2000 - shared.length - 1)}">far</a><img alt="${divided(200)}"><iframe title="${divided(500)}"></iframe>
      <select><option>${divided(80)}</select>`,
    ),
  );
  await using reader = new Browsing({ allow: ["127.0.0.2"], timeoutMs: 5000 }, undefined, { TOKEN: secret });
  const read = (input: object) => reader.text("browser_read", input);
  const answers = [
    await reader.text("browser_open", { url: `${shared}/cuts` }),
    await read({}),
    await read({ max_length: 70 }),
    await read({ offset: 58 }),
    JSON.stringify(await reader.server.call("browser_open", { url: `${shared}/cuts` })),
    JSON.stringify(await reader.server.call("browser_read", {})),
  ];
  for (const answer of answers) {
    expect(answer).toMatch(/p{10}/);
    for (let from = 0; from + 8 <= secret.length; from++) expect(answer).not.toContain(secret.slice(from, from + 8));
  }
});
