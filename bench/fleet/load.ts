import { Agent, request } from "node:http";
import { Trainer, play } from "../env/trainer.ts";

/** Plays steps over WebSockets, with as many sockets at each URL. Returns steps per second. */
export async function playSteps(urls: readonly string[], count: number): Promise<number> {
  const open = urls.flatMap((url) => Array.from({ length: socketsPerServer }, () => Trainer.open(url)));
  const trainers = await Promise.all(open);
  try {
    await Promise.all(trainers.map((trainer) => trainer.send('{"type":"reset","data":{"seed":1}}')));
    return (await play(trainers, '{"type":"step","data":{"tool_name":"add"}}', count)).rate;
  } finally {
    for (const trainer of trainers) trainer.close();
  }
}

/** Sends requests over kept connections, each to the next URL. Every server is as busy as one alone would be. */
export async function callTools(urls: readonly string[], body: object, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const servers = new Set(urls.map((url) => new URL(url).host)).size;
  let sent = 0;
  const work = async () => {
    while (sent < count) await post(urls[sent++ % urls.length] as string, body, agent);
  };
  await Promise.all(Array.from({ length: connectionsPerServer * servers }, work));
  agent.destroy();
}

export async function startEpisodes(url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(String((await post(`${url}/control/episodes`, { seed: at }))["id"]));
  return ids;
}

function post(url: string, body: object, agent?: Agent): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers: { "content-type": "application/json" }, ...(agent && { agent }) };
    const sent = request(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => {
        const answer = JSON.parse(text) as Record<string, unknown>;
        if (response.statusCode === 200) resolve(answer);
        else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}

const socketsPerServer = 128;
const connectionsPerServer = 16;
