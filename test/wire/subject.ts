import { setTimeout as sleep } from "node:timers/promises";
import { allow, deny, form, image, prompt, reply, resource, server, text, tool } from "biplane";
import type { CallEnd, CallError, Server } from "biplane";

/** What happened to each call, as the hooks told it; what differs from wire to wire by nature is left out. */
export interface Happening {
  readonly tool: string;
  readonly input: unknown;
  readonly outcome: unknown;
}

/** A server with one tool for each outcome of a call, served over every protocol. */
export function subject(): { server: Server; happenings: Happening[] } {
  const happenings: Happening[] = [];
  const subject = server({
    name: "subject",
    version: "1.2.3",
    description: "Everything that can happen to a call",
    limits: false,
    tools: {
      add: tool({
        description: "Adds two numbers",
        input: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
        idempotent: true,
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      greet: tool({ description: "Greets", run: async () => "Hello" }),
      picture: tool({ description: "Shows", run: () => reply([text("Look:"), image("AAAA", "image/png")]) }),
      nothing: tool({ description: "Does nothing", run: () => undefined }),
      list: tool({ description: "Gives a list", run: () => [1, 2, 3] }),
      fail: tool({
        description: "Fails",
        run: () => {
          throw new Error("It broke");
        },
      }),
      fail_late: tool({
        description: "Fails after waiting",
        run: async () => {
          await Promise.resolve();
          throw new TypeError("It broke later");
        },
      }),
      misfit: tool({
        description: "Breaks its promise",
        output: { type: "object", required: ["x"] },
        run: () => ({ y: 1 }),
      }),
      forbidden: tool({ description: "Nobody may", run: () => "never" }),
      slow: tool({
        description: "Too slow",
        timeoutMs: 30,
        run: (_, call) => sleep(60_000, "late", { signal: call.signal }),
      }),
      ask: tool({
        description: "Asks",
        interactive: true,
        run: async (_, call) => {
          const answer = await call.ask(
            "name",
            form("Who?", { type: "object", properties: { name: { type: "string" } } }),
          );
          return { hello: answer.content?.["name"] ?? answer.action };
        },
      }),
    },
    resources: [
      resource({ name: "fixed", uri: "note://fixed", mimeType: "text/plain", read: () => "A note" }),
      resource({ name: "note", uri: "note://by-id/{id}", read: ({ id }) => `Note ${id}` }),
    ],
    prompts: [
      prompt({ name: "hello", arguments: { who: { required: true } }, get: ({ who }) => `Say hello to ${who}` }),
    ],
  });
  subject.policy((_, toolName) => (toolName === "forbidden" ? deny("Not for you") : allow()));
  const note = ({ tool: name, input, ...end }: CallEnd | CallError) => {
    const outcome = "error" in end ? end.error : { status: end.status, value: end.value };
    happenings.push({ tool: name, input, outcome });
  };
  subject.watch({ onEnd: note, onError: note });
  return { server: subject, happenings };
}
