import type { Parts, Spelling } from "./project.ts";

/** A server whose tool has an interactive page: a poll that the model shows and the user votes in. */
export function appFiles(name: string, { suffix, types }: Spelling): Parts {
  const entry = `src/server.${suffix}`;
  const test = `test/server.test.${suffix}`;
  return {
    entry,
    test,
    evaluation: `--servers eval/servers.json --rows eval/rows.jsonl --agent ./eval/agent.${suffix} --scorer ./eval/scorer.${suffix} --threshold 0.9`,
    packages: ["biplane", "esbuild", "zod"],
    config: votingRules,
    about: `\`src/poll.${suffix}\` is the page: it runs in the host's window, not here, and is bundled when the server starts.
\`npx biplane app dev\` shows it without a desktop host, and draws it anew whenever you save a file.
`,
    files: {
      [entry]: `import { app, server, tool } from "biplane";
import { z } from "zod";

const choices = ["tea", "coffee", "water"]${types(" as const")};
const votes = new Map(choices.map((choice) => [choice, 0]));
const pollSchema = z.object({ question: z.string(), votes: z.record(z.string(), z.number()) });

const showPoll = tool({
  name: "show_poll",
  description: "Show the poll to the user, who can vote in it",
  output: pollSchema,
  annotations: { readOnlyHint: true },
  ui: app({ entry: new URL("./poll.${suffix}", import.meta.url), title: "Poll" }),
  run: () => poll(),
});

/** The page's buttons call this one; so may the model. */
const vote = tool({
  name: "vote",
  description: "Vote for one of the choices",
  input: z.object({ choice: z.enum(choices) }),
  output: pollSchema,
  run: ({ choice }) => {
    votes.set(choice, (votes.get(choice) ?? 0) + 1);
    return poll();
  },
});

export default server({ name: ${JSON.stringify(name)}, version: "0.1.0", tools: [showPoll, vote] });

function poll() {
  return { question: "What shall we drink?", votes: Object.fromEntries(votes) };
}
`,
      [`src/poll.${suffix}`]: `import { connectView } from "biplane/app";
${types(`
interface Poll {
  question: string;
  votes: Record<string, number>;
}
`)}
const title = document.createElement("h2");
const list = document.createElement("div");
document.body.append(title, list);

const view = connectView({
  name: "poll",
  version: "0.1.0",
  onResult: ({ structuredContent }) => draw(structuredContent${types(" as Poll")}),
});

function draw(poll${types(": Poll")}) {
  title.textContent = poll.question;
  const buttons = Object.entries(poll.votes).map(([choice, count]) => {
    const button = document.createElement("button");
    button.textContent = \`\${choice}: \${count}\`;
    button.onclick = async () => {
      const { structuredContent } = await view.callTool("vote", { choice });
      draw(structuredContent${types(" as Poll")});
    };
    return button;
  });
  list.replaceChildren(...buttons);
}
`,
      [test]: `import assert from "node:assert/strict";
import { after, test } from "node:test";
import polls from "../${entry}";

after(() => polls.close());

test("a vote is counted", async () => {
  const question = "What shall we drink?";
  assert.deepEqual(await polls.call("show_poll"), { question, votes: { tea: 0, coffee: 0, water: 0 } });
  assert.deepEqual(await polls.call("vote", { choice: "tea" }), { question, votes: { tea: 1, coffee: 0, water: 0 } });
});

test("what is no choice is refused", async () => {
  await assert.rejects(polls.call("vote", { choice: "wine" }), /choice/);
});

test("the poll comes with a page", () => {
  const [poll] = [...polls.tools].filter((tool) => tool.name === "show_poll");
  assert.match(poll?.ui?.app?.html ?? "", /<script type="module">/);
});
`,
      "eval/rows.jsonl": rows,
      "eval/servers.json": `${JSON.stringify({ mcpServers: { [name]: { command: "biplane", args: ["serve", entry, "--stdio"] } } }, undefined, 2)}\n`,
      [`eval/agent.${suffix}`]: `${types('import type { View } from "biplane/rollout";\n\n')}/** Stands in for a model: shows the poll when it is asked to, and votes when it is told for what. */
export default function agent({ messages, step }${types(": View")}) {
  if (step > 0) return "Done.";
  const request = String(messages.findLast(({ role }) => role === "user")?.content);
  const choice = /vote for (\\w+)/i.exec(request)?.[1];
  return choice === undefined ? { name: "show_poll", input: {} } : { name: "vote", input: { choice } };
}
`,
      [`eval/scorer.${suffix}`]: `${types('import type { Trace } from "biplane/rollout";\n\n')}/** 1 where the right call was made, and only that one. What is right stands in the row. */
export default function scorer({ row, steps }${types(": Trace")}) {
  const expected = row.input_metadata?.dataset_info?.expected;
  const calls = steps.flatMap(({ call }) => (call ? [{ name: call.name, input: call.input }] : []));
  return JSON.stringify(calls) === JSON.stringify([expected]) ? 1 : 0;
}
`,
    },
  };
}

const votingRules = `
# Rules, in the order they are tried: the first that fits decides. Without any, every call is allowed.
# A button of the page is a call like any other: its route is app.
# policies:
#   - { tool: vote, route: app, allow: true }
#   - { tool: vote, deny: "Only people vote here" }
# policyDefault: allow
`;

const rows = [
  { id: "show", request: "Let me see the poll.", expected: { name: "show_poll", input: {} } },
  { id: "vote", request: "Vote for water.", expected: { name: "vote", input: { choice: "water" } } },
]
  .map(({ id, request, expected }) => ({
    id,
    system_prompt: "You run a poll. Make the one call that is needed, then say that it is done.",
    user_prompt_template: request,
    expected,
  }))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("");
