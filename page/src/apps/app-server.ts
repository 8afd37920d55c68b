import type { ToolDescription, AppToolResult } from "../../../packages/core/src/app/browser/bridge/content.ts";
import type { AppServer, ListedTool } from "../../../packages/core/src/app/browser/host/index.ts";
import type { ToolSummary } from "../../../packages/biplane/src/admin/overview/overview-api.ts";
import type { CallViaResult } from "../../../packages/biplane/src/admin/calls/call-api.ts";
import { mayUse } from "../access.ts";
import { callApi } from "../api.ts";
import type { ApiResponse } from "../api.ts";
import type { AppTool } from "./app-frame.tsx";

interface AppServerOptions {
  readonly server: string;
  /** URI of the app. Limits the app to the tools and resources of its own server. */
  readonly app: string;
  readonly episode: string | undefined;
  readonly onCall: (tool: string, result: CallViaResult) => void;
}

/** The app's server, reached through the admin API. Calls have the route `app`. */
export function appServer({ server, app, episode, onCall }: AppServerOptions): AppServer {
  return {
    id: server,
    listTools: () => listTools(server),
    callTool: async (tool, input, { signal }) => {
      if (!mayUse("tools")) throw new Error(`You can view this app, but calling ${tool} needs the scope tools.`);
      const body = { server, app, tool, input, via: ["app"] as const, ...(episode !== undefined && { episode }) };
      const { results } = await callApi("POST /api/calls", { body, signal });
      const [result] = results;
      if (result) onCall(tool, result);
      if (!result?.result) throw new Error(`${tool} returned no result (${result?.outcome ?? "empty response"}).`);
      return result.result as unknown as AppToolResult;
    },
    readResource: (uri, { signal }) => callApi("GET /api/resource", { query: { server, app, uri, episode }, signal }),
  };
}

/** The tool description that the app receives. */
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
    const page: ApiResponse<"GET /api/tools"> = await callApi("GET /api/tools", {
      query: { server, limit: 1000, after },
    });
    found.push(...page.tools.map(listed));
    after = page.next;
  }
  return found;
}

function listed({ name, annotations, app }: ToolSummary): ListedTool {
  return { name, annotations, ...(app && { _meta: { ui: { visibility: app.visibility } } }) };
}
