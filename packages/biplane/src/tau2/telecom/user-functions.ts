import type { DomainFunctions, DomainInput } from "../domain.ts";
import { PythonError } from "../python-error.ts";
import { removePermission } from "./phone-settings.ts";
import { canSendMms, connectVpn, isDataWorking, searchNetwork, speedOf, toggleAirplaneMode } from "./phone.ts";
import type { Phone, PhoneDevice, TelecomState } from "./telecom-models.ts";

/** Sets settings of the phone. With `search`, the phone looks for its network again. */
function set(settings: Partial<PhoneDevice>, { search = false } = {}) {
  return ({ phone }: TelecomState) => {
    Object.assign(phone.device, settings);
    if (search) searchNetwork(phone);
  };
}

/** Whether a fact about the phone is the expected one. */
function expecting(factOf: (phone: Phone) => boolean) {
  return ({ phone }: TelecomState, { expected_status: expected }: DomainInput) => factOf(phone) === expected;
}

/** What tasks prepare and check on the phone. */
export const userFunctions: DomainFunctions<TelecomState> = {
  set_user_info: ({ phone: { surroundings } }, { name, phone_number: number }) => {
    surroundings.name = String(name);
    surroundings.phone_number = String(number);
  },
  set_user_location: ({ phone: { surroundings } }, { abroad }) => {
    surroundings.is_abroad = abroad === true;
  },
  turn_airplane_mode_on: ({ phone }) => turnAirplaneMode(phone, true),
  turn_airplane_mode_off: ({ phone }) => turnAirplaneMode(phone, false),
  unseat_sim_card: set({ sim_card_missing: true }, { search: true }),
  lock_sim_card: ({ phone }, { mode }) => {
    if (mode === "pin" || mode === "puk") phone.device.sim_card_status = `locked_${mode}`;
    searchNetwork(phone);
  },
  turn_data_on: set({ data_enabled: true }),
  turn_data_off: set({ data_enabled: false }, { search: true }),
  turn_roaming_on: set({ roaming_enabled: true }, { search: true }),
  turn_roaming_off: set({ roaming_enabled: false }, { search: true }),
  turn_data_saver_mode_on: set({ data_saver_mode: true }),
  turn_data_saver_mode_off: set({ data_saver_mode: false }),
  break_apn_settings: ({ phone }) => {
    phone.device.active_apn_settings.apn_name = "broken";
    searchNetwork(phone);
  },
  break_apn_mms_setting: ({ phone: { device } }) => {
    device.active_apn_settings.mmsc_url = null;
  },
  set_wifi_calling: ({ phone: { device } }, { enabled, mms_over_wifi: overWifi }) => {
    device.wifi_calling_enabled = enabled === true;
    if (typeof overWifi === "boolean") device.wifi_calling_mms_over_wifi = overWifi;
  },
  break_vpn: ({ phone: { device } }) => {
    connectVpn(device);
    if (device.vpn_details) device.vpn_details.server_performance = "poor";
  },
  remove_app_permission: ({ phone }, { app_name: app, permission }) =>
    removePermission(phone, String(app), String(permission)),
  simulate_network_search: set({}, { search: true }),
  assert_airplane_mode_status: expecting(({ device }) => device.airplane_mode),
  assert_service_status: ({ phone: { device } }, { expected_status: expected }) => {
    if (!["connected", "searching", "no_service", "emergency_only"].includes(String(expected)))
      throw new PythonError(`'${String(expected)}' is not a valid NetworkStatus`);
    return device.network_connection_status === expected;
  },
  assert_mobile_data_status: expecting(isDataWorking),
  assert_mobile_roaming_status: expecting(({ device }) => device.roaming_enabled),
  assert_mobile_data_saver_mode_status: expecting(({ device }) => device.data_saver_mode),
  assert_internet_speed: ({ phone }, { expected_speed: expected, expected_desc: word }) => {
    const { speed, word: actual } = speedOf(phone) ?? noConnection;
    const isSame = typeof word !== "string" || actual.toLowerCase() === word.toLowerCase();
    return speed >= Number(expected) && isSame;
  },
  assert_internet_not_excellent: ({ phone }) => speedOf(phone)?.word !== "Excellent",
  assert_can_send_mms: expecting(canSendMms),
  assert_mobile_data_usage_exceeded: expecting(({ surroundings }) => surroundings.mobile_data_usage_exceeded),
};

const noConnection = { speed: 0, word: "No Connection" };

/** As the reference does: toggles once, and again if that was wrong. */
function turnAirplaneMode(phone: Phone, isOn: boolean): void {
  if (toggleAirplaneMode(phone) !== isOn) toggleAirplaneMode(phone);
}
