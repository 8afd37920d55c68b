import { bearerTokens } from "../../packages/biplane/src/governance/access/bearer-tokens.ts";
import { newToken } from "../../packages/biplane/src/governance/access/token.ts";

/** Tokens of two trainers and an agent, and the headers that carry them. */
export function trainerTokens() {
  const tokens = { one: newToken("biplane_t_"), other: newToken("biplane_t_"), agent: newToken("biplane_t_") };
  const authenticate = bearerTokens([
    { id: "one", token: tokens.one, kind: "trainer" },
    { id: "other", token: tokens.other, kind: "trainer" },
    { id: "agent", token: tokens.agent },
  ]);
  const bearer = (who: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[who]}` });
  return { tokens, authenticate, bearer };
}
