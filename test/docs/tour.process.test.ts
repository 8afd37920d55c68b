import { followDocument } from "./follow-document.ts";

followDocument("tour.md", { least: 25 });
