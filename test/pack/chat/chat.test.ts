import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toUSVString } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chatOptions } from "../../../packages/biplane/src/pack/chat/options.ts";
import type { ChatOptions } from "../../../packages/biplane/src/pack/chat/options.ts";
import { chatPack } from "../../../packages/biplane/src/pack/chat/pack.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { json } from "../net/local-site.ts";
import type { Handler, LocalSite } from "../net/local-site.ts";
import { PackServer } from "../pack-server.ts";
import { discordApi, slackApi, telegramApi, tokens } from "./chat-apis.ts";

const sites: Record<"discord" | "slack" | "telegram", LocalSite> = {} as never;
const handlers: Record<string, Handler> = {};
let waits: number[] = [];

beforeAll(async () => {
  Object.assign(sites, { discord: await discordApi(), slack: await slackApi(), telegram: await telegramApi() });
  for (const [name, site] of Object.entries(sites)) handlers[name] = site.handler;
});
afterAll(async () => {
  for (const site of Object.values(sites)) await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  waits = [];
  for (const [name, site] of Object.entries(sites)) {
    site.seen.length = 0;
    site.connections = 0;
    site.handler = handlers[name] ?? site.handler;
  }
});

const allowed = {
  discord: ["100", "user:200", "channel:404"],
  slack: ["C100", "user:U200", "C404"],
  telegram: ["-100", "user:200", "404", "@some_channel"],
};

function chat(options: Partial<ChatOptions> = {}): PackServer {
  const remote = (name: keyof typeof sites) => ({
    token: tokens[name],
    targets: allowed[name],
    baseUrl: sites[name].url,
  });
  const providers = { discord: remote("discord"), slack: remote("slack"), telegram: remote("telegram") };
  let at = Date.parse("2026-01-01T00:00:00Z");
  const wait = async (ms: number) => {
    waits.push(ms);
    at += ms;
  };
  return new PackServer(chatPack({ ...providers, ...options }, { now: () => at, wait }));
}

