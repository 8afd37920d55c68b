import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as official from "@modelcontextprotocol/ext-apps/app-bridge";
import { EXTENSION_ID } from "@modelcontextprotocol/ext-apps/server";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BiplaneError } from "../../packages/core/src/errors.ts";
import type { HostCapabilities } from "../../packages/core/src/app/browser/bridge/capabilities.ts";
import type { HostContext, StyleVariable } from "../../packages/core/src/app/browser/bridge/context.ts";
import type { HostNotifications, SandboxNotifications } from "../../packages/core/src/app/browser/bridge/messages.ts";
import type { ViewNotifications, ViewRequests } from "../../packages/core/src/app/browser/bridge/messages.ts";
import { methods } from "../../packages/core/src/app/browser/bridge/methods.ts";
import { appsExtension } from "../../packages/core/src/protocol/protocol.ts";
import { appMimeType } from "../../packages/core/src/tool/mcp-apps.ts";
import { protocolVersion, unknownMethod } from "../../packages/core/src/app/browser/bridge/methods.ts";
import { readResourceUi, readToolUi } from "../../packages/core/src/app/browser/bridge/read-meta.ts";
import { isViewNotification, isViewRequest } from "../../packages/core/src/app/browser/bridge/read-view.ts";
import { readViewNotification, readViewRequest } from "../../packages/core/src/app/browser/bridge/read-view.ts";
import {
  errorOf,
  rpcFaultOf,
  isNotification,
  isRequest,
  isResponse,
} from "../../packages/core/src/app/browser/bridge/rpc.ts";

const schemaFile = createRequire(import.meta.url).resolve("@modelcontextprotocol/ext-apps/schema.json");
const { $defs } = JSON.parse(readFileSync(schemaFile, "utf8")) as { $defs: Record<string, object> };
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** What the reference package's JSON Schema has against a value: nothing, when it is right. */
function objections(name: string, value: unknown): unknown {
  const validate = ajv.compile($defs[name] as object);
  return validate(value) ? [] : validate.errors;
}

const runs = process.env["BIPLANE_SOAK"] ? 20_000 : 300;

const csp = {
  connectDomains: ["https://api.example.org", "wss://live.example.org"],
  resourceDomains: ["https://*.example.org"],
  frameDomains: ["https://video.example.org"],
  baseUriDomains: ["https://cdn.example.org"],
};
const permissions = { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} };

const names = ($defs["McpUiStyleVariableKey"] as { anyOf: { const: StyleVariable }[] }).anyOf.map((name) => name.const);
const variables = Object.fromEntries(names.map((name) => [name, "light-dark(#111, #eee)"]));

const context: HostContext = {
  toolInfo: { id: 7, tool: { name: "show_table", inputSchema: { type: "object", properties: {} } } },
  theme: "dark",
  styles: {
    variables,
    css: { fonts: "@font-face { font-family: X; src: url(x.woff2) }" },
  },
  displayMode: "inline",
  availableDisplayModes: ["inline", "fullscreen", "pip"],
  locale: "de-AT",
  timeZone: "Europe/Vienna",
  userAgent: "biplane",
  platform: "web",
  deviceCapabilities: { touch: false, hover: true },
  safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 },
};

const hostCapabilities: HostCapabilities = {
  experimental: { "dev.biplane/x": {} },
  openLinks: {},
  serverTools: { listChanged: true },
  serverResources: { listChanged: false },
  logging: {},
  sandbox: { permissions, csp },
  updateModelContext: { text: {}, structuredContent: {} },
  message: { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} },
};

const blocks = [
  { type: "text", text: "hello", annotations: { audience: ["user"], priority: 0.5 } },
  { type: "image", data: "aGk=", mimeType: "image/png" },
  { type: "audio", data: "aGk=", mimeType: "audio/wav" },
  { type: "resource", resource: { uri: "file:///a", text: "a", mimeType: "text/plain" } },
  { type: "resource", resource: { uri: "file:///b", blob: "aGk=" } },
  { type: "resource_link", uri: "file:///c", name: "c", title: "C", description: "a file", mimeType: "text/plain" },
] as const;

type Schema = { readonly schema: string };
type RequestSample<Method extends keyof ViewRequests> = Schema & { readonly params: ViewRequests[Method]["params"] };

