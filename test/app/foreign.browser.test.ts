import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resourceOf } from "../../packages/core/src/app/browser/host/resource-of.ts";
import { appUriOf, modelTools } from "../../packages/core/src/app/browser/host/visibility.ts";
import { connect } from "biplane/client";
import type { Client, ToolInfo } from "biplane/client";
import { openStage, show } from "./host-stage.ts";
import type { Shown, Stage } from "./host-stage.ts";

/** The example servers of the MCP Apps project: other people's servers, and pages with the official client in them. */
interface Foreign {
  readonly server: string;
  /** What of the result must be there to read. */
  readonly drawn: (structured: Structured) => string[];
  /** What a person does next, and what comes of it. */
  readonly used: (app: Shown, page: Page) => Promise<void>;
}

interface Structured {
  readonly [key: string]: string;
}
const named = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);
const patient = { timeout: 10_000 };
const textOf = (app: Shown) => app.view.evaluate("document.body.innerText + document.body.textContent");

const foreign: readonly Foreign[] = [
  {
    server: "basic-vanillajs",
    drawn: ({ time = "" }) => [time],
    used: async (app) => {
      const press = (name: string) => app.view.getByRole("button", { name }).click();
      await press("Get Server Time");
      expect(await app.waitFor("call")).toEqual({ name: "get-time", input: {} });
      await press("Send Message");
      const text = { type: "text", text: "This is message text." };
      expect(await app.waitFor("message")).toEqual({ role: "user", content: [text] });
      await press("Open Link");
      expect(await app.waitFor("opened")).toBe("https://modelcontextprotocol.io/");
      await press("Send Log");
      await expect.poll(() => app.logged("notifications/message"), patient).toHaveLength(1);
    },
  },
  {
    server: "system-monitor",
    drawn: ({ hostname = "", platform = "" }) => [hostname, platform],
    // It asks for news all the time, by a tool that the model does not know of.
    used: async (app) => {
      expect(await app.waitFor("call")).toEqual({ name: "poll-system-stats", input: {} });
      await expect.poll(() => textOf(app), patient).toMatch(/\d+%/);
    },
  },
  {
    server: "budget-allocator",
    drawn: ({ config }) => named((config as unknown as { categories: unknown }).categories),
    used: async (app) => {
      await app.view.locator("select").first().selectOption({ index: 2 });
      await expect.poll(() => textOf(app), patient).not.toContain("/ $100,000");
    },
  },
  {
    server: "cohort-heatmap",
    // It asks for its data itself.
    drawn: () => ["Cohort Retention Analysis", "M11"],
    used: async (app) => {
      await app.view.locator("select").first().selectOption("revenue");
      await expect
        .poll(() => app.told("call"), patient)
        .toContainEqual({ name: "get-cohort-data", input: expect.objectContaining({ metric: "revenue" }) as object });
    },
  },
  {
    server: "scenario-modeler",
    drawn: ({ templates }) => named(templates),
    used: async (app) => {
      const before = await app.view.locator("canvas").screenshot();
      await app.view.locator("select").first().selectOption({ index: 2 });
      await expect.poll(async () => before.equals(await app.view.locator("canvas").screenshot()), patient).toBe(false);
    },
  },
  {
    server: "customer-segmentation",
    drawn: () => ["Enterprise", "Mid-Market", "Startup"],
    used: async (app) => {
      expect(await app.waitFor("call")).toEqual({ name: "get-customer-data", input: {} });
      expect((await app.view.locator("canvas").screenshot()).length).toBeGreaterThan(5000);
    },
  },
];

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

