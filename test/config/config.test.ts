import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rules } from "../../packages/core/src/call/rules/rules.ts";
import { loadConfig } from "../../packages/biplane/src/config/load-config.ts";
import { settings } from "../../packages/biplane/src/config/overlay.ts";
import { codeActions, codeBytes } from "../../packages/biplane/src/code/code-shares.ts";
import { defaultCodeLimits } from "../../packages/biplane/src/code/limits.ts";
import type { Shares } from "../../packages/core/src/call/shares.ts";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { knownNames } from "../../packages/biplane/src/host/known-names.ts";
import { complaint, read } from "./reading.ts";

describe("a config file", () => {
  it("gives its sections, with defaults where it says nothing", () => {
    const { config } = read(`
name: my-gateway
mode: production
listen: stdio
servers: [./tools.ts]
environments: [frozen-lake, ./my-env.ts]
packs: { workspace: { root: ./work }, web: {} }
mcpServers: { github: { command: npx, args: [-y, github-mcp], env: { TOKEN: abc }, disabled: true } }
policies:
  - { tool: get_*, allow: true }
limits: { perPrincipal: false, perTool: { send_mail: { perSecond: 0.1, burst: 3 } } }
auth:
  tokens: [{ id: ada, hash: "sha256:${"0".repeat(64)}" }]
store: ./biplane.db
`);
    expect(config).toMatchObject({
      name: "my-gateway",
      servers: ["/srv/tools.ts"],
      environments: ["frozen-lake", "/srv/my-env.ts"],
      packs: { workspace: { root: "./work" }, web: {} },
      mcpServers: { github: { command: "npx", disabled: true } },
      policyDefault: "deny",
      limits: { perPrincipal: false },
      auth: { tokens: [{ id: "ada", kind: "token", scopes: [] }], openTrainerEndpoints: false },
      logging: { level: "info", format: "pretty" },
      store: "/srv/biplane.db",
    });
    expect(rules(config.policies ?? [])).toBeTypeOf("function");
  });

  it("listens on HTTP, with 10 requests per second and a burst of 20, where it says nothing", () => {
    const { config } = read("name: quiet\n");
    expect(config).toMatchObject({
      listen: "http://127.0.0.1:8000",
      limits: { perPrincipal: { perSecond: 10, burst: 20 } },
    });
  });

  it("reports all mistakes at once, in order, each with its line and a marker", () => {
    expect(
      complaint(`mode: prodcution
limits:
  perPrincipal: { perSecond: 1, burts: 2 }
logging:
auth: { tokens: [ { id: ada, token: hunter2hunter2, knd: token } ] }
policies:
  - tool: refund_*
    arguments: { amount: { mn: 3 } }
    allow: true
`),
    ).toBe(`/srv/biplane.yaml:1:7: mode is "prodcution", which is not known here; did you mean production?
    mode: prodcution
          ^^^^^^^^^^
/srv/biplane.yaml:3:33: limits.perPrincipal.burts is not a known key; did you mean burst?
      perPrincipal: { perSecond: 1, burts: 2 }
                                    ^^^^^
/srv/biplane.yaml:4:1: logging must be a group of keys (level, format), not empty
    logging:
    ^^^^^^^
/srv/biplane.yaml:5:37: auth.tokens[0].token must have at least 24 characters
    auth: { tokens: [ { id: ada, token: ••••••••••••••, knd: token } ] }
                                        ^^^^^^^^^^^^^^
/srv/biplane.yaml:5:53: auth.tokens[0].knd is not a known key; did you mean kind?
    auth: { tokens: [ { id: ada, token: ••••••••••••••, knd: token } ] }
                                                        ^^^
/srv/biplane.yaml:8:28: policies[0].arguments.amount.mn is not a known key; did you mean min?
        arguments: { amount: { mn: 3 } }
                               ^^`);
  });

  it.each([
    ["limits: { global: { perSecond: 1 } }", /1:19: limits\.global lacks burst/],
    ["limits: true", /1:9: limits must be false/],
    [
      "limits: { perPrincipal: 5 }",
      /1:25: limits\.perPrincipal must be false or a group of keys \(perSecond, burst\), not a number/,
    ],
    [
      "auth: { tokens: [ada] }",
      /1:18: auth\.tokens\[0\] must be a group of keys \(id, kind, scopes, hash, token, expiresAt\), not text/,
    ],
    ["limits: { concurrency: { global: 0 } }", /1:34: .*must be at least 1/],
    ["listen: ftp://x", /1:9: listen must be stdio, http:\/\/host:port or ws:\/\/host:port/],
    ["policyDefault: allow", /1:16: policyDefault applies after policies, and there are none/],
    ["auth: { tokens: [{ id: a }] }", /1:18: auth\.tokens\[0\] needs either a token or a hash/],
    ["mcpServers: { a: { args: [] } }", /1:18: mcpServers\.a needs either a command or a url/],
    ["secrets: { values: { lower: abcdefgh } }", /1:22: secrets\.values\.lower must be named by capital letters/],
    ["secrets: { key: {} }", /1:17: secrets\.key needs a file/],
    ["approvals: { simulated: { seed: 1.5 } }", /1:33: .*must be a whole number/],
    ["approvals: { expiresMinutes: .inf }", /1:30: .*must be a number, not an infinite number/],
    ["servers: [./a.ts, '']", /1:19: servers\[1\] is empty/],
    ["hello", /1:1: the file must be a group of keys, not text/],
    ["[]", /1:1: the file must be a group of keys, not a list/],
    ["polices: []", /1:1: polices is not a known key; did you mean policies\?/],
    ["<<: { mode: production }", /1:1: "<<" is not a known key/],
    [
      "policies: [{ tool: x }, { allow: true }]",
      /1:12: policies\[0\] has no verdict[^]*1:25: policies\[1\] has no condition/,
    ],
  ])("that says %j is refused", (text, message) => {
    expect(complaint(text)).toMatch(message);
  });

  it("is read the same with a byte order mark, with Windows line ends, or empty", () => {
    expect(read("\uFEFFname: x\r\nmode: production\r\n").config).toMatchObject({ name: "x", mode: "production" });
    expect(read("# nothing\n").config.name).toBe("biplane");
    expect(complaint("name: x\r\nmdoe: production\r\n")).toMatch(/:2:1: mdoe.*\n {4}mdoe: production\n {4}\^{4}$/);
  });

  it("names only packs and environments that are there, and gives packs the options they ask for", () => {
    const web = {
      type: "object",
      properties: {
        cache: { type: "string", format: "path" },
        limit: { type: "integer", default: 5, multipleOf: 5 },
        apiKey: { type: "string", writeOnly: true },
        pages: { type: "array", items: { type: "object", oneOf: [{ required: ["url"] }, { required: ["file"] }] } },
      },
    };
    const known = { packs: { web }, environments: ["frozen-lake"] };
    expect(read("packs: { web: { cache: ./c } }", { known }).config.packs).toEqual({
      web: { cache: "/srv/c", limit: 5 },
    });
    expect(complaint("packs: { wbe: {} }", { known })).toMatch(
      /1:10: packs\.wbe is not a known pack; did you mean web/,
    );
    expect(complaint("packs: { web: { cash: x } }", { known })).toMatch(/1:17: packs\.web\.cash is not.*mean cache/);
    expect(complaint("packs: { web: { limit: 7 } }", { known })).toMatch(/1:24: packs\.web\.limit .*5/);
    const both = complaint("packs: { web: { limit: 7, pages: [{ url: a }, { path: b }] } }", { known });
    expect(both).toMatch(/1:24: packs\.web\.limit .*5/);
    expect(both).toMatch(/1:47: packs\.web\.pages\[1\] must .*'url'/);
    expect(complaint("packs: { web: { apiKey: hunter2, x: 1 } }", { known })).not.toContain("hunter2");
    expect(complaint("environments: [frozen-lke]", { known })).toMatch(/1:16: .*did you mean frozen-lake\?/);
  });

  it("allows no script by its name alone in a folder that another pack writes to", async () => {
    const known = await knownNames();
    const withAllowed = (allowed: string) =>
      `packs: { script: { root: ./work/scripts, allowlist: [${allowed}] }, workspace: { root: ./work } }`;
    expect(complaint(withAllowed("weather"), { known })).toMatch(
      /packs\.script\.allowlist has a name without a hash, but the workspace pack can change these scripts/,
    );
    const hashed = `{ name: weather, sha256: ${"ab".repeat(32)} }`;
    expect(read(withAllowed(hashed), { known }).config.packs).toHaveProperty("script");
    const apart = withAllowed("weather").replace("./work }", "./notes }");
    expect(read(apart, { known }).config.packs).toHaveProperty("script");
  });

  it("gives places to errors that are found later", () => {
    const { source } = read("name: x\nservers:\n  - ./a.ts\n");
    expect(source.error(["servers", 0], "cannot be loaded").message).toBe(
      "/srv/biplane.yaml:3:5: servers[0] cannot be loaded\n      - ./a.ts\n        ^^^^^^",
    );
    expect(source.error(["mode"], "is odd").message).toMatch(/^\/srv\/biplane\.yaml:1:1: mode is odd/);
  });
});

