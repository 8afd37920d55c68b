import { json, LocalSite } from "../net/local-site.ts";

export const tokens = {
  discord: "discord-token-0123456789",
  slack: "xoxb-0123456789-abcdef",
  telegram: "123456789:AAE-abcdefghijklmnop_qrstuv",
};

/** The part of Discord's API that sends messages: its limits, its answers and its errors. */
export async function discordApi(): Promise<LocalSite> {
  let last = 1000;
  return LocalSite.open(({ method, url, headers, body }, response) => {
    if (headers.authorization !== `Bot ${tokens.discord}`) {
      return json(response, { message: "401: Unauthorized", code: 0 }, { status: 401 });
    }
    const data = JSON.parse(body) as { content?: string; recipient_id?: string };
    if (method === "POST" && url === "/users/@me/channels") {
      return json(response, { id: `9${data.recipient_id}`, type: 1, recipients: [{ id: data.recipient_id }] });
    }
    const [, channel] = /^\/channels\/(\d+)\/messages$/.exec(url) ?? [];
    if (channel === undefined) return json(response, { message: "404: Not Found", code: 0 }, { status: 404 });
    if (channel === "404") return json(response, { message: "Unknown Channel", code: 10_003 }, { status: 404 });
    if ((data.content ?? "").length > 2000) {
      return json(response, { message: "Invalid Form Body", code: 50_035 }, { status: 400 });
    }
    return json(response, { id: String(++last), channel_id: channel, content: data.content, type: 0 });
  });
}

/** The part of Slack's Web API that sends messages. It answers 200 to what it refuses. */
export async function slackApi(): Promise<LocalSite> {
  return LocalSite.open(({ url, headers, body }, response) => {
    if (headers.authorization !== `Bearer ${tokens.slack}`) return json(response, { ok: false, error: "invalid_auth" });
    if (!headers["content-type"]?.startsWith("application/json"))
      return json(response, { ok: false, error: "invalid_form_data" });
    const data = JSON.parse(body) as { channel?: string; users?: string; text?: string };
    if (url === "/conversations.open") return json(response, { ok: true, channel: { id: `D${data.users}` } });
    if (url !== "/chat.postMessage") return json(response, { ok: false, error: "unknown_method" });
    if (data.channel === "C404") return json(response, { ok: false, error: "channel_not_found" });
    return json(response, {
      ok: true,
      channel: data.channel,
      ts: "1767225600.000100",
      message: { type: "message", text: data.text },
    });
  });
}

/** The part of Telegram's Bot API that sends messages; the token is in the path. */
export async function telegramApi(): Promise<LocalSite> {
  let last = 0;
  return LocalSite.open(({ url, body }, response) => {
    if (url !== `/bot${tokens.telegram}/sendMessage`) {
      return json(response, { ok: false, error_code: 401, description: "Unauthorized" }, { status: 401 });
    }
    const data = JSON.parse(body) as { chat_id: number | string; text: string };
    if (data.chat_id === 404) {
      return json(
        response,
        { ok: false, error_code: 400, description: "Bad Request: chat not found" },
        { status: 400 },
      );
    }
    if (data.text.length > 4096) {
      return json(
        response,
        { ok: false, error_code: 400, description: "Bad Request: message is too long" },
        { status: 400 },
      );
    }
    return json(response, {
      ok: true,
      result: { message_id: ++last, chat: { id: data.chat_id }, date: 1, text: data.text },
    });
  });
}
