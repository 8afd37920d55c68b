import { asIs, listOf, mapOf, model, optional, presetFields } from "../model.ts";
import type { ApnSettings, VpnDetails } from "./telecom-state.ts";

const lineItem = model({ description: "plain", amount: "float", ...asIs("date", "item_type") });

export const planType = model({
  ...asIs("plan_id", "name"),
  data_limit_gb: "float",
  price_per_month: "float",
  data_refueling_price_per_gb: "float",
});

export const customerType = model({
  ...asIs("customer_id", "full_name", "date_of_birth", "email", "phone_number"),
  address: model(asIs("street", "city", "state", "zip_code")),
  ...presetFields({ account_status: "Pending Verification" }),
  payment_methods: optional(listOf(model(asIs("method_type", "account_number_last_4", "expiration_date"))), []),
  ...presetFields({ line_ids: [], bill_ids: [] }),
  created_at: optional("datetime", "2025-01-01"),
  last_extension_date: optional("plain"),
  goodwill_credit_used_this_year: optional("float", 0),
});

export const lineType = model({
  ...asIs("line_id", "phone_number"),
  status: optional("plain", "Pending Activation"),
  plan_id: "plain",
  device_id: optional("plain"),
  data_used_gb: optional("float", 0),
  data_refueling_gb: optional("float", 0),
  ...presetFields({ roaming_enabled: false, contract_end_date: null, last_plan_change_date: null }),
  ...presetFields({ last_sim_replacement_date: null, suspension_start_date: null }),
});

export const billType = model({
  ...asIs("bill_id", "customer_id", "period_start", "period_end", "issue_date"),
  total_due: "float",
  due_date: "plain",
  line_items: optional(listOf(lineItem), []),
  status: optional("plain", "Draft"),
});

export const deviceType = model({
  ...asIs("device_id", "device_type", "model"),
  imei: optional("plain"),
  is_esim_capable: "plain",
  activated: optional("plain", false),
  activation_date: optional("datetime"),
  last_esim_transfer_date: optional("datetime"),
});

/** The company's database. */
export const companyType = model({
  plans: optional(listOf(planType), []),
  customers: optional(listOf(customerType), []),
  lines: optional(listOf(lineType), []),
  bills: optional(listOf(billType), []),
  devices: optional(listOf(deviceType), []),
});

export const apnDefaults: ApnSettings = {
  apn_name: "internet",
  reset_at_reboot: false,
  mms_apn: "mms",
  mmsc_url: "http://mms.carrier.com/mms/wapenc",
  mms_proxy: null,
  mms_port: null,
};

export const cellularDefaults = {
  sim_card_status: "active",
  sim_card_missing: false,
  airplane_mode: false,
  network_signal_strength: "good",
  network_technology_connected: "5G",
  network_connection_status: "connected",
  battery_level: 80,
  data_enabled: true,
  roaming_enabled: false,
  network_mode_preference: "4g_5g_preferred",
};

export const connectionDefaults = {
  wifi_enabled: false,
  wifi_connected: false,
  wifi_ssid: null as string | null,
  wifi_signal_strength: "none",
  wifi_calling_enabled: false,
  wifi_calling_mms_over_wifi: false,
  data_saver_mode: false,
  vpn_enabled_setting: false,
  vpn_connected: false,
  vpn_details: null as VpnDetails | null,
};

export const surroundingDefaults = {
  name: null as string | null,
  phone_number: null as string | null,
  is_abroad: false,
  roaming_allowed: false,
  signal_strength: { "2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent" } as Readonly<Record<string, string>>,
  mobile_data_usage_exceeded: false,
  line_active: true,
};

const appPermissions = model(presetFields({ sms: false, storage: false, phone: false, network: false }));
const paymentRequest = model({ bill_id: "plain", amount_due: "float", paid: optional("plain", false) });

/** The user's phone and surroundings. */
export const phoneType = model({
  device: model({
    ...presetFields(cellularDefaults),
    active_apn_settings: optional(model(presetFields({ ...apnDefaults })), apnDefaults),
    ...presetFields(connectionDefaults),
    app_statuses: mapOf(model({ app_name: "plain", permissions: appPermissions })),
  }),
  surroundings: optional(model({ ...presetFields(surroundingDefaults), payment_request: optional(paymentRequest) }), {
    ...surroundingDefaults,
    payment_request: null,
  }),
});
