// Mounts the server at the given port.
import { server } from "biplane";
import { ready } from "../mcp/servers/control.mjs";

const gateway = server({ name: "proxy", version: "1.0.0", limits: false });
await gateway.mount("upstream", `http://127.0.0.1:${process.argv[2]}/mcp`);
const { url } = await gateway.serve("http://127.0.0.1:0");
ready(Number(new URL(url).port));
