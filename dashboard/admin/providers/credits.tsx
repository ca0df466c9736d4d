import { useState } from 'preact/hooks';
import { MAX_NEW_USER_CREDITS } from '../../../contract/rules/provider-kinds.ts';
import { rich, t } from '../../texts/index.ts';
import { Button, formatCredits, Section, Show, say, TextField, useLoad } from '../../ui/index.ts';
import { readNewUserCredits, saveNewUserCredits } from '../api.ts';

/** How many credits a new account gets. */
export function NewUserCreditsSection() {
  const loaded = useLoad(readNewUserCredits, []);
  return (
    <Section
      title={t('Credits for new accounts')}
      hint={t('People pay with credits for what a model does. A simple page takes about 10.')}
    >
      <Show loaded={loaded} skeleton={<div class="provider-credits-wait" />}>
        {({ credits, source }) =>
          source === 'environment' ? (
            <p>
              <strong>{formatCredits(credits)}</strong>{' '}
              <span class="hint">
                {rich('Set by <code>QUIRE_CREDITS_NEW_USER</code>.', { code: (text) => <code>{text}</code> })}
              </span>
            </p>
          ) : (
            <CreditsForm key={credits} credits={credits} reload={loaded.reload} />
          )
        }
      </Show>
    </Section>
  );
}

function CreditsForm({ credits, reload }: { credits: number; reload(): Promise<void> }) {
  const [typed, setTyped] = useState(String(credits));
  const wanted = /^\d{1,7}$/.test(typed.trim()) ? Number(typed) : undefined;
  const isValid = wanted !== undefined && wanted <= MAX_NEW_USER_CREDITS;
  const save = async () => {
    await saveNewUserCredits(wanted ?? 0);
    await reload();
    say(t('Saved.'));
  };
  return (
    <div class="provider-credits">
      <TextField
        label={t('Credits for new accounts')}
        hideLabel
        type="number"
        value={typed}
        onInput={setTyped}
        error={isValid ? undefined : t('Enter a whole number of 0 or more.')}
      />
      <Button kind="quiet" onClick={save} disabled={!isValid || wanted === credits}>
        {t('Save')}
      </Button>
    </div>
  );
}
