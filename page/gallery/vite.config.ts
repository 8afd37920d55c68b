import { mergeConfig } from "vite";
import page from "../vite.config.ts";

/** Renders every component on one page, for development and tests: `vite --config page/gallery/vite.config.ts`. */
export default mergeConfig(page, { root: import.meta.dirname, build: { outDir: "../../.cache/gallery" } });