describe("references", () => {
  const environment = { NAME: "gateway", PORT: "9000", YES: "true", EMPTY: "" };

  it("are put in, with defaults, and may stand for numbers and for yes", () => {
    const { config } = read(
      `name: "\${NAME}-\${GONE:-b}-$\${NAME}-\${EMPTY:-c}"
http: { maxBodyBytes: "\${PORT}" }
audit: { strict: "\${YES}" }
`,
      { environment },
    );
    expect(config.name).toBe("gateway-b-${NAME}-c");
    expect(config.http?.maxBodyBytes).toBe(9000);
    expect(config.audit.strict).toBe(true);
    expect(complaint('audit: { strict: "true" }')).toMatch(/must be true or false, not text/);
  });

  it("come from secrets where the environment has none, and that is remembered", () => {
    const secret = (name: string) => (name === "CRM" ? "hunter2-hunter2" : undefined);
    const { config, source } = read("name: ${NAME}\nsecrets: { values: { CRM: '${CRM}' } }", { environment, secret });
    expect(config.secrets?.values).toEqual({ CRM: "hunter2-hunter2" });
    expect(source.secretsUsed).toEqual([{ name: "CRM", path: ["secrets", "values", "CRM"] }]);
  });

  it("that cannot be resolved are reported with their position, and values are never shown", () => {
    expect(complaint("name: x\nstore: ${HERE}\n")).toBe(
      "/srv/biplane.yaml:2:8: store refers to HERE, which is not set; set it or write ${HERE:-default}\n    store: ${HERE}\n           ^^^^^^^",
    );
    expect(complaint("name: ${a b}")).toMatch(/1:7: name has a \$\{ without a name/);
    expect(complaint("name: ${toString}")).toMatch(/toString, which is not set/);
    const shown = complaint("mode: ${NAME}\nlisten: ${NAME}\nhttp: { maxBodyBytes: '${NAME}' }", { environment });
    expect(shown.split("\n").filter((line) => line.includes("biplane.yaml"))).toHaveLength(3);
    expect(shown).not.toContain("gateway");
  });
});

describe("precedence", () => {
  const text = "mode: simulation\nlogging: { level: debug }\nstore: ./here.db\n";
  const environment = {
    BIPLANE_MODE: "production",
    BIPLANE_STORE: "env.db",
    BIPLANE_LISTEN: "",
    BIPLANE_AUDIT_STRICT: "true",
  };

  it("is the command line, then the environment, then the file, then the default", () => {
    const { config, source } = read(text, { environment, flags: { store: "flag.db", "logging.format": undefined } });
    expect(config).toMatchObject({
      mode: "production",
      store: "/home/flag.db",
      listen: "http://127.0.0.1:8000",
      logging: { level: "debug", format: "pretty" },
      audit: { strict: true },
    });
    expect(source.originOf(["mode"])).toEqual({ kind: "environment", name: "BIPLANE_MODE" });
    expect(source.originOf(["store"])).toEqual({ kind: "flag", name: "store" });
    expect(source.originOf(["logging", "level"])).toEqual({ kind: "file", line: 2, column: 19 });
    expect(source.originOf(["listen"])).toEqual({ kind: "default" });
  });

  it("still reads former names of keys and variables", () => {
    const file = { name: "biplane.yaml", text: "auth:\n  openTrainerDoors: true" };
    const { config, source } = resolveConfig({ file, environment: {} });
    expect(config.auth.openTrainerEndpoints).toBe(true);
    expect(source.originOf(["auth", "openTrainerEndpoints"])).toEqual({ kind: "file", line: 2, column: 21 });
    const former = resolveConfig({ environment: { BIPLANE_AUTH_OPEN_TRAINER_DOORS: "true" } });
    expect(former.config.auth.openTrainerEndpoints).toBe(true);
    expect(complaint("auth: { openTrainerDoors: 7 }")).toMatch(
      /biplane\.yaml:1:27: auth\.openTrainerEndpoints must be/,
    );
    expect(complaint("auth: { openTrainerDoors: true, openTrainerEndpoints: true }")).toMatch(
      /auth\.openTrainerDoors is not a known key/,
    );
  });

  it("names the variable or the command line where what they say is wrong", () => {
    expect(complaint(text, { environment: { BIPLANE_MODE: "prod" } })).toBe(
      'BIPLANE_MODE: mode must be "simulation" or "production"',
    );
    expect(complaint(text, { flags: { "logging.level": "lowd" } })).toMatch(/^command line: logging\.level is "lowd"/);
    expect(complaint("logging: debug", { environment: { BIPLANE_LOG_LEVEL: "info" } })).toMatch(
      /1:10: logging must be/,
    );
    expect(complaint("hello", { environment })).toMatch(/1:1: the file must be/);
  });

  it("is looked at in the sections that are asked for only", () => {
    const text = "store: ./x.db\nmode: ${GONE}\nnonsense: 1\n";
    const { config } = read(text, {
      only: ["store"],
      environment: { BIPLANE_POLICY_DEFAULT: "ask", BIPLANE_NAME: "x" },
    });
    expect([config.store, config.name]).toEqual(["/srv/x.db", "biplane"]);
  });

  it("needs no file", () => {
    const { config, source } = resolveConfig({ environment: { BIPLANE_NAME: "x" } });
    expect([config.name, source.file]).toEqual(["x", undefined]);
  });

  it("has one variable for each setting, named after it", () => {
    for (const { path, environment: name } of settings) {
      const words = path.join("_").replaceAll(/[A-Z]/g, "_$&").toUpperCase().replace("LOGGING", "LOG");
      expect(name).toBe(`BIPLANE_${words}`);
    }
  });
});

describe("limits that other folders have too", () => {
  it("are the same by default", () => {
    const { config } = resolveConfig({ file: { name: "biplane.yaml", text: "code: {}" }, environment: {} });
    expect(config.code?.limits).toEqual(defaultCodeLimits);
    const { held } = config.limits as Exclude<typeof config.limits, false>;
    const shown = ({ limits: { perCaller, total } }: Shares) => ({ perPrincipal: perCaller, total });
    expect(held).toMatchObject({ codeBytes: shown(codeBytes), codeActions: shown(codeActions) });
  });
});

describe("the file", () => {
  it("is biplane.yaml in the folder, what BIPLANE_CONFIG names, or what is named", async () => {
    const folder = await mkdtemp(join(tmpdir(), "biplane-config-"));
    await writeFile(join(folder, "biplane.yaml"), "name: usual");
    await writeFile(join(folder, "other.yaml"), "name: other\nservers: [./a.ts]");
    const named = async (file?: string, environment = {}) =>
      (await loadConfig({ file, environment, folder })).config.name;
    expect(await named()).toBe("usual");
    expect(await named(undefined, { BIPLANE_CONFIG: "other.yaml" })).toBe("other");
    expect(await named("biplane.yaml", { BIPLANE_CONFIG: "other.yaml" })).toBe("usual");
    const { config } = await loadConfig({ file: "other.yaml", environment: {}, folder });
    expect(config.servers).toEqual([join(folder, "a.ts")]);
    await expect(named("gone.yaml")).rejects.toThrow("There is no config file gone.yaml");
    await expect(named(".")).rejects.toThrow(/Cannot read the config file \./);
    await expect(named("/dev/zero")).rejects.toThrow(/it is not a file/);
    await writeFile(join(folder, "bad.yaml"), Buffer.from([0x6e, 0xff, 0xfe]));
    await expect(named("bad.yaml")).rejects.toThrow(/Cannot read the config file bad\.yaml/);
    await rm(folder, { recursive: true });
    const empty = await mkdtemp(join(tmpdir(), "biplane-config-"));
    expect((await loadConfig({ environment: {}, folder: empty })).source.file).toBeUndefined();
    await rm(empty, { recursive: true });
  });
});
