import { once } from "node:events";
import { Browsing } from "./browsing.ts";

/** Opens a page and tells; at a line of input it closes the browser and ends by itself. */
const browsing = new Browsing({ allow: ["127.0.0.2"] });
console.log(JSON.stringify(await browsing.text("browser_open", { url: process.argv[2] ?? "" })));
await once(process.stdin, "data");
await browsing[Symbol.asyncDispose]();
process.stdin.destroy();
