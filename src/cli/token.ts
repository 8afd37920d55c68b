import { defineCommand } from "citty";
import { newToken, tokenHash } from "../admin/access/token.ts";
import { BiplaneError } from "../errors.ts";

const make = defineCommand({
  meta: { name: "new", description: "Make a token for an agent or a trainer; it is shown once" },
  args: {
    id: { type: "string", description: "Whom calls with it are counted and recorded as", required: true },
    kind: { type: "string", description: "token, or trainer for the doors of trainers too", default: "token" },
    scope: { type: "string", description: "What its holder may, with commas between", default: "" },
  },
  run: ({ args: { id, kind, scope } }) => {
    if (kind !== "token" && kind !== "trainer")
      throw new BiplaneError("INVALID_INPUT", `--kind must be token or trainer, not ${kind}`);
    const scopes = scope.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
    const token = newToken("biplane_t_");
    const entry = `{ id: ${JSON.stringify(id)}, kind: ${kind}, scopes: ${JSON.stringify(scopes)}, hash: "${tokenHash(token)}" }`;
    process.stdout.write(`${token}\n`);
    process.stderr.write(`Keep it: it is not shown again. What biplane.yaml needs is its hash:

auth:
  tokens:
    - ${entry}
`);
  },
});

/** `biplane token new`: a token to give away, and the line by which the server knows it again. */
export const tokenCommand = defineCommand({
  meta: { name: "token", description: "Make tokens that open the doors of agents and trainers" },
  subCommands: { new: make },
});
