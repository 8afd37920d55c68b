// Takes pictures of every view of the page, of a server with data and of an empty one:
// npm run pictures -- FOLDER        Parts of names after it take only those: npm run pictures -- FOLDER runs,tools
import { catchUp, day, goTo, hour, minute } from "./pictures/clock.ts";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startHost } from "biplane/host";
import type { Host } from "biplane/host";
import { connect } from "biplane/client";
import { server, tool } from "biplane";
import { launchChromium } from "../test/support/chromium.ts";
import { setUp } from "./pictures/admin.ts";
import type { Admin } from "./pictures/admin.ts";
import { takePictures } from "./pictures/camera.ts";
import { writeConfig } from "./pictures/config.ts";
import { playEpisodes } from "./pictures/episodes.ts";
import { addStaff } from "./pictures/people.ts";
import { shopServers } from "./pictures/shop.ts";
import { playRuns } from "./pictures/training.ts";
import { keepCalling, leaveWaiting, makeTraffic } from "./pictures/traffic.ts";
import { emptyViews, richViews, startViews } from "./pictures/views.ts";

const [target, part = ""] = process.argv.slice(2);
if (target === undefined) {
  process.stderr.write("Pass a folder for the pictures: npm run pictures -- FOLDER\n");
  process.exit(2);
}
const folder = resolve(target);
await mkdir(folder, { recursive: true });
const work = await mkdtemp(join(tmpdir(), "support-team-"));
process.chdir(work); // Runs in the folder of the project are not shown.
const hooks = { ops: await openHook(204), night: await openHook(503) };
const browser = await launchChromium();
const problems: string[] = [];
try {
  await playRuns(join(work, "support-team.db"));
  const until = Date.now() - 25 * minute;
  goTo(Date.now() - day - 2 * hour);
  const { host, ada } = await openShop();
  const shown = { browser, url: host.url, folder, part };
  const staff = await addStaff(ada, { url: host.url, folder: work });
  await makeTraffic({ url: host.url, ada, staff, until });
  const episodes = await playEpisodes(ada);
  await leaveWaiting({ url: host.url, ada, staff, until });
  catchUp();
  // Older clients hold a session open, which is listed.
  await using client = await connect(`${host.url}/mcp`, {
    era: "legacy",
    clientInfo: { name: "Claude Desktop", version: "1.4.0" },
    headers: { authorization: `Bearer ${staff.tokens["support-bot"]}` },
  });
  await client.listTools();
  const stop = keepCalling({ url: host.url, ada, staff, until });
  problems.push(...(await takePictures(await richViews(ada, episodes), { ...shown, as: "ada" })));
  problems.push(...(await takePictures(await startViews(ada), { ...shown, as: null })));
  stop();
  await host.close();
  const empty = await openEmpty();
  problems.push(...(await takePictures(emptyViews, { browser, url: empty.url, folder, part, as: "ada" })));
  await empty.close();
} finally {
  await browser.close();
  for (const hook of Object.values(hooks)) hook.close();
  process.chdir(tmpdir());
  await rm(work, { recursive: true, force: true });
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);

async function openShop(): Promise<{ host: Host; ada: Admin }> {
  process.env["OPS_SECRET"] = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  process.env["NIGHT_SECRET"] = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
  const config = await writeConfig(work, { ops: addressOf(hooks.ops), night: addressOf(hooks.night) });
  const host = await startHost({
    serve: shopServers(),
    folder: work,
    config,
    settings: { listen: "http://127.0.0.1:0" },
  });
  return { host, ada: await setUp(host.url, await host.setupCode(), "ada") };
}

/** A server that has just been started for the first time. */
async function openEmpty(): Promise<Host> {
  const hello = tool({ name: "hello", description: "Say hello", run: () => "Hello!" });
  const own = await mkdtemp(join(work, "empty-"));
  process.chdir(own);
  const settings = { listen: "http://127.0.0.1:0", "logging.level": "error" };
  const host = await startHost({ serve: [server({ name: "hello", tools: [hello] })], folder: own, settings });
  await setUp(host.url, await host.setupCode(), "ada");
  return host;
}

/** Receives the messages about waiting calls. The phone of the night shift is off: it answers 503. */
function openHook(status: number): Promise<Server> {
  const listening = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end();
  });
  return new Promise((done) => listening.listen(0, "127.0.0.1", () => done(listening)));
}

function addressOf(hook: Server): string {
  return `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
}
