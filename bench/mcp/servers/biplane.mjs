// Our server from dist/, with schema checks, two policies and hooks. Serves both protocol versions at one address.
import { allow, deny, server, tool } from "biplane";
import { z } from "zod";
import { ready } from "./control.mjs";

const [, , kind = "zod", count = "1", http = ""] = process.argv;
const description = "Adds two numbers";
const add = (input) => ({ sum: input.a + input.b });
const input =
  kind === "zod"
    ? z.object({ a: z.number(), b: z.number() })
    : { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };

const tools = { add: tool({ description, input, run: add }) };
for (let at = 1; at < Number(count); at++) tools[`add_${at}`] = tool({ description, input, run: add });

const seen = { started: 0, ended: 0, failed: 0, ms: 0 };
// The limits are checked but never reached.
const limits = { perPrincipal: { perSecond: 1e9, burst: 1e9 } };
const app = server({ name: "bench", version: "1.0.0", tools, limits })
  .policy((agent, name) => (name.startsWith("admin_") && agent.agentId !== "admin" ? deny("Only for admins") : allow()))
  .policy((_, name, { a }) => (a > 1e9 ? deny(`${name} takes numbers up to a billion`) : allow()))
  .watch({
    onStart: () => void seen.started++,
    onEnd: ({ durationMs }) => {
      seen.ended++;
      seen.ms += durationMs;
    },
    onError: () => void seen.failed++,
  });

const { url } = await app.serve({ url: "http://127.0.0.1:0", fastLane: http !== "node:http" });
ready(Number(new URL(url).port));
