export * from "@biplane/core/apps/builtin";
