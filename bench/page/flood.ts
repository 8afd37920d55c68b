import { Connection } from "../mcp/connection.ts";
import { requestBytes } from "../mcp/requests.ts";

/**
 * Calls a tool over MCP and HTTP at a fixed rate until it is stopped. If the server falls behind, missed calls are made
 * up for.
 */
export async function flood(url: string, perSecond: number): Promise<Flood> {
  const port = Number(new URL(url).port);
  const idle = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const all = [...idle];
  const requests = Array.from({ length: kinds }, (_, slot) => requestBytes({ era: "2026", workload: "call", slot }));
  const since = performance.now();
  let sent = 0;
  let answered = 0;
  let failure: Error | undefined;
  const timer = setInterval(() => {
    const due = ((performance.now() - since) / 1000) * perSecond;
    while (sent < due) {
      const connection = idle.pop();
      if (!connection) return;
      connection.send(requests[sent++ % kinds] as Buffer, {
        keep: false,
        done: ({ status }) => {
          answered++;
          if (status !== 200) failure ??= new Error(`A call returned status ${status}.`);
          idle.push(connection);
        },
        fail: (error) => (failure ??= error),
      });
    }
  }, 5);
  return {
    stop() {
      clearInterval(timer);
      const rate = (answered / (performance.now() - since)) * 1000;
      for (const connection of all) connection.close();
      if (failure) throw failure;
      return rate;
    },
  };
}

export interface Flood {
  /** Returns the number of responses per second. */
  stop(): number;
}

const connections = 24;
const kinds = 90;
