import { command, toggle, option } from "./command/define.ts";
import { resolve } from "node:path";
import { loadConfig } from "../config/load-config.ts";
import { startAgents } from "./demo/agents.ts";
import { customerSupport } from "./demo/customer-support.ts";
import { makeDemoFolder } from "./demo/demo-folder.ts";
import { createDemoAccount } from "./demo/demo-account.ts";
import type { DemoAccount } from "./demo/demo-account.ts";
import { listenUntilStopped } from "./listen.ts";
import { runHost } from "./run-host.ts";
import type { Host } from "../host/open-host.ts";
import { openHostState } from "../host/state.ts";
import { shellArgument } from "./terminal/shell-quote.ts";
import { knownNames } from "../host/known-names.ts";

/** `biplane demo`: a server with sample tools, packs, environments and scripted agents. */
export const demoCommand = command(
  "Serve a demo: sample tools, packs in a temporary folder, environments, and agents that use them",
  {
    args: {
      url: option("Address: http://host:port, or stdio", { default: "http://127.0.0.1:8000" }),
      stdio: toggle("Same as --url stdio; serves only the sample tools"),
      agents: toggle("Do not start the agents", { default: true }),
    },
    run: async ({ args }) => {
      if (args.stdio || args.url === "stdio") return serveToolsOverStdio();
      await using folder = await makeDemoFolder();
      const known = await knownNames();
      const options = {
        file: "biplane.yaml",
        folder: folder.path,
        environment: {},
        known,
        flags: { listen: args.url },
      };
      await using state = await openHostState(options);
      const resolved = await loadConfig({ ...options, secret: (name) => state.secrets.get(name) });
      const account = await createDemoAccount(state.store);
      await runHost({
        resolved,
        state,
        keys: account.keys,
        more: () => [customerSupport()],
        welcome: (host) => welcome(host, { config: `${folder.path}/biplane.yaml`, account }),
        ...(args.agents && {
          meanwhile: ({ url, served, runtime, log }: Host) =>
            startAgents({
              url,
              served,
              store: runtime.store,
              report: (fault) => log.warn("A demo agent stopped", { fault }),
            }),
        }),
      });
    },
  },
);

async function serveToolsOverStdio(): Promise<void> {
  const server = customerSupport();
  await listenUntilStopped({
    url: "stdio",
    listen: () => server.serve("stdio"),
    close: () => server.close(),
    welcome: () => "",
  });
}

interface WelcomeOptions {
  readonly config: string;
  readonly account: DemoAccount;
}

function welcome({ url }: Host, { config, account }: WelcomeOptions): string {
  const program = resolve(process.argv[1] ?? "biplane");
  const host = { mcpServers: { "biplane-demo": { command: "node", args: [program, "demo", "--stdio"] } } };
  return `
  The demo is running: customer support tools, packs, four environments, and agents that use them.

  Admin page (the link signs you in once):

    ${url}/#/overview?key=${account.key}

  To sign in again, use the name ${account.name} and the passphrase ${account.passphrase}

  Agents (MCP)  ${url}/mcp
  Trainers      ${url}/env/frozen-lake  (OpenEnv, Eval Protocol)
  Config file   ${config}

  Call a tool, in another terminal:

    curl -s ${url}/mcp/execute -d '{"tool":"get_customer","arguments":{"customerId":"ada"}}'

  Make a call that needs approval, then approve it on the page or with the second command:

    curl -s ${url}/mcp/execute -d '{"tool":"refund_customer","arguments":{"customerId":"ada","amount":500}}'
    node ${shellArgument(program)} approvals approve --all --config ${shellArgument(config)}

  MCP settings for a desktop host (Claude Desktop, Cursor, VS Code …):

    ${JSON.stringify(host)}

  Stop with Ctrl-C. All demo data is deleted then.
`;
}
