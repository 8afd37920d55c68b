import { type Dialect, readDialect, readKeywords, readSlot } from "./dialect.ts";
import { pointerToken, schemaError, showJson } from "./fault.ts";
import { equalsConstant, isObject, nestsDeeperThan } from "./json-values.ts";
import type { JsonObject, JsonSchema } from "./schema.ts";

/** One subschema in its place. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  readonly keywords: JsonObject;
  readonly path: string;
  readonly depth: number;
  readonly resource: SchemaResource;
  /** Subschemas by keyword; `name` is a property, an index, or "" where the keyword holds one schema. */
  readonly children: Map<string, SchemaChild[]>;
  /** The kinds of value that may fit it, once someone has asked. */
  acceptedKinds: number | undefined;
  /** Where `$ref` leads, and `$dynamicRef` when it can only lead to one place. */
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
  readonly dialect: Dialect;
  readonly anchors: Map<string, SchemaNode>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

/** Every subschema by its JSON pointer, every resource by its URI, before any of them is compiled. */
export interface SchemaDocument {
  readonly nodes: Map<string, SchemaNode>;
  readonly resources: Map<string, SchemaResource>;
}

const MAX_DEPTH = 100;
const MAX_SUBSCHEMAS = 10_000;
/** Stands in for the address that a schema without `$id` came from. */
const UNNAMED_URI = "schema:/";

/** Finds every subschema of a schema. */
export function readDocument(schema: JsonSchema): { document: SchemaDocument; root: SchemaNode } {
  const document: SchemaDocument = { nodes: new Map(), resources: new Map() };
  const dialect = isObject(schema) ? readDialect(schema, "") : undefined;
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

interface SchemaPlace {
  readonly schema: unknown;
  readonly path: string;
  readonly depth: number;
  readonly resource: SchemaResource;
}

/** Adds the subschema at a place and all that is in it, unless it is there already. */
export function addNode(document: SchemaDocument, place: SchemaPlace): SchemaNode {
  const { schema, path, depth } = place;
  const existing = document.nodes.get(path);
  if (existing !== undefined) return existing;
  refuseOversize(document, depth);
  if (typeof schema !== "boolean" && !isObject(schema)) {
    throw schemaError(path, "a schema must be an object or a boolean");
  }
  const resource = isObject(schema) ? enterResource(document, { ...place, schema }) : place.resource;
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

function refuseOversize(document: SchemaDocument, depth: number): void {
  if (depth > MAX_DEPTH) throw schemaError("", `it is nested deeper than ${MAX_DEPTH} levels`);
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

/** The resource a subschema belongs to: a new one if it has `$id`, else the one around it. */
function enterResource(document: SchemaDocument, place: SchemaPlace & { readonly schema: JsonObject }): SchemaResource {
  const { schema, path, resource } = place;
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

function newResource(uri: string, path: string, dialect: Dialect): SchemaResource {
  return { uri, path, dialect, anchors: new Map(), dynamicAnchors: new Map() };
}

/** `reference` without its fragment, made absolute. */
export function resolveUri(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

/** Files a subschema under its anchors. `$recursiveAnchor` is a dynamic anchor without a name. */
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

function readId(schema: JsonObject, path: string, dialect: Dialect): string {
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
