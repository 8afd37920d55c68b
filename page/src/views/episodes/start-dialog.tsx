import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../../api.ts";
import type { ApiRequest } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Input, Select } from "../../components/field.tsx";
import { SchemaForm, initialValue, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import { serverOverview } from "../../server-overview.ts";
import { useMutation } from "../../resource.ts";
import { go, href } from "../../router.ts";

/** Starts an episode with an optional seed and config, and opens it. */
export function StartDialog(props: {
  readonly server?: string | undefined;
  readonly seed?: string | undefined;
  readonly config?: unknown;
  readonly onClose: () => void;
}): JSX.Element {
  const environments = (serverOverview.value?.servers ?? []).filter(({ kind }) => kind === "environment");
  const [server, setServer] = useState(props.server || (environments[0]?.name ?? ""));
  const [seed, setSeed] = useState(props.seed ?? "");
  const schema = environments.find(({ name }) => name === server)?.config;
  const [config, setConfig] = useState(() => props.config ?? (schema && initialValue(schema)));
  const [wasTried, setTried] = useState(false);
  const start = useMutation((body: ApiRequest<"POST /api/episodes">["body"], signal) =>
    callApi("POST /api/episodes", { body, signal }),
  );
  const seedFault = seed === "" || /^\d{1,40}$/.test(seed) ? undefined : "Enter a whole number, 0 or greater.";
  const submit = async () => {
    setTried(true);
    if (seedFault !== undefined || (schema && Object.keys(schemaFaults(config, schema)).length > 0)) return;
    const episode = await start.run({
      server,
      ...(seed !== "" && { seed }),
      ...(schema && !isEmpty(config) && { config }),
    });
    if (!episode) return;
    props.onClose();
    go(href("episodes", [episode.id]));
  };
  return (
    <FormDialog
      title="Start an episode"
      width="narrow"
      onClose={props.onClose}
      action="Start"
      mutation={{ ...start, run: submit, error: undefined }}
      isSentByEnter
    >
      {start.error !== undefined && <Problem error={start.error} />}
      <Select
        label="Environment"
        value={server}
        choices={environments.map(({ name, title }) => ({ value: name, title: title ?? name }))}
        onChange={(name) => {
          const other = environments.find((each) => each.name === name)?.config;
          setServer(name);
          setConfig(other && initialValue(other));
          setTried(false);
        }}
      />
      <Input
        label="Seed"
        hint="The same seed starts the same episode (default: random)."
        value={seed}
        isMono
        isFocused
        error={seedFault}
        onInput={setSeed}
      />
      {schema && (
        <fieldset class="start-config">
          <legend>Config</legend>
          <p class="muted small">Empty fields use the environment's defaults.</p>
          <SchemaForm key={server} schema={schema} value={config} onChange={setConfig} areFaultsShown={wasTried} />
        </fieldset>
      )}
    </FormDialog>
  );
}

/** An empty config is omitted from the request. */
function isEmpty(config: unknown): boolean {
  return typeof config !== "object" || config === null || Object.keys(config).length === 0;
}
