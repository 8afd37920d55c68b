import { command, oneOf, option } from "./command/define.ts";
import { newToken, tokenHash } from "../governance/access/token.ts";

const make = command(
  "Create a token; standard output gets the token alone, standard error the lines for biplane.yaml",
  {
    args: {
      id: option("The caller's id in limits, policies and the audit log", { required: true }),
      kind: option("token, or trainer to also allow the trainer endpoints", {
        takes: oneOf("token", "trainer"),
        default: "token",
      }),
      scope: option("Comma-separated scopes, which policies can require", { default: "" }),
    },
    run: ({ args: { id, kind, scope } }) => {
      const scopes = scope.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
      const token = newToken("biplane_t_");
      const entry = `{ id: ${JSON.stringify(id)}, kind: ${kind}, scopes: ${JSON.stringify(scopes)}, hash: "${tokenHash(token)}" }`;
      process.stdout.write(`${token}\n`);
      // On standard error, so that TOKEN=$(biplane token new …) holds the token alone.
      process.stderr.write(`
The token is not shown again. The caller sends it in the header Authorization: Bearer <token>.
To accept it, add its hash to biplane.yaml and restart biplane serve:

auth:
  tokens:
    - ${entry}
`);
    },
  },
);

/** `biplane token new`: prints the token, and its hash for biplane.yaml. */
export const tokenCommand = command("Create tokens for agents and trainers", { subCommands: { new: make } });
