// A server in which the one at the given port is mounted.
import { server } from "biplane";
import { ready } from "../mcp/servers/control.mjs";

const house = server({ name: "proxy", version: "1.0.0", limits: false });
await house.mount("upstream", `http://127.0.0.1:${process.argv[2]}/mcp`);
const { url } = await house.serve("http://127.0.0.1:0");
ready(Number(new URL(url).port));
