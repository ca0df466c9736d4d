import { useState } from 'preact/hooks';
import { MAX_TOKEN_NAME } from '../../contract/rules/limits.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { Link } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import { Choice, Form, formatMoment, Section, Select, scopeMeaning, TextField } from '../ui/index.ts';
import { createToken, type PersonalToken } from './api.ts';
import { tokenSettings } from './clients.ts';
import { Snippet } from './snippet.tsx';

const DAY_MS = 24 * 3600 * 1000;

interface Preset {
  name: string;
  about: string;
  scopes: readonly Scope[];
}

/** The narrowest scopes that are enough for each task. */
const PRESETS: readonly Preset[] = [
  {
    name: t('Publish pages'),
    about: t('Create, change and delete pages. No functions, and no data of visitors.'),
    scopes: ['pages:read', 'pages:write'],
  },
  {
    name: t('Pages and functions'),
    about: t('Also deploy and call functions and use their databases.'),
    scopes: ['pages:read', 'pages:write', 'functions:read', 'functions:write'],
  },
  {
    name: t('Read only'),
    about: t('Read pages, functions and data. It cannot change anything, even if it is tricked into trying.'),
    scopes: SCOPES.filter((scope) => scope.endsWith(':read')),
  },
];

const EXPIRIES = [
  ['30', t('In 30 days')],
  ['90', t('In 90 days')],
  ['365', t('In a year')],
] as const;

/** Makes a token with few scopes, and shows it once. */
export function ByToken({ onCreated }: { onCreated: () => Promise<void> }) {
  const [made, setMade] = useState<PersonalToken>();
  if (made) return <Made token={made} onAgain={() => setMade(undefined)} />;
  return (
    <NewToken
      onMade={async (token) => {
        setMade(token);
        await onCreated();
      }}
    />
  );
}

function NewToken({ onMade }: { onMade: (token: PersonalToken) => Promise<void> }) {
  const [chosen, setChosen] = useState(0);
  const [name, setName] = useState(() => t('My agent'));
  const [days, setDays] = useState<(typeof EXPIRIES)[number][0]>('90');
  const scopes = PRESETS[chosen]?.scopes ?? [];
  const send = async () => {
    const expiresAt = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    await onMade(await createToken({ name: name.trim(), scopes: [...scopes], expiresAt }));
  };
  return (
    <Section
      title={t('Make a token')}
      hint={t(
        'For agents and programs that cannot log in with a browser. A token works like a password: do not publish it.',
      )}
    >
      <Form submit={t('Create token')} disabled={name.trim() === ''} onSubmit={send}>
        <fieldset class="connect-presets">
          <legend>{t('What it can do')}</legend>
          {PRESETS.map((preset, at) => (
            <label key={preset.name}>
              <input type="radio" name="preset" checked={at === chosen} onChange={() => setChosen(at)} />
              <span>
                <strong>{preset.name}</strong>
                <span class="hint">{preset.about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div class="connect-fields">
          <TextField label={t('Name')} value={name} onInput={setName} maxLength={MAX_TOKEN_NAME} />
          <Select label={t('Expires')} value={days} options={EXPIRIES} onChange={setDays} />
        </div>
        <ul class="connect-scopes" aria-label={t('Scopes')}>
          {scopes.map((scope) => (
            <li key={scope}>{scopeMeaning(scope)}</li>
          ))}
        </ul>
      </Form>
      <p class="hint">
        {rich('For other scopes, <a>make a token in your account</a>.', {
          a: (text) => <Link href="/account">{text}</Link>,
        })}
      </p>
    </Section>
  );
}

function Made({ token, onAgain }: { token: PersonalToken; onAgain: () => void }) {
  const settings = tokenSettings(`${location.origin}/mcp`, token.token);
  const [shown, setShown] = useState(settings[0]?.[0] ?? '');
  const text = settings.find(([name]) => name === shown)?.[1] ?? '';
  return (
    <Section
      title={t('Copy the token “{name}” now', { name: token.name })}
      hint={t('You cannot see it again. It works until {date}, or until you log out of this browser.', {
        date: formatMoment(token.expiresAt),
      })}
    >
      <Snippet text={token.token} label={t('Token')} isMain />
      <Choice
        class="connect-clients"
        label={t('Your agent')}
        value={shown}
        options={settings.map(([name]) => [name, name])}
        onChoose={setShown}
      />
      <Snippet text={text} label={t('Settings')} />
      <div class="actions connect-again">
        <button type="button" class="button quiet" onClick={onAgain}>
          {t('Make another token')}
        </button>
      </div>
    </Section>
  );
}
