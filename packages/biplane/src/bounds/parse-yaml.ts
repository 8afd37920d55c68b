import { Composer, Lexer, Parser } from "yaml";
import type { CST, Document, DocumentOptions, ParseOptions, SchemaOptions } from "yaml";

export interface YamlLimits {
  readonly maxLength: number;
  readonly maxDepth: number;
  /** Maximum number of words, marks and line ends: the work of the parser. */
  readonly maxTokens: number;
}

/** A parsed text, or why it was not parsed. */
export type ParsedYaml =
  | { readonly documents: readonly Document.Parsed[]; readonly fault?: undefined }
  | { readonly fault: string; readonly offset: number };

/**
 * Parses YAML from outside. The depth is limited while the text is read: later steps recurse, and deep nesting ends the
 * process in the compiler of regular expressions. Duplicate keys are not searched for, which takes quadratic time.
 */
export function parseYaml(
  text: string,
  limits: YamlLimits,
  options: ParseOptions & DocumentOptions & SchemaOptions = {},
): ParsedYaml {
  if (text.length > limits.maxLength) return { fault: `is longer than ${limits.maxLength} characters`, offset: 0 };
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let left = limits.maxTokens;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > limits.maxDepth)
      return { fault: "is nested too deeply, or something above it is not closed", offset: parser.offset };
    if (left-- === 0) return { fault: `has more than ${limits.maxTokens} words and marks`, offset: parser.offset };
  }
  tokens.push(...parser.end());
  const composer = new Composer({ ...options, uniqueKeys: false, schema: "core" });
  return { documents: withoutStackTraces(() => [...composer.compose(tokens, true, text.length)]) };
}

/** A broken text has an error for every character, and most of the time would go into their stack traces. */
function withoutStackTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