/** One full message of each kind that the package has a schema for. */
const viewRequests: { readonly [Method in keyof ViewRequests]?: RequestSample<Method> } = {
  "ui/initialize": {
    schema: "McpUiInitializeRequest",
    params: {
      appInfo: { name: "table", version: "1.0.0", title: "Table", description: "A table", websiteUrl: "https://x.org" },
      appCapabilities: {
        experimental: { x: {} },
        tools: { listChanged: true },
        availableDisplayModes: ["inline", "pip"],
      },
      protocolVersion,
    },
  },
  "ui/open-link": { schema: "McpUiOpenLinkRequest", params: { url: "https://example.org/a?b=c#d" } },
  "ui/message": { schema: "McpUiMessageRequest", params: { role: "user", content: blocks } },
  "ui/update-model-context": {
    schema: "McpUiUpdateModelContextRequest",
    params: { content: blocks, structuredContent: { chosen: [1, 2] } },
  },
  "ui/request-display-mode": { schema: "McpUiRequestDisplayModeRequest", params: { mode: "fullscreen" } },
};
const viewNotifications: { readonly [Method in keyof ViewNotifications]?: Schema & { params: object } } = {
  "ui/notifications/initialized": { schema: "McpUiInitializedNotification", params: {} },
  "ui/notifications/size-changed": { schema: "McpUiSizeChangedNotification", params: { width: 400, height: 123.5 } },
};
const hostNotifications: {
  readonly [Method in keyof (HostNotifications & SandboxNotifications)]?: Schema & {
    params: (HostNotifications & SandboxNotifications)[Method];
  };
} = {
  "ui/notifications/tool-input-partial": { schema: "McpUiToolInputPartialNotification", params: { arguments: {} } },
  "ui/notifications/tool-input": { schema: "McpUiToolInputNotification", params: { arguments: { rows: 3 } } },
  "ui/notifications/tool-result": {
    schema: "McpUiToolResultNotification",
    params: { content: blocks, structuredContent: { rows: [] }, isError: false, _meta: { at: 1 } },
  },
  "ui/notifications/tool-cancelled": { schema: "McpUiToolCancelledNotification", params: { reason: "user action" } },
  "ui/notifications/host-context-changed": { schema: "McpUiHostContextChangedNotification", params: context },
  "ui/notifications/sandbox-proxy-ready": { schema: "McpUiSandboxProxyReadyNotification", params: {} },
  "ui/notifications/sandbox-resource-ready": {
    schema: "McpUiSandboxResourceReadyNotification",
    params: { html: "<p>", sandbox: "allow-scripts", csp, permissions },
  },
};

describe("our messages and the reference package's schema", () => {
  test.each(
    Object.entries({ ...viewRequests, ...viewNotifications, ...hostNotifications }).map(
      ([method, { schema, params }]) => ({ method, schema, params }),
    ),
  )("$method is what the schema says", ({ method, schema, params }) => {
    expect(objections(schema, { method, params })).toEqual([]);
    expect(objections(schema, { method, params: 7 })).not.toEqual([]);
  });

  test.each([
    [
      "McpUiInitializeResult",
      { protocolVersion, hostInfo: { name: "h", version: "1" }, hostCapabilities, hostContext: context },
    ],
    ["McpUiHostCapabilities", hostCapabilities],
    ["McpUiHostContext", context],
    ["McpUiOpenLinkResult", { isError: true }],
    ["McpUiMessageResult", {}],
    ["McpUiRequestDisplayModeResult", { mode: "pip" }],
    ["McpUiResourceTeardownResult", {}],
    ["McpUiResourceMeta", readResourceUi({ ui: { csp, permissions, domain: "a.example.org", prefersBorder: true } })],
    ["McpUiToolMeta", readToolUi({ ui: { resourceUri: "ui://x", visibility: ["app"] } })],
    ["McpUiClientCapabilities", { mimeTypes: [appMimeType] }],
  ])("%s of ours is valid", (name, value) => {
    expect(objections(name, value)).toEqual([]);
  });

  // Here the generated JSON Schema is stricter than the text: it wants all variables, and never both dimensions.
  test("a host may give both dimensions, and the style variables it has, but none of its own making", () => {
    const check = (context: HostContext) => official.McpUiHostContextSchema.safeParse(context).success;
    expect(check({ ...context, containerDimensions: { width: 400, maxHeight: 600 } })).toBe(true);
    expect(check({ styles: { variables: { "--font-sans": "Inter" } } })).toBe(true);
    expect(check({ styles: { variables: Object.fromEntries([["--own", "1"]]) } })).toBe(false);
  });

  test("the names are the package's", () => {
    const theirs = Object.entries(official).flatMap(([name, value]) =>
      name.endsWith("_METHOD") ? [value as string] : [],
    );
    const ours = Object.values<string>(methods);
    const isDraft = (method: string) => unknownMethod(method).message.includes("draft");
    expect(theirs.filter((method) => !ours.includes(method) && !isDraft(method))).toEqual([]);
    expect(protocolVersion).toBe(official.LATEST_PROTOCOL_VERSION);
    expect(appMimeType).toBe(official.RESOURCE_MIME_TYPE);
    expect(appsExtension).toBe(EXTENSION_ID);
  });
});

