import { server, tool } from "biplane";
import { createLogger } from "../../packages/biplane/src/observe/logs.ts";
import { logRequests } from "../../packages/biplane/src/observe/log-requests.ts";

// A server over standard streams that logs what it is asked, for the process that started it to read on stderr.
const names = ["workspace_read", ...Array.from({ length: 15 }, (_, at) => `tool_${at}`)];
const tools = names.map((name) => tool({ name, description: name, run: () => "done" }));
const gateway = server({ name: "logging", version: "1.0.0", tools });
const requestLog = logRequests(createLogger({ level: "debug", redactor: () => gateway.redactor }));
const listening = await gateway.serve({ url: "stdio", requestLog });
await listening.closed;
