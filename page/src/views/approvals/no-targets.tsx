import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Snippet } from "../../components/copy.tsx";
import { Segmented } from "../../components/field.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Empty } from "../../components/states.tsx";

/** How to send messages about waiting calls. */
export function NoTargets(): JSX.Element {
  const [kind, setKind] = useState<keyof typeof examples>("webhook");
  return (
    <Empty title="Nobody is notified yet" icon="bell" actions={<GuideLink page="notifications" />}>
      <p>
        Biplane can send each waiting call to a webhook or a chat. The message can have a link that answers the call
        from a phone. Add this to <code>biplane.yaml</code> and restart the server:
      </p>
      <div class="approvals-kinds">
        <Segmented label="Where messages go" value={kind} choices={kinds} onChange={setKind} />
      </div>
      <Snippet text={examples[kind]} language="yaml" label="setting" />
    </Empty>
  );
}

const kinds = { webhook: "Webhook", slack: "Slack", discord: "Discord", telegram: "Telegram" } as const;

const fromSecret = "# Secret, or environment variable";

const examples = {
  webhook: `notifications:
  webhooks:
    - name: oncall
      url: https://example.com/hook
      ${fromSecret}
      secret: "\${WEBHOOK_SECRET}"`,
  slack: chatExample("slack", { token: "SLACK_BOT_TOKEN", channel: "C0123456" }),
  discord: chatExample("discord", { token: "DISCORD_TOKEN", channel: "123456789" }),
  telegram: chatExample("telegram", { token: "TELEGRAM_BOT_TOKEN", channel: "123456789" }),
};

function chatExample(provider: string, ids: { readonly token: string; readonly channel: string }): string {
  return `packs:
  chat:
    ${provider}:
      ${fromSecret}
      token: "\${${ids.token}}"
      targets: ["channel:${ids.channel}"]
notifications:
  chat:
    - name: oncall
      provider: ${provider}
      target: "channel:${ids.channel}"`;
}
