import { resolve } from "node:path";
import { defineCommand } from "citty";
import { loadConfig } from "../config/load-config.ts";
import { startAgents } from "./demo/agents.ts";
import { customerDesk } from "./demo/customer-desk.ts";
import { makeDemoFolder } from "./demo/demo-folder.ts";
import { makeVisitor } from "./demo/visitor.ts";
import type { Visitor } from "./demo/visitor.ts";
import { listenUntilStopped } from "./listen.ts";
import { runHouse } from "./run-house.ts";
import type { Up } from "./run-house.ts";
import { openState } from "./state.ts";
import { shellWord } from "./terminal/shell-word.ts";
import { whatIsThere } from "./what-is-there.ts";

/** `biplane demo`: a house with something in every room, and agents at work in it. */
export const demo = defineCommand({
  meta: {
    name: "demo",
    description: "Serve a demo: a customer desk, packs in a temporary folder, environments, and agents that use them",
  },
  args: {
    url: { type: "string", description: "http://host:port or stdio", default: "http://127.0.0.1:8000" },
    stdio: { type: "boolean", description: "The same as --url stdio: the customer desk alone", default: false },
    agents: { type: "boolean", description: "Whether agents work and play in it", default: true },
  },
  run: async ({ args }) => {
    if (args.stdio || args.url === "stdio") return serveDesk();
    await using folder = await makeDemoFolder();
    const known = await whatIsThere();
    const options = { file: "biplane.yaml", folder: folder.path, environment: {}, known, flags: { listen: args.url } };
    await using state = await openState(options);
    const resolved = await loadConfig({ ...options, secret: (name) => state.secrets.get(name) });
    const visitor = await makeVisitor(state.store);
    await runHouse({
      resolved,
      state,
      keys: visitor.keys,
      more: () => [customerDesk()],
      welcome: (up) => welcome(up, { config: `${folder.path}/biplane.yaml`, visitor }),
      ...(args.agents && {
        meanwhile: ({ url, served, house, log }: Up) =>
          startAgents({ url, served, store: house.store, report: (fault) => log.warn("an agent stopped", { fault }) }),
      }),
    });
  },
});

async function serveDesk(): Promise<void> {
  const server = customerDesk();
  await listenUntilStopped({
    url: "stdio",
    listen: () => server.serve("stdio"),
    close: () => server.close(),
    welcome: () => "",
  });
}

interface Start {
  readonly config: string;
  readonly visitor: Visitor;
}

function welcome({ url }: Up, { config, visitor }: Start): string {
  const program = resolve(process.argv[1] ?? "biplane");
  const host = { mcpServers: { "biplane-demo": { command: "node", args: [program, "demo", "--stdio"] } } };
  return `
  The demo is up: a customer desk, packs, four environments, and agents at work.

  Open the page:

    ${url}/#/overview?key=${visitor.key}

  The link lets you in once. Later, log in as ${visitor.name} with ${visitor.passphrase}

  Agents (MCP)  ${url}/mcp
  Trainers      ${url}/env/frozen-lake  (OpenEnv, Eval Protocol)
  Its config    ${config}

  Try a call, in another terminal:

    curl -s ${url}/mcp/execute -d '{"tool":"get_customer","arguments":{"customerId":"ada"}}'

  One that waits for your word, given on the page or by the second line:

    curl -s ${url}/mcp/execute -d '{"tool":"refund_customer","arguments":{"customerId":"ada","amount":500}}'
    node ${shellWord(program)} approvals approve --all --config ${shellWord(config)}

  For a desktop host (Claude Desktop, Cursor, VS Code …), in its MCP settings:

    ${JSON.stringify(host)}

  Stop with Ctrl-C; nothing is kept.
`;
}
