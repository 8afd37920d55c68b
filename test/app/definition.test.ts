import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { app, resource, server, tool } from "biplane";
import type { AppOptions } from "biplane";
import { cspSourceProblem } from "../../packages/core/src/tool/csp-source.ts";

const html = "<!doctype html><p>hello</p>";
const folder = mkdtempSync(join(tmpdir(), "biplane-app-"));

test("the URI changes with the page's content and permissions", () => {
  const one = app({ html, name: "clock" });
  expect(one.uri).toMatch(/^ui:\/\/clock@[0-9a-f]{12}$/);
  expect(app({ html, name: "clock" }).uri).toBe(one.uri);
  expect(app({ html: `${html} `, name: "clock" }).uri).not.toBe(one.uri);
  expect(app({ html, name: "clock", permissions: ["camera"] }).uri).not.toBe(one.uri);
});

test("a file and a script become one page, called after the file", () => {
  writeFileSync(join(folder, "Clock Face.html"), html);
  expect(app({ file: join(folder, "Clock Face.html") })).toMatchObject({ name: "clock-face", html });

  writeFileSync(join(folder, "style.css"), "body::before { content: '</style><b>' }");
  writeFileSync(join(folder, "text.ts"), "export const text: string = '</script><i>';");
  writeFileSync(
    join(folder, "view.ts"),
    "import './style.css'; import { text } from './text.ts'; document.title = text;",
  );
  const page = app({ entry: join(folder, "view.ts") });
  expect(page.name).toBe("view");
  expect(page.html.match(/<\/script>/g)).toHaveLength(1);
  expect(page.html.match(/<\/style>/g)).toHaveLength(1);
  expect(page.html).not.toContain(": string");
});

describe("a definition that cannot work is refused", () => {
  const refused: [string, unknown, RegExp][] = [
    ["two sources", { html, file: "x.html" }, /exactly one of html, file and entry/],
    ["no source", {}, /exactly one of html, file and entry/],
    ["a file that is not there", { file: join(folder, "none.html") }, /none\.html cannot be read/],
    ["a script that is none", { entry: join(folder, "Clock Face.html.ts") }, /cannot be bundled/],
    ["what is no HTML", { html: "hello" }, /html is not HTML/],
    [
      "a directive in a domain",
      { html, csp: { connectDomains: ["https://a.example; script-src *"] } },
      /cannot be used: it is not an origin/,
    ],
    ["a quoted keyword", { html, csp: { resourceDomains: ["'unsafe-eval'"] } }, /csp\.resourceDomains cannot be used/],
    ["a whole top-level domain", { html, csp: { frameDomains: ["https://*.com"] } }, /a whole top-level domain/],
    [
      "a socket for pictures",
      { html, csp: { resourceDomains: ["wss://a.example"] } },
      /its scheme must be one of http/,
    ],
    ["everything", { html, csp: { frameDomains: ["*"] } }, /cannot be used: it is not an origin/],
    ["a list that does not exist", { html, csp: { scriptDomains: [] } }, /csp has no key scriptDomains/],
    [
      "a permission that does not exist",
      { html, permissions: ["usb"] },
      /"usb" is not a permission. Known permissions: camera/,
    ],
    ["permissions as booleans", { html, permissions: { camera: true } }, /permissions must be a list/],
    ["a domain that is none", { html, domain: "a b" }, /"a b" is not a domain/],
    ["nobody to see it", { html, visibility: [] }, /visibility must be a list/],
    ["somebody unknown", { html, visibility: ["user"] }, /visibility must be a list/],
    ["a name with a slash", { html, name: "a/b" }, /its name must be 1 to 64/],
  ];
  test.each(refused)("%s", (_, options, message) => {
    expect(() => app(options as AppOptions)).toThrow(message);
  });

  test("a tool with a page and no text", () => {
    const silent = () => tool({ name: "show", ui: app({ html }), run: () => "x" });
    expect(silent).toThrow(/needs a description, because models and hosts without apps see only text/);
  });

  test("a page that the server does not have", () => {
    const meta = { ui: { resourceUri: "ui://gone" } };
    const show = tool({ name: "show", description: "Shows", meta, run: () => "x" });
    expect(() => server({ name: "s", version: "1", tools: [show] })).toThrow(
      /its app page ui:\/\/gone is not a resource/,
    );
    expect(() => server({ name: "s", version: "1" }).add(show)).toThrow(/its app page ui:\/\/gone is not a resource/);
    const page = resource({ name: "page", uri: "ui://gone", mimeType: "text/html;profile=mcp-app", read: () => html });
    expect(() => server({ name: "s", version: "1", tools: [show], resources: [page] })).not.toThrow();
  });
});

const isSource = (text: string) => cspSourceProblem(text, ["http", "https", "ws", "wss"]) === undefined;

test("every granted source is one source in the policy", () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...Array.from("https://a.b*:;'\" \n\t,<>[]@/?#%0")) }),
    fc.constantFrom("https://a.example", "wss://*.b.example:8443", "http://localhost:3000"),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      if (isSource(text)) expect(text).toMatch(/^[a-z]+:\/\/[*a-z0-9.-]+(:\d+)?$/i);
    }),
  );
  expect(isSource("https://a.example")).toBe(true);
  expect(isSource("wss://*.b.example:8443")).toBe(true);
  expect(isSource("https://[::1]")).toBe(false);
  expect(isSource("https://a.example/path")).toBe(false);
});
