import { useState } from 'preact/hooks';
import {
  Badge,
  Button,
  Dialog,
  Form,
  formatNumber,
  Show,
  Skeleton,
  TextField,
  useLoad,
} from '../../ui/index.ts';
import { listProviders, type ProviderResult, type ProviderStatus, testProvider } from '../api.ts';

const TEXTS: Record<ProviderStatus['name'], [title: string, meaning: string]> = {
  mail: ['Mail', 'Sends reset links, confirmations, invites and notices.'],
  'single-sign-on': ['Single sign-on', 'Lets people log in with an account at another service.'],
  chat: ['AI chat', 'Answers visitors to pages, and reads their pictures. The test costs a few tokens.'],
  images: ['Image generation', 'Generates pictures for pages. The test makes one image.'],
  'image-search': ['Image search', 'Finds pictures for pages.'],
  browser: ['Browser', 'Opens pages to check them and to take screenshots.'],
  packages: ['Packages', 'Provides npm packages to functions.'],
};

/** The external services that this server uses, each with a test. */
export function ProvidersScreen() {
  const providers = useLoad(listProviders, []);
  return (
    <Show loaded={providers} skeleton={<Skeleton lines={10} />}>
      {(list) => (
        <ul class="admin-cards">
          {list.map((provider) => (
            <ProviderCard key={provider.name} provider={provider} />
          ))}
        </ul>
      )}
    </Show>
  );
}

function ProviderCard({ provider }: { provider: ProviderStatus }) {
  const [title, meaning] = TEXTS[provider.name];
  const [result, setResult] = useState<ProviderResult>();
  const [isMailing, setMailing] = useState(false);
  const test = async (to?: string) => {
    setResult(undefined);
    setResult(await testProvider(provider.name, to).catch(toResult));
  };
  return (
    <li class="section">
      <header>
        <h2>{title}</h2>
        <State state={provider.state} />
      </header>
      <p class="hint">{meaning}</p>
      <About provider={provider} />
      {result && <Result result={result} />}
      {provider.state !== 'off' && (
        <div class="actions">
          <Button kind="quiet" label={`Test ${title.toLowerCase()}`} onClick={() => test()}>
            Test
          </Button>
          {provider.name === 'mail' && (
            <Button kind="quiet" onClick={() => setMailing(true)}>
              Send a test mail
            </Button>
          )}
        </div>
      )}
      {isMailing && (
        <TestMail
          onClose={() => setMailing(false)}
          onSend={async (to) => {
            await test(to);
            setMailing(false);
          }}
        />
      )}
    </li>
  );
}

function State({ state }: Pick<ProviderStatus, 'state'>) {
  if (state === 'configured') return <Badge kind="good">Configured</Badge>;
  return state === 'demo' ? <Badge kind="warn">Built-in demo</Badge> : <Badge>Off</Badge>;
}

function About({ provider: { state, uses, host, setting } }: { provider: ProviderStatus }) {
  if (state === 'configured')
    return (
      <dl class="admin-facts">
        {uses && (
          <>
            <dt>Uses</dt>
            <dd>{uses}</dd>
          </>
        )}
        {host && (
          <>
            <dt>Host</dt>
            <dd>{host}</dd>
          </>
        )}
      </dl>
    );
  return (
    <p>
      {state === 'demo' ? 'This is not a real provider. ' : ''}To use one, set <code>{setting}</code> and
      restart the server.
    </p>
  );
}

function Result({ result: { isWorking, message, durationMs } }: { result: ProviderResult }) {
  return (
    <div class={`notice ${isWorking ? 'good' : 'bad'}`} role="status">
      <p>
        <strong>{isWorking ? 'Works.' : 'Does not work.'}</strong> {message}{' '}
        {durationMs > 0 && <span>({formatNumber(durationMs)} ms)</span>}
      </p>
    </div>
  );
}

/** The test itself could not be started. */
const toResult = (error: Error): ProviderResult => ({
  isWorking: false,
  message: error.message,
  durationMs: 0,
});

function TestMail({ onClose, onSend }: { onClose: () => void; onSend: (to: string) => Promise<void> }) {
  const [to, setTo] = useState('');
  return (
    <Dialog title="Send a test mail" onClose={onClose}>
      <Form submit="Send" disabled={!to.includes('@')} onSubmit={() => onSend(to.trim())} onCancel={onClose}>
        <TextField label="To" value={to} onInput={setTo} autofocus />
      </Form>
    </Dialog>
  );
}
