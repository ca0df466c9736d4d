import { FAILURE_WORDS } from '../../../../contract/rules/provider-failures.ts';
import type { Connectable } from '../../../../contract/rules/provider-kinds.ts';
import {
  type ChosenProviders,
  createProviders,
  listModels,
  ProviderError,
  type Providers,
  type TurnProvider,
} from '../../../platform/providers/index.ts';
import {
  type Connections,
  type OpenConnection,
  withConnection,
} from '../../../platform/service-settings/index.ts';
import type { FetchExternal } from '../../../runtime/egress/index.ts';
import { type ProviderEntry, ProviderTestError, type TryResult } from '../service-sources.ts';
import { SETTINGS } from './connection.ts';

/** What the tests of models and searches use. */
interface TestedModels {
  baseUrl: string;
  fetchExternal: FetchExternal;
  connections: Connections;
  /** The providers in use. */
  providers: Pick<Providers, 'reset'>;
}

type Run = (
  providers: Providers,
  signal: AbortSignal,
  chosen: ChosenProviders,
) => Promise<string | TryResult>;

/** The hosts of providers that need no URL. */
const USUAL_HOSTS: Record<string, string> = {
  anthropic: 'api.anthropic.com',
  openverse: 'api.openverse.org',
  commons: 'commons.wikimedia.org',
};

/** Long enough for a model that thinks before it calls a tool. */
const MAX_TOKENS = 512;
const ANTHROPIC_URL = 'https://api.anthropic.com/v1';

/** The tests of the providers that administrators connect. Each opens the provider anew: no earlier failure counts. */
export function modelEntries(services: TestedModels): Record<Connectable, ProviderEntry> {
  const { fetchExternal } = services;
  return {
    chat: entry(services, 'chat', testChat),
    images: entry(services, 'images', async ({ images }, signal) => {
      const prompt = 'A plain grey square';
      const bytes = await images.generate({ prompt, aspectRatio: '1:1', signal, fetchExternal });
      return `It made an image of ${Math.ceil(bytes.length / 1024).toLocaleString('en')} KB.`;
    }),
    'image-search': entry(services, 'image-search', async ({ imageSearch }, signal) => {
      const found = await imageSearch.search({ query: 'tree', count: 3, signal });
      return `A search for “tree” found ${found.length === 1 ? '1 image' : `${found.length} images`}.`;
    }),
  };
}

function entry(services: TestedModels, name: Connectable, run: Run): ProviderEntry {
  const { connections, providers, baseUrl } = services;
  const { provider, url, model } = connections.describe(name);
  const isDemo = provider === 'demo';
  const uses = name === 'image-search' ? provider : (model ?? '');
  return {
    state: isDemo ? 'demo' : 'configured',
    uses: isDemo ? '' : uses,
    host: (url === null ? USUAL_HOSTS[provider] : URL.parse(url)?.host) ?? null,
    setting: SETTINGS[name],
    async tryOut({ connection, signal }) {
      const chosen = choose(connections.chosen, name, connection);
      try {
        const result = await run(
          createProviders({ ...chosen, baseUrl, demoImageUrl: () => '' }),
          signal,
          chosen,
        );
        // What is in use works again, so nobody has to wait until it is tried again.
        if (!connection) {
          providers.reset(name);
          connections.noteProblem(name, undefined);
        }
        return result;
      } catch (error) {
        throw error instanceof ProviderError ? await explain(error, name, chosen, signal) : error;
      }
    },
  };
}

/** What to test. A model that cannot call tools may have learned it. */
function choose(
  chosen: ChosenProviders,
  name: Connectable,
  connection: OpenConnection | undefined,
): ChosenProviders {
  const tested = connection ? withConnection(chosen, name, connection) : chosen;
  return { ...tested, ai: { ...tested.ai, callsTools: true } };
}

/** Asks the model to call a tool. If it cannot, the test asks for text, which most pages need. */
async function testChat(providers: Providers, signal: AbortSignal): Promise<string | TryResult> {
  const { chat, turns } = providers;
  const messages = [{ role: 'user' as const, content: 'Answer with the word OK.' }];
  const system = 'You are being tested. Be brief.';
  if (typeof turns === 'string')
    return answer(chat.chat({ system, messages, maxTokens: MAX_TOKENS, signal }));
  const tools = await callTool(turns, signal).catch(ifWithoutTools);
  if (tools?.hasCalled) return `It answered and called a tool (${tools.tokens} tokens).`;
  if (tools === undefined) await answer(chat.chat({ system, messages, maxTokens: MAX_TOKENS, signal }));
  return { message: FAILURE_WORDS.tools.text, reason: 'tools' };
}

async function answer(parts: ReturnType<Providers['chat']['chat']>): Promise<string> {
  let tokens = 0;
  for await (const part of parts) if (part.type === 'usage') tokens = part.inputTokens + part.outputTokens;
  return `It answered a short question (${tokens} tokens).`;
}

async function callTool({ turn }: TurnProvider, signal: AbortSignal) {
  const inputSchema = {
    type: 'object',
    properties: { word: { type: 'string', description: 'The word to report.' } },
    required: ['word'],
  };
  const parts = turn({
    system: 'You are being tested. Call the tool, and write nothing else.',
    messages: [{ role: 'user', content: 'Call the tool report with the word OK.' }],
    tools: [{ name: 'report', description: 'Reports a word.', inputSchema }],
    maxTokens: MAX_TOKENS,
    signal,
  });
  let hasCalled = false;
  let tokens = 0;
  for await (const part of parts) {
    if (part.type === 'tool call') hasCalled = true;
    if (part.type === 'usage') tokens = part.inputTokens + part.outputTokens;
  }
  return { hasCalled, tokens };
}

/** The refusals of a server whose model does not take tools. Others fail in the same way without tools. */
function ifWithoutTools(error: unknown): undefined {
  const mayBeTools = ['tools', 'refused', 'address', 'response', 'model', 'failed'];
  if (error instanceof ProviderError && mayBeTools.includes(error.reason)) return undefined;
  throw error;
}

async function explain(
  error: ProviderError,
  name: Connectable,
  { ai }: ChosenProviders,
  signal: AbortSignal,
): Promise<ProviderTestError> {
  const { reason } = error;
  const asks = name === 'chat' && reason === 'model';
  const models = asks ? await listChatModels(ai, signal) : undefined;
  const failure = new ProviderTestError(FAILURE_WORDS[reason].text, reason, models);
  failure.cause = error;
  return failure;
}

function listChatModels({ provider, url = ANTHROPIC_URL, key }: ChosenProviders['ai'], signal: AbortSignal) {
  if (provider !== 'anthropic') return listModels({ url, key, signal });
  return listModels({ url, headers: { 'x-api-key': key ?? '', 'anthropic-version': '2023-06-01' }, signal });
}
