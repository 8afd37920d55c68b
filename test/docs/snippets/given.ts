const text = (names: string) => `declare const ${names.split(" ").join(": string, ")}: string;`;

/** An environment that the text of a document calls yours. */
const definition = (state: string) =>
  `declare const definition: import("biplane").EnvironmentOptions<${state}, undefined, undefined>;`;

/** What a document explains and its TypeScript blocks use: declarations, by document. */
export const given: Readonly<Record<string, string>> = {
  "docs/access.md": `declare const customers: import("biplane").Server;`,
  "docs/apps.md": `
    declare const approvals: import("biplane/governance").Approvals;
    declare const refund: import("biplane").Tool;
    declare const refine: import("biplane").TypedTool<{ by: number }, { rows: string[] }>;
    declare const showTable: import("biplane").TypedTool<{ title: string }, { rows: string[] }>;
    declare const client: import("biplane/client").Client;
    declare const database: { query(where: string): { columns: string[]; rows: unknown[][] } };
    declare const button: HTMLButtonElement;
    declare const chat: { say(content: unknown): void };
    declare const listed: undefined;
    declare let nextTurn: unknown;
    declare function other(...request: unknown[]): void;
    declare function sales(): number[];
    declare function askTheUser(request: unknown): Promise<boolean>;
    declare function drawHeading(title: string): void;
    declare function drawRows(rows: readonly string[]): void;
    declare function drawNotice(reason: string): void;
    declare function showNotice(reason: string): void;
  `,
  "docs/broadband-support.md": `declare const approvals: import("biplane/governance").Approvals;`,
  "docs/client.md": `
    ${text("url key clientId clientSecret pem file")}
    declare const crm: import("biplane").Server;
    declare const store: import("biplane/client").TokenStore;
    declare function callTool(client: unknown, name: "get_order", input: { id: string }): Promise<{ price: number }>;
    declare function askModel(request: unknown): Promise<never>;
    declare function fillIn(message: string, schema: unknown): Promise<Record<string, string>>;
    declare function freshToken(): Promise<string>;
    declare function later(): Promise<void>;
    declare function openPage(message: string, url: string): Promise<boolean>;
    declare function refresh(): void;
  `,
  "docs/code.md": `declare const tools: import("biplane").Server;`,
  "docs/composition.md": `
    ${text("url model")}
    declare const customers: import("biplane").Server;
    declare const route: (...given: unknown[]) => import("biplane/client").Interceptor;
    declare const arms: unknown, record: unknown, openai: any, anthropic: any, messages: any, max_tokens: number;
    declare const research: (task: string, options: unknown) => Promise<string>;
    declare function freshToken(): Promise<string>;
  `,
  "docs/environment-client.md": text("url"),
  "docs/failures.md": `
    ${definition("{ isDone: boolean; userError?: string }")}
    declare const envs: import("biplane/rollout").Envs, agent: import("biplane/rollout").Agent;
  `,
  "docs/identity.md": text("url clientSecret idToken"),
  "docs/observability.md": `
    declare const customers: import("biplane").Server, tools: import("biplane").Tool[];
    declare const envs: import("biplane/rollout").Envs, agent: import("biplane/rollout").Agent;
    declare const histogram: { record(value: number, attributes: object): void };
  `,
  "docs/rubrics-and-tasks.md": `
    ${definition("{ a: number; b: number; answer: number | null }")}
    declare const traces: import("biplane/rollout").Trace[];
    interface Step<State> { before: State; after: State }
    interface Task { id?: string; seed?: number; config?: object }
  `,
  "docs/train-with-openreward.md": `${definition("object")} declare const rows: { difficulty: string }[];`,
};
