import { useState } from 'preact/hooks';
import { MAX_CREDIT_LIMIT, MAX_TOKEN_NAME } from '../../contract/rules/limits.ts';
import { ADMIN_SCOPE, FEATURES_SCOPE, SCOPES, type Scope } from '../../contract/scopes.ts';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { Dialog, Form, Select, Switch, scopeMeaning, TextField } from '../ui/index.ts';
import { createToken } from './api.ts';

type Choice = Scope | typeof FEATURES_SCOPE | typeof ADMIN_SCOPE;

const EXPIRIES = [
  ['30', t('In 30 days')],
  ['90', t('In 90 days')],
  ['365', t('In a year')],
  ['', t('When this login ends')],
] as const;
const DAY_MS = 24 * 3600 * 1000;

interface NewTokenProps {
  onClose: () => void;
  onCreated: (token: string) => void;
}

function useNewToken(onCreated: (token: string) => void) {
  const [name, setName] = useState('');
  const [days, setDays] = useState<(typeof EXPIRIES)[number][0]>('90');
  const [chosen, setChosen] = useState<readonly Choice[]>(SCOPES);
  const [limit, setLimit] = useState('10');
  const [isForBranches, setForBranches] = useState(false);
  const offered: readonly Choice[] = [
    ...SCOPES,
    FEATURES_SCOPE,
    ...(me.value?.isAdmin ? ([ADMIN_SCOPE] as const) : []),
  ];
  const canSpend = chosen.includes(FEATURES_SCOPE);
  const creditLimit = canSpend ? toLimit(limit) : undefined;

  const toggle = (scope: Choice) =>
    setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  const send = async () => {
    const expiresAt = days && new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const fields = {
      name: name.trim(),
      scopes: [...chosen],
      branches_only: isForBranches,
      ...(expiresAt && { expiresAt }),
      ...(creditLimit !== undefined && { creditLimit }),
    };
    onCreated((await createToken(fields)).token);
  };
  const isComplete = name.trim() !== '' && chosen.length > 0 && (!canSpend || creditLimit !== undefined);
  return {
    name,
    setName,
    days,
    setDays,
    chosen,
    toggle,
    offered,
    limit,
    setLimit,
    isForBranches,
    setForBranches,
    canSpend,
    creditLimit,
    isComplete,
    send,
  };
}

/** Asks for the name, the scopes and the expiry of a token, and creates it. */
export function NewToken({ onClose, onCreated }: NewTokenProps) {
  const token = useNewToken(onCreated);
  return (
    <Dialog title={t('New token')} onClose={onClose}>
      <Form submit={t('Create token')} disabled={!token.isComplete} onSubmit={token.send} onCancel={onClose}>
        <TextField
          label={t('Name')}
          hint={t('So that you can recognize it later, for example “my agent”.')}
          value={token.name}
          onInput={token.setName}
          maxLength={MAX_TOKEN_NAME}
          autofocus
        />
        <Select
          label={t('Expires')}
          hint={t('Expires earlier if you log out of this browser, or do not open Quire in it for 30 days.')}
          value={token.days}
          options={EXPIRIES}
          onChange={token.setDays}
        />
        <Scopes offered={token.offered} chosen={token.chosen} onToggle={token.toggle} />
        <Switch
          label={t('Only on branches')}
          hint={t('It changes copies of your pages. You bring what it made to the pages.')}
          checked={token.isForBranches}
          onChange={token.setForBranches}
        />
        {token.canSpend && (
          <TextField
            label={t('Credit limit')}
            hint={t(
              'It can spend this many of your credits in total, on pages that you allow to. From 1 to {most}.',
              { most: MAX_CREDIT_LIMIT },
            )}
            value={token.limit}
            onInput={token.setLimit}
            type="number"
            error={token.creditLimit === undefined ? t('Enter a whole number.') : undefined}
          />
        )}
      </Form>
    </Dialog>
  );
}

function Scopes(props: {
  offered: readonly Choice[];
  chosen: readonly Choice[];
  onToggle: (scope: Choice) => void;
}) {
  return (
    <fieldset class="account-choices">
      <legend>{t('The token can')}</legend>
      {props.offered.map((scope) => (
        <label key={scope}>
          <input
            type="checkbox"
            checked={props.chosen.includes(scope)}
            onChange={() => props.onToggle(scope)}
          />
          <span>
            {scopeMeaning(scope)} <code>{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A whole number of credits, or undefined. */
function toLimit(text: string): number | undefined {
  const limit = /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0;
  return limit >= 1 && limit <= MAX_CREDIT_LIMIT ? limit : undefined;
}
