import { useState } from 'preact/hooks';
import type { Connectable } from '../../../contract/rules/provider-kinds.ts';
import { navigate } from '../../router.tsx';
import { rich, t } from '../../texts/index.ts';
import { Button, Form, Section, Show, Skeleton, say, useLoad } from '../../ui/index.ts';
import {
  type Connection,
  connectProvider,
  listModelServers,
  listProviders,
  type ProviderResult,
  type ProviderStatus,
  testProvider,
} from '../api.ts';
import { choosePreset, type Draft, findSavedKey, isComplete, startDraft, toConnection } from './draft.ts';
import { ConnectionFacts } from './facts.tsx';
import { ModelFields, SearchAddress } from './model-fields.tsx';
import { listPresets, type Preset } from './presets.ts';
import { Result, toResult } from './result.tsx';
import { CONNECTABLE_NAMES } from './words.ts';

const SCREEN = '/admin/providers';

/** Connects one provider: choose it, enter its key, test it, save it. */
export function ConnectScreen({ name }: { name: Connectable }) {
  const loaded = useLoad(
    async (signal: AbortSignal) => {
      const servers = name === 'chat' ? listModelServers(signal).catch(() => []) : [];
      const [providers, found] = await Promise.all([listProviders(signal), servers]);
      return { providers, presets: listPresets(name, found) };
    },
    [name],
  );
  const back = { href: SCREEN, label: t('Providers') };
  return (
    <Section title={CONNECTABLE_NAMES[name]} hint={HINTS[name]} back={back}>
      <div class="provider-form">
        <Show loaded={loaded} skeleton={<Skeleton lines={9} />}>
          {({ providers, presets }) => {
            const status = providers.find((each) => each.name === name);
            if (!status?.connection) return null;
            return status.connection.source === 'environment' ? (
              <SetByEnvironment status={status} connection={status.connection} />
            ) : (
              <ConnectForm {...{ name, presets, providers, connection: status.connection }} />
            );
          }}
        </Show>
      </div>
    </Section>
  );
}

const HINTS: Record<Connectable, string> = {
  chat: t('The model that builds pages from a description, answers visitors and reads their pictures.'),
  images: t('The model that generates pictures for pages.'),
  'image-search': t('Where pages find pictures. None of these needs a key.'),
};

function SetByEnvironment({ status, connection }: { status: ProviderStatus; connection: Connection }) {
  return (
    <>
      <div class="notice">
        <p>
          {rich(
            'Set by <code>{setting}</code> in the environment of the server. Change it there, and restart the server.',
            { code: (text) => <code>{text}</code> },
            { setting: status.setting },
          )}
        </p>
      </div>
      <ConnectionFacts name={status.name} host={status.host} connection={connection} />
    </>
  );
}

interface FormProps {
  name: Connectable;
  presets: Preset[];
  providers: ProviderStatus[];
  connection: Connection;
}

/** The draft of a connection, with the result of its last test. */
function useDraft(name: Connectable, presets: Preset[], connection: Connection) {
  const [draft, setDraft] = useState(() => startDraft(presets, connection));
  const [tested, setTested] = useState<{ as: string; result: ProviderResult }>();
  const change = (fields: Partial<Draft>) => setDraft((current) => ({ ...current, ...fields }));
  // The builder can be turned on and off without another test.
  const fingerprint = JSON.stringify(toConnection(name, { ...draft, offersBuilder: true }));
  return {
    ...{ draft, change },
    result: tested?.as === fingerprint ? tested.result : undefined,
    /** The models that the provider has, if a test has found out. */
    models: tested?.result.models,
    choose(preset: Preset) {
      const saved = startDraft(presets, connection);
      setDraft(preset === saved.preset ? saved : choosePreset(preset));
      setTested(undefined);
    },
    async test(): Promise<ProviderResult> {
      const result = await testProvider(name, { connection: toConnection(name, draft) }).catch(toResult);
      setTested({ as: fingerprint, result });
      if (result.isWorking) change({ offersBuilder: result.reason !== 'tools' });
      return result;
    },
    async save(offersBuilder: boolean) {
      await connectProvider(name, toConnection(name, { ...draft, offersBuilder }));
      say(t('Saved. It is used from now on.'));
      navigate(SCREEN);
    },
  };
}

function ConnectForm({ name, presets, providers, connection }: FormProps) {
  const { draft, change, choose, result, models, test, save } = useDraft(name, presets, connection);
  const connections = providers.flatMap((each) => each.connection ?? []);
  const savedKey = findSavedKey(draft, connections);
  const isReady = isComplete(name, draft, savedKey);
  const testAndSave = async () => {
    if (result?.isWorking) return save(draft.offersBuilder);
    const first = await test();
    if (first.isWorking) await save(first.reason !== 'tools');
  };
  const buttons = (
    <>
      <Button kind="quiet" onClick={test} disabled={!isReady}>
        {t('Test')}
      </Button>
      {result && !result.isWorking && (
        <Button kind="bare" onClick={() => save(draft.offersBuilder)}>
          {t('Save without a test')}
        </Button>
      )}
    </>
  );
  return (
    <Form submit={t('Save')} onSubmit={testAndSave} disabled={!isReady} aside={buttons}>
      <PresetField presets={presets} value={draft.preset} onChange={choose} />
      {name === 'image-search' ? (
        <SearchAddress draft={draft} change={change} />
      ) : (
        <ModelFields {...{ name, draft, change, savedKey, models }} />
      )}
      {result && <Result result={result} />}
      {!result && name !== 'image-search' && (
        <p class="hint">{t('The test makes one small call, which the provider may charge for.')}</p>
      )}
    </Form>
  );
}

function PresetField(props: { presets: Preset[]; value: Preset; onChange: (preset: Preset) => void }) {
  const { presets, value, onChange } = props;
  return (
    <fieldset class="provider-choices">
      <legend>{t('Provider')}</legend>
      {presets.map((preset) => (
        <label key={preset.id}>
          <input
            type="radio"
            name="provider"
            checked={preset.id === value.id}
            onChange={() => onChange(preset)}
          />
          <span>
            <strong>{preset.name}</strong>
            {preset.note && <span class="hint">{preset.note}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
