import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import { ServerProcess } from "../fleet/server-process.ts";
import { openChromium } from "../support/chromium.ts";
import { freePort } from "../support/free-port.ts";
import { accessibilityProblems } from "../support/page.ts";

const library = fileURLToPath(new URL("../../packages/biplane/dist/index.js", import.meta.url));
const key = Buffer.alloc(32, 5);
const token = "agent-token-that-is-long-enough-01";

/** A webhook as somebody else would write it: it checks the signature and keeps the body. */
interface Webhook {
  readonly data: Readonly<Record<string, unknown>> & { readonly answerUrl: string; readonly id: string };
  readonly body: string;
}

const received: Webhook[] = [];
const refused: string[] = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += String(chunk)));
  request.on("end", () => {
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = request.headers;
    const right = `v1,${createHmac("sha256", key)
      .update(`${String(id)}.${String(at)}.${body}`)
      .digest("base64")}`;
    const isFresh = Math.abs(Date.now() / 1000 - Number(at)) < 300;
    if (signature === right && isFresh) received.push({ ...(JSON.parse(body) as Webhook), body });
    else refused.push(body);
    response.writeHead(204).end();
  });
});

const folder = mkdtempSync(join(tmpdir(), "biplane-link-"));
let browser: Browser;
let servers: readonly [ServerProcess, ServerProcess];

beforeAll(async () => {
  browser = await openChromium();
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port: hook } = receiver.address() as AddressInfo;
  const ports = [await freePort(), await freePort()] as const;
  writeFileSync(
    join(folder, "shop.mjs"),
    `import { server, tool } from ${JSON.stringify(library)};
     const input = { type: "object", properties: { amount: { type: "number" }, to: { type: "string" } } };
     export default server({ name: "shop", tools: { refund: tool({ input, run: ({ amount }) => "refunded " + amount }) } });`,
  );
  writeFileSync(
    join(folder, "biplane.yaml"),
    `name: shop
mode: production
servers: [./shop.mjs]
store: ./shop.db
http: { publicUrl: "http://127.0.0.1:${ports[1]}" }
auth: { tokens: [{ id: agent-1, token: ${token} }] }
policies: [{ name: large refunds, tool: refund, ask: "Refund {arguments.amount} to {arguments.to}?" }]
notifications:
  allow: [127.0.0.1]
  webhooks:
    - name: phone
      url: http://127.0.0.1:${hook}/hook
      secret: whsec_${key.toString("base64")}
      answerLinks: true
`,
  );
  const args = ["--config", join(folder, "biplane.yaml")];
  servers = [
    new ServerProcess({ port: ports[0], args, env: {} }),
    new ServerProcess({ port: ports[1], args, env: {} }),
  ];
  for (const server of servers) await server.start();
}, 120_000);

afterAll(async () => {
  for (const server of servers ?? []) await server.end("SIGTERM");
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A call of an agent at the first server. It waits until a person has answered. */
async function refund(amount: number, to: string): Promise<{ result: Promise<unknown>; link: Webhook }> {
  const before = received.length;
  const client = await connect(`http://127.0.0.1:${servers[0].port}/mcp`, { bearer: token });
  const result = client.callTool("refund", { amount, to }).then(
    ({ content }) => JSON.stringify(content),
    (error: Error) => error.message,
  );
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(before + 1);
  return { result: result.finally(() => void client.close()), link: received[before] as Webhook };
}

/** A phone that has never seen this server. */
function openPhone(colorScheme: "light" | "dark" = "light"): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: "reduce",
    colorScheme,
  });
}

