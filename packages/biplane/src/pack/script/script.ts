import { createHash } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { decodeUtf8 } from "../shared/files/decode-utf8.ts";
import { parseHeader } from "./header.ts";
import type { ScriptHeader } from "./header.ts";

/** A script as read once from disk. This text is hashed, shown, approved and run. */
export interface Script {
  readonly name: string;
  /** The name for people and error messages, such as `weather.star`. */
  readonly file: string;
  readonly source: string;
  /** Hash of the file's bytes. */
  readonly sha256: string;
  readonly header: ScriptHeader;
}

export function scriptFrom(name: string, bytes: Uint8Array, file = `${name}.star`): Script {
  const source = decodeUtf8(bytes);
  if (source === undefined) throw new BiplaneError("INVALID_INPUT", `${file} is not UTF-8 text.`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return Object.freeze({ name, file, source, sha256, header: parseHeader(source, file) });
}

/**
 * What an approval covers. It includes the source, so that the approver sees the text in question even if the file has
 * changed.
 */
export function subjectOf({ file, sha256, source, header }: Script) {
  return { script: file, sha256, secrets: header.secrets, source };
}
