import type { Argument, Parameter } from "../syntax/ast.ts";

export type Report = (at: number, reason: string) => void;

/** Reports parameters in an invalid order. Duplicates are reported where names are declared. */
export function checkParameters(parameters: readonly Parameter[], report: Report): void {
  let doubleStar: string | undefined;
  let hasStar = false;
  let hasOptional = false;
  for (const [index, { kind, identifier, at }] of parameters.entries()) {
    if (doubleStar !== undefined && kind !== "**") report(at, `${kind} parameter may not follow **${doubleStar}`);
    else if (kind === "required" && hasOptional && !hasStar) report(at, "required parameter may not follow optional");
    if (kind === "optional") hasOptional = true;
    else if (kind === "**") {
      if (doubleStar !== undefined) report(at, "multiple ** parameters not allowed");
      doubleStar = identifier?.name ?? "";
    } else if (kind === "*") {
      const next = parameters[index + 1]?.kind;
      const hasKeywordOnly = next === "required" || next === "optional";
      if (hasStar) report(at, "multiple * parameters not allowed");
      else if (!identifier && !hasKeywordOnly) report(at, "bare * must be followed by keyword-only parameters");
      hasStar = true;
    }
  }
}

/** Reports arguments in an invalid order and duplicate names. */
export function checkArguments(args: readonly Argument[], report: Report): void {
  let hasStar = false;
  let hasDoubleStar = false;
  const names = new Set<string>();
  for (const { kind, name = "", at } of args) {
    if (kind === "**") {
      if (hasDoubleStar) report(at, "multiple **kwargs not allowed");
      hasDoubleStar = true;
    } else if (kind === "*") {
      if (hasDoubleStar) report(at, "*args may not follow **kwargs");
      else if (hasStar) report(at, "multiple *args not allowed");
      hasStar = true;
    } else {
      const what = kind === "named" ? "keyword" : "positional";
      if (hasDoubleStar) report(at, `${what} argument may not follow **kwargs`);
      else if (hasStar) report(at, `${what} argument may not follow *args`);
      else if (kind === "positional" && names.size > 0) report(at, "positional argument may not follow named");
      if (kind === "named" && names.has(name)) report(at, `keyword argument "${name}" is repeated`);
      if (kind === "named") names.add(name);
    }
  }
}
