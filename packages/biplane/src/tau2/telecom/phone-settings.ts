import { isRecord } from "@biplane/core/internal";
import { pythonRepr } from "../../rollout/python/text.ts";
import { PythonError } from "../python-error.ts";
import { searchNetwork } from "./phone.ts";
import { apnDefaults } from "./telecom-models.ts";
import type { ApnSettings, Phone } from "./telecom-models.ts";

const networkModes = ["4g_5g_preferred", "4g_only", "3g_only", "2g_only"];

export function setNetworkMode(phone: Phone, mode: string): string {
  if (!networkModes.includes(mode))
    return `Failed to set network mode: '${mode}' is not a valid option. Please use one of: ${networkModes.join(", ")}`;
  phone.device.network_mode_preference = mode;
  searchNetwork(phone);
  return `Preferred Network Mode set to: ${mode}`;
}

export function setApnSettings(phone: Phone, given: unknown): string {
  const settings = readApnSettings(given);
  phone.device.active_apn_settings = settings;
  searchNetwork(phone);
  return `APN settings set to: ${settings.apn_name}`;
}

function readApnSettings(given: unknown): ApnSettings {
  const fail = (message: string) => new PythonError(message, { isLoose: true });
  if (!isRecord(given)) throw fail("apn_settings must be an object.");
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(apnDefaults, key));
  if (unknown !== undefined) throw fail(`apn_settings has no field ${unknown}.`);
  const settings: ApnSettings = { ...apnDefaults, ...given };
  const isText = (value: unknown) => value === null || typeof value === "string";
  if (settings.apn_name !== "internet" && settings.apn_name !== "broken")
    throw fail("apn_settings.apn_name must be internet or broken.");
  if (![settings.mms_apn, settings.mmsc_url, settings.mms_proxy].every(isText))
    throw fail("mms_apn, mmsc_url and mms_proxy of apn_settings must be strings or null.");
  if (typeof settings.reset_at_reboot !== "boolean") throw fail("apn_settings.reset_at_reboot must be a boolean.");
  if (settings.mms_port !== null && !Number.isInteger(settings.mms_port))
    throw fail("apn_settings.mms_port must be an integer or null.");
  return settings;
}

/** The permissions that an app has, or undefined if there is no such app. */
export function permissionsOf(phone: Phone, app: string): string[] | undefined {
  const permissions = allPermissions(phone, app);
  return permissions && Object.keys(permissions).filter((name) => permissions[name]);
}

export function checkApps(phone: Phone, app: string): string {
  const granted = permissionsOf(phone, app);
  if (!granted) return `App '${app}' not found on this phone.`;
  const lines =
    granted.length === 0
      ? [" - Permissions: None granted."]
      : [" - Permissions Granted:", ...granted.map((name) => `   - ${name}`)];
  return [`Status for App: ${app}`, ...lines].join("\n");
}

/** A failure is a result like any other here. */
export function grantPermission(phone: Phone, app: string, given: string): string {
  const permissions = allPermissions(phone, app);
  const permission = given.toLowerCase();
  if (!permissions) return `Error. App '${app}' not found. Cannot grant permission.`;
  if (!Object.hasOwn(permissions, permission))
    return `Error. Permission '${permission}' not tracked for app '${app}', available permissions: ${pythonRepr(Object.keys(permissions))}`;
  permissions[permission] = true;
  return `Success. Permission '${permission}' granted to app '${app}'.`;
}

export function removePermission(phone: Phone, app: string, given: string): void {
  const permissions = allPermissions(phone, app);
  const permission = given.toLowerCase();
  if (permissions && Object.hasOwn(permissions, permission)) permissions[permission] = false;
}

function allPermissions({ device: { app_statuses: apps } }: Phone, app: string): Record<string, boolean> | undefined {
  return Object.hasOwn(apps, app) ? apps[app]?.permissions : undefined;
}
