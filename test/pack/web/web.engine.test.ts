import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { webOptions } from "../../../packages/biplane/src/pack/web/options.ts";
import { webPack } from "../../../packages/biplane/src/pack/web/pack.ts";
import { LocalSite } from "../net/local-site.ts";
import type { Handler } from "../net/local-site.ts";
import { PackServer } from "../pack-server.ts";

const scale = process.env["BIPLANE_SOAK"] ? 10 : 1;
const quick = { perSecond: 1000, burst: 1000 };
let site: LocalSite;
let web: PackServer;

beforeAll(async () => {
  site = await LocalSite.open((_, response) => response.end());
  web = new PackServer(webPack({ allow: ["127.0.0.0/8"], rate: quick, cacheSeconds: 0 }));
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

function serve(body: string | Buffer, headers: Record<string, string> = { "content-type": "text/html" }): void {
  site.handler = (_, response) => response.writeHead(200, headers).end(body);
}

const article = `<!doctype html><html><head><title>On &amp; about lakes</title><style>p{}</style></head><body>
<nav><a href="/">Home</a><a href="/about">About us</a></nav>
<article><h1>On lakes</h1>
<p>${"A lake is a body of water that is surrounded by land. ".repeat(8)}</p>
<p>See <a href="../rivers?a=1">rivers</a> and <a href="javascript:alert(1)">nothing</a>.</p>
<ul><li>deep</li><li>shallow</li></ul><pre><code>let depth = 1 &lt; 2;</code></pre></article>
<script>alert("no")</script><footer>Copyright</footer></body></html>`;

test("a page of half a million paragraphs or entities ends neither the process nor the worker's memory", async () => {
  for (const part of ["<p>a", "&amp;"]) {
    serve(part.repeat(2_000_000 / part.length));
    // It may take too long on a slow machine, but its memory is bounded.
    expect(await web.text("web_fetch", { url: site.url })).not.toMatch(/too large|its worker/);
  }
  serve("<p>still here");
  expect(await web.text("web_fetch", { url: site.url })).toContain("still here");
});

describe("a web page", () => {
  test("becomes Markdown with its title and the address it came from", async () => {
    site.handler = ({ url }, response) =>
      url === "/old"
        ? response.writeHead(301, { location: "/places/lakes" }).end()
        : response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(article);
    const shown = await web.text("web_fetch", { url: `${site.url}/old` });
    expect(shown).toMatch(new RegExp(`^Title: On & about lakes\nURL: ${site.url}/places/lakes\n\n`));
    expect(shown).toContain(`See [rivers](${site.url}/rivers?a=1) and nothing.`);
    expect(shown).toContain("- deep\n- shallow");
    expect(shown).toContain("```\nlet depth = 1 < 2;\n```");
    expect(shown).not.toMatch(/Copyright|About us|alert/);
    expect(await web.call("web_fetch", { url: `${site.url}/old` })).toMatchObject({
      url: `${site.url}/places/lakes`,
      status: 200,
      title: "On & about lakes",
      truncated: false,
    });
  });

  test("without an article is given whole, but for navigation and what is hidden", async () => {
    serve(
      "<title>List</title><nav>menu</nav><div>first</div><p hidden>secret</p><div>second</div><footer>end</footer>",
    );
    expect(await web.text("web_fetch", { url: site.url })).toBe(`Title: List\nURL: ${site.url}/\n\nfirst\n\nsecond`);
  });

  test("keeps pre, path and link apart from p and li, and decodes each entity once", async () => {
    serve(
      "<pre>a\n  b</pre><p>&amp;lt; &lt;i&gt; &copy; caf&eacute;</p><svg><path d='M0 0'/></svg><link href=x><p>end</p>",
    );
    const { content } = (await web.call("web_fetch", { url: site.url })) as { content: string };
    expect(content).toContain("a\n  b");
    expect(content).toContain("&lt; <i\\> © café");
    expect(content).not.toContain("M0");
  });

  test.each<[string, string, Buffer]>([
    ["its header", "text/html; charset=windows-1252", Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0x63, 0xe9, 0x94])],
    ["its own meta tag", "text/html", Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9', "latin1")],
    ["a byte order mark", "text/html; charset=latin1", Buffer.from("\ufeff<p>“café”")],
    ["UTF-16", "text/html", Buffer.from("\ufeff<p>“café”", "utf16le")],
    ["a charset nobody knows", "text/html; charset=martian", Buffer.from("<p>café")],
  ])("is read in the charset that %s gives", async (_, type, body) => {
    serve(body, { "content-type": type });
    const { content } = (await web.call("web_fetch", { url: site.url })) as { content: string };
    expect(content).toMatch(/^“?caf?é”?$|^“cé”$/);
  });
});

describe("other text", () => {
  test.each([
    ["application/json", '{"a":  "<p>&amp;</p>",\n "b": [1,2]}'],
    ["application/ld+json; charset=utf-8", '{"p": "<li>"}'],
    ["text/plain", "  <b>not bold</b>\n\n\n&amp;  two  spaces "],
    ["text/csv", "a,b\r\n1,2\r\n"],
    ["application/rss+xml", "<rss><link>x</link></rss>"],
  ])("%s comes back as it is", async (type, body) => {
    serve(body, { "content-type": type });
    expect(await web.text("web_fetch", { url: site.url })).toBe(body);
    expect(await web.call("web_fetch", { url: site.url })).not.toHaveProperty("title");
  });

  test("what is not text is an error that says what it is", async () => {
    serve(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), { "content-type": "image/png" });
    expect(await web.text("web_fetch", { url: site.url })).toBe(
      `EXECUTION_ERROR: ${site.url} answered with image/png, which is not text.`,
    );
    serve(Buffer.from([1, 0, 2]), {});
    expect(await web.text("web_fetch", { url: site.url })).toContain("which is not text");
  });
});

