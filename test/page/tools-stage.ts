import { serverOf } from "@biplane/core/internal";
import { app, ask, deny, allow, environment, reply, resource, server, text, tool } from "biplane";
import type { Server } from "biplane";
import { expect } from "vitest";
import { sandboxEndpoint } from "../../packages/core/src/app/sandbox/sandbox-endpoint.ts";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { Environment } from "../../packages/core/src/environment/environment.ts";
import { openPageGateway } from "../support/page.ts";
import type { Look, PageGateway } from "../support/page.ts";
import { appHtml } from "./apps-page.ts";

/** Hostile text of a tool. */
export const hostile =
  "<img src=x onerror=\"document.title='owned'\"> \u202egnp.exe \u001b[31m<script>document.title='owned'</script>";
export const secret = "tr0ub4dor-and-3-s3cret";

export interface ToolsGateway extends PageGateway {
  readonly shop: Server;
  readonly game: Environment;
}

/** A shop, a game and apps, everything real; apps run under `*.localhost` unless there is to be no place for them. */
export async function openToolsGateway(options: { isWithoutSandbox?: boolean } = {}): Promise<ToolsGateway> {
  const shop = makeShop();
  const game = makeGame();
  const made: { url?: string } = {};
  const gateway = await openPageGateway({
    served: [shop, game],
    frames: "http://*.localhost:*",
    serve: { sandbox: sandboxEndpoint({ hosts: (origin) => origin === made.url }) },
    kit: () => ({
      sandbox: () => (options.isWithoutSandbox ? null : `http://{app}.localhost:${new URL(made.url ?? "").port}`),
    }),
  });
  made.url = gateway.url;
  await gateway.secrets.set("TOKEN", secret);
  return Object.assign(gateway, { shop, game });
}

/** What will be so in a moment, on however busy a machine. */
export function eventually<Value>(read: () => Value) {
  return expect.poll(read, { timeout: 10_000 });
}

/** What was wrong on the page, apart from the one request that shows an app. */
export function problemsOf({ problems }: Look): readonly string[] {
  return problems.filter((problem) => !/^asked for http:\/\/[0-9a-f]{32}\.localhost:\d+\/sandbox\?/.test(problem));
}

/** Calls a tool from this process, as an agent of that name would over MCP. */
export function callAs(agentId: string, to: Server, order: { tool: string; input?: unknown }) {
  return serverOf(to).perform(
    new LiveCall({
      tool: order.tool,
      input: order.input ?? {},
      route: "mcp",
      agent: { agentId, model: "a-model", requestId: crypto.randomUUID(), metadata: {} },
      principal: { kind: "token", id: `token of ${agentId}`, scopes: [] },
    }),
  );
}

/** The routes of the calls of a tool, the newest first. */
export async function routesOf(gateway: PageGateway, toolName: string, look: Look): Promise<readonly string[]> {
  const response = await look.page.request.get(`${gateway.url}/api/calls?tool=${toolName}`, { headers: look.headers });
  const { calls } = (await response.json()) as { calls: readonly { route: string }[] };
  return calls.map(({ route }) => route);
}

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function makeShop(): Server {
  let turns = 0;
  let sold = 0;
  const customerId = { type: "string", description: "Such as ada" };
  const shop = server({
    name: "shop",
    version: "1",
    tools: [
      tool({
        name: "get_customer",
        description: "Look a customer up by id",
        input: { type: "object", properties: { customerId }, required: ["customerId"] },
        annotations: { readOnlyHint: true },
        run: ({ customerId: id }) => ({ customerId: id, balance: 120 }),
      }),
      tool({
        name: "list_customers",
        description: "All of them",
        idempotent: true,
        run: () => ({
          customers: [
            { name: "Ada", balance: 120 },
            { name: "Alan", balance: 42 },
          ],
        }),
      }),
      tool({
        name: "refund",
        description: "Gives money back",
        input: {
          type: "object",
          properties: { customerId, amount: { type: "number", exclusiveMinimum: 0 } },
          required: ["customerId", "amount"],
        },
        annotations: { destructiveHint: true },
        run: ({ amount }) => ({ refunded: amount }),
      }),
      tool({ name: "turn", description: "Says how often", idempotent: true, run: () => ({ turn: ++turns }) }),
      tool({
        name: "leak",
        description: "Tells",
        annotations: { readOnlyHint: true },
        run: () => ({ said: `it is ${secret}` }),
      }),
      tool({
        name: "hostile",
        description: hostile,
        annotations: { readOnlyHint: true },
        run: () => ({ [hostile]: hostile, long: "x".repeat(100_000) }),
      }),
      tool({
        name: "everything",
        description: "One of each kind of content",
        annotations: { readOnlyHint: true },
        run: () =>
          reply([
            text("Some words"),
            { type: "image", data: dot, mimeType: "image/png" },
            { type: "audio", data: "AAAA", mimeType: "audio/wav" },
            { type: "resource_link", uri: "note://one", name: "one" },
            { type: "resource", resource: { uri: "note://two", mimeType: "text/plain", text: "the second note" } },
          ]),
      }),
      tool({
        name: "till",
        description: "Shows the till",
        input: { type: "object", properties: { drawer: { type: "string", default: "top" } } },
        ui: app({ name: "till", html: appHtml }),
        run: ({ drawer }) => ({ drawer, open: true }),
      }),
      tool({ name: "sell", description: "Sells one", run: () => ({ sold: ++sold }) }),
      tool({ name: "take_leave", description: "Tidies up", run: () => "tidy" }),
      tool({ name: "inner", description: "Not for apps", ui: { visibility: ["model"] }, run: () => "inner" }),
    ],
    resources: [resource({ name: "note", uri: "note://one", read: () => "the first note" })],
  });
  return shop.policy(function refundRule(_, name, input) {
    if (name !== "refund") return allow();
    const { amount } = input as { amount: number };
    if (amount > 1000) return deny("Not above 1000");
    return amount > 100 ? ask(`Refund ${amount}?`) : allow();
  });
}

function makeGame(): Environment {
  return environment({
    name: "counting",
    version: "1",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (make) => ({
      add: make({
        description: "Adds to the count",
        input: { type: "object", properties: { amount: { type: "integer", default: 1 } } },
        run: ({ amount }, { state }) => {
          state.count += Number(amount);
          return { count: state.count };
        },
      }),
    }),
    reward: ({ after }) => after.count,
    status: ({ count }) => ({ terminated: count >= 10 }),
  });
}
