export * from "@biplane/gallery";
