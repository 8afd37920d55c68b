/** Does what one client caused. If that throws, this program has a fault, and only that client is disconnected. */
export function contain(disconnect: () => void, work: () => void | Promise<void>): void | Promise<void> {
  const fail = (fault: unknown) => {
    reportFault(fault);
    disconnect();
  };
  try {
    return work()?.catch(fail);
  } catch (fault) {
    fail(fault);
  }
}

/** Reports an error that nothing in this program should throw. Its message may quote the client's data, so it is left out. */
export function reportFault(fault: unknown): void {
  const [name, stack = ""] = fault instanceof Error ? [fault.name, fault.stack] : [typeof fault];
  const frames = stack.split("\n").filter((line) => line.startsWith("    at "));
  process.emitWarning(`What a client sent was not served because of a fault (${name}). Please report it.`, {
    type: "BiplaneFault",
    detail: frames.join("\n"),
  });
}
