import { userInfo } from "node:os";
import type { Principal } from "../tool/call.ts";

/** Whoever sits at this terminal: he may open the store's file, so he is one of the house. */
export function personHere(): Principal {
  return { kind: "person", id: userInfo().username, scopes: ["*"] };
}
