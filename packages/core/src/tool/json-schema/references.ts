import { decodeUri } from "../../decode-uri.ts";
import { schemaError, showJson } from "./fault.ts";
import {
  addMetaschema,
  addNode,
  childrenOf,
  resolveUri,
  type SchemaDocument,
  type SchemaNode,
  type SchemaResource,
} from "./schema-document.ts";
import { isRecord } from "../../is-record.ts";

/** Resolves each `$ref` and `$dynamicRef`. Returns true if a `$dynamicRef` must be resolved during checks. */
export function linkReferences(document: SchemaDocument): boolean {
  const dynamicNodes: SchemaNode[] = [];
  // A reference into an unknown keyword adds nodes, and this loop visits them too.
  for (const node of document.nodes.values()) {
    if (node.keywords["$ref"] !== undefined) node.references.push(resolveReference(document, node, "$ref"));
    if (node.keywords["$dynamicRef"] !== undefined) dynamicNodes.push(node);
  }
  return dynamicNodes.map((node) => linkDynamicReference(document, node)).includes(true);
}

function linkDynamicReference(document: SchemaDocument, node: SchemaNode): boolean {
  const target = resolveReference(document, node, "$dynamicRef");
  const anchor = String(node.keywords["$dynamicRef"]).split("#", 2)[1] ?? "";
  const isDynamic = target.resource.dynamicAnchors.get(anchor) === target;
  const isContested = [...document.resources.values()].some(
    ({ dynamicAnchors }) => dynamicAnchors.has(anchor) && dynamicAnchors.get(anchor) !== target,
  );
  if (isDynamic && isContested) node.dynamicReference = { anchor, fallback: target };
  else node.references.push(target);
  return isDynamic && isContested;
}

function resolveReference(document: SchemaDocument, node: SchemaNode, keyword: string): SchemaNode {
  const reference = node.keywords[keyword];
  const path = `${node.path}/${keyword}`;
  if (typeof reference !== "string") throw schemaError(path, "it must be a string");
  const [uri = "", fragment = ""] = reference.split("#", 2);
  const resource = findResource(document, node.resource, uri);
  if (resource === undefined) {
    throw schemaError(path, `${showJson(reference)} is not part of this schema, and references are never fetched`);
  }
  const target = findFragment(document, resource, fragment);
  if (target === undefined) throw schemaError(path, `nothing is found at ${showJson(reference)}`);
  return target;
}

function findResource(document: SchemaDocument, from: SchemaResource, uri: string): SchemaResource | undefined {
  if (uri === "") return from;
  const absolute = resolveUri(uri, from.uri);
  if (absolute === undefined) return undefined;
  if (absolute === from.uri) return from;
  return document.resources.get(absolute) ?? addMetaschema(document, absolute);
}

function findFragment(document: SchemaDocument, resource: SchemaResource, fragment: string): SchemaNode | undefined {
  const decoded = decodeUri(fragment);
  if (decoded === undefined) return undefined;
  if (decoded !== "" && !decoded.startsWith("/")) return resource.anchors.get(decoded);
  return document.nodes.get(resource.path + decoded) ?? addNodeAtPointer(document, resource, decoded);
}

/** A reference may point to a schema inside an unknown keyword, such as `#/components/schemas/City`. */
function addNodeAtPointer(document: SchemaDocument, resource: SchemaResource, pointer: string): SchemaNode | undefined {
  let nearest = document.nodes.get(resource.path);
  if (nearest === undefined) return undefined;
  let schema: unknown = nearest.schema;
  let path = resource.path;
  for (const token of pointer.split("/").slice(1)) {
    schema = memberOf(schema, token.replaceAll("~1", "/").replaceAll("~0", "~"));
    path += `/${token}`;
    nearest = document.nodes.get(path) ?? nearest;
  }
  if (schema === undefined) return undefined;
  return addNode(document, { schema, path, depth: nearest.depth + 1, resource: nearest.resource });
}

function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Rejects schemas that apply themselves to the same value forever, such as `{"$ref": "#"}`. */
export function refuseEmptyLoops(document: SchemaDocument): void {
  const finished = new Set<SchemaNode>();
  for (const start of document.nodes.values()) {
    if (start.references.length > 0) refuseLoopsFrom(start, finished);
  }
}

/** Depth-first with an explicit stack, because a chain of references may exceed the call stack. */
function refuseLoopsFrom(start: SchemaNode, finished: Set<SchemaNode>): void {
  const open = new Set<SchemaNode>();
  const stack = [start];
  for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
    if (finished.has(node) || open.has(node)) {
      stack.pop();
      open.delete(node);
      finished.add(node);
      continue;
    }
    open.add(node);
    for (const next of sameValueNodes(node)) {
      if (open.has(next)) throw schemaError(next.path, "it refers to itself for the same value, so a check never ends");
      if (!finished.has(next)) stack.push(next);
    }
  }
}

const sameValueKeywords = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];

function sameValueNodes(node: SchemaNode): SchemaNode[] {
  const children = sameValueKeywords.flatMap((keyword) => childrenOf(node, keyword).map((child) => child.node));
  return [...children, ...node.references];
}