const bodies = (name: keyof typeof sites) =>
  sites[name].seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe("sending", () => {
  test("to a channel of Discord, with mentions disarmed", async () => {
    const input = { provider: "discord", target: "channel:100", message: "Hello @everyone <@1>" };
    expect(await chat().text("chat_send", input)).toBe("Message sent via discord to channel:100");
    expect(sites.discord.seen[0]).toMatchObject({ method: "POST", url: "/channels/100/messages" });
    expect(bodies("discord")).toEqual([{ content: "Hello @everyone <@1>", allowed_mentions: { parse: [] } }]);
    await chat({ mentions: true }).text("chat_send", input);
    expect(bodies("discord")[1]).toEqual({ content: "Hello @everyone <@1>" });
  });

  test("to a user of Discord, by a direct message", async () => {
    expect(await chat().call("chat_send", { provider: "discord", target: "user:200", message: "Hi" })).toMatchObject({
      provider: "discord",
      target: "user:200",
      parts: 1,
    });
    expect(sites.discord.seen.map(({ url }) => url)).toEqual(["/users/@me/channels", "/channels/9200/messages"]);
  });

  test("to channels and users of Slack, with mentions disarmed", async () => {
    await chat().text("chat_send", { provider: "slack", target: "C100", message: "<!channel> a & b <@U1>" });
    await chat().text("chat_send", { provider: "slack", target: "user:U200", message: "Hi" });
    expect(bodies("slack")).toEqual([
      { channel: "C100", text: "&lt;!channel&gt; a &amp; b &lt;@U1&gt;", parse: "none", link_names: false },
      { users: "U200" },
      { channel: "DU200", text: "Hi", parse: "none", link_names: false },
    ]);
  });

  test("to chats of Telegram", async () => {
    for (const target of ["-100", "user:200", "@some_channel"]) {
      expect(await chat().text("chat_send", { provider: "telegram", target, message: "Hi *you*" })).toBe(
        `Message sent via telegram to ${target}`,
      );
    }
    expect(bodies("telegram")).toEqual([
      { chat_id: -100, text: "Hi *you*" },
      { chat_id: 200, text: "Hi *you*" },
      { chat_id: "@some_channel", text: "Hi *you*" },
    ]);
  });

  test("to nowhere, for trying things out", async () => {
    const folder = mkdtempSync(join(tmpdir(), "biplane-chat-"));
    try {
      const file = join(folder, "messages.jsonl");
      const pack = chatPack({ local: { targets: ["me"], file } }, { now: () => 0 });
      const subject = new PackServer(pack);
      await subject.text("chat_send", { provider: "local", target: "me", message: "one\ntwo" });
      await subject.text("chat_send", { provider: "local", target: "channel:me", message: "three" });
      const expected = ["one\ntwo", "three"].map((message) => ({
        time: "1970-01-01T00:00:00.000Z",
        target: "channel:me",
        message,
      }));
      expect(
        readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(expected);
      expect(pack.sent).toEqual(expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ["discord", "100", 2000, "content"],
    ["slack", "C100", 4000, "text"],
    ["telegram", "-100", 4096, "text"],
  ] as const)("long messages to %s in parts that it takes", async (provider, target, limit, key) => {
    const message = `${"\u{1f600}".repeat(limit)}${"word ".repeat(limit / 10)}`;
    expect(await chat().text("chat_send", { provider, target, message })).toBe(
      `Message sent via ${provider} to ${target} in 3 parts`,
    );
    const parts = bodies(provider).map((body) => String(body[key]));
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(limit);
    for (const part of parts) expect(toUSVString(part)).toBe(part);
    expect(parts.join("").replaceAll(" ", "")).toBe(message.replaceAll(" ", ""));
  });

  test("nothing at all where it would take too many parts", async () => {
    const message = "x".repeat(90_000);
    expect(await chat().text("chat_send", { provider: "discord", target: "100", message })).toMatch(
      /^INVALID_INPUT: .*46 \w+ messages/,
    );
    expect(sites.discord.connections).toBe(0);
  });
});

describe("messages go only to targets that were configured", () => {
  test.each([
    ["discord", "999"],
    ["discord", "user:100"],
    ["discord", "channel:200"],
    ["slack", "C999"],
    ["slack", "user:C100"],
    ["telegram", "100"],
    ["telegram", "@other_channel"],
  ] as const)("%s %s is refused", async (provider, target) => {
    expect(await chat().text("chat_send", { provider, target, message: "Hi" })).toBe(
      `POLICY_DENIED: ${target} is not an allowed target of ${provider}. An operator can add it to targets.`,
    );
    expect(sites[provider].connections).toBe(0);
  });

  test.each([
    ["discord", "100/messages/1?"],
    ["discord", "../users/@me"],
    ["discord", "channel:100\n"],
    ["discord", "channel:channel:100"],
    ["slack", "#general"],
    ["telegram", "1;2"],
  ])("%s %j is no target at all", async (provider, target) => {
    expect(await chat().text("chat_send", { provider, target, message: "Hi" })).toMatch(
      /^INVALID_INPUT: .* is not a target of/,
    );
  });

  test("none by default, all with a star", async () => {
    const of = (targets: string[]) =>
      chat({ discord: { token: tokens.discord, baseUrl: sites.discord.url, targets } }).text("chat_send", {
        provider: "discord",
        target: "999",
        message: "Hi",
      });
    expect(await of([])).toMatch(/^POLICY_DENIED/);
    expect(await of(["*"])).toMatch(/^Message sent/);
  });
});

describe("errors are reported", () => {
  test.each([
    ["discord", "404", "failed to send message: Discord answered 404 Not Found: Unknown Channel (10003)"],
    ["slack", "C404", "failed to send message: Slack rejected the request: channel_not_found."],
    ["telegram", "404", "failed to send message: Telegram answered 400 Bad Request: Bad Request: chat not found"],
  ])("%s has no such chat", async (provider, target, expected) => {
    expect(await chat().text("chat_send", { provider, target, message: "Hi" })).toBe(`EXECUTION_ERROR: ${expected}`);
  });

  test("a provider that is not active, and those that are", async () => {
    expect(await chat().text("chat_send", { provider: "irc", target: "1", message: "Hi" })).toBe(
      'INVALID_INPUT: provider "irc" is not active (available: discord, slack, telegram)',
    );
    expect(await chat().text("chat_send", { provider: "discord", target: "100", message: "  \n" })).toMatch(
      /^INVALID_INPUT/,
    );
    expect(await chat().text("chat_send", { provider: "discord", target: "100" })).toMatch(/^INVALID_INPUT/);
  });

  test("how much of a message was sent before it failed", async () => {
    const send = handlers["discord"] as Handler;
    sites.discord.handler = (seen, response) =>
      sites.discord.seen.length === 3
        ? json(response, { message: "Missing Access", code: 50_001 }, { status: 403 })
        : send(seen, response);
    const failure = chat().call("chat_send", { provider: "discord", target: "100", message: "x".repeat(9000) });
    await expect(failure).rejects.toMatchObject({
      message: "sent only 2 of 5 parts: Discord answered 403 Forbidden: Missing Access (50001)",
      details: { sent: 2, parts: 5 },
    });
  });

  test.each<[keyof typeof sites, string, (after: number) => { body: unknown; headers: Record<string, string> }]>([
    [
      "discord",
      "100",
      (after) => ({ body: { message: "You are being rate limited.", retry_after: after, global: false }, headers: {} }),
    ],
    [
      "slack",
      "C100",
      (after) => ({ body: { ok: false, error: "ratelimited" }, headers: { "retry-after": String(after) } }),
    ],
    [
      "telegram",
      "-100",
      (after) => ({
        body: { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: after } },
        headers: {},
      }),
    ],
  ])("a rate limit of %s is waited for if it is short, and an error if it is long", async (provider, target, limit) => {
    const send = handlers[provider] as Handler;
    const limited =
      (after: number): Handler =>
      (seen, response) => {
        if (sites[provider].seen.length > 1) return send(seen, response);
        const { body, headers } = limit(after);
        return json(response, body, { status: 429, headers });
      };
    sites[provider].handler = limited(2);
    expect(await chat().text("chat_send", { provider, target, message: "Hi" })).toMatch(/^Message sent/);
    expect(waits).toEqual([2000]);
    sites[provider].seen.length = 0;
    sites[provider].handler = limited(300);
    expect(await chat().text("chat_send", { provider, target, message: "Hi" })).toMatch(
      /^EXECUTION_ERROR: failed to send message: \w+ is rate limiting its API\. Try again in 300 s, at 2026-01-01T00:05:00Z\.$/,
    );
  });

  test("no token is in any error, though Telegram has it in its address and services repeat it", async () => {
    const pack = chat().pack;
    expect(pack.secrets).toEqual({
      DISCORD_TOKEN: tokens.discord,
      SLACK_BOT_TOKEN: tokens.slack,
      TELEGRAM_BOT_TOKEN: tokens.telegram,
    });
    const bare = new PackServer({ name: pack.name, tools: pack.tools });
    for (const provider of ["discord", "slack", "telegram"] as const) {
      const target = allowed[provider][0] ?? "";
      const message = `told ${tokens[provider]}`;
      for (const handler of [
        ((_, response) => json(response, { message, description: message }, { status: 400 })) satisfies Handler,
        ((_, response) => response.destroy()) satisfies Handler,
        ((_, response) => response.end("no json")) satisfies Handler,
      ]) {
        sites[provider].handler = handler;
        const told = await bare.text("chat_send", { provider, target, message: "Hi" });
        expect(told).toMatch(/^EXECUTION_ERROR: failed to send message/);
        expect(told).not.toContain(tokens[provider]);
      }
    }
  });
});

test("the settings are described by a schema", () => {
  const { check } = compileConfig(chatOptions);
  expect(check({ discord: { token: tokens.discord, targets: ["1"] }, local: { targets: [] } })).toMatchObject({
    ok: true,
  });
  expect(check({ discord: { token: tokens.discord } })).toMatchObject({ ok: false });
});
