export * from "@biplane/core/apps/registry";
