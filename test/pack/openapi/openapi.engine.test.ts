import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openapiPack } from "biplane/packs";
import { json, LocalSite } from "../net/local-site.ts";
import { secretParts } from "../../../packages/biplane/src/pack/shared/net/secret-parts.ts";
import { PackServer } from "../pack-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { shopApi, shopDocument } from "./shop-api.ts";

type Options = Parameters<typeof openapiPack>[0];
type Api = Options["apis"][string];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let shop: LocalSite;
let file: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  shop = await shopApi();
  file = join(folder.path, "shop.yaml");
  await writeFile(file, shopDocument);
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const token = "tok_0123456789";
const pack = (api: Api = {}, more: Partial<Options> = {}) =>
  openapiPack({ apis: { shop: { file, baseUrl: `${shop.url}/v1`, ...api } }, ...more });
const opened = async (api: Api = {}) => new PackServer(await pack(api));
const written = async (name: string, text: string) => {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
};

describe("operations as tools", () => {
  test("have names, hints and schemas of their own; what cannot be one is left out", async () => {
    const { tools } = await pack();
    expect(tools.map(({ name }) => name)).toEqual(["orders_get", "orders_delete", "post_orders", "login", "text"]);
    const [get, remove, create] = tools;
    expect(get?.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
    expect(remove?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(get?.input.json).toMatchObject({ properties: { id: { type: "string" } }, required: ["id"] });
    expect(JSON.stringify(get?.input.json)).not.toMatch(/pattern|Authorization|Host/);
    expect(create?.input.json).toMatchObject({
      properties: { body: { $ref: "#/$defs/Order" } },
      $defs: {
        Order: {
          required: ["item"],
          properties: {
            note: { type: ["string", "null"] },
            amount: { exclusiveMinimum: 0 },
            parts: { items: { $ref: "#/$defs/Order" } },
          },
        },
      },
    });
    expect(create?.input.json).not.toHaveProperty("$defs.Order.properties.id");
  });

  test("send arguments where the document says", async () => {
    await using server = await opened();
    const input = { id: "a/../b", fields: ["x", "y"], filter: { a: 1 }, "X-Trace": "t" };
    expect(JSON.parse(await server.text("orders_get", input))).toEqual({
      method: "GET",
      url: "/v1/orders/a%2F..%2Fb?fields=x&fields=y&filter%5Ba%5D=1",
      body: "",
      trace: "t",
    });
    const order = { item: "lamp", parts: [{ item: "bulb" }] };
    const sent = JSON.parse(await server.text("post_orders", { body: order })) as { body: string };
    expect(JSON.parse(sent.body)).toEqual(order);
    expect(JSON.parse(await server.text("login", { body: { user: "a b", tag: ["x", "y"] } }))).toMatchObject({
      body: "user=a+b&tag=x&tag=y",
    });
    expect(await server.text("text", {})).toBe("plain");
  });

  test("check arguments, and report what the API answers", async () => {
    await using server = await opened();
    expect(await server.text("post_orders", { body: { item: "", parts: [{}] } })).toMatch(/^INVALID_INPUT/);
    const nullable = shopDocument.replaceAll(/(name: id[\s\S]*?)schema: \{[^}]*\}/g, "$1schema: { }");
    await using lenient = await opened({ file: await written("nullable.yaml", nullable) });
    expect(await lenient.text("orders_delete", { id: null })).toMatch(/^INVALID_INPUT: id needs a value/);
    expect(await server.text("orders_get", { id: ".." })).toMatch(/^INVALID_INPUT: id cannot be "\.\."/);
    expect(await server.text("orders_get", { id: "x", "X-Trace": "a\nb" })).toMatch(/cannot have/);
    expect(await server.text("orders_get", { id: "missing" })).toMatch(
      /^EXECUTION_ERROR: GET \/orders\/\{id\} was answered with 404.*no such order/,
    );
  });

  test("of several APIs have prefixes, and patterns choose among them", async () => {
    const baseUrl = shop.url;
    const apis = {
      a: { file, baseUrl, operations: ["orders_*", "!*_delete"] },
      b: { file, baseUrl, operations: ["text"] },
    };
    expect((await openapiPack({ apis })).tools.map(({ name }) => name)).toEqual(["a_orders_get", "b_text"]);
  });
});

describe("credentials", () => {
  test("are sent as their scheme says, only where it is asked for, and are redacted", async () => {
    await using server = await opened({
      credentials: { bearerAuth: token, key: "key_01234567", session: "sid_01234567" },
    });
    await server.text("orders_get", { id: "1" });
    expect(shop.seen.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    const answer = await server.text("login", { body: {} });
    expect(shop.seen.at(-1)).toMatchObject({
      url: "/v1/login?api_key=key_01234567",
      headers: { cookie: "sid=sid_01234567" },
    });
    expect(answer).not.toContain("key_01234567");
    await server.text("text", {});
    expect(shop.seen.at(-1)?.headers.authorization).toBeUndefined();
  });

  test("in headers are redacted without their scheme, too", async () => {
    const basic = Buffer.from("ada:password-of-ada").toString("base64");
    await using echo = await LocalSite.open((_, response) =>
      response.setHeader("content-type", "text/plain").end(`${token}, password-of-ada and crumb_0123456`),
    );
    for (const [name, value] of Object.entries({
      authorization: `Bearer ${token}`,
      "x-proxy": `Basic ${basic}`,
      cookie: "theme=dark-and-long; sid=crumb_0123456",
    })) {
      await using server = await opened({ baseUrl: echo.url, headers: { [name]: value } });
      const answer = await server.text("text", {});
      const secret = { authorization: token, "x-proxy": "password-of-ada", cookie: "crumb_0123456" }[name] ?? "";
      expect(answer).not.toContain(secret);
      expect(answer).toContain("[REDACTED:");
    }
  });

  test.each([
    ["Bearer key-0123456789", ["Bearer key-0123456789", "key-0123456789"]],
    ["ApiKey key-0123456789", ["ApiKey key-0123456789", "key-0123456789"]],
    ["ada:pass:word-of-ada", ["ada:pass:word-of-ada", "pass:word-of-ada"]],
    ["sid=crumb_0123456; a=b", ["sid=crumb_0123456; a=b", "crumb_0123456", "b"]],
    ["text/html, application/json", ["text/html, application/json"]],
    ["https://shop.example/", ["https://shop.example/"]],
  ])("of %j, these are secrets: %j", (value, parts) => {
    expect(secretParts(value)).toEqual(parts);
  });

  test("go to no server that only the document names", async () => {
    const apis = { shop: { file, credentials: { bearerAuth: token } } };
    await expect(openapiPack({ apis })).rejects.toThrow(
      /set baseUrl of shop. Its document names https:\/\/eu.shop.example/,
    );
    await expect(pack({ credentials: { bearer: token } })).rejects.toThrow(/It has bearerAuth, key, session/);
  });
});

describe("policies by tag", () => {
  test("ask, deny and hide; the strictest of several holds", async () => {
    await using server = await opened({ tags: { admin: "deny", writing: "ask", orders: "allow", "*": "hide" } });
    expect(server.pack.tools.map(({ name }) => name)).toEqual(["orders_get", "orders_delete", "post_orders", "text"]);
    expect(await server.text("orders_delete", { id: "1" })).toMatch(
      /^POLICY_DENIED: DELETE \/orders\/\{id\} is not allowed/,
    );
    expect(await server.text("post_orders", { body: { item: "x" } })).toMatch(/POST \/orders\?/);
    expect(await server.text("orders_get", { id: "1" })).toContain('"method":"GET"');
  });
});

describe("a hostile document", () => {
  test("cannot name a server of this network", async () => {
    const path = await written(
      "local.yaml",
      shopDocument.replace("https://{region}.shop.example/v1", `${shop.url}/v1`),
    );
    await using server = new PackServer(await openapiPack({ apis: { shop: { file: path } } }));
    const before = shop.seen.length;
    expect(await server.text("text", {})).toMatch(/^POLICY_DENIED/);
    expect(shop.seen.length).toBe(before);
  });

  test("that is fetched from a private address is refused, unless it is allowed", async () => {
    await using site = await LocalSite.open((_, response) => json(response, {}));
    const apis = { shop: { url: `${site.url}/spec` } };
    await expect(openapiPack({ apis })).rejects.toThrow(/is not allowed/);
    await expect(openapiPack({ apis, allow: ["127.0.0.1"] })).rejects.toThrow(/does not name a version 3/);
  });

  const open = (path: string) => openapiPack({ apis: { x: { file: path, baseUrl: shop.url } } });
  const operation = (schema: unknown, components: unknown = {}) =>
    JSON.stringify({
      openapi: "3.1.0",
      paths: { "/x": { post: { requestBody: { content: { "application/json": { schema } } } } } },
      components,
    });

  test.each([
    [
      "a cycle of references",
      operation({ $ref: "#/components/schemas/A" }, { schemas: { A: { $ref: "#/components/schemas/A" } } }),
    ],
    ["a reference elsewhere", operation({ $ref: "file:///etc/passwd" })],
    ["a list of 100,000 types", operation({ anyOf: Array.from({ length: 100_000 }, () => ({ type: "string" })) })],
    [
      "10,000 schemas that refer to each other",
      operation(
        { $ref: "#/components/schemas/S0" },
        {
          schemas: Object.fromEntries(
            Array.from({ length: 10_000 }, (_, at) => [
              `S${at}`,
              { properties: { n: { $ref: `#/components/schemas/S${at + 1}` } } },
            ]),
          ),
        },
      ),
    ],
  ])("with %s is read in bounds", async (name, text) => {
    const opened = await open(await written(`${name.replaceAll(/\W/g, "")}.json`, text)).catch((error: Error) => error);
    if (opened instanceof Error) expect(opened.message).toMatch(/openapi|schema|refer/i);
    else expect(JSON.stringify(opened.tools[0]?.input.json).length).toBeLessThan(300_000);
  });

  test.each([
    ["deep nesting", `openapi: 3.0.0\npaths: ${"[".repeat(5000)}`, /is nested too deeply/],
    [
      "aliases that multiply",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((each, at) => `${each}: &${each} [${Array.from({ length: 9 }, () => `*${"abcdefg"[at]}`).join(",")}]`)
        .join("\n")}\nopenapi: 3.0.0\n`,
      /cannot be used/,
    ],
    ["another version", "swagger: '2.0'\n", /convert it to OpenAPI 3/],
    ["no operations", "openapi: 3.0.0\npaths: {}\n", /no operation that becomes a tool/],
    [
      "too many operations",
      `openapi: 3.0.0\npaths:\n${Array.from({ length: 1001 }, (_, at) => `  /p${at}: { get: {} }`).join("\n")}\n`,
      /has 1001 operations, and maxOperations is 1000/,
    ],
  ])("with %s is refused with the reason", async (name, text, reason) => {
    await expect(open(await written(`${name.replaceAll(/\W/g, "")}.yaml`, text))).rejects.toThrow(reason);
  });

  test("a file that is missing is named", async () => {
    await expect(open("/none.yaml")).rejects.toThrow("openapi: cannot read /none.yaml");
    await expect(openapiPack({ apis: { x: {} } })).rejects.toThrow("openapi: x needs either file or url.");
  });
});
