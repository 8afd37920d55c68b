import type { JsonObject } from "@biplane/core/internal";

export const httpMethods = ["get", "put", "post", "delete", "options", "head", "patch"] as const;

/** An operation of an API, read from its document. Plain data, so that a worker can send it. */
export interface ApiOperation {
  /** The name of its tool, without a prefix. */
  readonly name: string;
  readonly method: (typeof httpMethods)[number];
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly ApiParameter[];
  /** The media type of the request body, which is the argument `body`. */
  readonly bodyType: string | undefined;
  readonly input: JsonObject;
  /** Alternatives of security schemes that must be used together. Empty if none is needed. */
  readonly security: readonly (readonly string[])[];
}

export interface ApiParameter {
  /** The name of the argument. */
  readonly argument: string;
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  /** True if a list or object becomes several values, false if one with commas. */
  readonly isExploded: boolean;
  /** True for objects as `name[key]=value`. */
  readonly isDeep: boolean;
}

/** How a credential is sent. */
export type SecurityScheme =
  | { readonly kind: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "bearer" | "basic" };

/** What a document says, as far as tools need it. */
export interface ApiDescription {
  readonly title: string;
  readonly servers: readonly string[];
  readonly operations: readonly ApiOperation[];
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** What could not be made a tool, and why. */
  readonly skipped: readonly string[];
}
