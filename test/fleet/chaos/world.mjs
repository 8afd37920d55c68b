import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { server, tool } from "biplane";

/**
 * Tools that reach outside: each run adds a line to a file, which no crash takes back. So it can be counted how often a
 * tool really ran.
 */
const input = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
const ran = (name, id) => appendFileSync(process.env.LEDGER, `${name} ${id}\n`);
const counted = (name, more = {}) => {
  const run = ({ id }) => {
    ran(name, id);
    return `${name} ${id}`;
  };
  return tool({ name, input, run, ...more });
};
const slowly = (name, more = {}) => {
  const run = async ({ id }, { signal }) => {
    ran(name, id);
    await pause(300, undefined, { signal });
    return `${name} ${id}`;
  };
  return tool({ name, input, run, task: "required", ...more });
};

export default server({
  name: "world",
  tools: [
    counted("book"),
    counted("refund"),
    counted("limited"),
    slowly("once"),
    slowly("again", { idempotent: true }),
  ],
});
