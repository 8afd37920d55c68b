import type { Redactor } from "../../call/redact/redactor.ts";
import type { Prompt } from "../../server/prompt.ts";
import type { Resource } from "../../server/resource.ts";
import type { Skill } from "../../server/skill.ts";
import type { ServerCore } from "../../server/server-core.ts";
import { isForModel, uiMeta } from "../../tool/app.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Encoder } from "./encode.ts";
import { PreparedResult } from "./exchange.ts";
import type { McpAnswer, Exchange } from "./exchange.ts";
import { rpcCode } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import type { Params } from "../../protocol/rpc.ts";
import { showsApps } from "./client.ts";
import { isRecord } from "../../is-record.ts";

export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts" | "skills";

/** The lists of a server. Each page is encoded once and cached until the server changes. */
export class Lists {
  readonly #server: ServerCore;
  readonly #encoder: Encoder;
  readonly #pageSize: number;
  readonly #cacheTtlMs: number;
  readonly #pages = new Map<string, PreparedResult>();
  #redactor: Redactor | undefined;
  #hasApps: boolean | undefined;

  constructor(server: ServerCore, encoder: Encoder, options: { pageSize?: number | undefined; cacheTtlMs: number }) {
    this.#server = server;
    this.#encoder = encoder;
    this.#pageSize = options.pageSize ?? Infinity;
    this.#cacheTtlMs = options.cacheTtlMs;
  }

  /** True if any tool has an app. */
  get hasApps(): boolean {
    this.#hasApps ??= Array.from(this.#server.listed).some(({ ui }) => ui?.uri !== undefined);
    return this.#hasApps;
  }

  /** Clears the cache. */
  forget(): void {
    this.#pages.clear();
    this.#hasApps = undefined;
  }

