import { t } from '../../texts/index.ts';
import type { Connection, ProviderStatus } from '../api.ts';

const NAMES: Record<string, string> = {
  'api.openai.com': 'OpenAI',
  'api.anthropic.com': 'Anthropic',
  'generativelanguage.googleapis.com': 'Gemini',
  'api.mistral.ai': 'Mistral',
  'openrouter.ai': 'OpenRouter',
  'api.openverse.org': 'Openverse',
  'commons.wikimedia.org': t('Wikimedia Commons'),
};

interface FactsProps {
  name: ProviderStatus['name'];
  host: string | null;
  connection: Connection;
}

/** How a provider is connected. */
export function ConnectionFacts({ name, host, connection }: FactsProps) {
  const { model, visionModel, embedModel, keyEnd, offersBuilder } = connection;
  const facts: [string, string | null][] = [
    [t('Provider'), host && (NAMES[host] ?? host)],
    [t('Model'), model],
    [t('Reads pictures'), visionModel],
    [t('Model for embeddings'), embedModel],
    [t('Key'), keyEnd === null ? null : `••••${keyEnd}`],
    [t('Builder'), name !== 'chat' ? null : offersBuilder ? t('Offered') : t('Not offered')],
  ];
  return (
    <dl class="admin-facts">
      {facts.map(
        ([label, value]) =>
          value && (
            <>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </>
          ),
      )}
    </dl>
  );
}