describe("what a host reads from a page", () => {
  test.each(Object.entries(viewRequests))("%s is read completely", (method, { params }) => {
    if (!isViewRequest(method)) throw new Error(method);
    expect(readViewRequest[method]({ ...params })).toEqual(params);
  });

  test("unknown fields are dropped", () => {
    const read = readViewRequest["tools/call"];
    const hostile = { name: "x", arguments: { a: 1 }, _meta: { "dev.biplane/episode": "stolen" }, task: {} };
    expect(read(hostile)).toEqual({ name: "x", arguments: { a: 1 } });
    expect(readViewRequest["resources/read"]({ uri: "ui://x", _meta: {} })).toEqual({ uri: "ui://x" });
    expect(readViewRequest["ui/message"]({ role: "user", content: { type: "text", text: "a", evil: 1 } })).toEqual({
      role: "user",
      content: [{ type: "text", text: "a" }],
    });
  });

  test.each([
    ["ui/open-link", { url: "javascript:alert(1)" }, "url must be an absolute http, https or mailto address"],
    ["ui/open-link", { url: " data:text/html,x" }, "url must be an absolute"],
    ["ui/open-link", { url: "/relative" }, "url must be an absolute"],
    ["ui/open-link", { url: ["https://example.org"] }, "url must be a string"],
    ["ui/message", { role: "assistant", content: [] }, "role must be one of user"],
    ["ui/message", { role: "user", content: "text" }, "content must be content blocks"],
    ["ui/message", { role: "user", content: [{ type: "constructor" }] }, "type must be one of text"],
    ["ui/message", { role: "user", content: [{ type: "image", data: "x" }] }, "mimeType must be a string"],
    ["ui/update-model-context", { structuredContent: [] }, "structuredContent must be an object"],
    ["ui/request-display-mode", { mode: "toString" }, "mode must be one of inline, fullscreen, pip"],
    ["ui/initialize", { appInfo: {}, appCapabilities: {}, protocolVersion }, "name must be a string"],
    ["tools/call", { name: 7 }, "name must be a string"],
    ["resources/read", {}, "uri must be a string"],
  ] as const)("%s %o is refused", (method, params, reason) => {
    expect(() => readViewRequest[method]({ ...params })).toThrow(reason);
  });

  test("a size must be a length", () => {
    const read = readViewNotification["ui/notifications/size-changed"];
    expect(read({ height: 10 })).toEqual({ height: 10 });
    for (const height of [-1, Number.NaN, Infinity, "10px"]) expect(() => read({ height })).toThrow("height must be");
  });

  test("a display mode of a later revision is left out", () => {
    const appCapabilities = { availableDisplayModes: ["inline", "hologram"] };
    const params = { appInfo: { name: "x", version: "1" }, appCapabilities, protocolVersion: "2027-01-01" };
    expect(readViewRequest["ui/initialize"](params).appCapabilities).toEqual({ availableDisplayModes: ["inline"] });
  });

  test("whatever params hold, they are read as the schema wants them or refused as invalid", () => {
    const members = [
      "url",
      "role",
      "content",
      "mode",
      "appInfo",
      "appCapabilities",
      "protocolVersion",
      "structuredContent",
    ];
    const good = fc.constantFrom<unknown>(
      "user",
      "inline",
      "https://a.org",
      blocks,
      blocks[0],
      {},
      { name: "x", version: "1" },
    );
    const params = fc.dictionary(fc.constantFrom(...members), fc.oneof(good, fc.anything()));
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(viewRequests)), params, (method, sent) => {
        if (!isViewRequest(method)) throw new Error(method);
        try {
          const read = JSON.parse(JSON.stringify({ method, params: readViewRequest[method](sent) })) as unknown;
          expect(objections(viewRequests[method]?.schema ?? "", read)).toEqual([]);
        } catch (error) {
          if (error instanceof BiplaneError) expect(error.code).toBe("INVALID_INPUT");
          else throw error;
        }
      }),
      { numRuns: runs },
    );
  });

  test("a name that every object has is no method", () => {
    for (const name of ["constructor", "__proto__", "toString", "tools/list"]) {
      expect(isViewRequest(name)).toBe(false);
      expect(isViewNotification(name)).toBe(false);
    }
  });

  test("the draft's methods are known, and refused as a draft's", () => {
    expect(unknownMethod("ui/download-file")).toEqual({
      code: -32601,
      message: "ui/download-file is only in the draft of MCP Apps, not in 2026-01-26",
    });
    expect(unknownMethod("x".repeat(1000))).toEqual({ code: -32601, message: `Method not found: ${"x".repeat(100)}` });
  });
});

