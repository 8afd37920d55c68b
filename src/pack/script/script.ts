import { createHash } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import { decodeText } from "../files/decode-text.ts";
import { parseHeader } from "./header.ts";
import type { Header } from "./header.ts";

/** A script as it was read, once: what is hashed, shown, approved and run is this text and no other. */
export interface Script {
  readonly name: string;
  /** How people and error messages call it: `weather.star`. */
  readonly file: string;
  readonly source: string;
  /** Of the exact bytes. */
  readonly sha256: string;
  readonly header: Header;
}

export function scriptFrom(name: string, bytes: Uint8Array, file = `${name}.star`): Script {
  const source = decodeText(bytes);
  if (source === undefined) throw new BiplaneError("INVALID_INPUT", `${file} is not UTF-8 text`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return Object.freeze({ name, file, source, sha256, header: parseHeader(source, file) });
}

/**
 * What an approval of the script covers: its bytes, and with them its header. The text is there so that whoever
 * answers sees what was asked about, whatever the file holds by then.
 */
export function subjectOf({ file, sha256, source, header }: Script): ScriptSubject {
  return { script: file, sha256, secrets: header.secrets, source };
}

export interface ScriptSubject {
  readonly script: string;
  readonly sha256: string;
  readonly secrets: readonly string[];
  readonly source: string;
}
