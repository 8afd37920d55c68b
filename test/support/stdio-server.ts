import { fixture } from "./fixture.ts";

/** The fixture as a process of its own: `node --import tsx --conditions=biplane-source test/support/stdio-server.ts`. */
const maxBodyBytes = Number(process.env["MAX_BODY_BYTES"] ?? 0);
await fixture().serve({ url: "stdio", graceMs: 200, ...(maxBodyBytes > 0 && { maxBodyBytes }) });
