import type { ValueOf } from "@biplane/core/internal";
import type { HomeNetwork } from "./home-network.ts";
import type { SupportRecords } from "./records.ts";

/** What the tools work on. */
export interface SupportContext {
  readonly records: SupportRecords;
  readonly checks: IdentityChecks;
  /** The customer's router, which a line test sees. */
  readonly home: HomeNetwork;
}

/** Which customers were verified, and how often the check of a customer failed. */
export interface IdentityChecks {
  readonly verified: string[];
  readonly failed: Record<string, number>;
}

export interface SupportTool {
  readonly description: string;
  readonly writes: boolean;
  readonly input: ObjectSchema;
  /** Throws an error with advice if the call is not possible. */
  readonly run: (context: SupportContext, input: unknown) => unknown;
}

type ObjectSchema = {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
};

/** Defines a tool. The type of the input follows from its parameters; all are required but those in `optional`. */
export function supportTool<
  const Properties extends Readonly<Record<string, object>>,
  const Optional extends keyof Properties & string = never,
>(options: {
  readonly description: string;
  /** Whether it changes the database (default: false). */
  readonly writes?: boolean;
  readonly parameters: Properties;
  readonly optional?: readonly Optional[];
  readonly run: (context: SupportContext, input: ToolInputOf<Properties, Optional>) => unknown;
}): SupportTool {
  const { description, writes = false, parameters, optional = [], run } = options;
  const names = Object.keys(parameters);
  return {
    description,
    writes,
    input: {
      type: "object",
      properties: parameters,
      required: names.filter((name) => !optional.some((each) => each === name)),
      additionalProperties: false,
    },
    run: (context, input) => run(context, input as ToolInputOf<Properties, Optional>),
  };
}

type ToolInputOf<Properties, Optional extends PropertyKey> = {
  readonly [Name in Exclude<keyof Properties, Optional>]: ValueOf<Properties[Name]>;
} & { readonly [Name in Optional & keyof Properties]?: ValueOf<Properties[Name]> };

export const customerId = idParameter("C", "A customer number, such as C-1001");
export const lineId = idParameter("L", "A line number, such as L-2001");
export const invoiceId = idParameter("I", "An invoice number, such as I-3011");
export const orderId = idParameter("O", "An order number, such as O-5001");
export const visitId = idParameter("V", "A visit number, such as V-6001");

export const date = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  description: "A date, such as 2026-04-15",
} as const;
export const postcode = { type: "string", pattern: "^\\d{5}$", description: "A postcode of five digits" } as const;
export const amount = {
  type: "number",
  exclusiveMinimum: 0,
  maximum: 10_000,
  description: "An amount in euros",
} as const;

function idParameter(letter: string, description: string) {
  return { type: "string", pattern: `^${letter}-\\d{4}$`, description } as const;
}
