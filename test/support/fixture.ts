import { z } from "zod";
import { BiplaneError, form, image, prompt, reply, resource, server, text, tool } from "biplane";
import type { Server, ServerOptions } from "biplane";

/** One red pixel. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * A server with one of everything, for clients to be tried on. What a client cannot see from outside it can ask for:
 * `abort_seen` waits until a `hang` was cancelled, `change_tools` and `change_note` make the server change.
 */
export function fixture(options: Partial<ServerOptions> = {}): Server {
  const aborts = new Mailbox<string>();
  const hangs = new Mailbox<string>();
  const heard = new Mailbox<string>();
  const extra = tool({ name: "extra", description: "Comes and goes", run: () => "extra" });
  let isThere = false;

  const gateway: Server = server({
    limits: false,
    name: "fixture",
    version: "1.2.3",
    title: "A fixture",
    description: "Says what is asked of it",
    ...options,
    tools: {
      say: tool({
        description: "Says a word",
        input: z.object({ word: z.string().default("hello") }),
        annotations: { readOnlyHint: true },
        run: ({ word }) => word,
      }),
      add: tool({
        description: "Adds two numbers",
        input: z.object({ a: z.number(), b: z.number() }),
        output: z.object({ sum: z.number() }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      words: tool({ description: "A list", output: z.array(z.string()), run: () => ["one", "two"] }),
      title: tool({ description: "A text with a schema", output: z.string(), run: () => "a title" }),
      shape: tool({
        description: "One of two objects",
        output: z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("dot") }),
          z.object({ kind: z.literal("disc"), radius: z.number() }),
        ]),
        run: () => ({ kind: "disc" as const, radius: 2 }),
      }),
      maybe: tool({
        description: "An object or null",
        input: z.object({ there: z.boolean() }),
        output: z.object({ id: z.string() }).nullable(),
        run: ({ there }) => (there ? { id: "x" } : null),
      }),
      trees: tool({
        description: "A list of what refers to itself",
        output: z.array(tree),
        run: () => [{ name: "root", children: [{ name: "leaf", children: [] }] }],
      }),
      picture: tool({ description: "An image", run: () => reply([text("red:"), image(png, "image/png")]) }),
      fail: tool({
        description: "Throws",
        run: () => {
          throw new Error("it broke");
        },
      }),
      refuse: tool({
        description: "Fails with a code",
        run: () => {
          throw new BiplaneError("RATE_LIMITED", "slow down");
        },
      }),
      slow: tool({ description: "Is too late", timeoutMs: 5, run: () => new Promise(() => undefined) }),
      count: tool({
        description: "Reports progress, and takes each step when its caller has heard of the last",
        input: z.object({ to: z.number().int().max(100) }),
        timeoutMs: 10_000,
        run: async ({ to }, call) => {
          for (let at = 1; at <= to; at++) {
            call.progress(at, { total: to, message: `step ${at}` });
            await heard.take(String(at));
          }
          return to;
        },
      }),
      heard: tool({
        description: "Tells count that its caller has heard of a step",
        input: z.object({ at: z.number() }),
        run: ({ at }) => heard.put(String(at)),
      }),
      chat: tool({
        description: "Writes log lines of two levels",
        run: async (_, call) => {
          call.log("debug", "too quiet");
          call.log("warning", { said: "aloud" }, "chatter");
          return "logged";
        },
      }),
      greet: tool({
        description: "Asks for a name",
        interactive: true,
        timeoutMs: 10_000,
        run: async (_, call) => {
          const answer = await call.ask("name", nameForm);
          return answer.action === "accept" ? `Hello, ${String(answer.content?.["name"])}` : `You ${answer.action}`;
        },
      }),
      hang: tool({
        description: "Waits until it is cancelled",
        input: z.object({ key: z.string() }),
        timeoutMs: 60_000,
        run: ({ key }, call) =>
          new Promise((_, reject) => {
            hangs.put(key);
            call.signal.addEventListener("abort", () => {
              aborts.put(key);
              reject(call.signal.reason as Error);
            });
          }),
      }),
      hang_seen: tool({
        description: "Waits until a hang has started",
        input: z.object({ key: z.string() }),
        timeoutMs: 10_000,
        run: ({ key }) => hangs.take(key),
      }),
      abort_seen: tool({
        description: "Waits until a hang was cancelled",
        input: z.object({ key: z.string() }),
        timeoutMs: 10_000,
        run: ({ key }) => aborts.take(key),
      }),
      change_tools: tool({
        description: "Adds or removes a tool",
        run: () => {
          isThere = !isThere;
          if (isThere) gateway.add(extra);
          else gateway.remove(extra);
          return isThere;
        },
      }),
      change_note: tool({
        description: "Changes the watched note",
        run: () => {
          gateway.updated("note://watched");
          return "changed";
        },
      }),
      ...(options.tools as Record<string, never> | undefined),
    },
    resources: [
      resource({ name: "readme", uri: "note://readme", mimeType: "text/plain", read: () => "read me" }),
      resource({ name: "pixel", uri: "note://pixel", mimeType: "image/png", read: () => Buffer.from(png, "base64") }),
      resource({ name: "watched", uri: "note://watched", read: () => "watch me" }),
      resource({
        name: "note",
        uri: "note://by-id/{id}",
        description: "A note by its id",
        read: ({ id }) => `note ${id}`,
        complete: { id: (typed) => ["alpha", "beta", "alps"].filter((id) => id.startsWith(typed)) },
      }),
    ],
    prompts: [
      prompt({
        name: "review",
        description: "Reviews code",
        arguments: {
          code: { description: "The code", required: true },
          style: { complete: (typed) => ["kind", "harsh"].filter((style) => style.startsWith(typed)) },
        },
        get: ({ code, style = "kind" }) => `Review, being ${style}: ${code}`,
      }),
    ],
  });
  return gateway;
}

const nameForm = form("What is your name?", {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
});

interface Tree {
  name: string;
  children: Tree[];
}
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get children() {
    return z.array(tree);
  },
});

/** Things that happened, each to be waited for once by its key. */
class Mailbox<T extends string> {
  readonly #there = new Set<T>();
  readonly #waiting = new Map<T, (key: T) => void>();

  put(key: T): void {
    const waiting = this.#waiting.get(key);
    if (waiting) waiting(key);
    else this.#there.add(key);
  }

  take(key: T): Promise<T> {
    if (this.#there.delete(key)) return Promise.resolve(key);
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }
}
