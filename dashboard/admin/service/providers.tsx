import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import { Badge, Button, Dialog, Form, Show, Skeleton, TextField, useLoad } from '../../ui/index.ts';
import { listProviders, type ProviderResult, type ProviderStatus, testProvider } from '../api.ts';

const TEXTS: Record<ProviderStatus['name'], [title: string, meaning: string, test: string]> = {
  mail: [t('Mail'), t('Sends reset links, confirmations, invites and notices.'), t('Test mail')],
  'single-sign-on': [
    t('Single sign-on'),
    t('Lets people log in with an account at another service.'),
    t('Test single sign-on'),
  ],
  chat: [
    t('AI chat'),
    t('Answers visitors to pages, and reads their pictures. The test costs a few tokens.'),
    t('Test AI chat'),
  ],
  images: [
    t('Image generation'),
    t('Generates pictures for pages. The test makes one image.'),
    t('Test image generation'),
  ],
  'image-search': [t('Image search'), t('Finds pictures for pages.'), t('Test image search')],
  browser: [t('Browser'), t('Opens pages to check them and to take screenshots.'), t('Test browser')],
  packages: [t('Packages'), t('Provides npm packages to functions.'), t('Test packages')],
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
  const [title, meaning, testLabel] = TEXTS[provider.name];
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
          <Button kind="quiet" label={testLabel} onClick={() => test()}>
            {t('Test')}
          </Button>
          {provider.name === 'mail' && (
            <Button kind="quiet" onClick={() => setMailing(true)}>
              {t('Send a test mail')}
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
  if (state === 'configured') return <Badge kind="good">{t('Configured')}</Badge>;
  return state === 'demo' ? <Badge kind="warn">{t('Built-in demo')}</Badge> : <Badge>{t('Off')}</Badge>;
}

/** What the server says in words. The rest are names, models and paths. */
const USES: Readonly<Record<string, string>> = {
  'the registry that npm uses on this machine': t('the registry that npm uses on this machine'),
};

function About({ provider: { state, uses, host, setting } }: { provider: ProviderStatus }) {
  if (state === 'configured')
    return (
      <dl class="admin-facts">
        {uses && (
          <>
            <dt>{t('Using')}</dt>
            <dd>{USES[uses] ?? uses}</dd>
          </>
        )}
        {host && (
          <>
            <dt>{t('Host')}</dt>
            <dd>{host}</dd>
          </>
        )}
      </dl>
    );
  return (
    <p>
      {state === 'demo' && `${t('This is not a real provider.')} `}
      {rich(
        'To use one, set <code>{setting}</code> and restart the server.',
        { code: (text) => <code>{text}</code> },
        { setting },
      )}
    </p>
  );
}

function Result({ result: { isWorking, message, durationMs } }: { result: ProviderResult }) {
  return (
    <div class={`notice ${isWorking ? 'good' : 'bad'}`} role="status">
      <p>
        <strong>{isWorking ? t('Works.') : t('Does not work.')}</strong> {message}{' '}
        {durationMs > 0 && <span>({t('{count} ms', { count: durationMs })})</span>}
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
    <Dialog title={t('Send a test mail')} onClose={onClose}>
      <Form
        submit={t('Send')}
        disabled={!to.includes('@')}
        onSubmit={() => onSend(to.trim())}
        onCancel={onClose}
      >
        <TextField label={t('Send it to')} value={to} onInput={setTo} autofocus />
      </Form>
    </Dialog>
  );
}
