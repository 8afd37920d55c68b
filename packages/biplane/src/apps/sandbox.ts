export * from "@biplane/core/apps/sandbox";
