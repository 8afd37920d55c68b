import { principalKinds, routes } from "@biplane/core/internal";
import type { JsonObject } from "@biplane/core/internal";

const text = { type: "string", minLength: 1 };
const globs = oneOrMore(text);

/** A rule of `policies`, for editors. `readRules` of core checks the file itself. */
export const ruleSchema: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", description: "Shown when the rule decides" },
    tool: { ...globs, description: "Globs over the name of the tool" },
    principal: {
      description: "The caller: token:ada, token:*, anonymous, a list of these, or an object",
      anyOf: [
        text,
        { type: "array", items: text, minItems: 1 },
        {
          type: "object",
          properties: {
            kind: oneOrMore({ enum: [...principalKinds] }),
            id: globs,
            scopes: globs,
            issuer: { ...globs, description: "Globs over the issuer of an OAuth token" },
            client: { ...globs, description: "Globs over the OAuth client" },
            key: { ...globs, description: "Globs over the thumbprint of the proven key (DPoP); * is any key" },
          },
          additionalProperties: false,
          minProperties: 1,
        },
      ],
    },
    agent: { ...globs, description: "Globs over the agent id that the caller claims" },
    model: { ...globs, description: "Globs over the model that the caller claims" },
    route: { ...oneOrMore({ enum: [...routes] }), description: "How the call arrives" },
    mode: oneOrMore({ enum: ["simulation", "production"] }),
    arguments: {
      type: "object",
      description: "Conditions on arguments, by path, such as amount or user.name",
      additionalProperties: { $ref: "#/$defs/argument" },
      minProperties: 1,
    },
    time: {
      type: "object",
      properties: {
        days: oneOrMore({ enum: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] }),
        from: { type: "string", description: 'Inclusive, such as "08:00"' },
        to: { type: "string", description: 'Exclusive, such as "18:00"' },
        zone: { type: "string", description: "Such as Europe/Berlin (default: UTC)" },
      },
      additionalProperties: false,
    },
    allow: { const: true },
    deny: { ...text, description: "The reason, shown to the caller" },
    ask: { ...text, description: "The question, shown to the approver" },
    approvers: {
      type: "integer",
      minimum: 1,
      maximum: 20,
      description: "With ask: how many different people must approve (default: 1)",
    },
  },
  additionalProperties: false,
  minProperties: 2,
  oneOf: [{ required: ["allow"] }, { required: ["deny"] }, { required: ["ask"] }],
};

const scalar = { type: ["string", "number", "boolean", "null"] };
const argument = { $ref: "#/$defs/argument" };

/** A condition on one argument: a value, or an object of conditions that must all hold. */
export const argumentSchema: JsonObject = {
  anyOf: [
    scalar,
    {
      type: "object",
      properties: {
        like: { ...globs, description: "Globs" },
        in: { type: "array", items: scalar, minItems: 1 },
        min: { type: "number" },
        max: { type: "number" },
        is: oneOrMore({ enum: ["string", "number", "integer", "boolean", "array", "object", "null"] }),
        exists: { type: "boolean" },
        not: argument,
        any: { type: "array", items: argument, minItems: 1 },
        each: { ...argument, description: "Every item of a list" },
      },
      additionalProperties: false,
      minProperties: 1,
    },
  ],
};

function oneOrMore(item: JsonObject): JsonObject {
  return { anyOf: [item, { type: "array", items: item, minItems: 1 }] };
}
