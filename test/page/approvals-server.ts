import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { allow, ask, server, tool } from "biplane";
import { codeTool, javascriptEngine } from "biplane/code";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { ScriptReview } from "../../packages/biplane/src/admin/scripts/script-review.ts";
import { scriptSettings } from "../../packages/biplane/src/admin/scripts/script-settings.ts";
import { scriptPack } from "../../packages/biplane/src/pack/script/pack.ts";
import type { Server } from "biplane";
import { openPageGateway } from "../support/page.ts";
import type { PageGateway } from "../support/page.ts";

export { problemsEverywhere } from "../support/page.ts";

/** A shop whose refunds and letters ask first, with scripts, agent code and a config: everything people look after. */
export async function openShopGateway(options: ShopGatewayOptions = {}): Promise<ShopGateway> {
  const root = mkdtempSync(join(tmpdir(), "biplane-page-"));
  const write = (name: string, source: string) => writeFileSync(join(root, `${name}.star`), source);
  for (const [name, source] of Object.entries(options.scripts ?? {})) write(name, source);
  const refunds: unknown[] = [];
  const engine = javascriptEngine({ workers: 1 });
  const shop = makeShop(refunds);
  const gateway = await openPageGateway({
    served: [shop],
    kit: ({ approvals, secrets, store }) => {
      const parts = { server: "shop", approvals, secrets: (name: string) => secrets.get(name) };
      const settings = scriptSettings({ root, workers: 1, maxSteps: 1_000_000 }, parts);
      shop.mount("script", scriptPack(settings));
      codeTool(shop, { engines: [engine] });
      return {
        scripts: { review: new ScriptReview({ server: "shop", settings, approvals, store }), server: shop, secrets },
        settings: { config: configOf(options.config ?? ""), secrets },
      };
    },
  });
  const execute = async (name: string, input: unknown) => {
    const body = JSON.stringify({ tool: name, arguments: input });
    const response = await fetch(`${gateway.url}/mcp/execute`, { method: "POST", body });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  const rejectAll = async () => {
    const ids = (await gateway.approvals.list({ status: "waiting" })).map(({ id }) => id);
    if (ids.length > 0) await gateway.approvals.answer(ids, { verdict: "reject", reason: "the test is over" }, bob);
  };
  return {
    ...gateway,
    rejectAll,
    refund: (amount, to = "ada", note) => execute("refund", { amount, to, ...(note !== undefined && { note }) }),
    shop,
    refunds,
    write,
    execute,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export interface ShopGatewayOptions {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly config?: string;
}

export interface ShopGateway extends PageGateway {
  readonly shop: Server;
  /** What was really refunded. */
  readonly refunds: readonly unknown[];
  readonly write: (name: string, source: string) => void;
  /** A call of an agent: 202 where it waits for a person. */
  readonly execute: (name: string, input: unknown) => Promise<Executed>;
  readonly refund: (amount: number, to?: unknown, note?: unknown) => Promise<Executed>;
  /** What still waits is no other test's business. */
  readonly rejectAll: () => Promise<void>;
}

interface Executed {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** Somebody else who answers. */
export const bob = { kind: "person", id: "bob", scopes: ["*"] } as const;

export const said = (page: Page, text: string | RegExp) => page.locator(".toast").filter({ hasText: text }).waitFor();
export const callRow = (page: Page, text: string) => page.locator("[data-approval]").filter({ hasText: text });
export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

/** Opens a call that waits. */
export async function openCall(page: Page, question: string): Promise<void> {
  await callRow(page, question).getByRole("link").first().click();
  await page.getByRole("heading", { name: "Your decision" }).waitFor();
}

function makeShop(refunds: unknown[]): Server {
  return server({
    name: "shop",
    version: "2",
    tools: [
      tool({
        name: "refund",
        description: "Gives money back",
        input: { type: "object", properties: { amount: { type: "number" }, to: {}, note: {} }, required: ["amount"] },
        run: (input) => {
          refunds.push(input);
          return { refunded: input["amount"] };
        },
      }),
      tool({
        name: "send_letter",
        description: "Sends a letter",
        input: { type: "object", properties: { to: { type: "string" }, text: { type: "string" } } },
        run: () => ({ sent: true }),
      }),
      tool({
        name: "erase",
        description: "Erases an account",
        annotations: { destructiveHint: true },
        input: { type: "object", properties: { account: { type: "string" } } },
        run: () => ({ erased: true }),
      }),
      tool({ name: "look", description: "Looks", annotations: { readOnlyHint: true }, run: () => ({ seen: true }) }),
    ],
  }).policy((_, name, input) => {
    const { amount, to, text } = (input ?? {}) as Record<string, unknown>;
    if (name === "refund") {
      const rule = Number(amount) >= 1000 ? "very large refunds" : "refunds";
      return ask(`May ${String(amount)} go back to ${String(to)}?`, {
        rule,
        approvers: Number(amount) >= 1000 ? 2 : 1,
      });
    }
    if (name === "erase") return ask("Erase this account?");
    return name === "send_letter" ? ask(`Send this to ${String(to)}? ${String(text)}`) : allow();
  });
}

function configOf(text: string) {
  return resolveConfig({ file: { name: "/srv/shop/biplane.yaml", text }, environment: {}, folder: "/srv/shop" });
}
