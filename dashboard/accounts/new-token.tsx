import { useState } from 'preact/hooks';
import { MAX_TOKEN_NAME } from '../../contract/rules/limits.ts';
import { ADMIN_SCOPE, SCOPE_MEANINGS, SCOPES, type Scope } from '../../contract/scopes.ts';
import { me } from '../session.ts';
import { Dialog, Form, Select, TextField } from '../ui/index.ts';
import { createToken } from './api.ts';

type Choice = Scope | typeof ADMIN_SCOPE;

/** What each scope allows. */
const MEANINGS: Record<Choice, string> = { ...SCOPE_MEANINGS, [ADMIN_SCOPE]: 'Administer this server' };

const EXPIRIES = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'When this login ends'],
] as const;
const DAY_MS = 24 * 3600 * 1000;

interface NewTokenProps {
  onClose: () => void;
  onCreated: (token: string) => void;
}

/** Asks for the name, the scopes and the expiry of a token, and creates it. */
export function NewToken({ onClose, onCreated }: NewTokenProps) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<(typeof EXPIRIES)[number][0]>('90');
  const [chosen, setChosen] = useState<readonly Choice[]>(SCOPES);
  const offered: readonly Choice[] = me.value?.isAdmin ? [...SCOPES, ADMIN_SCOPE] : SCOPES;

  const toggle = (scope: Choice) =>
    setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  const send = async () => {
    const expiresAt = days && new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const fields = { name: name.trim(), scopes: [...chosen], ...(expiresAt && { expiresAt }) };
    onCreated((await createToken(fields)).token);
  };

  return (
    <Dialog title="New token" onClose={onClose}>
      <Form
        submit="Create token"
        disabled={name.trim() === '' || chosen.length === 0}
        onSubmit={send}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          hint="So that you can recognize it later, for example “my agent”."
          value={name}
          onInput={setName}
          maxLength={MAX_TOKEN_NAME}
          autofocus
        />
        <Select
          label="Expires"
          hint="Expires earlier if you log out of this browser, or do not open Quire in it for 30 days."
          value={days}
          options={EXPIRIES}
          onChange={setDays}
        />
        <fieldset class="account-choices">
          <legend>The token can</legend>
          {offered.map((scope) => (
            <label key={scope}>
              <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
              <span>
                {MEANINGS[scope]} <code>{scope}</code>
              </span>
            </label>
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}
