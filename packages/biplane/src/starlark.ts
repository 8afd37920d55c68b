export * from "@biplane/starlark";
