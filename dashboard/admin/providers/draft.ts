import type { NewConnection } from '../../../contract/admin/connections.ts';
import { formatModels, parseModels } from '../../../contract/features/model-prices.ts';
import type { Connectable } from '../../../contract/rules/provider-kinds.ts';
import type { Connection } from '../api.ts';
import { findPreset, type Preset } from './presets.ts';

/** What is typed into the form. An empty key means the saved one. */
export interface Draft {
  preset: Preset;
  url: string;
  key: string;
  model: string;
  visionModel: string;
  embedModel: string;
  offersBuilder: boolean;
  /** Further models with their prices, as text. */
  models: string;
}

export function startDraft(presets: Preset[], connection: Connection): Draft {
  const saved = connection.source === 'default' ? undefined : findPreset(presets, connection);
  const preset = saved ?? presets[0];
  if (!preset) throw new Error('there is nothing to choose');
  if (!saved) return choosePreset(preset);
  return {
    preset,
    url: connection.url ?? '',
    key: '',
    model: connection.model ?? '',
    visionModel: connection.visionModel ?? '',
    embedModel: connection.embedModel ?? '',
    offersBuilder: connection.offersBuilder,
    models: formatModels(connection.models),
  };
}

export const choosePreset = (preset: Preset): Draft => ({
  preset,
  url: preset.url ?? '',
  key: '',
  model: preset.model ?? '',
  visionModel: '',
  embedModel: '',
  offersBuilder: true,
  models: '',
});

/** The key that is saved for what is typed, if there is one. */
export function findSavedKey({ preset, url }: Draft, connections: Connection[]): string | undefined {
  const readOrigin = (text: string | null | undefined) => URL.parse(text ?? '')?.origin ?? '';
  const same = connections.find(
    (each) =>
      each.keyEnd !== null &&
      each.source === 'dashboard' &&
      each.provider === preset.provider &&
      readOrigin(each.url) === readOrigin(url),
  );
  return same?.keyEnd ?? undefined;
}

export function toConnection(name: Connectable, draft: Draft): NewConnection {
  const { preset, url, key, model, visionModel, embedModel, offersBuilder, models } = draft;
  const provider = preset.provider as NewConnection['provider'];
  const address = url.trim() === '' ? {} : { url: url.trim() };
  if (name === 'image-search') return { provider, ...address };
  return {
    provider,
    ...address,
    ...(key.trim() !== '' && { key: key.trim() }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(name === 'chat' && { offersBuilder, models: parseModels(models) ?? [] }),
    ...(name === 'chat' && visionModel.trim() !== '' && { visionModel: visionModel.trim() }),
    ...(name === 'chat' && embedModel.trim() !== '' && { embedModel: embedModel.trim() }),
  };
}

/** Whether everything that is needed is there. */
export function isComplete(name: Connectable, draft: Draft, savedKey: string | undefined): boolean {
  const { preset, url, key, model } = draft;
  if (name === 'image-search') return true;
  const hasAddress = preset.provider === 'anthropic' || url.trim() !== '';
  const hasKey = preset.keyUrl === undefined || key.trim() !== '' || savedKey !== undefined;
  return hasAddress && hasKey && model.trim() !== '' && parseModels(draft.models) !== undefined;
}