describe("an approval on a phone", () => {
  test("reaches it by webhook, is approved with the second tap, and the agent goes on at another server", async () => {
    const { result, link } = await refund(500, "ada");
    expect(refused).toEqual([]);
    expect(link.data).toMatchObject({
      server: "shop",
      tool: "refund",
      question: 'Refund 500 to "ada"?',
      rules: ["large refunds"],
      input: { amount: 500, to: "ada" },
      caller: { kind: "token", id: "agent-1" },
    });
    expect(link.data.answerUrl).toContain(`:${servers[1].port}/#/answer/`);
    await using phone = await openPhone();
    const page = await phone.newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(link.data.answerUrl); // the first tap
    await page.getByRole("heading", { name: 'Refund 500 to "ada"?' }).waitFor();
    await page.getByText("large refunds").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    const { x = 0, y = 0, height = 0 } = (await page.getByRole("button", { name: "Approve once" }).boundingBox()) ?? {};
    expect([x > 0, y + height <= 844, height >= 44]).toEqual([true, true, true]);
    await page.getByRole("button", { name: "Approve once" }).tap(); // the second
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect(page.url()).not.toContain("msg_");
    expect(await result).toContain("refunded 500");
    expect(problems).toEqual([]);
    expect(await accessibilityProblems(page)).toEqual([]);
  }, 60_000);

  test("is answered by no preview, no form of another site and no second use of the link", async () => {
    const { result, link } = await refund(600, "bob");
    const { answerUrl } = link.data;
    const linkToken = answerUrl.split("/#/answer/")[1] ?? "";
    const origin = new URL(answerUrl).origin;
    const bodies = [`token=${linkToken}&verdict=approve`, JSON.stringify({ token: linkToken, verdict: "approve" })];
    for (const path of ["/", "/answer", "/api/answer-links/answer", `/api/answer-links/answer?token=${linkToken}`])
      for (const method of ["GET", "HEAD"]) await fetch(origin + path, { method });
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${origin}/api/answer-links/answer`, { method: "POST", body, headers });
    const crossSite = [
      await post(bodies[0] ?? "", { "content-type": "application/x-www-form-urlencoded" }),
      await post(bodies[1] ?? "", { "content-type": "text/plain" }),
      await post(bodies[1] ?? "", { "content-type": "application/json", origin: "https://evil.example" }),
      await post(bodies[1] ?? "", { "content-type": "application/json", "sec-fetch-site": "cross-site" }),
    ];
    expect(crossSite.map(({ status }) => status)).toEqual([400, 403, 403, 403]);
    // A preview that runs the page's scripts opens the link, and decides nothing.
    await using preview = await openPhone();
    const previewed = await preview.newPage();
    await previewed.goto(answerUrl);
    await previewed.getByRole("button", { name: "Approve once" }).waitFor();
    await using phone = await openPhone("dark");
    const page = await phone.newPage();
    await page.goto(answerUrl);
    await page.getByRole("button", { name: "Add a comment or reason" }).tap();
    await page.getByLabel("Comment").fill("<b>not</b> today");
    await page.getByRole("button", { name: "Reject", exact: true }).tap();
    await page.getByRole("heading", { name: "Rejected" }).waitFor();
    expect(await result).toContain("<b>not</b> today");
    await previewed.getByRole("button", { name: "Approve once" }).tap();
    await previewed.getByText(/This link was already used at .* Each link works once/).waitFor();
    await page.goto("about:blank");
    await page.goto(answerUrl);
    await page.getByRole("heading", { name: "This link cannot be used" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const replayed = await post(bodies[1] ?? "", { "content-type": "application/json" });
    expect([replayed.status, await replayed.json()]).toMatchObject([409, { error: "CONFLICT" }]);
    const guessed = await post('{"token":"x","verdict":"approve"}', { "content-type": "application/json" });
    expect(guessed.status).toBe(404);
  }, 60_000);

  test("is not approved before its input was read to the end", async () => {
    const lines = Array.from({ length: 90 }, (_, at) => `line ${at}`).join("\n");
    const { result, link } = await refund(650, `${lines}\nand everyone else`);
    await using phone = await openPhone();
    const page = await phone.newPage();
    await page.goto(link.data.answerUrl);
    await page.getByText("Not all of the input is on the screen").waitFor();
    const approve = page.getByRole("button", { name: "Approve once" });
    await expect.poll(() => approve.isDisabled()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Show the rest" }).first().tap();
    await approve.tap();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect(await result).toContain("refunded 650");
  }, 60_000);

  test("shows hostile content as text", async () => {
    const hostile =
      '<img src=x onerror="globalThis.hit=1"> \u202Egnp.exe https://evil.example [ok](https://evil.example)';
    const { result, link } = await refund(700, hostile);
    await using phone = await openPhone();
    const page = await phone.newPage();
    await page.goto(link.data.answerUrl);
    await page.getByRole("button", { name: "Approve once" }).waitFor();
    expect(await page.locator("main img, main script, main a").count()).toBe(0);
    expect(await page.evaluate("globalThis.hit")).toBeUndefined();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Reject", exact: true }).tap();
    expect(await result).toContain("Rejected without a reason.");
  }, 60_000);
});
