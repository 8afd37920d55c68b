import { userInfo } from "node:os";
import type { Principal } from "@biplane/core";

/** The user of this terminal. Has every scope, because the user can write the store's file anyway. */
export function localPerson(): Principal {
  return { kind: "person", id: userInfo().username, scopes: ["*"] };
}
