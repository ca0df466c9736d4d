import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import { Failure, Section, Show, say, useLoad } from '../../ui/index.ts';
import { type RegistrationMode, readRegistration, setRegistration } from '../api.ts';
import { Invites } from './invites.tsx';

const MODES: ReadonlyArray<readonly [RegistrationMode, string, ComponentChildren]> = [
  ['open', t('Open to everyone'), t('Anyone who can reach this service can create an account.')],
  ['invite', t('By invite'), t('People need an invite link from an administrator.')],
  [
    'closed',
    t('Closed'),
    rich('Only the operator can create accounts, with <code>quire user create</code>.', {
      code: (text) => <code>{text}</code>,
    }),
  ],
];

const SAVED: Record<RegistrationMode, string> = {
  open: t('Registration: open.'),
  invite: t('Registration: by invite.'),
  closed: t('Registration: closed.'),
};

/** Who can create an account, and invites to do so. */
export function RegistrationScreen() {
  const mode = useLoad(readRegistration, []);
  return (
    <>
      <Section
        title={t('Who can create an account')}
        hint={t('Changes apply immediately, without a restart.')}
      >
        <Show loaded={mode}>{(current) => <ModeChoice current={current} onChanged={mode.set} />}</Show>
      </Section>
      <Invites mode={mode.value} />
    </>
  );
}

interface ModeChoiceProps {
  current: RegistrationMode;
  onChanged(mode: RegistrationMode): void;
}

function ModeChoice({ current, onChanged }: ModeChoiceProps) {
  /** Shown as chosen while it is saved. */
  const [saving, setSaving] = useState<RegistrationMode>();
  const [failure, setFailure] = useState<Error>();
  const choose = async (mode: RegistrationMode) => {
    setSaving(mode);
    setFailure(undefined);
    try {
      await setRegistration(mode);
      onChanged(mode);
      say(SAVED[mode]);
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setSaving(undefined);
    }
  };
  return (
    <>
      <fieldset class="admin-modes" disabled={saving !== undefined}>
        <legend class="for-readers">{t('Who can create an account')}</legend>
        {MODES.map(([mode, name, meaning]) => (
          <label key={mode}>
            <input
              type="radio"
              name="registration"
              value={mode}
              checked={mode === (saving ?? current)}
              onChange={() => choose(mode)}
            />
            <span>
              <strong>{name}</strong>
              <span class="hint">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {failure && <Failure error={failure} />}
    </>
  );
}
