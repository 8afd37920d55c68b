import { pythonRepr } from "../../rollout/python/text.ts";
import { readTool, writeTool } from "../common-tools.ts";
import type { DomainTool, DomainTools } from "../domain.ts";
import { toCents } from "../python-number.ts";
import { floatText } from "./company.ts";
import { checkApps, grantPermission, permissionsOf, setApnSettings, setNetworkMode } from "./phone-settings.ts";
import {
  canSendMms,
  connectVpn,
  disconnectVpn,
  dropWifi,
  reboot,
  searchNetwork,
  simStatus,
  speedOf,
  statusBar,
  toggleAirplaneMode,
} from "./phone.ts";
import type { Phone, TelecomState } from "./telecom-models.ts";

const text = { type: "string" } as const;

/** A look at the phone. */
function show(description: string, textOf: (phone: Phone) => string): DomainTool<TelecomState> {
  return readTool(description, { parameters: {}, run: ({ phone }) => textOf(phone) });
}

/** An action that answers with a sentence and the status bar. */
function act(description: string, change: (phone: Phone) => string): DomainTool<TelecomState> {
  return writeTool(description, { parameters: {}, run: ({ phone }) => withStatusBar(phone, change(phone)) });
}

function withStatusBar(phone: Phone, sentence: string): string {
  return `${sentence}\nStatus Bar: ${statusBar(phone)}`;
}

const onOff = (isOn: boolean) => (isOn ? "ON" : "OFF");
const yesNo = (isTrue: boolean) => (isTrue ? "Yes" : "No");

/** What the user can do with the phone. */
export const userTools: DomainTools<TelecomState> = {
  check_status_bar: show("Shows the icons at the top of the screen", (phone) => `Status Bar: ${statusBar(phone)}`),
  check_network_status: show("Shows the state of the cellular network and Wi-Fi", networkStatus),
  check_network_mode_preference: show(
    "Shows which network the phone prefers",
    ({ device }) => `Network Mode Preference: ${device.network_mode_preference}`,
  ),
  set_network_mode_preference: writeTool(
    "Sets which network the phone prefers: 4g_5g_preferred, 4g_only, 3g_only or 2g_only",
    {
      parameters: { mode: text },
      run: ({ phone }, { mode }) => withStatusBar(phone, setNetworkMode(phone, String(mode))),
    },
  ),
  run_speed_test: show("Measures the speed of mobile data", speedTest),
  toggle_airplane_mode: act(
    "Turns airplane mode on or off",
    (phone) => `Airplane Mode is now ${onOff(toggleAirplaneMode(phone))}.`,
  ),
  check_sim_status: show("Shows whether the SIM card works", ({ device }) => simSentences[simStatus(device)] ?? ""),
  reseat_sim_card: act("Takes the SIM card out and puts it in again", (phone) => {
    phone.device.sim_card_missing = false;
    searchNetwork(phone);
    return "SIM card re-seated successfully.";
  }),
  toggle_data: act("Turns mobile data on or off", (phone) => {
    phone.device.data_enabled = !phone.device.data_enabled;
    searchNetwork(phone);
    return `Mobile Data is now ${onOff(phone.device.data_enabled)}.`;
  }),
  toggle_roaming: act("Turns data roaming on or off", (phone) => {
    phone.device.roaming_enabled = !phone.device.roaming_enabled;
    searchNetwork(phone);
    return `Data Roaming is now ${onOff(phone.device.roaming_enabled)}.`;
  }),
  check_data_restriction_status: show("Shows whether data saver is on", ({ device }) =>
    device.data_saver_mode ? "Data Saver mode is ON (limits data usage)." : "Data Saver mode is OFF.",
  ),
  toggle_data_saver_mode: act("Turns data saver on or off", ({ device }) => {
    device.data_saver_mode = !device.data_saver_mode;
    return `Data Saver Mode is now ${onOff(device.data_saver_mode)}.`;
  }),
  check_apn_settings: show("Shows the APN settings", ({ device: { active_apn_settings: apn } }) => {
    const url = apn.mmsc_url === null || apn.mmsc_url === "" ? "Not Set" : apn.mmsc_url;
    return `Current APN Name: ${apn.apn_name}\nMMSC URL (for picture messages): ${url}\n(These are technical settings, usually best left unchanged.)`;
  }),
  set_apn_settings: writeTool("Sets the APN settings", {
    parameters: { apn_settings: { type: "object" } },
    run: ({ phone }, { apn_settings: settings }) => withStatusBar(phone, setApnSettings(phone, settings)),
  }),
  reset_apn_settings: act("Resets the APN settings at the next reboot", (phone) => {
    phone.device.active_apn_settings.reset_at_reboot = true;
    searchNetwork(phone);
    return "APN settings will reset at reboot.";
  }),
  check_wifi_status: show("Shows the state of Wi-Fi", ({ device }) => {
    if (!device.wifi_enabled) return "Wi-Fi is turned OFF.";
    if (!device.wifi_connected) return "Wi-Fi is ON but not connected to any network.";
    return `Wi-Fi is ON and connected to '${device.wifi_ssid ?? "None"}'. Signal strength: ${device.wifi_signal_strength}.`;
  }),
  toggle_wifi: act("Turns Wi-Fi on or off", ({ device }) => {
    if (device.airplane_mode) return "Cannot change Wi-Fi settings while Airplane Mode is ON.";
    device.wifi_enabled = !device.wifi_enabled;
    if (!device.wifi_enabled) dropWifi(device);
    return `Wi-Fi is now ${onOff(device.wifi_enabled)}.`;
  }),
  check_wifi_calling_status: show(
    "Shows whether Wi-Fi calling is on",
    ({ device }) => `Wi-Fi Calling is currently turned ${onOff(device.wifi_calling_enabled)}.`,
  ),
  toggle_wifi_calling: act("Turns Wi-Fi calling on or off", ({ device }) => {
    device.wifi_calling_enabled = !device.wifi_calling_enabled;
    return `Wi-Fi Calling is now ${onOff(device.wifi_calling_enabled)}.`;
  }),
  check_vpn_status: show("Shows the state of the VPN", vpnStatus),
  connect_vpn: writeTool("Connects the VPN", {
    parameters: {},
    run: ({ phone }) =>
      connectVpn(phone.device) ? withStatusBar(phone, "VPN connected successfully.") : "VPN already connected.",
  }),
  disconnect_vpn: act("Disconnects the VPN", ({ device }) =>
    disconnectVpn(device) ? "VPN disconnected successfully." : "No active VPN connection to disconnect.",
  ),
  check_installed_apps: show(
    "Lists the apps on the phone",
    ({ device }) => `The following apps are installed on the phone: ${Object.keys(device.app_statuses).join(", ")}`,
  ),
  check_app_status: readTool("Shows an app and its permissions", {
    parameters: { app_name: text },
    run: ({ phone }, { app_name: app }) => checkApps(phone, String(app)),
  }),
  check_app_permissions: readTool("Lists the permissions of an app", {
    parameters: { app_name: text },
    run: ({ phone }, { app_name: app }) => {
      const granted = permissionsOf(phone, String(app));
      if (!granted) return `App '${String(app)}' not found on this phone.`;
      if (granted.length === 0) return `App '${String(app)}' currently has no permissions granted.`;
      return `App '${String(app)}' has permission for: ${granted.join(", ")}.`;
    },
  }),
  grant_app_permission: writeTool("Gives an app a permission, such as sms or storage", {
    parameters: { app_name: text, permission: text },
    run: ({ phone }, { app_name: app, permission }) =>
      withStatusBar(phone, grantPermission(phone, String(app), String(permission))),
  }),
  can_send_mms: show("Shows whether the messaging app can send MMS", (phone) =>
    canSendMms(phone) ? "Your messaging app can send MMS messages." : "Your messaging app cannot send MMS messages.",
  ),
  reboot_device: act("Restarts the phone", reboot),
  check_payment_request: show(
    "Shows whether the agent asks for a payment",
    ({ surroundings: { payment_request: due } }) =>
      due
        ? `You have a payment request for bill ${due.bill_id} of ${floatText(due.amount_due)} USD.`
        : "No payment request has been made.",
  ),
  make_payment: writeTool("Pays the bill that the agent asks to pay", {
    parameters: {},
    run: ({ phone }) => {
      const due = phone.surroundings.payment_request;
      if (!due) return "You do not have a payment request.";
      due.paid = true;
      return `Payment of ${floatText(due.amount_due)} USD has been made for bill ${due.bill_id}.`;
    },
  }),
};

