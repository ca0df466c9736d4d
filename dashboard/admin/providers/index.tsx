import { useState } from 'preact/hooks';
import { CONNECTABLE, type Connectable } from '../../../contract/rules/provider-kinds.ts';
import { Link } from '../../router.tsx';
import { rich, t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  Icon,
  type IconName,
  NotFound,
  Section,
  Show,
  Skeleton,
  say,
  useLoad,
} from '../../ui/index.ts';
import {
  type Connection,
  disconnectProvider,
  listModelServers,
  listProviders,
  type ModelServer,
  type ProviderResult,
  type ProviderStatus,
  testProvider,
} from '../api.ts';
import { Ask } from '../ask.tsx';
import { ConnectScreen } from './connect.tsx';
import { NewUserCreditsSection } from './credits.tsx';
import { ConnectionFacts } from './facts.tsx';
import { Result, toResult } from './result.tsx';
import { ServiceCard } from './services.tsx';
import { CONNECTABLE_NAMES, sayFailure } from './words.ts';

/** The external services that this server uses. Models and searches are connected here. */
export function ProvidersScreen({ item }: { item?: string | undefined }) {
  if (item === undefined) return <ProviderList />;
  const name = CONNECTABLE.find((each) => each === item);
  return name ? <ConnectScreen name={name} /> : <NotFound />;
}

function ProviderList() {
  const loaded = useLoad(listProviders, []);
  const servers = useLoad((signal: AbortSignal) => listModelServers(signal).catch(() => []), []);
  return (
    <Show loaded={loaded} skeleton={<Skeleton kind="cards" />}>
      {(providers) => (
        <>
          <ul class="admin-cards providers">
            {providers.map((provider) => {
              const name = CONNECTABLE.find((each) => each === provider.name);
              return (
                name &&
                provider.connection && (
                  <ConnectionCard
                    key={name}
                    {...{ name, provider, connection: provider.connection, reload: loaded.reload }}
                    servers={name === 'chat' ? (servers.value ?? []) : []}
                  />
                )
              );
            })}
          </ul>
          <NewUserCreditsSection key={providers.map(({ state }) => state).join()} />
          <Section title={t('Other services')} hint={t('They are set up in the environment of the server.')}>
            <ul class="provider-services">
              {providers
                .filter(({ connection }) => connection === null)
                .map((provider) => (
                  <ServiceCard key={provider.name} provider={provider} />
                ))}
            </ul>
          </Section>
        </>
      )}
    </Show>
  );
}

const ICONS: Record<Connectable, IconName> = { chat: 'sparkle', images: 'image', 'image-search': 'search' };

const MEANINGS: Record<Connectable, string> = {
  chat: t('Builds pages from a description, answers visitors, and reads their pictures.'),
  images: t('Generates pictures for pages.'),
  'image-search': t('Finds pictures for pages.'),
};

interface CardProps {
  name: Connectable;
  provider: ProviderStatus;
  connection: Connection;
  servers: ModelServer[];
  reload(): Promise<void>;
}

function ConnectionCard({ name, provider, connection, servers, reload }: CardProps) {
  const [result, setResult] = useState<ProviderResult>();
  const isDemo = provider.state === 'demo';
  const test = async () => {
    setResult(undefined);
    setResult(await testProvider(name).catch(toResult));
    await reload();
  };
  const [server] = servers;
  return (
    <li class="section">
      <header>
        <h2>
          <Icon name={ICONS[name]} /> {CONNECTABLE_NAMES[name]}
        </h2>
        <State provider={provider} />
      </header>
      <p class="hint">{MEANINGS[name]}</p>
      {!isDemo && <ConnectionFacts name={name} host={provider.host} connection={connection} />}
      {isDemo && <p>{DEMO[name]}</p>}
      {isDemo && server && connection.source === 'default' && <Offer server={server} />}
      {provider.problem && !result && (
        <div class="notice bad">
          <p>{sayFailure(provider.problem)}</p>
        </div>
      )}
      {connection.source === 'environment' && (
        <p class="hint">
          {rich(
            'Set by <code>{setting}</code>.',
            { code: (text) => <code>{text}</code> },
            { setting: provider.setting },
          )}
        </p>
      )}
      {result && <Result result={result} />}
      <Actions {...{ name, connection, isDemo, test, reload }} onDisconnect={() => setResult(undefined)} />
    </li>
  );
}

const DEMO: Record<Connectable, string> = {
  chat: t('The built-in demo answers. It is not a real model.'),
  images: t('The built-in demo draws shapes and colors.'),
  'image-search': t('The built-in demo draws pictures instead of finding them.'),
};

function State({ provider: { state, problem } }: { provider: ProviderStatus }) {
  if (problem) return <Badge kind="bad">{t('Does not work')}</Badge>;
  return state === 'demo' ? <Badge>{t('Demo')}</Badge> : <Badge kind="good">{t('Connected')}</Badge>;
}

/** A model server that runs on this machine. */
function Offer({ server: { name, models } }: { server: ModelServer }) {
  return (
    <div class="notice good">
      <p>
        {models[0]
          ? t('{name} runs on this machine, with {model}.', { name, model: models[0] })
          : t('{name} runs on this machine, without a model yet.', { name })}
      </p>
      <Link href="/admin/providers/chat" class="button quiet">
        {t('Use it')}
      </Link>
    </div>
  );
}

interface ActionsProps {
  name: Connectable;
  connection: Connection;
  isDemo: boolean;
  test(): Promise<void>;
  reload(): Promise<void>;
  onDisconnect(): void;
}

function Actions({ name, connection, isDemo, test, reload, onDisconnect }: ActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const title = CONNECTABLE_NAMES[name];
  const disconnect = async () => {
    await disconnectProvider(name);
    setAsking(false);
    onDisconnect();
    await reload();
    say(t('Disconnected.'));
  };
  return (
    <div class="actions">
      {connection.source !== 'environment' && (
        <Link
          href={`/admin/providers/${name}`}
          class={`button ${isDemo ? 'primary' : 'quiet'}`}
          aria-label={isDemo ? t('Connect {name}', { name: title }) : t('Change {name}', { name: title })}
        >
          {isDemo ? t('Connect') : t('Change')}
        </Link>
      )}
      {!isDemo && (
        <Button kind="quiet" label={t('Test {name}', { name: title })} onClick={test}>
          {t('Test')}
        </Button>
      )}
      {connection.source === 'dashboard' && (
        <Button kind="bare" label={t('Disconnect {name}', { name: title })} onClick={() => setAsking(true)}>
          {t('Disconnect')}
        </Button>
      )}
      {isAsking && (
        <Ask
          title={t('Disconnect {name}?', { name: title })}
          submit={t('Disconnect')}
          onConfirm={disconnect}
          onClose={() => setAsking(false)}
        >
          <p>{t('Its key is deleted. The default is used from the next call on.')}</p>
        </Ask>
      )}
    </div>
  );
}
