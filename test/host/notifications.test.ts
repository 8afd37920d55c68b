import { afterEach, describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import { startHost } from "biplane/host";
import { discordApi, slackApi, telegramApi, tokens } from "../pack/chat/chat-apis.ts";
import { json, LocalSite } from "../pack/net/local-site.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const key = Buffer.alloc(32, 3).toString("base64");
const hostile =
  "see https://evil.example/approve [Approve](https://evil.example) @everyone \u202Etxt\nAnswer: evil.example/x";

/** A host whose every call waits, and that notifies as `notifications` says. */
async function start(settings: Readonly<Record<string, unknown>>) {
  const refund = tool({
    name: "refund",
    input: { type: "object", properties: { amount: { type: "number" }, note: { type: "string" } } },
    run: () => "refunded",
  });
  const host = await startHost({
    serve: [server({ name: "shop", tools: [refund] })],
    settings: {
      listen: "http://127.0.0.1:0",
      "logging.level": "error",
      policies: [{ name: "refunds", tool: "*", ask: "Refund {arguments.amount}? {arguments.note}" }],
      ...settings,
    },
  });
  opened.push(host);
  const call = (amount: number, note = "") =>
    fetch(`${host.url}/mcp/execute`, {
      method: "POST",
      body: JSON.stringify({ tool: "refund", arguments: { amount, note } }),
    });
  const deliveries = () => host.runtime.queue.list(10);
  return { host, call, deliveries };
}

function webhookAt(url: string, more: object = {}) {
  return [{ name: "hook", url, secret: `whsec_${key}`, ...more }];
}

describe("a webhook", () => {
  test("is not sent to an address that is not public, unless the config allows the host", async () => {
    await using site = await LocalSite.open((_, response) => json(response, {}));
    for (const address of [
      "https://127.0.0.1:1",
      "https://[::1]:1",
      "https://169.254.169.254",
      "https://localhost:1",
    ]) {
      const { call, deliveries, host } = await start({ "notifications.webhooks": webhookAt(`${address}/hook`) });
      await call(1);
      await expect.poll(async () => (await deliveries())[0]?.status, { timeout: 10_000 }).toBe("failed");
      expect((await deliveries())[0]?.error).toContain("not allowed");
      await host.close();
    }
    const allowed = await start({
      "notifications.allow": ["127.0.0.1"],
      "notifications.webhooks": webhookAt(`http://127.0.0.1:${new URL(site.url).port}/hook`),
    });
    await allowed.call(2);
    await expect.poll(async () => (await allowed.deliveries())[0]?.status).toBe("sent");
    expect(JSON.parse(site.seen.at(-1)?.body ?? "")).toMatchObject({
      type: "approval.requested",
      data: { tool: "refund", rules: ["refunds"], url: expect.stringContaining("/#/approvals/") },
    });
    expect(site.seen.at(-1)?.body).not.toContain("answerUrl");
  });

  test("follows no redirect, and is sent again after an error", async () => {
    await using site = await LocalSite.open((_, response) => {
      response.writeHead(307, { location: "http://127.0.0.1:9/" }).end();
    });
    const { call, deliveries } = await start({
      "notifications.allow": ["127.0.0.1"],
      "notifications.webhooks": webhookAt(`http://127.0.0.1:${new URL(site.url).port}/hook`),
    });
    await call(3);
    await expect.poll(async () => (await deliveries())[0]?.error).toContain("redirect");
    expect((await deliveries())[0]).toMatchObject({ status: "waiting", attempts: 1 });
    expect(site.seen).toHaveLength(1);
  });
});

describe("a chat message", () => {
  test.each([
    ["slack", slackApi, "channel:C1"],
    ["discord", discordApi, "channel:55"],
    ["telegram", telegramApi, "77"],
  ] as const)("goes through the chat pack to %s, with our link and no other", async (provider, open, target) => {
    await using site = await open();
    const { call, deliveries, host } = await start({
      packs: { chat: { [provider]: { token: tokens[provider], targets: [target], baseUrl: site.url } } },
      "notifications.chat": [{ name: "team", provider, target, answerLinks: true }],
    });
    await call(5, hostile);
    await expect.poll(async () => (await deliveries())[0]?.status, { timeout: 10_000 }).toBe("sent");
    const sent = JSON.parse(site.seen.at(-1)?.body ?? "{}") as { text?: string; content?: string };
    const lines = (sent.text ?? sent.content ?? "").split("\n");
    expect(lines[0]).toMatch(/^Approval needed: \w*refund on biplane$/);
    expect(lines).toHaveLength(5);
    expect(lines[4]).toMatch(new RegExp(`^Answer: ${host.url}/#/answer/msg_[0-9a-f]{32}\\.[0-9a-z]+\\.[\\w-]{43}$`));
    const others = lines.slice(0, 4).join("\n");
    expect(others).not.toMatch(/:\/\/|evil\.example|\]\(|@everyone|\u202E/);
  });

  test("is not tried again with a wrong token", async () => {
    await using site = await discordApi();
    const { call, deliveries } = await start({
      packs: { chat: { discord: { token: "a-wrong-token-0123", targets: ["55"], baseUrl: site.url } } },
      "notifications.chat": [{ name: "team", provider: "discord", target: "55" }],
    });
    await call(6);
    await expect.poll(async () => (await deliveries())[0]?.status, { timeout: 10_000 }).toBe("failed");
    expect((await deliveries())[0]?.error).not.toContain("a-wrong-token");
  });
});
