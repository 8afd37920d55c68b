import { connect } from "biplane/client";
import type { Client, ToolResult } from "biplane/client";
import { readToolError } from "biplane/client";
import type { Journal } from "./journal.ts";
import { sendJson } from "./send-json.ts";

/** How the calls of tools that reach outside ended, by the id in their input. */
export class Calls {
  readonly acknowledged = new Set<string>();
  /** The server said that it does not know whether the tool ran. */
  readonly unknown = new Set<string>();
  readonly refused = new Set<string>();
  /** Tasks that were begun, by id. */
  readonly tasks = new Map<string, "open" | "ended">();
  #count = 0;

  /** Throws if the answer is that of another call. */
  acknowledge(id: string, answer: unknown): void {
    if (!JSON.stringify(answer).includes(id)) throw new Error(`${id} was answered with ${JSON.stringify(answer)}`);
    this.acknowledged.add(id);
  }

  newId(what: string): string {
    return `${what}-${++this.#count}`;
  }
}

export interface CallContext {
  /** Of the server. */
  readonly url: string;
  readonly calls: Calls;
  readonly journal: Journal;
}

/** A client that calls tools until the signal aborts. */
export type Caller = (context: CallContext, over: AbortSignal) => Promise<void>;

export const callers: Readonly<Record<string, Caller>> = {
  "MCP 2026-07-28": callOverMcp("modern"),
  "MCP 2025-11-25": callOverMcp("legacy"),
  REST: callOverRest,
  code: callFromCode,
  tasks: makeTasks,
  approvals: callWithApproval,
  "rate limit": callTooOften,
};

function callOverMcp(era: "modern" | "legacy"): Caller {
  return (context, over) =>
    withClient(context, era, async (client) => {
      while (!over.aborted) await book(context, era, (id) => client.callTool("book", { id }));
    });
}

function callFromCode(context: CallContext, over: AbortSignal): Promise<void> {
  return withClient(context, "modern", async (client) => {
    while (!over.aborted)
      await book(context, "code", (id) => client.callTool("run_code", { code: `return await book({ id: "${id}" })` }));
  });
}

/** Our client retries by itself, so each call is made once here. */
async function book(
  { calls, journal }: CallContext,
  way: string,
  send: (id: string) => Promise<ToolResult>,
): Promise<void> {
  const id = calls.newId(`book-${way}`);
  await journal.attempt("a call", async () => {
    const result = await journal.once("a call", () => send(id));
    const error = readToolError(result);
    const inCode = (result.structuredContent as { error?: unknown } | undefined)?.error;
    if (!error && !inCode) calls.acknowledge(id, result);
    else if (error?.code === "CONFLICT") calls.unknown.add(id);
    else {
      calls.refused.add(id);
      throw new Error(error?.message ?? JSON.stringify(inCode));
    }
  });
}

async function callOverRest({ url, calls, journal }: CallContext, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const id = calls.newId("book-REST");
    const body = { tool: "book", arguments: { id } };
    await journal.attempt("a call over REST", async () => {
      const answer = await journal.untilAnswered("a call over REST", () =>
        sendJson("POST", `${url}/mcp/execute`, { body, key: id }),
      );
      if (answer["error"] === undefined) calls.acknowledge(id, answer);
      else if (answer["error"] === "CONFLICT") calls.unknown.add(id);
      else throw new Error(JSON.stringify(answer));
    });
  }
}

/** Begins tasks, and waits for each until it has ended, wherever that is. */
function makeTasks(context: CallContext, over: AbortSignal): Promise<void> {
  const { calls, journal } = context;
  return withClient(context, "modern", async (client) => {
    for (let at = 0; !over.aborted; at++) {
      const tool = at % 2 ? "once" : "again";
      const id = calls.newId(tool);
      const begun = await journal.untilAnswered("beginning a task", () =>
        client.request("tools/call", { name: tool, arguments: { id } }, { raw: true, idempotent: true }),
      );
      const { taskId } = begun;
      if (typeof taskId !== "string") {
        calls.unknown.add(id);
        continue;
      }
      calls.tasks.set(taskId, "open");
      await journal.attempt("a task", async () => {
        const ended = await journal.untilAnswered("a task", async () => {
          const task = await client.request("tasks/get", { taskId });
          if (task["status"] === "working") throw new Error("It still works.");
          return task;
        });
        const { status, error } = ended;
        const why = JSON.stringify(error);
        calls.tasks.set(taskId, "ended");
        if (status === "completed") calls.acknowledge(id, ended);
        else if (tool === "once" && why.includes("may or may not have run")) calls.unknown.add(id);
        else if (/The store .* cannot be reached/.test(why)) calls.refused.add(id);
        else throw new Error(JSON.stringify(ended));
      });
    }
  });
}

/** Two clients make the same call, which a person approves once. One of them may run it. */
async function callWithApproval({ url, calls, journal }: CallContext, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const id = calls.newId("refund");
    const body = { tool: "refund", arguments: { id } };
    const attempt = async (): Promise<void> => {
      for (let tries = 0; !over.aborted && !calls.acknowledged.has(id); tries++) {
        const answer = await journal.untilAnswered("a call with approval", () =>
          sendJson("POST", `${url}/mcp/execute`, { body }),
        );
        if (answer["error"] === undefined) return calls.acknowledge(id, answer);
        // Its approval was used, by the other client or by a server that died: the call may have been made.
        if (answer["error"] === "APPROVAL_REJECTED" || tries > 200) return void calls.unknown.add(id);
        if (answer["error"] !== "APPROVAL_PENDING") throw new Error(JSON.stringify(answer));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await journal.attempt("a call with approval", async () => void (await Promise.all([attempt(), attempt()])));
  }
}

async function callTooOften({ url, journal }: CallContext, over: AbortSignal): Promise<void> {
  const body = { tool: "limited", arguments: { id: "limited" } };
  while (!over.aborted) {
    await sendJson("POST", `${url}/mcp/execute`, { body }).catch(() => {
      journal.retries++;
      return new Promise((resolve) => setTimeout(resolve, 20));
    });
    await journal.rest();
  }
}

async function withClient(
  { url, journal }: CallContext,
  era: "modern" | "legacy",
  work: (client: Client) => Promise<void>,
): Promise<void> {
  await using client = await journal.untilAnswered("connecting", () => connect(`${url}/mcp`, { era }));
  await work(client);
}
