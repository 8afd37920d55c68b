export * from "@biplane/core";
