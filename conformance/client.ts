// The client that the official suite runs through its client scenarios. The last argument is the server's URL.
import { idJag } from "../packages/core/src/client/auth/id-jag.ts";
import type { OAuthClientOptions } from "../packages/core/src/client/auth/options.ts";
import type { Client } from "../packages/core/src/client/client.ts";
import { connect } from "biplane/client";
import { openSkills } from "biplane/skills";
import type { ConnectOptions } from "../packages/core/src/client/options.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Record<string, string>;

/** What a scenario does, and its client options. */
interface Play {
  readonly options?: ConnectOptions;
  readonly run?: (client: Client) => Promise<void>;
}

const plays: Record<string, Play> = {
  tools_call: { run: (connected) => listAndCall(connected, "add_numbers", { a: 5, b: 3 }) },
  "elicitation-sep1034-client-defaults": {
    options: { answers: { form: () => ({ action: "accept", content: {} }) } },
    run: (connected) => listAndCall(connected, "test_client_elicitation_defaults"),
  },
  "sse-retry": { run: (connected) => listAndCall(connected, "test_reconnection") },
  "request-metadata": {
    options: { answers: { form: () => ({ action: "decline" }), sample: refuse, roots: [] } },
  },
  "sep-2322-client-request-state": {
    options: { answers: { form: () => ({ action: "accept", content: { confirmed: true } }) } },
    run: async (connected) => {
      await connected.listTools();
      await Promise.all([connected.callTool("test_mrtr_echo_state"), connected.callTool("test_mrtr_unrelated")]);
      await connected.callTool("test_mrtr_no_state");
      await connected.callTool("test_mrtr_no_result_type");
    },
  },
  "http-standard-headers": {
    run: async (connected) => {
      for (const { name } of await connected.listTools()) await connected.callTool(name);
      for (const { uri } of await connected.listResources()) await connected.readResource(uri);
      for (const { name } of await connected.listPrompts()) await connected.getPrompt(name);
    },
  },
  "http-custom-headers": { run: callAsAsked },
  "http-invalid-tool-headers": { run: callAsAsked },
  "json-schema-2020-12-preservation": {
    run: async (connected) => {
      const tool = (await connected.listTools()).find(({ name }) => name === "json_schema_2020_12_tool");
      await connected.callTool("json_schema_echo", { schema: tool?.inputSchema });
    },
  },
  "auth/client-credentials-basic": oauth({
    grant: "client_credentials",
    clientId: context["client_id"] ?? "",
    clientSecret: context["client_secret"] ?? "",
  }),
  "auth/client-credentials-jwt": oauth({
    grant: "client_credentials",
    clientId: context["client_id"] ?? "",
    privateKey: { pem: context["private_key_pem"] ?? "", algorithm: context["signing_algorithm"] ?? "ES256" },
  }),
  "auth/pre-registration": oauth({
    clientId: context["client_id"] ?? "",
    clientSecret: context["client_secret"] ?? "",
    issuer: context["issuer"] ?? "",
  }),
  "auth/wif-jwt-bearer": oauth({
    grant: "jwt_bearer",
    clientId: context["client_id"] ?? "",
    assertion: () => context["valid_jwt"] ?? "",
  }),
  "auth/enterprise-managed-authorization": oauth({
    grant: "jwt_bearer",
    clientId: context["client_id"] ?? "",
    clientSecret: context["client_secret"] ?? "",
    assertion: idJag({
      tokenEndpoint: context["idp_token_endpoint"] ?? "",
      clientId: context["idp_client_id"] ?? "",
      idToken: context["idp_id_token"] ?? "",
    }),
  }),
  "auth/authorization-server-migration": {
    options: { oauth: browserless() },
    run: async (connected) => {
      await connected.listTools();
      await connected.listTools();
      await connected.callTool("test-tool");
    },
  },
};

const play =
  plays[scenario] ?? (scenario.startsWith("auth/") ? oauth({}) : scenario.startsWith("sep-2640") ? skills() : {});
await using client = await connect(url, { ...play.options, reconnect: { attempts: 1 } });
await (play.run ?? ((connected) => connected.listTools().then(() => undefined)))(client);

function oauth(options: OAuthClientOptions): Play {
  return { options: { oauth: browserless(options) }, run: (connected) => listAndCall(connected, "test-tool") };
}

/** The suite's authorization page redirects back at once. */
function browserless(options: OAuthClientOptions = {}): OAuthClientOptions {
  return {
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    redirectUrl: "http://localhost:3000/callback",
    authorize: async (page) => {
      const response = await fetch(page, { redirect: "manual" });
      return new URL(response.headers.get("location") ?? "", page);
    },
    ...options,
  };
}

async function listAndCall(connected: Client, name: string, input: Record<string, unknown> = {}): Promise<void> {
  const tools = await connected.listTools();
  if (tools.some((tool) => tool.name === name)) await connected.callTool(name, input);
}

/** The suite's context lists the tools to call and their arguments. */
async function callAsAsked(connected: Client): Promise<void> {
  const tools = await connected.listTools();
  const calls = (context["toolCalls"] ?? []) as unknown as { name: string; arguments: Record<string, unknown> }[];
  const asked = calls.length > 0 ? calls : tools.map(({ name }) => ({ name, arguments: {} }));
  for (const { name, arguments: input } of asked) await connected.callTool(name, input);
}

function refuse(): never {
  throw new Error("there is no model here");
}

/** A host for skills: lists them, and loads each with all its files. */
function skills(): Play {
  return {
    options: { capabilities: { extensions: { "io.modelcontextprotocol/skills": {} } } },
    run: async (connected) => {
      const host = openSkills(connected, { origin: "conformance" });
      const offered = await host.list();
      if (scenario === "sep-2640-client-no-prefetch") return;
      for (const each of offered) {
        const skill = await host.load(each);
        for (const { uri } of skill.files ?? []) if (uri !== skill.uri) await skill.read(uri);
      }
    },
  };
}
