import { expect, test } from "vitest";
import { complaint, read } from "./reading.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

test("notifications have defaults, and take webhooks and chats of the chat pack", () => {
  expect(read("").config.notifications).toEqual({ webhooks: [], chat: [], allow: [], linkMinutes: 30 });
  const { config } = read(`
packs: { chat: { slack: { token: xoxb-0123456789, targets: ["channel:C1"] } } }
notifications:
  allow: [10.0.0.7]
  webhooks:
    - { name: one, url: "https://hooks.example.com/x", secret: "${secret}" }
    - { name: two, url: "http://10.0.0.7/x", secret: "${secret}", answerLinks: true, person: ada }
  chat: [{ name: three, provider: slack, target: "channel:C1" }]
`);
  expect(config.notifications.webhooks[1]).toMatchObject({ answerLinks: true, person: "ada" });
  expect(config.notifications.chat[0]).toMatchObject({ answerLinks: false });
});

const hook = (more: string) => `notifications: { webhooks: [{ name: one, secret: "${secret}", ${more} }] }`;

test.each([
  [hook(`url: "http://hooks.example.com"`), "must start with https://"],
  [hook(`url: "http://10.0.0.7"`), "must start with https://"],
  [hook(`url: "ftp://x"`), "a URL that starts with https://"],
  [`notifications: { webhooks: [{ name: one, url: "https://x.com", secret: short }] }`, "24 to 64 random bytes"],
  [`notifications: { webhooks: [{ name: One!, url: "https://x.com", secret: "${secret}" }] }`, "lower-case letters"],
  [`notifications: { chat: [{ name: a, provider: slack, target: C1 }] }`, "needs packs.chat.slack"],
  [
    `packs: { chat: { slack: { token: xoxb-0123456789, targets: [C2] } } }\nnotifications: { chat: [{ name: a, provider: slack, target: C1 }] }`,
    "must be in packs.chat.slack.targets",
  ],
  [
    `notifications: { webhooks: [{ name: a, url: "https://x.com", secret: "${secret}" }, { name: a, url: "https://y.com", secret: "${secret}" }] }`,
    "the name of another target",
  ],
])("a mistake is reported: %s", (text, problem) => {
  const shown = complaint(text);
  expect(shown).toContain(problem);
  expect(shown).not.toContain(secret.slice(6));
});