test.each(foreign)("$server is drawn with our data, and calls back", async ({ server, drawn, used }) => {
  await using client = await connectTo(server);
  const tools = await client.listTools();
  const tool = modelTools(tools).find((each) => appUriOf(each) !== undefined) as ToolInfo;
  const uri = appUriOf(tool) ?? "";
  const listed = (await client.listResources()).find((each) => each.uri === uri);
  const resource = resourceOf(await client.readResource(uri), listed);
  const page = await stage.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => void faults.push(message));
  await page.exposeFunction("remoteServer", (method: "listTools" | "callTool" | "readResource", given: [string]) =>
    (client[method] as (...given: unknown[]) => unknown)(...given),
  );
  await stage.clear(page);
  const app = await show(page, stage, {
    html: resource.html,
    resource,
    isRemote: true,
    serverId: server,
    consent: true,
    context: { theme: "light", containerDimensions: { maxHeight: 2000 } },
  });
  const result = await client.callTool(tool.name);
  await page.evaluate((result) => {
    stageState().frame.input({});
    stageState().frame.result(result);
  }, result);
  await app.waitFor("ready");
  for (const text of drawn(result.structuredContent as Structured))
    await expect.poll(() => textOf(app), patient).toContain(text);
  await used(app, page);
  await app.waitFor("size");
  if (process.env["BIPLANE_SHOTS"]) await page.screenshot({ path: `${process.env["BIPLANE_SHOTS"]}/${server}.png` });
  expect(faults).toEqual([]);
  expect(await app.told("stopped")).toEqual([]);
  await page.close();
});

test("a resource that is not an app's page is refused with the reason", () => {
  const html = { uri: "ui://x", mimeType: "text/html;profile=mcp-app", text: "<p>" };
  const refused = (contents: unknown[], listed?: unknown) => {
    try {
      return resourceOf({ contents }, listed);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(refused([])).toBe("The result cannot be shown as an app: it has no content with a URI.");
  expect(refused([{ ...html, uri: "https://x.com" }])).toBe(
    "https://x.com cannot be shown as an app: its URI does not begin with ui://.",
  );
  for (const mimeType of ["text/html", "text/html+mcp", undefined, 5])
    expect(refused([{ ...html, mimeType }])).toContain("not text/html;profile=mcp-app");
  expect(refused([{ ...html, text: undefined }])).toContain("neither text nor blob");
  expect(refused([{ ...html, text: undefined, blob: "%%%" }])).toContain("not base64-encoded UTF-8");
  expect(refused([{ ...html, _meta: { ui: { csp: { connectDomains: [5] } } } }])).toContain("connectDomains");
});

test("fields of a page's content override those of its listing", () => {
  const content = {
    uri: "ui://x",
    mimeType: "text/html; profile=mcp-app",
    blob: Buffer.from("<p>grüezi</p>").toString("base64"),
    _meta: { ui: { prefersBorder: false, csp: { connectDomains: ["https://content.example.com"] } } },
  };
  const listed = {
    _meta: {
      ui: { prefersBorder: true, csp: { connectDomains: ["https://list.example.com"] }, permissions: { camera: {} } },
      "dev.biplane/sameOrigin": true,
    },
  };
  expect(resourceOf({ contents: [content] }, listed)).toEqual({
    uri: "ui://x",
    html: "<p>grüezi</p>",
    prefersBorder: false,
    csp: { connectDomains: ["https://content.example.com"] },
    permissions: { camera: {} },
    sameOrigin: true,
  });
});

test("the page of a tool is found under today's key and under the old one, and today's wins", () => {
  expect(appUriOf({ name: "a", _meta: { "ui/resourceUri": "ui://old" } })).toBe("ui://old");
  expect(appUriOf({ name: "a", _meta: { "ui/resourceUri": "ui://old", ui: { resourceUri: "ui://new" } } })).toBe(
    "ui://new",
  );
  expect(appUriOf({ name: "a" })).toBeUndefined();
  expect(() => appUriOf({ name: "a", _meta: { ui: { resourceUri: "https://x.com" } } })).toThrow("ui://");
});

function connectTo(server: string): Promise<Client> {
  const args = [`node_modules/@modelcontextprotocol/server-${server}/dist/index.js`, "--stdio"];
  const ui = { mimeTypes: ["text/html;profile=mcp-app"] };
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": ui } };
  return connect({ command: process.execPath, args }, { capabilities });
}