describe("metadata of a server", () => {
  test("fields of the content override those of the listing", () => {
    const listed = { ui: { prefersBorder: true, domain: "a.org", csp: { connectDomains: ["https://a.org"] } } };
    expect(readResourceUi({ ui: { csp: {} } }, listed)).toEqual({ prefersBorder: true, domain: "a.org", csp: {} });
    expect(readResourceUi(undefined, undefined)).toEqual({});
  });

  test("a permission that is not an object is ignored", () => {
    expect(
      readResourceUi({ ui: { permissions: { camera: true, microphone: {}, geolocation: false, usb: {} } } }),
    ).toEqual({
      permissions: { microphone: {} },
    });
  });

  test("a tool's page is under either key, the nested one first, and visible to both unless it says otherwise", () => {
    expect(readToolUi({ "ui/resourceUri": "ui://old" })).toEqual({
      resourceUri: "ui://old",
      visibility: ["model", "app"],
    });
    expect(readToolUi({ "ui/resourceUri": "ui://old", ui: { resourceUri: "ui://new", visibility: [] } })).toEqual({
      resourceUri: "ui://new",
      visibility: [],
    });
    expect(readToolUi(undefined)).toEqual({ visibility: ["model", "app"] });
    expect(() => readToolUi({ ui: { resourceUri: "https://x.org" } })).toThrow("must be a ui:// address");
  });

  test("a domain list must be a list", () => {
    expect(() => readResourceUi({ ui: { csp: { connectDomains: "https://a.org" } } })).toThrow(
      "connectDomains must be a list",
    );
  });
});

describe("guards", () => {
  const rpc = (message: object) => ({ jsonrpc: "2.0", ...message });

  test("a message is one of the three, or none", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record(
            {
              jsonrpc: fc.constant("2.0"),
              id: fc.oneof(fc.integer(), fc.string(), fc.anything()),
              method: fc.oneof(fc.string(), fc.anything()),
              params: fc.oneof(fc.object(), fc.anything()),
              result: fc.oneof(fc.object(), fc.anything()),
              error: fc.oneof(fc.object(), fc.anything()),
            },
            { requiredKeys: [] },
          ),
        ),
        (message) => {
          const found = [isRequest, isNotification, isResponse].filter((guard) => guard(message));
          expect(found.length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: runs },
    );
  });

  test.each([
    [rpc({ id: 1, method: "ping" }), isRequest],
    [rpc({ id: "a", method: "ping", params: {} }), isRequest],
    [rpc({ method: "ping" }), isNotification],
    [rpc({ id: 0, result: {} }), isResponse],
    [rpc({ id: 0, error: { code: 1, message: "x" } }), isResponse],
  ])("%o is read", (message, guard) => {
    expect(guard(message)).toBe(true);
  });

  test.each([
    null,
    "ping",
    [rpc({ id: 1, method: "ping" })],
    new Map([["jsonrpc", "2.0"]]),
    { id: 1, method: "ping" },
    { jsonrpc: "1.0", id: 1, method: "ping" },
    rpc({ id: null, method: "ping" }),
    rpc({ id: 1.5, method: "ping" }),
    rpc({ id: 1, method: 7 }),
    rpc({ id: 1, method: "ping", params: [1] }),
    rpc({ id: 1, result: {}, error: {} }),
    rpc({ id: 1, result: null }),
    rpc({ id: 1 }),
  ])("%o is nothing", (message) => {
    expect([isRequest(message), isNotification(message), isResponse(message)]).toEqual([false, false, false]);
  });

  test("an error is sent as a code and a message, and read back as the same code", () => {
    for (const code of ["INVALID_INPUT", "NOT_SUPPORTED", "EXECUTION_ERROR"] as const) {
      const error = errorOf(rpcFaultOf(new BiplaneError(code, "no")), "host");
      expect(error).toMatchObject({ code, message: "The host refused: no" });
    }
    expect(rpcFaultOf("a thrown string")).toEqual({ code: -32000, message: "a thrown string" });
    expect(errorOf({ code: "x", message: 7 }, "view")).toMatchObject({
      code: "EXECUTION_ERROR",
      message: "The view refused: no reason given",
    });
  });
});
