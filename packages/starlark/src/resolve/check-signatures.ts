import type { Argument, Parameter } from "../syntax/ast.ts";

export type Report = (at: number, reason: string) => void;

/** Reports parameters in an invalid order. Duplicates are reported where names are declared. */
export function checkParameters(parameters: readonly Parameter[], report: Report): void {
  let star: Parameter | undefined;
  let doubleStar: string | undefined;
  let hasOptional = false;
  let needsKeywordOnly = false;
  for (const parameter of parameters) {
    const { kind, at } = parameter;
    const name = parameter.identifier?.name ?? "";
    if (doubleStar !== undefined && kind !== "**") {
      const what = kind === "*" ? "* parameter" : `${kind} parameter`;
      report(at, `${what} may not follow **${doubleStar}`);
    } else if (kind === "required") {
      if (hasOptional && !star) report(at, "required parameter may not follow optional");
    }
    if (kind === "required" || kind === "optional") {
      if (kind === "optional") hasOptional = true;
      needsKeywordOnly = false;
    } else if (kind === "*") {
      if (star) report(at, "multiple * parameters not allowed");
      else {
        star = parameter;
        needsKeywordOnly = name === "";
      }
      if (star !== parameter && needsKeywordOnly) {
        report(star.at, "bare * must be followed by keyword-only parameters");
        needsKeywordOnly = false;
      }
    } else {
      if (doubleStar !== undefined) report(at, "multiple ** parameters not allowed");
      if (needsKeywordOnly && star) report(star.at, "bare * must be followed by keyword-only parameters");
      needsKeywordOnly = false;
      doubleStar = name;
    }
  }
  if (needsKeywordOnly && star) report(star.at, "bare * must be followed by keyword-only parameters");
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
