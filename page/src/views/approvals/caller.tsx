import type { JSX } from "preact";
import type { AgentContext, Principal } from "../../../../src/tool/call.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import "./small.css";

/** Who calls: what it says of itself, and who it is proven to be. */
export function Caller(props: {
  readonly agent: Pick<AgentContext, "agentId"> & { readonly model?: string | undefined };
  readonly principal: Pick<Principal, "kind" | "id">;
}): JSX.Element {
  const { agentId, model } = props.agent;
  const saysNothing = agentId === "" || agentId === "unknown" || agentId === props.principal.id;
  return (
    <span class="approvals-caller">
      <Icon name="person" size={13} />
      {!saysNothing && (
        <span title="What the caller says of itself">
          <Text value={agentId} most={60} isFixed />
          {model !== undefined && model !== "" && (
            <>
              {" "}
              (<Text value={model} most={60} isFixed />)
            </>
          )}
          ,
        </span>
      )}
      <span title="Who the caller is proven to be">
        <Proven principal={props.principal} />
      </span>
    </span>
  );
}

/** `token ada`, `anonymous 127.0.0.1`, and whoever runs the server, who is `local`. */
export function Proven({
  principal: { kind, id },
}: {
  readonly principal: Pick<Principal, "kind" | "id">;
}): JSX.Element {
  return (
    <>
      {kind} {id !== kind && <Text value={id} most={80} isFixed />}
    </>
  );
}
