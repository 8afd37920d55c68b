import { parseJson } from "../bounds/parse-json.ts";
import { messageOf } from "../errors.ts";
import { rpcCode } from "./protocol.ts";
import { invalidMessage, readMessage } from "./rpc.ts";
import type { Incoming, RpcId } from "./rpc.ts";

/** Parses one message. Never throws: bad input gives kind `invalid`. */
export function parseMessage(text: string): Incoming {
  let message: unknown;
  try {
    message = parseJson(text);
  } catch (error) {
    return error instanceof RangeError
      ? invalidMessage(idIn(text), rpcCode.invalidRequest, `Invalid Request: the message ${messageOf(error)}`)
      : invalidMessage(null, rpcCode.parse, "Parse error: this is not JSON");
  }
  if (Array.isArray(message)) {
    return message.length <= maxBatch
      ? { kind: "batch", messages: message }
      : invalidMessage(null, rpcCode.invalidRequest, `Invalid Request: a batch has at most ${maxBatch} messages`);
  }
  return readMessage(message);
}

/** Maximum messages of a batch, on every transport. */
export const maxBatch = 100;

/** The id of a message that is too large to parse, if it is among the first or the last members. */
function idIn(text: string): RpcId | null {
  const [, id] = leadingId.exec(text.slice(0, 1000)) ?? trailingId.exec(text.slice(-1000)) ?? [];
  return id === undefined ? null : (JSON.parse(id) as RpcId);
}

/** Only scalar members before it, or only these after it, so the id is not that of something inside. */
const leadingId =
  /^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[\w./-]*"\s*,)*\s*"id"\s*:\s*(0|[1-9]\d{0,14}|"[\w.:-]{1,200}")\s*[,}]/;
const trailingId = /,\s*"id"\s*:\s*(0|[1-9]\d{0,14}|"[\w.:-]{1,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2.0"\s*)?\}\s*$/;
