import { Trainer } from "../env/trainer.ts";
import { Connection } from "../mcp/connection.ts";
import { httpBytes, legacyHeaders, modernHeaders, modernMeta, post } from "../mcp/requests.ts";
import { openSession } from "../mcp/subject.ts";

/** A client that plays an episode of its own. */
export interface StepClient {
  step(): Promise<void>;
  close(): void;
}

export interface Protocol {
  readonly name: string;
  readonly requestsPerStep: number;
  /** Starts an episode of grid-world. */
  open(url: string, slot: number): Promise<StepClient>;
}

/** OpenEnv's own server speaks it too. */
export const socketProtocol: Protocol = { name: "OpenEnv, WebSocket (`/ws`)", requestsPerStep: 1, open: openSocket };

/** The ways in which trainers and agents make a step. */
export const protocols: readonly Protocol[] = [
  socketProtocol,
  { name: "OpenEnv, HTTP (`/step`)", requestsPerStep: 1, open: openHttp },
  { name: "REST (`/mcp/execute`)", requestsPerStep: 1, open: openRest },
  { name: "MCP 2026-07-28", requestsPerStep: 1, open: openModern },
  { name: "MCP 2025-11-25, session", requestsPerStep: 1, open: (url) => openLegacy(url, []) },
  {
    name: "MCP 2025-11-25 and the control plane, as Eval Protocol",
    requestsPerStep: 3,
    open: (url) => openLegacy(url, ["reward", "status"]),
  },
];

async function openSocket(url: string): Promise<StepClient> {
  const trainer = await Trainer.open(url);
  await trainer.send('{"type":"reset","data":{"seed":1}}');
  return {
    async step() {
      const answer = await trainer.send('{"type":"step","data":{"action":"RIGHT"}}');
      if (!answer.includes('"observation"')) throw new Error(`A step was answered with ${answer.slice(0, 200)}`);
    },
    close: () => trainer.close(),
  };
}

const action = { action: "RIGHT" };
const move = { name: "grid_move", arguments: action };

async function openHttp(url: string, slot: number): Promise<StepClient> {
  const episode = { episode_id: `http-${slot}` };
  await askOnce(url, httpBytes("POST /reset", { message: { seed: 1, ...episode } }));
  return repeating(url, [httpBytes("POST /step", { message: { action, ...episode } })]);
}

async function openRest(url: string, slot: number): Promise<StepClient> {
  const episode = await startEpisode(url, slot);
  const message = { tool: move.name, arguments: move.arguments, episode };
  return repeating(url, [httpBytes("POST /mcp/execute", { message })]);
}

async function openModern(url: string, slot: number): Promise<StepClient> {
  const episode = await startEpisode(url, slot);
  const params = { ...move, _meta: { ...modernMeta, "dev.biplane/episode": episode } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return repeating(url, [post(message, modernHeaders("tools/call", move.name))]);
}

/** A session has an episode of its own. The control plane is asked after each step. */
async function openLegacy(url: string, asked: readonly string[]): Promise<StepClient> {
  const headers = legacyHeaders(await openSession(portOf(url)));
  const call = post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: move }, headers);
  const control = asked.map((name) => httpBytes(`GET /control/${name}`, { headers }));
  return repeating(url, [call, ...control]);
}

async function startEpisode(url: string, seed: number): Promise<string> {
  const body = await askOnce(url, httpBytes("POST /control/episodes", { message: { seed } }));
  return (JSON.parse(body) as { id: string }).id;
}

/** Connects again if the server has closed the connection, because other protocols were measured in between. */
async function repeating(url: string, requests: readonly Buffer[]): Promise<StepClient> {
  let connection = await Connection.open(portOf(url));
  return {
    async step() {
      if (!connection.isOpen) connection = await Connection.open(portOf(url));
      for (const request of requests) await ask(connection, request);
    },
    close: () => connection.close(),
  };
}

async function askOnce(url: string, request: Buffer): Promise<string> {
  const connection = await Connection.open(portOf(url));
  const body = await ask(connection, request);
  connection.close();
  return body;
}

async function ask(connection: Connection, request: Buffer): Promise<string> {
  const { status, body } = await connection.ask(request);
  if (status !== 200 || body.includes('"isError":true'))
    throw new Error(`A request was answered with ${status}: ${body.slice(0, 200)}`);
  return body;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
