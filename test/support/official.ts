import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { stdioServer } from "./child.ts";

/** An official client of either generation, seen alike. */
export interface Slot extends AsyncDisposable {
  /** What the two generations have in common under the same name. */
  readonly client: Common;
  readonly era: "legacy" | "modern";
  readonly v2: ClientV2 | undefined;
  readonly http: HttpV1 | HttpV2 | undefined;
  /** Resolves when the stream stands over which the older era sends what belongs to no request. */
  readonly standing: Promise<void>;
  call(name: string, input?: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
  onElicit(answer: (message: string) => Elicited | Promise<Elicited>): void;
  onLog(told: (line: { level: string; data: unknown; logger?: string | undefined }) => void): void;
  onToolsChanged(told: () => void): void;
  onUpdated(told: (uri: string) => void): void;
}

type Common = Pick<
  ClientV1,
  "onerror" | "getServerVersion" | "getServerCapabilities" | "getInstructions" | "close" | "ping"
> &
  Pick<ClientV1, "listTools" | "listPrompts" | "getPrompt" | "complete" | "setLoggingLevel"> &
  Pick<ClientV1, "listResources" | "listResourceTemplates" | "readResource"> &
  Pick<ClientV1, "subscribeResource" | "unsubscribeResource">;

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

export interface CallResult {
  readonly content: readonly { type: string; text?: string; data?: string; mimeType?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

type Elicited = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Wire {
  readonly name: string;
  readonly era: "legacy" | "modern";
  readonly transport: "http" | "stdio";
  /** `url` is of no use to clients that start their own server. */
  connect(url: string, options?: { fetch?: Fetch }): Promise<Slot>;
}

const about = { name: "official", version: "1" };
const capabilities = { elicitation: { form: {} } };

type Mode = "legacy" | "auto" | { pin: string };

function second(label: string, mode: Mode, transport: "http" | "stdio"): Wire {
  const era = mode === "legacy" ? "legacy" : "modern";
  return {
    name: `SDK v2, ${label}, ${transport}`,
    era,
    transport,
    async connect(url, options = {}) {
      const client = new ClientV2(about, { capabilities, versionNegotiation: { mode } });
      const stream = watchStream(options.fetch);
      const http = transport === "http" ? new HttpV2(new URL(url), { fetch: stream.fetch }) : undefined;
      await client.connect(http ?? new StdioV2({ ...stdioServer, stderr: "inherit" }));
      return {
        client: client as unknown as Common,
        era,
        v2: client,
        http,
        standing: http && this.era === "legacy" ? stream.stands : Promise.resolve(),
        call: async (name, input = {}, callOptions = {}) =>
          (await client.callTool({ name, arguments: input }, callOptions as never)) as CallResult,
        onElicit: (answer) =>
          client.setRequestHandler("elicitation/create", async ({ params }) => await answer(params.message)),
        onLog: (told) => client.setNotificationHandler("notifications/message", ({ params }) => told(params)),
        onToolsChanged: (told) => client.setNotificationHandler("notifications/tools/list_changed", () => told()),
        onUpdated: (told) =>
          client.setNotificationHandler("notifications/resources/updated", ({ params }) => told(params.uri)),
        [Symbol.asyncDispose]: () => client.close(),
      };
    },
  };
}

function first(transport: "http" | "stdio"): Wire {
  return {
    name: `SDK v1, ${transport}`,
    era: "legacy",
    transport,
    async connect(url, options = {}) {
      const client = new ClientV1(about, { capabilities });
      const stream = watchStream(options.fetch);
      const http = transport === "http" ? new HttpV1(new URL(url), { fetch: stream.fetch }) : undefined;
      const wire = http ?? new StdioV1({ ...stdioServer, stderr: "inherit" });
      await client.connect(wire);
      return {
        client,
        era: "legacy",
        v2: undefined,
        http,
        standing: http && this.era === "legacy" ? stream.stands : Promise.resolve(),
        call: async (name, input = {}, callOptions = {}) =>
          (await client.callTool({ name, arguments: input }, undefined, callOptions as never)) as CallResult,
        onElicit: (answer) =>
          client.setRequestHandler(ElicitRequestSchema, async ({ params }) => await answer(params.message)),
        onLog: (told) => client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => told(params)),
        onToolsChanged: (told) => client.setNotificationHandler(ToolListChangedNotificationSchema, () => told()),
        onUpdated: (told) =>
          client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told(params.uri)),
        [Symbol.asyncDispose]: () => client.close(),
      };
    },
  };
}

/** Every way in which an official client connects. */
export const wires: readonly Wire[] = (["http", "stdio"] as const).flatMap((transport) => [
  second("legacy", "legacy", transport),
  second("auto", "auto", transport),
  second("pinned to 2026-07-28", { pin: "2026-07-28" }, transport),
  first(transport),
]);

/** A fetch that tells when the standing stream has been opened. */
function watchStream(inner: Fetch = fetch): { fetch: Fetch; stands: Promise<void> } {
  let tell: () => void = () => undefined;
  const stands = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    stands,
    async fetch(url, init) {
      const response = await inner(url, init);
      if (init?.method === "GET") tell();
      return response;
    },
  };
}