describe("long content", () => {
  test("is cut between characters, never inside one", async () => {
    serve("ab\u{1f30d}\u{1f30d}cd", { "content-type": "text/plain; charset=utf-8" });
    expect(await web.text("web_fetch", { url: site.url, max_length: 3 })).toBe("ab\u{1f30d}\n\n[Content truncated]");
    expect(await web.text("web_fetch", { url: site.url, max_length: 6 })).toBe("ab\u{1f30d}\u{1f30d}cd");
    expect(await web.call("web_fetch", { url: site.url, max_length: 3 })).toMatchObject({
      content: "ab\u{1f30d}",
      truncated: true,
    });
  });

  test("is all read before it is cut, so that markup does not count", async () => {
    serve(`<p>${"<i></i>".repeat(5000)}the text at last</p>`);
    expect(await web.text("web_fetch", { url: site.url, max_length: 20 })).toContain("the text at last");
  });

  test("is 50,000 characters at most where nothing is said", async () => {
    serve("x".repeat(60_000), { "content-type": "text/plain" });
    expect((await web.text("web_fetch", { url: site.url })).length).toBe(50_000 + "\n\n[Content truncated]".length);
  });
});

describe("hostile pages", () => {
  test.each([
    ["divs nested 20,000 deep", "<div>".repeat(20_000)],
    ["tables nested in tables", "<table><tr><td>".repeat(5000)],
    ["links and bold that never close", "<a href=x><b>".repeat(5000)],
    ["an attribute of 1.9 million characters", `<p title="${"x".repeat(1_900_000)}">read me</p>`],
    ["comments that never close", "<!--".repeat(100_000)],
    ["a long list", `<ol>${"<li>x".repeat(scale * 5000)}</ol>`],
    ["line breaks by the thousand", "<br>".repeat(scale * 10_000)],
    ["opening brackets only", "<".repeat(scale * 20_000)],
  ])("%s finishes, and the event loop stays free meanwhile", async (_, html) => {
    serve(html);
    let longestMs = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 5);
    await web.text("web_fetch", { url: site.url, max_length: 100 });
    clearInterval(beat);
    expect(longestMs).toBeLessThan(1000);
  });

  test("do not keep the next page from being read", async () => {
    serve("<p>all is well</p>");
    expect(await web.text("web_fetch", { url: site.url })).toContain("all is well");
  });
});

describe("what is refused", () => {
  test("private and local addresses, so that the tool does not reach the network behind it", async () => {
    await using strict = new PackServer(webPack());
    serve("inside");
    const before = site.connections;
    expect(await strict.text("web_fetch", { url: site.url })).toBe(
      "POLICY_DENIED: 127.0.0.1 is a loopback address, which is not allowed. An operator can allow it in the configuration.",
    );
    expect(await strict.text("web_fetch", { url: "http://169.254.169.254/latest/" })).toContain("POLICY_DENIED");
    expect(site.connections).toBe(before);
  });

  test.each([
    {},
    { url: "" },
    { url: 7 },
    { url: "http://x.test", max_length: 0 },
    { url: "http://x.test", method: "POST" },
  ])("the input %j", async (input) => {
    expect(await web.text("web_fetch", input)).toMatch(/^INVALID_INPUT/);
  });

  test("answers that are no success, with their status", async () => {
    site.handler = (_, response) => response.writeHead(404).end("nothing here");
    expect(await web.text("web_fetch", { url: site.url })).toBe(
      `EXECUTION_ERROR: HTTP 404: Not Found from ${site.url}`,
    );
  });
});

