import { describe, expect, test } from "vitest";
import { AnswerTokens } from "../../../packages/biplane/src/governance/notifications/answer-token.ts";
import {
  webhookHeaders,
  webhookKey,
} from "../../../packages/biplane/src/governance/notifications/webhook-signature.ts";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const message = { id: "msg_1", timestamp: 1_700_000_000, body: '{"a":1}' };

describe("the signature of a webhook", () => {
  test("is the one of Standard Webhooks' own library", () => {
    expect(webhookHeaders(message, [webhookKey(secret)])).toEqual({
      "webhook-id": "msg_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": "v1,WUgAXU8H0NQ1/7M+TtMwKma2b74a3/TCgekiM3YUdN8=",
    });
  });

  test("has a part for each secret while one is replaced", () => {
    const other = webhookKey(`whsec_${Buffer.alloc(32, 7).toString("base64")}`);
    const both = webhookHeaders(message, [other, webhookKey(secret)])["webhook-signature"] ?? "";
    expect(both.split(" ")).toHaveLength(2);
    expect(both.split(" ")[1]).toBe("v1,WUgAXU8H0NQ1/7M+TtMwKma2b74a3/TCgekiM3YUdN8=");
  });

  test.each(["", "whsec_", "whsec_c2hvcnQ=", secret.slice(6), `whsec_${"A".repeat(200)}`])(
    "needs a secret of 24 to 64 bytes, which %j is not, and does not repeat it",
    (wrong) => {
      expect(() => webhookKey(wrong)).toThrow(/24 to 64 random bytes/);
      if (wrong.length > 10) expect(() => webhookKey(wrong)).not.toThrow(wrong);
    },
  );
});

describe("the token of a link", () => {
  const tokens = new AnswerTokens("a key of this server");
  const claims = { id: `msg_${"0a".repeat(16)}`, expiresAt: 1_800_000_000_000 };

  test("says which message it was in and until when it works", () => {
    expect(tokens.read(tokens.make(claims))).toEqual(claims);
    expect(tokens.make(claims)).toBe(tokens.make(claims));
  });

  test("cannot be made without the key, or changed in any place", () => {
    const token = tokens.make(claims);
    expect(new AnswerTokens("another key").read(token)).toBeUndefined();
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === "a" ? "b" : "a"}${token.slice(at + 1)}`;
      expect([changed, tokens.read(changed)]).toEqual([changed, undefined]);
    }
    for (const wrong of [
      "",
      ".",
      "..",
      token.slice(0, -1),
      `${token}a`,
      ` ${token}`,
      `${token}\n`,
      "x".repeat(100_000),
    ])
      expect(tokens.read(wrong)).toBeUndefined();
  });
});
