import { randomUUID } from "node:crypto";
import { Child } from "./child.ts";
import { Connection } from "./connection.ts";
import type { Answer } from "./connection.ts";
import { expectedAnswer, initializeBytes, initializedBytes, requestBytes } from "./requests.ts";
import type { Era, Session, Workload } from "./requests.ts";

/** A server under test, its protocol version, and the request to send. */
export interface Contender {
  readonly name: string;
  readonly era: Era;
  readonly workload: Workload;
  readonly file: string;
  readonly args: readonly string[];
  /** Multiplies the requests per round, so that fast and slow servers are measured for the same time. */
  readonly share: number;
  /** Responds with a constant: has no sessions, and is correct only for the first connection. */
  readonly isBare: boolean;
  /** How many tools a list must contain. */
  readonly tools?: number;
  /** A peer that must be installed or built first. */
  readonly needs?: "npm" | "go" | "rust";
}

/** A connection, and the request that is sent over it. */
export interface Lane {
  readonly connection: Connection;
  readonly request: Buffer;
}

/** A running contender with its measurements. */
export class Subject {
  readonly contender: Contender;
  /** CPU microseconds per request, one figure per round. */
  readonly rounds: number[] = [];
  /** Requests per second of the same rounds, with all connections busy. */
  readonly rates: number[] = [];
  readonly child: Child;
  readonly #requests: readonly Buffer[];

  /** Starts the server, opens the sessions and checks one response. */
  static async start(contender: Contender): Promise<Subject> {
    const child = await Child.start(contender.file, contender.args);
    try {
      return new Subject(contender, child, await prepareRequests(contender, child.port));
    } catch (error) {
      child.stop();
      throw error;
    }
  }

  private constructor(contender: Contender, child: Child, requests: readonly Buffer[]) {
    this.contender = contender;
    this.child = child;
    this.#requests = requests;
  }

  /** The body of the first response. */
  async sample(): Promise<string> {
    const connection = await Connection.open(this.child.port);
    const answer = await connection.ask(this.#requests[0] as Buffer);
    connection.close();
    checkAnswer(answer, this.contender, 0);
    return answer.body;
  }

  async warmUp(count: number): Promise<void> {
    await this.drive(this.#scaled(count));
  }

  /** Sends exactly `count` requests, and measures nothing. */
  async drive(count: number): Promise<void> {
    const connections = await this.#connect();
    await this.#drive(connections, count);
    for (const connection of connections) connection.close();
  }

  /** Sends `count` requests and records the CPU time per request, after a warm-up with a tenth as many. */
  async measure(roundCount: number): Promise<void> {
    const connections = await this.#connect();
    await this.#drive(connections, this.#scaled(roundCount / 10));
    const count = this.#scaled(roundCount);
    const before = await this.child.cpuMicroseconds();
    const startedAt = performance.now();
    await this.#drive(connections, count);
    this.rates.push((count * 1000) / (performance.now() - startedAt));
    this.rounds.push(((await this.child.cpuMicroseconds()) - before) / count);
    for (const connection of connections) connection.close();
  }

  /** All connections, for a load of one's own. */
  async openLanes(): Promise<Lane[]> {
    const connections = await this.#connect();
    return connections.map((connection, slot) => ({ connection, request: this.#requests[slot] as Buffer }));
  }

  stop(): void {
    this.child.stop();
  }

  #scaled(count: number): number {
    return Math.max(connectionCount, Math.round(count * this.contender.share));
  }

  #connect(): Promise<Connection[]> {
    return Promise.all(this.#requests.map(() => Connection.open(this.child.port)));
  }

  async #drive(connections: readonly Connection[], count: number): Promise<void> {
    let left = count;
    const take = () => left-- > 0;
    await withinMinutes(5, () =>
      Promise.all(connections.map((connection, slot) => this.#repeat(connection, slot, take))),
    );
  }

  /** One connection's share of the load. Reads the first response in full, of the others only the status. */
  #repeat(connection: Connection, slot: number, take: () => boolean): Promise<void> {
    const request = this.#requests[slot] as Buffer;
    let keep = true;
    return new Promise((resolve, fail) => {
      const next = () => {
        if (take()) connection.send(request, { keep, done, fail });
        else resolve();
      };
      const done = (answer: Answer) => {
        try {
          if (keep) checkAnswer(answer, this.contender, slot);
          else checkStatus(answer, this.contender);
          keep = false;
          next();
        } catch (error) {
          fail(error);
        }
      };
      next();
    });
  }
}

/** Open connections to each server, and sessions. */
export const connectionCount = 64;

function prepareRequests({ era, workload, isBare }: Contender, port: number): Promise<readonly Buffer[]> {
  const slots = Array.from({ length: connectionCount }, (_, slot) => slot);
  return Promise.all(
    slots.map(async (slot) => {
      const open = isBare ? imagineSession : () => openSession(port);
      const session = era === "2025 session" ? await open() : undefined;
      return requestBytes({ era, workload, slot, session });
    }),
  );
}

/** The bare server gets the same requests as the others. */
function imagineSession(): Session {
  return { id: randomUUID(), version: "2025-11-25" };
}

/** Opens a session of the older protocol. */
export async function openSession(port: number): Promise<Session> {
  const connection = await Connection.open(port);
  const answer = await connection.ask(initializeBytes());
  const id = /\r\nmcp-session-id: *(\S+)/i.exec(answer.head)?.[1];
  const version = /"protocolVersion":"([^"]+)"/.exec(answer.body)?.[1];
  if (id === undefined || version === undefined) throw new Error(`it opened no session: ${short(answer)}`);
  const accepted = await connection.ask(initializedBytes({ id, version }));
  if (accepted.status !== 202) throw new Error(`it did not accept notifications/initialized: ${short(accepted)}`);
  connection.close();
  return { id, version };
}

function checkStatus(answer: Answer, { name }: Contender): void {
  if (answer.status !== 200) throw new Error(`${name} answered ${short(answer)}`);
}

function checkAnswer(answer: Answer, contender: Contender, slot: number): void {
  checkStatus(answer, contender);
  const { workload, isBare, tools } = contender;
  const expected = expectedAnswer(workload, { slot: isBare ? 0 : slot, tools });
  if (!answer.body.includes(expected))
    throw new Error(`${contender.name} should have answered ${expected}, not ${short(answer)}`);
}

function short({ head, body }: Answer): string {
  return `${head.split("\r\n", 1)[0] ?? ""} ${body.slice(0, 500)}`;
}

async function withinMinutes(minutes: number, work: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Timed out after ${minutes} minutes.`)), minutes * 60_000);
  });
  await Promise.race([work(), late]).finally(() => clearTimeout(timer));
}