describe("keeping pages", () => {
  async function times(handler: Handler, advanceMs: number, cacheSeconds = 60): Promise<number> {
    let now = 0;
    await using site = await LocalSite.open(handler);
    await using web = new PackServer(webPack({ allow: ["127.0.0.0/8"], cacheSeconds }, { now: () => now }));
    await web.call("web_fetch", { url: `${site.url}/#a` });
    now += advanceMs;
    await web.call("web_fetch", { url: `${site.url}/#b`, max_length: 1 });
    return site.seen.length;
  }
  const saying =
    (control: string | undefined): Handler =>
    (_, response) =>
      response
        .writeHead(200, { "content-type": "text/plain", ...(control && { "cache-control": control }) })
        .end("page");

  test.each<[string | undefined, number, number]>([
    [undefined, 30_000, 1],
    [undefined, 61_000, 2],
    ["max-age=300", 299_000, 1],
    ["max-age=300", 301_000, 2],
    ["public, max-age=999999999", 3_599_000, 1],
    ["public, max-age=999999999", 3_601_000, 2],
    ["no-store", 0, 2],
    ["no-cache", 0, 2],
    ["private, max-age=300", 0, 2],
    ["max-age=0", 0, 2],
  ])("with %s and after %i ms a page is fetched %i times", async (control, afterMs, expected) => {
    expect(await times(saying(control), afterMs)).toBe(expected);
  });

  test("can be turned off", async () => {
    expect(await times(saying(undefined), 0, 0)).toBe(2);
  });
});

describe("manners", () => {
  test("a host is asked once a second after the first three", async () => {
    let now = 0;
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      now += ms;
    };
    await using polite = new PackServer(webPack({ allow: ["127.0.0.0/8"] }, { now: () => now, wait }));
    serve("x", { "content-type": "text/plain" });
    for (let at = 0; at < 5; at++) await polite.call("web_fetch", { url: `${site.url}/${at}` });
    expect(waits).toEqual([1000, 1000]);
  });

  test("a host that says 429 is asked again when it wants to be", async () => {
    let now = 0;
    const waits: number[] = [];
    const wait = async (ms: number) => {
      waits.push(ms);
      now += ms;
    };
    await using polite = new PackServer(webPack({ allow: ["127.0.0.0/8"] }, { now: () => now, wait }));
    site.handler = (_, response) =>
      waits.length === 0
        ? response.writeHead(429, { "retry-after": "4" }).end()
        : response.writeHead(200, { "content-type": "text/plain" }).end("now");
    expect(await polite.text("web_fetch", { url: `${site.url}/busy` })).toBe("now");
    expect(waits).toEqual([4000]);
    site.handler = (_, response) => response.writeHead(429, { "retry-after": "900" }).end();
    expect(await polite.text("web_fetch", { url: `${site.url}/busier` })).toContain("Retry-After: 900");
  });

  test("robots.txt is kept to where that is wanted", async () => {
    site.handler = ({ url }, response) =>
      url === "/robots.txt"
        ? response.end(
            "User-agent: *\nDisallow: /\n\nUser-agent: biplane\nDisallow: /private/*.html$\nAllow: /private/open\n",
          )
        : response.writeHead(200, { "content-type": "text/plain" }).end(`at ${url}`);
    await using polite = new PackServer(webPack({ allow: ["127.0.0.0/8"], robots: true, rate: quick }));
    expect(await polite.text("web_fetch", { url: `${site.url}/private/a.html` })).toMatch(/^POLICY_DENIED: The robots/);
    expect(await polite.text("web_fetch", { url: `${site.url}/private/a.html?x` })).toBe("at /private/a.html?x");
    expect(await polite.text("web_fetch", { url: `${site.url}/open` })).toBe("at /open");
  });
});

test("the settings are described by a schema that knows what it does not know", () => {
  const { check } = compileConfig(webOptions);
  expect(check({ allow: ["10.0.0.0/8"], rate: { perSecond: 2, burst: 4 }, robots: true })).toMatchObject({ ok: true });
  expect(check({ alow: [] })).toMatchObject({ ok: false });
});
