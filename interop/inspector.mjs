// Tests our apps in the MCP Inspector in Chromium: node interop/inspector.mjs <server> <folder with the Inspector>
// Each line of output is a check, as in the Python scripts.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "../test/support/find-chromium.ts";

const [server, home] = process.argv.slice(2);
const { path: executablePath, missing } = findChromium();

const checks = [
  [
    "A table is drawn from what the tool answered",
    async () => {
      const { view } = await open(`${server}/env/cities/mcp`, "cities_list", { least: 1_000_000 });
      await view.getByRole("gridcell", { name: "Rome" }).waitFor();
      const text = await view.locator("body").innerText();
      expect(text.includes("Lima") && !text.includes("Oslo"), `it shows ${JSON.stringify(text)}`);
      await shoot("table");
    },
  ],
  [
    "It goes on where the host knows nothing of what it asks",
    async () => {
      const { view, problems } = opened;
      await view.getByRole("gridcell", { name: "Rome" }).click();
      // The Inspector does not accept the app's message to the model.
      await until(async () => (await received()).includes("ui/update-model-context"), "no update of the model context");
      await view.getByRole("button", { name: "Chart" }).click();
      await view.locator("svg").first().waitFor();
      await view.getByRole("button", { name: "Table" }).click();
      await view.getByRole("gridcell", { name: "Lima" }).waitFor();
      expect(problems.length === 0, problems.join("; "));
    },
  ],
  [
    "It takes on the Inspector's colours, and follows them",
    async () => {
      const { view, page } = opened;
      const theme = () => view.locator("html").getAttribute("data-theme");
      const before = await theme();
      await page
        .getByRole("button", { name: /theme|color scheme|dark|light/i })
        .first()
        .click();
      await until(async () => (await theme()) !== before, `the theme stays ${before}`);
      await shoot("table-dark");
    },
  ],
  [
    "A person plays on a board, each move a call of the app",
    async () => {
      const address = await newEpisode("frozen-lake");
      const { view } = await open(address, "lake_move", { action: "DOWN" });
      await view.getByRole("img", { name: "you are here" }).waitFor();
      const place = () =>
        view.locator(".tile").evaluateAll((tiles) => tiles.findIndex((tile) => tile.classList.contains("player")));
      await until(async () => (await place()) === 4, "the model's move is not to be seen");
      await view.getByRole("button", { name: "Move down" }).click();
      await until(async () => (await place()) === 8, "the person's move is not to be seen");
      await shoot("frozen-lake");
    },
  ],
];

let inspector;
let browser;
let opened;
const episodes = [];
try {
  if (executablePath === undefined) throw new Error(`this needs ${missing}`);
  inspector = await startInspector();
  browser = await chromium.launch({
    executablePath,
    // Block external requests such as fonts.
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
  });
  for (const [check, work] of checks) {
    const note = await work().then(
      () => undefined,
      (error) => String(error.message).split("\n").slice(0, 3).join(" "),
    );
    if (note !== undefined) await shoot("failed").catch(() => undefined);
    say({ check, result: note === undefined ? "ok" : "fail", ...(note !== undefined && { note }) });
  }
} catch (error) {
  say({ check: "The Inspector opens", result: executablePath ? "fail" : "skip", note: error.message });
} finally {
  await browser?.close();
  inspector?.child.kill();
  await Promise.all(episodes.map((episode) => fetch(episode, { method: "DELETE" })));
}

/** Opens an app through an Inspector link, without calling the tool. */
async function open(url, tool, input) {
  await opened?.page.close();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(15_000);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  const query = new URLSearchParams({
    serverUrl: url,
    transport: "http",
    autoConnect: inspector.token,
    openApp: tool,
    appArgs: Buffer.from(JSON.stringify(input)).toString("base64url"),
  });
  await page.addInitScript(() => {
    globalThis.received = [];
    addEventListener("message", ({ data }) => globalThis.received.push(data?.method));
  });
  await page.goto(`${inspector.url}/?${query}`);
  await page.getByRole("button", { name: "Open App" }).click();
  opened = { page, problems, view: page.frameLocator("iframe").frameLocator("iframe") };
  return opened;
}

/** Messages of the app to the Inspector, by method. */
function received() {
  return opened.page.evaluate(() => globalThis.received);
}

/** The MCP address of an episode. */
async function newEpisode(name) {
  const response = await fetch(`${server}/env/${name}/control/episodes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ seed: 7 }),
  });
  const { id } = await response.json();
  episodes.push(`${server}/env/${name}/control/episodes/${id}`);
  return `${server}/env/${name}/e/${id}/mcp`;
}

async function startInspector() {
  const token = randomBytes(24).toString("hex");
  const [port, sandbox] = await freePorts(2);
  const main = join(home, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
  const child = spawn(nodeFor(home), [main, "--web"], {
    env: {
      ...process.env,
      HOME: home, // what it remembers stays here
      HOST: "127.0.0.1",
      CLIENT_PORT: String(port),
      MCP_SANDBOX_PORT: String(sandbox),
      MCP_AUTO_OPEN_ENABLED: "false",
      MCP_INSPECTOR_API_TOKEN: token,
      MCP_INSPECTOR_SECRET_STORE: "memory",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const timer = setTimeout(() => child.kill(), 30_000);
  while (!output.includes("up and running")) {
    const [data] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => [undefined])]);
    if (data === undefined) throw new Error(`The Inspector does not start: ${output.slice(-300)}`);
    output += data;
  }
  clearTimeout(timer);
  child.stdout.resume();
  return { child, token, url: `http://127.0.0.1:${port}` };
}

/** The Inspector needs a newer Node than Biplane. If this one is too old, uses the downloaded one. */
function nodeFor(folder) {
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const fetched = join(folder, "node_modules", `node-${platform}`, "bin", "node");
  return existsSync(fetched) ? fetched : process.execPath;
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((each) => once(each, "listening")));
  const ports = servers.map((each) => each.address().port);
  await Promise.all(servers.map((each) => new Promise((resolve) => each.close(resolve))));
  return ports;
}

async function shoot(name) {
  const folder = fileURLToPath(new URL("../.cache/interop/inspector-shots/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  await opened.page.screenshot({ path: join(folder, `${name}.png`) });
}

async function until(isSo, otherwise) {
  for (const end = Date.now() + 10_000; !(await isSo());) {
    if (Date.now() > end) throw new Error(otherwise);
    await opened.page.waitForTimeout(50);
  }
}

function expect(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
}

function say(check) {
  console.log(JSON.stringify(check));
}
