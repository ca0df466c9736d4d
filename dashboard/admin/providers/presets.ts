import type { ModelServers } from '../../../contract/admin/connections.ts';
import type { Connectable } from '../../../contract/rules/provider-kinds.ts';
import { t } from '../../texts/index.ts';
import type { Connection } from '../api.ts';

/** A provider that people know by its name, and what to fill in for it. */
export interface Preset {
  id: string;
  name: string;
  provider: string;
  /** Undefined if the provider has only one. */
  url?: string;
  model?: string;
  models?: string[];
  /** Where to get a key. Undefined if none is needed. */
  keyUrl?: string;
  /** Whether the address can be changed. */
  isOpen?: boolean;
  note?: string;
}

const COMPATIBLE = 'openai-compatible';

const OTHER: Preset = { id: 'other', name: t('Other'), provider: COMPATIBLE, isOpen: true };

const PRESETS: Record<Connectable, Preset[]> = {
  chat: [
    {
      ...{ id: 'openai', name: 'OpenAI', provider: COMPATIBLE, url: 'https://api.openai.com/v1' },
      ...{ model: 'gpt-4o-mini', keyUrl: 'https://platform.openai.com/api-keys' },
    },
    {
      ...{ id: 'anthropic', name: 'Anthropic', provider: 'anthropic' },
      ...{ model: 'claude-sonnet-4-5', keyUrl: 'https://console.anthropic.com/settings/keys' },
    },
    {
      ...{ id: 'gemini', name: 'Gemini', provider: COMPATIBLE },
      url: 'https://generativelanguage.googleapis.com/v1beta/openai',
      ...{ model: 'gemini-2.5-flash', keyUrl: 'https://aistudio.google.com/apikey' },
    },
    {
      ...{ id: 'mistral', name: 'Mistral', provider: COMPATIBLE, url: 'https://api.mistral.ai/v1' },
      ...{ model: 'mistral-medium-latest', keyUrl: 'https://console.mistral.ai/api-keys' },
    },
    {
      ...{ id: 'openrouter', name: 'OpenRouter', provider: COMPATIBLE, url: 'https://openrouter.ai/api/v1' },
      ...{ model: 'openai/gpt-4o-mini', keyUrl: 'https://openrouter.ai/settings/keys' },
    },
    OTHER,
  ],
  images: [
    {
      ...{ id: 'openai', name: 'OpenAI', provider: COMPATIBLE, url: 'https://api.openai.com/v1' },
      ...{ model: 'gpt-image-1', keyUrl: 'https://platform.openai.com/api-keys' },
    },
    OTHER,
  ],
  'image-search': [
    { id: 'openverse', name: 'Openverse', provider: 'openverse', note: t('Openly licensed pictures.') },
    { id: 'commons', name: t('Wikimedia Commons'), provider: 'commons', note: t('Pictures from Wikipedia.') },
    { id: 'demo', name: t('Built-in demo'), provider: 'demo', note: t('Drawn here, without a network.') },
  ],
};

/** What can be chosen: model servers on this machine first, because they cost nothing. */
export function listPresets(name: Connectable, servers: ModelServers['servers']): Preset[] {
  if (name !== 'chat') return PRESETS[name];
  const local = servers.map(
    ({ name: program, url, models }): Preset => ({
      ...{ id: url, name: program, provider: COMPATIBLE, url, models, note: t('On this machine') },
      ...(models[0] && { model: models[0] }),
    }),
  );
  return [...local, ...PRESETS.chat];
}

/** The preset that a connection was made with. */
export function findPreset(presets: Preset[], { provider, url }: Connection): Preset | undefined {
  return (
    presets.find((each) => !each.isOpen && each.provider === provider && (each.url ?? null) === url) ??
    presets.find((each) => each.provider === provider && (each.isOpen || each.url === undefined))
  );
}
