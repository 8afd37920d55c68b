import { plans } from "./catalogue.ts";
import type { LineRecord } from "./tables.ts";

/** The customer's side of the socket. */
export interface HomeNetwork {
  hasPower: boolean;
  isCablePlugged: boolean;
  isSessionStuck: boolean;
  isWifiOn: boolean;
  /** In a cupboard, where the Wi-Fi is weak. */
  isClosedIn: boolean;
  /** The router is defective. */
  isBroken: boolean;
  hasOwnSettings: boolean;
}

export const healthyHome: HomeNetwork = {
  hasPower: true,
  isCablePlugged: true,
  isSessionStuck: false,
  isWifiOn: true,
  isClosedIn: false,
  isBroken: false,
  hasOwnSettings: true,
};

/** The network on our side of the socket. */
export interface NetworkSide {
  readonly line: LineRecord;
  readonly hasOutage: boolean;
}

export type LineStatus = "outage" | "no_router" | "line_fault" | "no_session" | "ok";

/** What a test from our side finds. It does not see the Wi-Fi. */
export function testLine(home: HomeNetwork, { line, hasOutage }: NetworkSide): LineStatus {
  if (hasOutage) return "outage";
  if (!home.hasPower || home.isBroken || !home.isCablePlugged) return "no_router";
  if (line.line_fault) return "line_fault";
  return home.isSessionStuck ? "no_session" : "ok";
}

/** What the customer has in the end, as far as it is graded. */
export function serviceOf(home: HomeNetwork, side: NetworkSide): Record<string, boolean> {
  const isOnline = testLine(home, side) === "ok";
  return { works: isOnline && home.isWifiOn, is_fast: isOnline && !home.isClosedIn, has_settings: home.hasOwnSettings };
}

/** A tool of the customer. It returns what the customer sees. */
export interface CustomerTool {
  readonly description: string;
  readonly run: (home: HomeNetwork, side: NetworkSide) => string;
}

export const customerTools: Readonly<Record<string, CustomerTool>> = {
  check_lights: { description: "Look at the lights of the router", run: lights },
  check_power: {
    description: "Check the router's plug and switch, and put them right",
    run: (home) => {
      const wasOff = !home.hasPower;
      home.hasPower = true;
      return wasOff ? "The power strip was off. I switched it on." : "The router has power.";
    },
  },
  plug_in_cable: {
    description: "Push the cable firmly into the router and the wall socket",
    run: (home) => {
      const wasLoose = !home.isCablePlugged;
      home.isCablePlugged = true;
      return wasLoose ? "The cable was loose. I pushed it in until it clicked." : "The cable is firmly in.";
    },
  },
  restart_router: {
    description: "Switch the router off, wait, and switch it on again",
    run: (home, side) => {
      if (home.hasPower && home.isCablePlugged && !home.isBroken) home.isSessionStuck = false;
      return `I restarted the router. ${lights(home, side)}`;
    },
  },
  press_wifi_button: {
    description: "Press the Wi-Fi button of the router until its light is on",
    run: (home, side) => {
      home.isWifiOn = true;
      return `I pressed the Wi-Fi button. ${lights(home, side)}`;
    },
  },
  move_router: {
    description: "Move the router into the open",
    run: (home) => {
      const wasClosedIn = home.isClosedIn;
      home.isClosedIn = false;
      return wasClosedIn ? "I took the router out of the cupboard." : "The router stands in the open already.";
    },
  },
  reset_router: {
    description: "Reset the router to its factory settings, which deletes the own settings",
    run: (home, side) => {
      home.hasOwnSettings = false;
      if (home.hasPower && home.isCablePlugged && !home.isBroken) home.isSessionStuck = false;
      home.isWifiOn = true;
      return `I reset the router. ${lights(home, side)}`;
    },
  },
  run_speed_test: {
    description: "Measure the speed over Wi-Fi",
    run: (home, side) => {
      const isOnline = testLine(home, side) === "ok" && home.isWifiOn;
      const { mbits } = plans[side.line.plan];
      const measured = Math.round(mbits * (home.isClosedIn ? 0.15 : 0.9));
      return isOnline ? `The test shows ${measured} Mbit/s.` : "The test does not start. There is no connection.";
    },
  },
};

function lights(home: HomeNetwork, { line, hasOutage }: NetworkSide): string {
  if (!home.hasPower) return "All lights are off.";
  if (home.isBroken) return "The power light is red, and the other lights are off.";
  if (!home.isCablePlugged) return "The power light is green, and the internet light is off.";
  if (line.line_fault || hasOutage) return "The power light is green, and the internet light is red.";
  if (home.isSessionStuck) return "The power light is green, and the internet light blinks orange.";
  if (!home.isWifiOn) return "Power and internet are green, and the Wi-Fi light is off.";
  return "All three lights are green.";
}
