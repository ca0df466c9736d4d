import { parseModels } from '../../../contract/features/model-prices.ts';
import {
  type Connectable,
  MAX_MODEL_NAME,
  MAX_PROVIDER_KEY,
  MAX_PROVIDER_URL,
} from '../../../contract/rules/provider-kinds.ts';
import { t } from '../../texts/index.ts';
import { Field, Switch, TextField } from '../../ui/index.ts';
import type { Draft } from './draft.ts';

interface FieldsProps {
  draft: Draft;
  change: (fields: Partial<Draft>) => void;
}

function AddressField({ draft, change, hint }: FieldsProps & { hint?: string }) {
  return (
    <TextField
      label={t('Address of the API')}
      value={draft.url}
      onInput={(url) => change({ url })}
      placeholder="https://api.example.com/v1"
      maxLength={MAX_PROVIDER_URL}
      hint={hint}
      mono
    />
  );
}

export function SearchAddress({ draft, change }: FieldsProps) {
  if (draft.preset.provider === 'demo') return null;
  return (
    <details class="provider-more">
      <summary>{t('More options')}</summary>
      <AddressField {...{ draft, change }} hint={t('Only for another server with the same API.')} />
    </details>
  );
}

interface ModelFieldsProps extends FieldsProps {
  name: Connectable;
  savedKey: string | undefined;
  models: string[] | undefined;
}

export function ModelFields({ name, draft, change, savedKey, models }: ModelFieldsProps) {
  const { preset } = draft;
  const isLocal = preset.models !== undefined;
  return (
    <>
      {preset.isOpen && (
        <AddressField
          {...{ draft, change }}
          hint={t('Any API that is compatible with OpenAI’s, also in your own network.')}
        />
      )}
      {!isLocal && <KeyField {...{ draft, change, savedKey }} />}
      <ModelField {...{ draft, change }} models={models ?? preset.models} />
      {name === 'chat' && (
        <details class="provider-more">
          <summary>{t('More options')}</summary>
          <TextField
            label={t('Model that reads pictures')}
            value={draft.visionModel}
            onInput={(visionModel) => change({ visionModel })}
            placeholder={draft.model}
            maxLength={MAX_MODEL_NAME}
            hint={t('Only if the model above cannot.')}
            mono
          />
          {preset.provider === 'openai-compatible' && (
            <TextField
              label={t('Model for embeddings')}
              value={draft.embedModel}
              onInput={(embedModel) => change({ embedModel })}
              placeholder="text-embedding-3-small"
              maxLength={MAX_MODEL_NAME}
              hint={t('Functions compare texts with it. Without one, they cannot.')}
              mono
            />
          )}
          <TextField
            label={t('Further models that pages can choose')}
            value={draft.models}
            onInput={(text) => change({ models: text })}
            placeholder="large=2, small=0.1"
            hint={t('Each with its price: credits for 1,000 tokens. The model above costs 0.4.')}
            error={
              parseModels(draft.models) === undefined
                ? t('Write names and prices like this: large=2, small=0.1')
                : undefined
            }
            mono
          />
          <Switch
            label={t('Offer the builder')}
            hint={t('Needs a model that can call tools. The test finds out.')}
            checked={draft.offersBuilder}
            onChange={(offersBuilder) => change({ offersBuilder })}
          />
        </details>
      )}
    </>
  );
}

function KeyField({ draft, change, savedKey }: FieldsProps & { savedKey: string | undefined }) {
  const { preset, key } = draft;
  const hint =
    savedKey === undefined
      ? t('Stored encrypted. Nobody can read it here again.')
      : t('A key that ends with {end} is saved. Leave this empty to keep it.', { end: savedKey || '…' });
  return (
    <TextField
      label={preset.isOpen ? t('API key, if it needs one') : t('API key')}
      type="password"
      autocomplete="new-password"
      value={key}
      onInput={(value) => change({ key: value })}
      maxLength={MAX_PROVIDER_KEY}
      {...(savedKey !== undefined && { placeholder: `••••••••${savedKey}` })}
      hint={
        <>
          {hint}{' '}
          {preset.keyUrl && (
            <a href={preset.keyUrl} target="_blank" rel="noopener noreferrer">
              {t('Get a key from {name}', { name: preset.name })}
            </a>
          )}
        </>
      }
      mono
    />
  );
}

function ModelField({ draft, change, models }: FieldsProps & { models: string[] | undefined }) {
  return (
    <Field label={t('Model')}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            type="text"
            class="mono"
            list={models && `${attributes.id}-models`}
            value={draft.model}
            maxLength={MAX_MODEL_NAME}
            spellcheck={false}
            autoComplete="off"
            onInput={(event) => change({ model: (event.target as HTMLInputElement).value })}
          />
          {models && (
            <datalist id={`${attributes.id}-models`}>
              {models.map((model) => (
                <option key={model} value={model} />
              ))}
            </datalist>
          )}
          {models && models.length > 0 && <ModelChips {...{ models, draft, change }} />}
        </>
      )}
    </Field>
  );
}

/** Models that are shown as buttons. The list of the field has all. */
const MAX_CHIPS = 6;

function ModelChips({ models, draft, change }: FieldsProps & { models: string[] }) {
  const shown = models.filter((model) => model !== draft.model).slice(0, MAX_CHIPS);
  if (shown.length === 0) return null;
  return (
    <ul class="provider-models" aria-label={t('Models that it has')}>
      {shown.map((model) => (
        <li key={model}>
          <button type="button" onClick={() => change({ model })}>
            {model}
          </button>
        </li>
      ))}
    </ul>
  );
}
