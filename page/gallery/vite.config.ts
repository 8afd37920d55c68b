import { mergeConfig } from "vite";
import page from "../vite.config.ts";

/** Every component on one page, for looking at and for tests: `vite --config page/gallery/vite.config.ts`. */
export default mergeConfig(page, { root: import.meta.dirname, build: { outDir: "../../.cache/gallery" } });
