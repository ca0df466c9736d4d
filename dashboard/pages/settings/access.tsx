import { useId, useState } from 'preact/hooks';
import type { NewAccess } from '../../../contract/pages/access.ts';
import { ACCESS_MODES, type AccessMode } from '../../../contract/pages/access-modes.ts';
import { MAX_PAGE_PASSWORD, MAX_PAGE_PEOPLE } from '../../../contract/rules/limits.ts';
import { ApiError } from '../../api.ts';
import { t } from '../../texts/index.ts';
import { ACCESS_NAMES, Field, Form, Section, say, TextField } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

import type { Apply } from './apply.ts';

const HINTS: Record<AccessMode, string> = {
  public: t('Anyone with the URL can see the page.'),
  password: t('Visitors enter a password once a week. They do not need an account.'),
  people: t('The people that you name, after they log in.'),
  team: t('All members of the page’s team, after they log in.'),
  private: t('Only you, and the admins of the page’s team.'),
};

const PEOPLE_HINT = t(
  'Usernames, one on each line, at most {max}. An e-mail address lets in its account only if the address is confirmed.',
  { max: MAX_PAGE_PEOPLE },
);

type Faults = Partial<Record<'password' | 'people' | 'expires_at' | 'mode', string>>;

/** Who can see the page. */
export function AccessSection({ page, apply }: { page: PageDetail; apply: Apply }) {
  const { access } = page;
  const [mode, setMode] = useState(access.mode);
  const [password, setPassword] = useState('');
  const [people, setPeople] = useState((access.people ?? []).join('\n'));
  const [until, setUntil] = useState(toLocal(access.expires_at));
  const [faults, setFaults] = useState<Faults>({});
  const names = people.split(/[\s,;]+/).filter(Boolean);
  const hasPassword = access.mode === 'password';
  const canSave = isReady(access, mode, { password, names, until });

  const save = async () => {
    setFaults({});
    const wanted = toWanted(mode, { password, names, until });
    try {
      const saved = await apply({ access: wanted });
      setPassword('');
      setPeople((saved.access.people ?? []).join('\n'));
      say(t('Saved who can see this page.'));
    } catch (error) {
      const refused = readFaults(error, names);
      if (!refused) throw error;
      setFaults(refused);
    }
  };

  return (
    <Section
      id="access"
      title={t('Who can see this page')}
      hint={t('Covers the page, its files, data and picture. You and the admins of its team always see it.')}
    >
      <Form submit={t('Save access')} onSubmit={save} disabled={!canSave}>
        <Modes page={page} mode={mode} onChoose={setMode} />
        {faults.mode && <p class="fault">{faults.mode}</p>}
        <AccessFields
          mode={mode}
          hasPassword={hasPassword}
          faults={faults}
          password={[password, setPassword]}
          people={[people, setPeople]}
          until={[until, setUntil]}
        />
      </Form>
    </Section>
  );
}

type State = readonly [value: string, set: (value: string) => void];

/** What the chosen mode needs, and until when. */
function AccessFields({
  mode,
  hasPassword,
  faults,
  password: [password, setPassword],
  people: [people, setPeople],
  until: [until, setUntil],
}: {
  mode: AccessMode;
  hasPassword: boolean;
  faults: Faults;
  password: State;
  people: State;
  until: State;
}) {
  return (
    <>
      {mode === 'password' && (
        <TextField
          label={hasPassword ? t('New password') : t('Password')}
          type="password"
          autocomplete="new-password"
          value={password}
          onInput={setPassword}
          maxLength={MAX_PAGE_PASSWORD}
          error={faults.password}
          hint={
            hasPassword
              ? t('Leave it empty to keep the password. A new one locks out everyone who has the old one.')
              : t('Give it to your visitors. It is not shown again.')
          }
        />
      )}
      {mode === 'people' && (
        <TextField
          label={t('People')}
          rows={4}
          value={people}
          onInput={setPeople}
          error={faults.people}
          hint={PEOPLE_HINT}
        />
      )}
      <Field
        label={t('Until (optional)')}
        error={faults.expires_at}
        hint={t('From then on, only you and the admins of its team see the page.')}
      >
        {(attributes) => (
          <input
            {...attributes}
            type="datetime-local"
            value={until}
            onInput={(event) => setUntil((event.target as HTMLInputElement).value)}
          />
        )}
      </Field>
    </>
  );
}

function Modes({
  page,
  mode,
  onChoose,
}: {
  page: PageDetail;
  mode: AccessMode;
  onChoose: (mode: AccessMode) => void;
}) {
  const id = useId();
  const isPossible = (each: AccessMode) =>
    each !== 'team' || page.storageMode === 'team_app' || mode === 'team';
  return (
    <fieldset class="page-options">
      <legend class="for-readers">{t('Who can see this page')}</legend>
      {ACCESS_MODES.filter(isPossible).map((each) => (
        <label key={each}>
          <input
            type="radio"
            name={id}
            checked={mode === each}
            aria-describedby={`${id}-${each}`}
            onChange={() => onChoose(each)}
          />
          <strong>{ACCESS_NAMES[each]}</strong>
          <span class="hint" id={`${id}-${each}`}>
            {HINTS[each]}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Whether something has changed, and nothing is missing. */
function isReady(
  access: PageDetail['access'],
  mode: AccessMode,
  { password, names, until }: { password: string; names: string[]; until: string },
): boolean {
  if (mode === 'password' && access.mode !== 'password' && password === '') return false;
  if (mode === 'people' && names.length === 0) return false;
  return (
    mode !== access.mode ||
    until !== toLocal(access.expires_at) ||
    (mode === 'password' && password !== '') ||
    (mode === 'people' && names.join('\n') !== (access.people ?? []).join('\n'))
  );
}

/** What is sent. A password that is left empty stays as it is. */
function toWanted(
  mode: AccessMode,
  { password, names, until }: { password: string; names: string[]; until: string },
): NewAccess {
  return {
    mode,
    ...(mode === 'password' && password !== '' && { password }),
    ...(mode === 'people' && { people: names }),
    expires_at: until === '' ? null : new Date(until).toISOString(),
  };
}

/** A moment as a field for local time shows it. */
function toLocal(moment: string | undefined): string {
  if (moment === undefined) return '';
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The validation errors of the service, by field. One about a person names them. */
function readFaults(error: unknown, names: string[]): Faults | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const faults = error.details.map(({ path, message }) => {
    const [, field = 'mode', index = ''] = path.split('.');
    const name = names[Number.parseInt(index, 10)];
    return [
      field,
      name === undefined
        ? t('This {fault}.', { fault: message })
        : t('{name} {fault}.', { name, fault: message }),
    ];
  });
  return faults.length > 0 ? Object.fromEntries(faults) : undefined;
}
