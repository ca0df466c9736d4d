import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import { Badge, Button, Dialog, Form, TextField } from '../../ui/index.ts';
import { type ProviderResult, type ProviderStatus, testProvider } from '../api.ts';
import { Result, toResult } from './result.tsx';

const TEXTS: Record<string, [title: string, meaning: string, test: string]> = {
  mail: [t('Mail'), t('Sends reset links, confirmations, invites and notices.'), t('Test mail')],
  'single-sign-on': [
    t('Single sign-on'),
    t('Lets people log in with an account at another service.'),
    t('Test single sign-on'),
  ],
  browser: [t('Browser'), t('Opens pages to check them and to take screenshots.'), t('Test browser')],
  packages: [t('Packages'), t('Provides npm packages to functions.'), t('Test packages')],
};

/** A service that only the environment sets up, with a test. */
export function ServiceCard({ provider }: { provider: ProviderStatus }) {
  const [title = provider.name, meaning, testLabel = t('Test')] = TEXTS[provider.name] ?? [];
  const [result, setResult] = useState<ProviderResult>();
  const [isMailing, setMailing] = useState(false);
  const test = async (to?: string) => {
    setResult(undefined);
    setResult(await testProvider(provider.name, to ? { to } : {}).catch(toResult));
  };
  return (
    <li>
      <header>
        <h3>{title}</h3>
        {provider.state === 'configured' ? (
          <Badge kind="good">{t('Configured')}</Badge>
        ) : (
          <Badge>{t('Off')}</Badge>
        )}
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

/** What the server says in words. The rest are names, models and paths. */
const USES: Readonly<Record<string, string>> = {
  'the registry that npm uses on this machine': t('the registry that npm uses on this machine'),
};

function About({ provider: { state, uses, host, setting } }: { provider: ProviderStatus }) {
  if (state === 'configured') {
    const facts = [USES[uses] ?? uses, host].filter((fact) => fact);
    return facts.length > 0 ? <p class="admin-break">{facts.join(' · ')}</p> : null;
  }
  return (
    <p>
      {rich(
        'To use one, set <code>{setting}</code> and restart the server.',
        { code: (text) => <code>{text}</code> },
        { setting },
      )}
    </p>
  );
}

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
