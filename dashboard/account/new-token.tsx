import { useState } from 'preact/hooks';
import { me } from '../session.ts';
import { Dialog, Form, Select, TextField } from '../ui/index.ts';
import { makeToken } from './api.ts';

/** What a token may do, in the words of the API, and what that means. */
const SCOPES: Array<[string, string]> = [
  ['pages:read', 'read your pages'],
  ['pages:write', 'publish, change and delete pages'],
  ['functions:read', 'read functions, their code and logs'],
  ['functions:write', 'deploy and delete functions, run SQL'],
  ['solo-data:read', 'read your own data on pages'],
  ['solo-data:write', 'change your own data on pages'],
  ['team-data:read', 'read data of your teams'],
  ['team-data:write', 'change data of your teams, invite'],
  ['social-data:read', 'read public data'],
  ['social-data:write', 'write public data in your name'],
];
const ADMIN: [string, string] = ['admin', 'administer this server'];

const LIVES = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'with this login'],
] as const;
const DAY_MS = 24 * 3600 * 1000;

/** Asks for a token's name, what it may do and for how long, and makes it. */
export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (token: string) => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<(typeof LIVES)[number][0]>('90');
  const [chosen, setChosen] = useState(SCOPES.map(([scope]) => scope));
  const offered = me.value?.isAdmin ? [...SCOPES, ADMIN] : SCOPES;

  const toggle = (scope: string) =>
    setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  const send = async () => {
    const expiresAt = days && new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const { token } = await makeToken({ name: name.trim(), scopes: chosen, ...(expiresAt && { expiresAt }) });
    onMade(token);
  };

  return (
    <Dialog title="New token" onClose={onClose}>
      <Form
        submit="Make token"
        disabled={name.trim() === '' || chosen.length === 0}
        onSubmit={send}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          hint="So that you know it again, for example “my agent”."
          value={name}
          onInput={setName}
          maxLength={100}
          autofocus
        />
        <Select
          label="Expires"
          hint="It ends earlier if you log out of this browser, or do not open Quire in it for 30 days."
          value={days}
          options={LIVES}
          onChange={setDays}
        />
        <fieldset class="account-choices">
          <legend>It may</legend>
          {offered.map(([scope, meaning]) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
              <span>
                {meaning} <code>{scope}</code>
              </span>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}