function networkStatus({ device }: Phone): string {
  const lines = [
    `Airplane Mode: ${onOff(device.airplane_mode)}`,
    `SIM Card Status: ${simStatus(device)}`,
    `Cellular Connection: ${device.network_connection_status}`,
    `Cellular Signal: ${device.network_signal_strength}`,
    `Cellular Network Type: ${device.network_technology_connected}`,
    `Mobile Data Enabled: ${yesNo(device.data_enabled)}`,
    `Data Roaming Enabled: ${yesNo(device.roaming_enabled)}`,
    `Wi-Fi Radio: ${onOff(device.wifi_enabled)}`,
    `Wi-Fi Connected: ${yesNo(device.wifi_connected)}`,
  ];
  if (device.wifi_connected) lines.push(`Connected Wi-Fi Network: ${device.wifi_ssid ?? "None"}`);
  return lines.join("\n");
}

function speedTest(phone: Phone): string {
  const measured = speedOf(phone);
  if (!measured) return "Speed test failed: No Connection.";
  const { speed, word } = measured;
  return `Speed Test Result: ${toCents(speed)} Mbps (${word}). ${speedSentences[word] ?? ""}`;
}

const speedSentences: Readonly<Record<string, string>> = {
  "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
  Poor: "Connection is slow. Web browsing may be sluggish, streaming difficult.",
  Fair: "Connection is okay for web browsing and some standard definition streaming.",
  Good: "Connection is good for most activities, including HD streaming.",
  Excellent: "Connection is very fast.",
};

const simSentences: Readonly<Record<string, string>> = {
  active: "Your SIM card is active and working.",
  missing: "No SIM card detected in the phone.",
  locked_pin: "The SIM card is locked with a PIN code.",
  locked_puk: "The SIM card is locked with a PUK code.",
};

/** Prints the details as Python prints a dict with an enum in it. */
function vpnStatus({ device }: Phone): string {
  const { vpn_connected: isConnected, vpn_details: details } = device;
  if (!isConnected)
    return device.vpn_enabled_setting
      ? "VPN is turned ON in settings, but currently not connected."
      : "VPN is turned OFF.";
  if (!details) return "VPN is ON and connected (no specific details available).";
  const { server_address: address, protocol, server_performance: performance } = details;
  const level = `<PerformanceLevel.${performance.toUpperCase()}: ${pythonRepr(performance)}>`;
  return `VPN is ON and connected. Details: {'server_address': ${pythonRepr(address)}, 'protocol': ${pythonRepr(protocol)}, 'server_performance': ${level}}`;
}
