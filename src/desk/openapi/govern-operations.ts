import type { Operations } from "./operation.ts";
import { outcomes } from "../outcomes.ts";
import { about, anything, body, flag, list, number, object, oneOf, pageOf, ref, text, whole } from "./schema.ts";

const slowly = { 429: "Too many wrong guesses; Retry-After says how long to wait" };
const hash = { type: "string", pattern: "^[0-9a-f]{64}$" };
const changed = { 409: "The file has other bytes by now than those with this hash" };

/** Logging in, deciding, and what is on record. */
export const governOperations: Operations = {
  "GET /api/setup": { summary: "whether there is nobody yet", answer: object({ needed: flag }) },
  "POST /api/setup": {
    summary: "make the first person, with the code of the terminal",
    body: body({ code: text, name: text, passphrase: text }),
    answer: ref("LoggedIn"),
    errors: slowly,
  },
  "POST /api/session": {
    summary: "log in; the session is a cookie, and the key in the answer, sent as X-Biplane",
    body: body({}, { name: text, passphrase: text, key: about("Of a link of the terminal, instead of both", text) }),
    answer: ref("LoggedIn"),
    errors: { 401: "The name or the passphrase is wrong, or the key was used", ...slowly },
  },
  "GET /api/session": { summary: "who am I", answer: ref("WhoAmI") },
  "DELETE /api/session": { summary: "log out here" },
  "DELETE /api/sessions": { summary: "log out everywhere" },
  "PUT /api/passphrase": {
    summary: "set a new passphrase; every other session ends",
    body: body({ current: text, passphrase: text }),
    answer: ref("LoggedIn"),
    errors: slowly,
  },
  "GET /api/tokens": { summary: "one's own tokens", isPaged: true, answer: pageOf("tokens", ref("Token")) },
  "POST /api/tokens": {
    summary: "a token for a program that acts for oneself; only logged in",
    body: body({}, { label: text, days: { ...number, exclusiveMinimum: 0, maximum: 3660, default: 90 } }),
    answer: ref("NewToken"),
    status: 201,
  },
  "DELETE /api/tokens/:id": { summary: "take a token back" },
  "GET /api/secrets": { summary: "the names of secrets", isPaged: true, answer: pageOf("secrets", ref("Secret")) },
  "GET /api/secrets/:name": { summary: "where a secret is from, never its value", answer: ref("Secret") },
  "PUT /api/secrets/:name": { summary: "set a secret", body: body({ value: text }) },
  "DELETE /api/secrets/:name": { summary: "delete a secret from the store" },
  "GET /api/approvals": {
    summary: "calls that wait, or waited, for an answer, the newest first",
    query: {
      status: oneOf("waiting", "approved", "used", "rejected", "expired"),
      server: text,
      tool: text,
      principal: about("The id of the caller", text),
      batch: text,
    },
    isPaged: true,
    answer: pageOf("approvals", ref("Approval")),
  },
  "GET /api/approvals/:id": { summary: "one of them", answer: ref("Approval") },
  "GET /api/approvals/:id/before": {
    summary: "what was approved last for the same tool, to compare with",
    answer: ref("ApprovedBefore"),
  },
  "POST /api/approvals/answer": {
    summary: "answer some of them, if all still wait",
    body: ref("Answer"),
    answer: object({ approvals: list(ref("Approval")) }),
  },
  "GET /api/grants": { summary: "standing approvals", isPaged: true, answer: pageOf("grants", ref("Grant")) },
  "DELETE /api/grants/:id": { summary: "take a standing approval back" },
  "GET /api/scripts": {
    summary: "the scripts, and what was decided about each",
    isPaged: true,
    answer: pageOf("scripts", ref("ShownScript")),
  },
  "GET /api/scripts/:name": {
    summary: "a script: its source, the one that was approved last, and the decisions about it",
    answer: ref("OpenedScript"),
  },
  "POST /api/scripts/:name/verdict": {
    summary: "decide about the exact bytes that were looked at",
    body: body({ verdict: oneOf("approve", "reject"), hash }, { reason: about("With a rejection", text) }),
    answer: ref("OpenedScript"),
    errors: changed,
  },
  "POST /api/scripts/:name/run": {
    summary: "try a script: without network and real secrets, or `live`, if it is approved",
    body: body(
      {},
      {
        input: about("A list of arguments, or an object of named ones", anything),
        function: about("Left out: main", text),
        hash,
        live: about("As an agent would run it; needs the scope tools too", flag),
      },
    ),
    answer: ref("ScriptRun"),
    errors: { ...changed, 501: "Nothing here runs scripts", 503: "Others are being tried" },
  },
  "GET /api/audit": {
    summary: "what was done, and by whom",
    query: {
      tool: text,
      principal: text,
      code: oneOf(...outcomes),
      order: oneOf("newest", "oldest"),
    },
    isPaged: true,
    answer: pageOf("lines", ref("AuditLine"), whole),
  },
  "GET /api/connections": {
    summary: "the MCP sessions that are open, the newest first",
    query: { server: text, client: text, principal: text },
    isPaged: true,
    answer: pageOf("connections", ref("ShownConnection")),
  },
  "DELETE /api/connections/:id": { summary: "end one of them" },
  "GET /api/settings": { summary: "what holds here, without secrets", answer: ref("Settings") },
  "GET /api/people": { summary: "who may log in", isPaged: true, answer: pageOf("people", ref("Person")) },
  "POST /api/people": {
    summary: "let somebody in, with no more than one may oneself",
    body: body({ name: text, passphrase: text, scopes: list(text) }),
    answer: ref("Person"),
    status: 201,
    errors: { 503: "Too many passphrases are being worked on" },
  },
  "DELETE /api/people/:name": { summary: "shut somebody out; his sessions and tokens end at once" },
};
