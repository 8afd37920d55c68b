import type { ProjectParts, SourceLanguage } from "./project.ts";
import { toolCallEval } from "./tool-call-eval.ts";

/** A server whose tool has an app page: a poll that the user votes in. */
export function appFiles(name: string, language: SourceLanguage): ProjectParts {
  const { suffix, types } = language;
  const entry = `src/server.${suffix}`;
  const test = `test/server.test.${suffix}`;
  const evaluation = toolCallEval({ name, entry, rows, systemPrompt }, language);
  return {
    entry,
    test,
    evaluation: evaluation.evaluation,
    packages: ["biplane", "esbuild", "zod"],
    config: votingRules,
    about: `\`src/poll.${suffix}\` is the app page. It runs in the host's window and is bundled when the server starts.
\`npx biplane app dev\` shows it without a desktop host, and reloads it when you save a file.
`,
    files: {
      [entry]: `import { app, server, tool } from "biplane";
import { z } from "zod";

const choices = ["tea", "coffee", "water"]${types(" as const")};
const votes = new Map(choices.map((choice) => [choice, 0]));
const pollSchema = z.object({ question: z.string(), votes: z.record(z.string(), z.number()) });

const showPoll = tool({
  name: "show_poll",
  description: "Show the poll, in which the user can vote",
  output: pollSchema,
  annotations: { readOnlyHint: true },
  ui: app({ entry: new URL("./poll.${suffix}", import.meta.url), title: "Poll" }),
  run: () => poll(),
});

/** Called by the buttons of the page. The model may call it too. */
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
      [`src/poll.${suffix}`]: `import { connectView } from "biplane/apps/view";
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

test("an unknown choice is rejected", async () => {
  await assert.rejects(polls.call("vote", { choice: "wine" }), /choice/);
});

test("the poll has an app page", () => {
  const [poll] = [...polls.tools].filter((tool) => tool.name === "show_poll");
  assert.match(poll?.ui?.app?.html ?? "", /<script type="module">/);
});
`,
      ...evaluation.files,
      [`eval/agent.${suffix}`]: `${types('import type { AgentView } from "biplane/rollout";\n\n')}/** A scripted agent instead of a model: votes if the user asks for it, else shows the poll. */
export default function agent({ messages, step }${types(": AgentView")}) {
  if (step > 0) return "Done.";
  const request = String(messages.findLast(({ role }) => role === "user")?.content);
  const choice = /vote for (\\w+)/i.exec(request)?.[1];
  return choice === undefined ? { tool: "show_poll", input: {} } : { tool: "vote", input: { choice } };
}
`,
    },
  };
}

const votingRules = `
# Policies. The first matching rule decides; without policies, every call is allowed.
# Calls from the app page have the route app.
# policies:
#   - { tool: vote, route: app, allow: true }
#   - { tool: vote, deny: "Only people may vote" }
# policyDefault: allow
`;

const systemPrompt = "You run a poll. Make the one call that the user asks for, then confirm it.";

const rows = [
  { id: "show", request: "Let me see the poll.", expected: { tool: "show_poll", input: {} } },
  { id: "vote", request: "Vote for water.", expected: { tool: "vote", input: { choice: "water" } } },
];