  page(name: ListName, { era, params, client }: Exchange): McpAnswer {
    const { cursor } = params;
    const start = cursor === undefined ? 0 : readCursor(cursor);
    // Accept only page boundaries; any other offset would add another copy to the cache.
    if (start === undefined || (start > 0 && start % this.#pageSize !== 0))
      return { fault: { code: rpcCode.invalidParams, message: "Invalid params: unknown cursor" } };
    this.#useRedactor();
    const hasApps = showsApps(client);
    const key = `${name} ${era} ${hasApps} ${start}`;
    let page = this.#pages.get(key);
    if (!page) {
      const { listed, total } = this.#entries(name, { era, hasApps, start });
      if (start > 0 && start >= total) {
        return { fault: { code: rpcCode.invalidParams, message: "Invalid params: the cursor is past the end" } };
      }
      const entries = this.#redactor ? this.#redactor.value(listed) : listed;
      const end = start + entries.length;
      const next = end < total ? { nextCursor: writeCursor(end) } : {};
      const part = { [name]: entries, ...next, ...this.cacheHints(era) };
      page = new PreparedResult(this.#encoder.result(era, part), entries.length);
      this.#pages.set(key, page);
    }
    return { result: page };
  }

  /** Skills whose `SKILL.md` is listed as a resource, for clients that do not know skills. */
  #skillTexts(): Skill[] {
    const { resources, skills } = this.#server.catalog;
    return Array.from(skills.values()).filter(({ uri }) => !resources.has(uri));
  }

  /** Lists are redacted because descriptions of mounted servers may contain secrets. */
  #useRedactor(): void {
    const { redactor } = this.#server;
    if (redactor === this.#redactor) return;
    this.#redactor = redactor;
    this.forget();
  }

  /** Cache hints; only the modern era has them. */
  cacheHints(era: Era): Params {
    return era === "modern" ? { ttlMs: this.#cacheTtlMs, cacheScope: "private" } : {};
  }

  /**
   * The entries of the page that begins at `start`, and how many the list has. Clients that cannot show apps get neither
   * apps nor tools that only apps may call.
   */
  #entries(name: ListName, { era, hasApps, start }: ListedFor & { start: number }): ListedEntries {
    const part = <Item>(items: readonly Item[], describe: (item: Item) => Params): ListedEntries => ({
      listed: items.slice(start, start + this.#pageSize).map((item) => describe(item)),
      total: items.length,
    });
    const { listed, prompts, resources, skills } = this.#server;
    switch (name) {
      case "tools":
        return part(
          Array.from(listed).filter((tool) => hasApps || isForModel(tool)),
          (tool) => describeTool(tool, { era, hasApps }),
        );
      case "prompts":
        return part(Array.from(prompts), describePrompt);
      case "resources":
        return part(
          [
            ...Array.from(resources).filter(({ uri }) => uri !== undefined && (hasApps || !uri.startsWith("ui://"))),
            ...this.#skillTexts(),
          ],
          (item) => ("frontmatter" in item ? describeSkillText(item) : describeResource(item)),
        );
      case "resourceTemplates":
        return part(
          Array.from(resources).filter(({ template, isListed }) => template && isListed !== false),
          describeResource,
        );
      case "skills":
        return part(Array.from(skills), describeSkill);
    }
  }
}

interface ListedEntries {
  readonly listed: readonly Params[];
  readonly total: number;
}

/** The protocol era of a client, and whether it can show apps. */
interface ListedFor {
  readonly era: Era;
  readonly hasApps: boolean;
}

function describeTool(tool: Tool, { era, hasApps }: ListedFor): Params {
  const { name, title, description, input, output, annotations, icons, more } = tool;
  return present({
    ...more,
    name,
    title,
    description,
    inputSchema: input.json,
    outputSchema: output && (era === "modern" ? output.json : objectSchema(output.json)),
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
    icons,
    _meta: hasApps ? metaWithUi(tool) : metaWithoutUi(tool),
  });
}

function metaWithUi({ meta, ui }: Tool): Params | undefined {
  if (!ui) return meta;
  const { ui: current, ...legacy } = uiMeta(ui) as { ui: Params };
  return { ...meta, ...legacy, ui: { ...(isRecord(meta?.["ui"]) && meta["ui"]), ...current } };
}

function metaWithoutUi({ meta, ui }: Tool): Params | undefined {
  if (!ui || !meta) return meta;
  const { ui: _, "ui/resourceUri": __, ...rest } = meta;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** The legacy era allows only objects as structured results; other values are wrapped in `result`. */
function objectSchema(schema: Params): Params {
  return schema["type"] === "object"
    ? schema
    : { type: "object", properties: { result: moveReferences(schema) }, required: ["result"] };
}

/** Rewrites references to the root of a schema that is now nested under `result`. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) =>
    key === "$ref" && typeof value === "string" && /^#(\/|$)/.test(value)
      ? [key, `#/properties/result${value.slice(1)}`]
      : [key, moveReferences(value)],
  );
  return Object.fromEntries(entries) as unknown;
}

function describeResource(resource: Resource): Params {
  const { uri, template, meta, name, title, description, mimeType, size, icons, more } = resource;
  const shown = { name, title, description, mimeType, size, icons };
  return present({ ...more, ...shown, uri, uriTemplate: template?.text, _meta: meta });
}

function describeSkillText({ uri, frontmatter: { name, description } }: Skill): Params {
  return { uri, name, description, mimeType: "text/markdown" };
}

export function describeSkill({ uri, frontmatter, resources }: Skill): Params {
  return { uri, frontmatter, resources };
}

function describePrompt(prompt: Prompt): Params {
  const { name, title, description, icons, meta, more } = prompt;
  const expected = Object.entries(prompt.arguments).map(([argument, { title, description, required }]) =>
    present({ name: argument, title, description, required }),
  );
  const shown = { name, title, description, arguments: expected.length > 0 ? expected : undefined, icons };
  return present({ ...more, ...shown, _meta: meta });
}

function present(entry: Params): Params {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function writeCursor(start: number): string {
  return Buffer.from(`from ${start}`).toString("base64url");
}

function readCursor(cursor: unknown): number | undefined {
  const text = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
  const found = /^from (\d{1,9})$/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
