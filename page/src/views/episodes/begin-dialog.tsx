import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { ask } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Input, Select } from "../../components/field.tsx";
import { SchemaForm, initialValue, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import { house } from "../../house.ts";
import { usePost } from "../../resource.ts";
import { go, href } from "../../router.ts";

/** Begins an episode of an environment, with a seed and a config if one wants to say them, and goes there. */
export function BeginDialog(props: {
  readonly server?: string | undefined;
  readonly seed?: string | undefined;
  readonly config?: unknown;
  readonly onClose: () => void;
}): JSX.Element {
  const environments = (house.value?.servers ?? []).filter(({ kind }) => kind === "environment");
  const [server, setServer] = useState(props.server || (environments[0]?.name ?? ""));
  const [seed, setSeed] = useState(props.seed ?? "");
  const schema = environments.find(({ name }) => name === server)?.config;
  const [config, setConfig] = useState(() => props.config ?? (schema && initialValue(schema)));
  const [wasTried, setTried] = useState(false);
  const begin = usePost((body: object, signal) => ask<OpenedEpisode>("POST /api/episodes", { body, signal }));
  const seedFault = seed === "" || /^\d{1,40}$/.test(seed) ? undefined : "A whole number from 0 up";
  const submit = async () => {
    setTried(true);
    if (seedFault !== undefined || (schema && Object.keys(schemaFaults(config, schema)).length > 0)) return;
    const episode = await begin.run({
      server,
      ...(seed !== "" && { seed }),
      ...(schema && !isEmpty(config) && { config }),
    });
    if (!episode) return;
    props.onClose();
    go(href("episodes", [episode.id]));
  };
  return (
    <Dialog
      title="Begin an episode"
      width="narrow"
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="main" isBusy={begin.isBusy} onClick={() => void submit()}>
            Begin
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {begin.error !== undefined && <Problem error={begin.error} />}
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
          hint="The same seed begins the same episode. Left out, one is drawn."
          value={seed}
          isMono
          isFocused
          error={seedFault}
          onInput={setSeed}
        />
        {schema && (
          <fieldset class="begin-config">
            <legend>Config</legend>
            <p class="muted small">Where nothing is said, the environment's own defaults hold.</p>
            <SchemaForm key={server} schema={schema} value={config} onChange={setConfig} areFaultsShown={wasTried} />
          </fieldset>
        )}
        <button type="submit" class="hidden" tabIndex={-1} aria-hidden="true">
          Begin
        </button>
      </form>
    </Dialog>
  );
}

/** Nothing was said, so nothing is sent. */
function isEmpty(config: unknown): boolean {
  return typeof config !== "object" || config === null || Object.keys(config).length === 0;
}
