import { roundToCents } from "../python-number.ts";
import { apnDefaults } from "./telecom-models.ts";
import type { Phone, PhoneDevice } from "./telecom-models.ts";

/** The status of the SIM card as the phone sees it. */
export function simStatus({ sim_card_missing: isMissing, sim_card_status: status }: PhoneDevice): string {
  return isMissing ? "missing" : status;
}

/** Connects to the network that the settings prefer, or to none. */
export function searchNetwork({ device, surroundings }: Phone): void {
  const isBlocked =
    simStatus(device) !== "active" ||
    device.airplane_mode ||
    device.active_apn_settings.apn_name === "broken" ||
    !surroundings.line_active;
  const technology = isBlocked ? "none" : preferredTechnology({ device, surroundings });
  device.network_connection_status = isBlocked ? "no_service" : "connected";
  device.network_technology_connected = technology;
  device.network_signal_strength = isBlocked ? "none" : signalOf({ device, surroundings }, technology);
}

function preferredTechnology(phone: Phone): string {
  switch (phone.device.network_mode_preference) {
    case "4g_5g_preferred":
      return signalOf(phone, "5G") === "none" ? "4G" : "5G";
    case "3g_only":
      return "3G";
    case "2g_only":
      return "2G";
    default:
      return "4G";
  }
}

function signalOf({ surroundings: { signal_strength: signals } }: Phone, technology: string): string {
  return Object.hasOwn(signals, technology) ? (signals[technology] ?? "none") : "none";
}

export function isDataWorking({ device, surroundings }: Phone): boolean {
  const isConnected =
    !device.airplane_mode &&
    device.network_signal_strength !== "none" &&
    device.network_connection_status !== "no_service";
  const mayRoam = !surroundings.is_abroad || (device.roaming_enabled && surroundings.roaming_allowed);
  return isConnected && mayRoam && device.data_enabled && !surroundings.mobile_data_usage_exceeded;
}

/** The speed in Mbit/s and a word for it, or undefined if mobile data does not work. */
export function speedOf(phone: Phone): { speed: number; word: string } | undefined {
  if (!isDataWorking(phone)) return undefined;
  const { device } = phone;
  const isSlowVpn = device.vpn_connected && device.vpn_details?.server_performance === "poor";
  let factor = isSlowVpn ? 0.1 : 1;
  if (device.data_saver_mode) factor *= 0.2;
  const [least, most] = speeds[device.network_technology_connected] ?? [0, 0];
  const signal = signalFactors[device.network_signal_strength] ?? 0;
  const speed = roundToCents(((least + most) / 2) * signal * factor);
  return { speed, word: wordFor(speed) };
}

const speeds: Readonly<Record<string, readonly [number, number]>> = {
  "2G": [0.1, 0.4],
  "3G": [1, 5],
  "4G": [10, 100],
  "5G": [50, 500],
};
const signalFactors: Readonly<Record<string, number>> = { poor: 0.2, fair: 0.5, good: 0.8, excellent: 1 };

function wordFor(speed: number): string {
  if (speed < 1) return "Very Poor";
  if (speed < 5) return "Poor";
  if (speed < 25) return "Fair";
  return speed < 100 ? "Good" : "Excellent";
}

export function canSendMms(phone: Phone): boolean {
  const { device } = phone;
  const usesWifi = device.wifi_calling_enabled && device.wifi_calling_mms_over_wifi;
  const permissions = device.app_statuses["messaging"]?.permissions;
  return (
    isDataWorking(phone) &&
    device.network_technology_connected !== "2G" &&
    !usesWifi &&
    device.active_apn_settings.mmsc_url !== null &&
    permissions?.storage === true &&
    permissions.sms
  );
}

/** Turns airplane mode on or off. On drops Wi-Fi and VPN. */
export function toggleAirplaneMode(phone: Phone): boolean {
  const { device } = phone;
  device.airplane_mode = !device.airplane_mode;
  if (device.airplane_mode || device.wifi_enabled) dropWifi(device);
  if (device.airplane_mode) disconnectVpn(device);
  searchNetwork(phone);
  return device.airplane_mode;
}

export function dropWifi(device: PhoneDevice): void {
  device.wifi_connected = false;
  device.wifi_ssid = null;
  device.wifi_signal_strength = "none";
}

/** Returns false if there is no connection. */
export function disconnectVpn(device: PhoneDevice): boolean {
  if (!device.vpn_connected) return false;
  device.vpn_connected = false;
  device.vpn_details = null;
  return true;
}

/** Returns false if there is a connection already. */
export function connectVpn(device: PhoneDevice): boolean {
  if (device.vpn_connected) return false;
  device.vpn_connected = true;
  device.vpn_details = { server_address: "192.168.1.1", protocol: "OpenVPN", server_performance: "excellent" };
  return true;
}

/** Restarts the phone. Only now are APN settings reset. */
export function reboot(phone: Phone): string {
  const { device } = phone;
  const isReset = device.active_apn_settings.reset_at_reboot;
  if (isReset) device.active_apn_settings = { ...apnDefaults };
  searchNetwork(phone);
  return `${isReset ? "Resetting APN settings...\n" : ""}Restarting network services...`;
}

/** The icons at the top of the screen. */
export function statusBar({ device }: Phone): string {
  const icons = device.airplane_mode ? ["✈️ Airplane Mode"] : networkIcons(device);
  if (device.wifi_enabled && device.wifi_connected)
    icons.push(device.wifi_ssid ? `📡 Connected to ${device.wifi_ssid}` : "📡 Enabled");
  if (device.vpn_connected) icons.push("🔒 VPN Connected");
  icons.push(`🔋 ${device.battery_level}%`);
  return icons.join(" | ");
}

function networkIcons(device: PhoneDevice): string[] {
  const technology = device.network_technology_connected;
  const icons = [signalIcons[device.network_signal_strength] ?? "📵 No Signal"];
  if (technology !== "none") icons.push(technology);
  if (!device.data_enabled || technology === "none") return [...icons, "📵 Data Disabled"];
  return [...icons, "📱 Data Enabled", ...(device.data_saver_mode ? ["🔽 Data Saver"] : [])];
}

const signalIcons: Readonly<Record<string, string>> = {
  poor: "📶¹ Poor",
  fair: "📶² Fair",
  good: "📶³ Good",
  excellent: "📶⁴ Excellent",
};
