import { listOf, mapOf, model, optional } from "../model.ts";

const lineItem = model({ description: "plain", amount: "float", date: "plain", item_type: "plain" });

export const planType = model({
  plan_id: "plain",
  name: "plain",
  data_limit_gb: "float",
  price_per_month: "float",
  data_refueling_price_per_gb: "float",
});

export const customerType = model({
  customer_id: "plain",
  full_name: "plain",
  date_of_birth: "plain",
  email: "plain",
  phone_number: "plain",
  address: model({ street: "plain", city: "plain", state: "plain", zip_code: "plain" }),
  account_status: optional("plain", "Pending Verification"),
  payment_methods: optional(
    listOf(model({ method_type: "plain", account_number_last_4: "plain", expiration_date: "plain" })),
    [],
  ),
  line_ids: optional("plain", []),
  bill_ids: optional("plain", []),
  created_at: optional("datetime", "2025-01-01"),
  last_extension_date: optional("plain"),
  goodwill_credit_used_this_year: optional("float", 0),
});

export const lineType = model({
  line_id: "plain",
  phone_number: "plain",
  status: optional("plain", "Pending Activation"),
  plan_id: "plain",
  device_id: optional("plain"),
  data_used_gb: optional("float", 0),
  data_refueling_gb: optional("float", 0),
  roaming_enabled: optional("plain", false),
  contract_end_date: optional("plain"),
  last_plan_change_date: optional("plain"),
  last_sim_replacement_date: optional("plain"),
  suspension_start_date: optional("plain"),
});

export const billType = model({
  bill_id: "plain",
  customer_id: "plain",
  period_start: "plain",
  period_end: "plain",
  issue_date: "plain",
  total_due: "float",
  due_date: "plain",
  line_items: optional(listOf(lineItem), []),
  status: optional("plain", "Draft"),
});

export const deviceType = model({
  device_id: "plain",
  device_type: "plain",
  model: "plain",
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

export const apnDefaults = {
  apn_name: "internet",
  reset_at_reboot: false,
  mms_apn: "mms",
  mmsc_url: "http://mms.carrier.com/mms/wapenc",
  mms_proxy: null,
  mms_port: null,
};

const apnSettings = model({
  apn_name: optional("plain", apnDefaults.apn_name),
  reset_at_reboot: optional("plain", false),
  mms_apn: optional("plain", apnDefaults.mms_apn),
  mmsc_url: optional("plain", apnDefaults.mmsc_url),
  mms_proxy: optional("plain"),
  mms_port: optional("plain"),
});

const appPermissions = model({
  sms: optional("plain", false),
  storage: optional("plain", false),
  phone: optional("plain", false),
  network: optional("plain", false),
});

/** The user's phone and surroundings. */
export const phoneType = model({
  device: model({
    sim_card_status: optional("plain", "active"),
    sim_card_missing: optional("plain", false),
    airplane_mode: optional("plain", false),
    network_signal_strength: optional("plain", "good"),
    network_technology_connected: optional("plain", "5G"),
    network_connection_status: optional("plain", "connected"),
    battery_level: optional("plain", 80),
    data_enabled: optional("plain", true),
    roaming_enabled: optional("plain", false),
    network_mode_preference: optional("plain", "4g_5g_preferred"),
    active_apn_settings: optional(apnSettings, apnDefaults),
    wifi_enabled: optional("plain", false),
    wifi_connected: optional("plain", false),
    wifi_ssid: optional("plain"),
    wifi_signal_strength: optional("plain", "none"),
    wifi_calling_enabled: optional("plain", false),
    wifi_calling_mms_over_wifi: optional("plain", false),
    data_saver_mode: optional("plain", false),
    vpn_enabled_setting: optional("plain", false),
    vpn_connected: optional("plain", false),
    vpn_details: optional("plain"),
    app_statuses: mapOf(model({ app_name: "plain", permissions: appPermissions })),
  }),
  surroundings: optional(
    model({
      name: optional("plain"),
      phone_number: optional("plain"),
      is_abroad: optional("plain", false),
      roaming_allowed: optional("plain", false),
      signal_strength: optional("plain", { "2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent" }),
      mobile_data_usage_exceeded: optional("plain", false),
      line_active: optional("plain", true),
      payment_request: optional(model({ bill_id: "plain", amount_due: "float", paid: optional("plain", false) })),
    }),
    {
      name: null,
      phone_number: null,
      is_abroad: false,
      roaming_allowed: false,
      signal_strength: { "2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent" },
      mobile_data_usage_exceeded: false,
      line_active: true,
      payment_request: null,
    },
  ),
});
