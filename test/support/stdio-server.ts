import { fixture } from "./fixture.ts";

/** The fixture as a process of its own. */
const maxBodyBytes = Number(process.env["MAX_BODY_BYTES"] ?? 0);
await fixture().serve({ url: "stdio", graceMs: 200, ...(maxBodyBytes > 0 && { maxBodyBytes }) });
