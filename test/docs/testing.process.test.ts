import { followDocument } from "./follow-document.ts";

followDocument("testing.md", { least: 8 });
