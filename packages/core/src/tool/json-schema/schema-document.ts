import { type SchemaDialect, readDialect, readKeywords, readSlot } from "./dialect.ts";
import { pointerToken, schemaError, showJson } from "./fault.ts";
import { equalsConstant, nestsDeeperThan } from "./json-values.ts";
import { findMetaschema } from "./metaschema.ts";
import type { JsonObject, JsonSchema } from "./schema.ts";
import { isRecord } from "../../is-record.ts";

/** One subschema and its position. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  readonly keywords: JsonObject;
  readonly path: string;
  readonly depth: number;
  readonly resource: SchemaResource;
  /** Subschemas by keyword. `name` is a property or index, or "" if the keyword holds one schema. */
  readonly children: Map<string, SchemaChild[]>;
  /** Cache of `acceptedKinds`. */
  acceptedKinds: number | undefined;
  /** Targets of `$ref`, and of `$dynamicRef` if it has only one. */
  readonly references: SchemaNode[];
  dynamicReference: { readonly anchor: string; readonly fallback: SchemaNode } | undefined;
}

export interface SchemaChild {
  readonly name: string;
  readonly node: SchemaNode;
}

/** A schema with its own URI: the whole document, or a part of it that has `$id`. */
export interface SchemaResource {
  readonly uri: string;
  readonly path: string;
  readonly dialect: SchemaDialect;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** All subschemas by JSON pointer, and all resources by URI. */
export interface SchemaDocument {
  readonly nodes: Map<string, SchemaNode>;
  readonly resources: Map<string, SchemaResource>;
}

const MAX_DEPTH = 100;
const MAX_SUBSCHEMAS = 10_000;
/** Every subschema keeps its path, so long names would multiply. */
const MAX_PATH_LENGTH = 2000;
/** Base URI of a schema without `$id`. */
const UNNAMED_URI = "schema:/";

/** Collects all subschemas. */
export function readDocument(schema: JsonSchema): { document: SchemaDocument; root: SchemaNode } {
  const document: SchemaDocument = { nodes: new Map(), resources: new Map() };
  const dialect = isRecord(schema) ? readDialect(schema, "") : undefined;
  const resource = newResource(UNNAMED_URI, "", dialect ?? "2020-12");
  document.resources.set(UNNAMED_URI, resource);
  return { document, root: addNode(document, { schema, path: "", depth: 0, resource }) };
}

export function childOf(node: SchemaNode, keyword: string): SchemaNode | undefined {
  return node.children.get(keyword)?.[0]?.node;
}

export function childrenOf(node: SchemaNode, keyword: string): readonly SchemaChild[] {
  return node.children.get(keyword) ?? [];
}

interface SchemaPosition {
  readonly schema: unknown;
  readonly path: string;
  readonly depth: number;
  readonly resource: SchemaResource;
}

/** Adds a subschema with everything in it, unless it is already there. */
export function addNode(document: SchemaDocument, position: SchemaPosition): SchemaNode {
  const { schema, path, depth } = position;
  const existing = document.nodes.get(path);
  if (existing !== undefined) return existing;
  refuseOversize(document, position);
  if (typeof schema !== "boolean" && !isRecord(schema)) {
    throw schemaError(path, "a schema must be an object or a boolean");
  }
  const resource = isRecord(schema) ? enterResource(document, { ...position, schema }) : position.resource;
  const keywords = readKeywords(schema, resource.dialect);
  const node: SchemaNode = {
    schema,
    keywords,
    path,
    depth,
    resource,
    children: new Map(),
    acceptedKinds: undefined,
    references: [],
    dynamicReference: undefined,
  };
  document.nodes.set(path, node);
  addAnchors(node);
  for (const keyword of Object.keys(keywords)) {
    if (keywords[keyword] !== undefined) addChildren(document, node, keyword);
  }
  return node;
}

/** Adds a part of the metaschema, if the URI names one. Its paths begin with the URI, so they meet no other paths. */
export function addMetaschema(document: SchemaDocument, uri: string): SchemaResource | undefined {
  const schema = findMetaschema(uri);
  if (schema === undefined) return undefined;
  return addNode(document, { schema, path: uri, depth: 0, resource: newResource(uri, uri, "2020-12") }).resource;
}

function refuseOversize(document: SchemaDocument, { depth, path }: SchemaPosition): void {
  if (depth > MAX_DEPTH) throw schemaError("", `it is nested deeper than ${MAX_DEPTH} levels`);
  if (path.length > MAX_PATH_LENGTH) throw schemaError("", `it has a path longer than ${MAX_PATH_LENGTH} characters`);
  if (document.nodes.size >= MAX_SUBSCHEMAS) throw schemaError("", `it has more than ${MAX_SUBSCHEMAS} subschemas`);
}

function addChildren(document: SchemaDocument, node: SchemaNode, keyword: string): void {
  const { path, depth, resource } = node;
  const slot = readSlot(node.keywords, keyword, { path, dialect: resource.dialect });
  if (slot === undefined) return;
  const children: SchemaChild[] = [];
  node.children.set(slot.keyword, children);
  for (const { name, schema } of slot.members) {
    const childPath = name === undefined ? `${path}/${keyword}` : `${path}/${keyword}/${pointerToken(name)}`;
    const child = addNode(document, { schema, path: childPath, depth: depth + 1, resource });
    children.push({ name: name ?? "", node: child });
  }
}

/** The resource of a subschema: a new one if it has `$id`, else the enclosing one. */
function enterResource(
  document: SchemaDocument,
  position: SchemaPosition & { readonly schema: JsonObject },
): SchemaResource {
  const { schema, path, resource } = position;
  const id = readId(schema, path, resource.dialect);
  if (id === "" || id.startsWith("#")) return resource;
  const uri = resolveUri(id, resource.uri);
  if (uri === undefined) throw schemaError(path, `"$id" ${showJson(id)} is not a URI`);
  const inner = newResource(uri, path, readDialect(schema, path) ?? resource.dialect);
  const known = document.resources.get(uri);
  if (known === undefined) document.resources.set(uri, inner);
  else if (!isSameSchema(document.nodes.get(known.path)?.schema, schema)) {
    throw schemaError(path, `"$id" ${showJson(id)} already names another schema`);
  }
  return inner;
}

function newResource(uri: string, path: string, dialect: SchemaDialect): SchemaResource {
  return { uri, path, dialect, anchors: new Map(), dynamicAnchors: new Map() };
}

/** Makes `reference` absolute. */
export function resolveUri(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

/** Registers the anchors of a subschema. `$recursiveAnchor` is a dynamic anchor without a name. */
function addAnchors(node: SchemaNode): void {
  const { keywords, resource, path } = node;
  const { $anchor, $dynamicAnchor, $id } = keywords;
  if ($anchor !== undefined) addAnchor(node, readAnchor($anchor, `${path}/$anchor`));
  if ($dynamicAnchor !== undefined) {
    const name = readAnchor($dynamicAnchor, `${path}/$dynamicAnchor`);
    if (name !== $anchor) addAnchor(node, name);
    resource.dynamicAnchors.set(name, node);
  }
  if (resource.dialect === "draft-07" && typeof $id === "string" && $id.startsWith("#") && $id !== "#") {
    addAnchor(node, $id.slice(1));
  }
  if (resource.dialect === "2019-09" && keywords["$recursiveAnchor"] === true && resource.path === path) {
    resource.dynamicAnchors.set("", node);
  }
}

function readId(schema: JsonObject, path: string, dialect: SchemaDialect): string {
  const { $id, $ref } = schema;
  if ($id === undefined) return "";
  if (typeof $id !== "string") throw schemaError(`${path}/$id`, "it must be a string");
  if (dialect === "draft-07") {
    if (typeof $ref === "string") return "";
    if ($id.startsWith("#")) return $id;
  }
  const [uri = "", fragment = ""] = $id.split("#", 2);
  if (fragment !== "") throw schemaError(`${path}/$id`, 'it must not have a fragment; use "$anchor"');
  return uri;
}

function isSameSchema(known: unknown, schema: JsonObject): boolean {
  return known === schema || (!nestsDeeperThan(schema, 100) && equalsConstant(known, schema));
}

function readAnchor(value: unknown, path: string): string {
  if (typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)) return value;
  throw schemaError(path, "it must be a name of letters, digits, '-', '_' and '.'");
}

function addAnchor(node: SchemaNode, name: string): void {
  const { anchors } = node.resource;
  if (anchors.has(name)) throw schemaError(node.path, `the anchor "${name}" is used twice`);
  anchors.set(name, node);
}
