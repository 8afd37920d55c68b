import { HoldMeter, cpuMs } from "../../support/hold-meter.ts";

/** Loaded before the program: a meter of its event loop, which the parent starts and reads. */
export type MeterRequest = "start" | "read" | "calibrate";

let meter: HoldMeter | undefined;
process.on("message", (request: MeterRequest) => {
  if (request === "calibrate") process.send?.(calibrate());
  else if (request === "read") process.send?.(meter?.stop() ?? 0);
  else {
    meter?.stop();
    meter = new HoldMeter();
    process.send?.(0);
  }
});

/** CPU time of a fixed work, the shortest of several tries: how fast this machine is now. */
function calibrate(): number {
  const text = JSON.stringify(Array.from({ length: 100_000 }, (_, at) => ({ at, name: `item ${at}` })));
  const times = Array.from({ length: 5 }, () => {
    const before = cpuMs();
    JSON.stringify(JSON.parse(text));
    return cpuMs() - before;
  });
  return Math.min(...times);
}

// The meter does not keep a program running that could not start.
process.channel?.unref();
