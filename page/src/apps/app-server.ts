import type { ToolDescription, ToolResult } from "../../../src/app/browser/bridge/content.ts";
import type { AppServer, ListedTool } from "../../../src/app/browser/host/index.ts";
import type { ShownResource, ShownTool, WayAnswer } from "../../../src/desk/contract.ts";
import { ask } from "../api.ts";
import type { AppTool } from "./app-frame.tsx";

interface AppServerOptions {
  readonly server: string;
  /** The page's own URI: it reaches what is of the same server, and nothing else behind the same door. */
  readonly app: string;
  readonly episode: string | undefined;
  readonly onCall: (tool: string, answer: WayAnswer) => void;
}

/** The server that an app came from, over the people's API: its calls have the route `app`. */
export function appServer({ server, app, episode, onCall }: AppServerOptions): AppServer {
  return {
    id: server,
    listTools: () => listTools(server),
    callTool: async (tool, input, { signal }) => {
      const body = { server, app, tool, input, ways: ["app"], ...(episode !== undefined && { episode }) };
      const { answers } = await ask<{ answers: readonly WayAnswer[] }>("POST /api/calls", { body, signal });
      const [answer] = answers;
      if (answer) onCall(tool, answer);
      if (!answer?.result) throw new Error(`${tool} gave no result: ${answer?.outcome ?? "nothing was answered"}`);
      return answer.result as unknown as ToolResult;
    },
    readResource: async (uri, { signal }) =>
      (await ask<ShownResource>("GET /api/resource", { query: { server, app, uri, episode }, signal })) as Awaited<
        ReturnType<NonNullable<AppServer["readResource"]>>
      >,
  };
}

/** What an app is told of the tool it is shown for. */
export function toolInfo({ name, title, description, input, output, annotations }: AppTool): ToolDescription {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { ...input, type: "object" },
    ...(output && { outputSchema: output }),
    ...(annotations && { annotations }),
  };
}

async function listTools(server: string): Promise<readonly ListedTool[]> {
  const found: ListedTool[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const query: Record<string, string | number | undefined> = { server, limit: 1000, after };
    const page: ToolPage = await ask<ToolPage>("GET /api/tools", { query });
    found.push(...page.tools.map(listed));
    after = page.next;
  }
  return found;
}

interface ToolPage {
  readonly tools: readonly ShownTool[];
  readonly next: string | null;
}

function listed({ name, annotations, app }: ShownTool): ListedTool {
  return { name, annotations, ...(app && { _meta: { ui: { visibility: app.visibility } } }) };
}
