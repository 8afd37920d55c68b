import type { Bytes } from "./bytes.ts";

export type StringViewKind = "elems" | "elem_ords" | "codepoints" | "codepoint_ords";

/** What `s.elems()`, `s.elem_ords()`, `s.codepoints()` and `s.codepoint_ords()` return: a sequence over the text. */
export class StringView {
  readonly text: string;
  readonly kind: StringViewKind;

  constructor(text: string, kind: StringViewKind) {
    this.text = text;
    this.kind = kind;
  }

  get typeName(): string {
    return this.kind.startsWith("elem") ? "string.elems" : "string.codepoints";
  }
}

/** What `b.elems()` returns: the bytes as ints. */
export class BytesView {
  readonly bytes: Bytes;

  constructor(bytes: Bytes) {
    this.bytes = bytes;
  }

  get typeName(): string {
    return "bytes.elems";
  }
}
