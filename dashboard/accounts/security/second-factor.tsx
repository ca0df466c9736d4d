import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import { Button, Dialog, Section, Switch, saveFile, say } from '../../ui/index.ts';
import type { Proof } from '../proof.tsx';
import {
  type PasskeyList,
  replaceRecoveryCodes,
  turnOffSecondFactor,
  turnOnSecondFactor,
} from './passkey-api.ts';

interface SecondFactorProps {
  list: PasskeyList;
  reload: () => Promise<void>;
  prove: (action: (proof: Proof) => Promise<unknown>) => Promise<void>;
}

/** Whether a passkey is required after the password, and the recovery codes. */
export function SecondFactor({ list, reload, prove }: SecondFactorProps) {
  const [codes, setCodes] = useState<string[]>();
  const [isBusy, setBusy] = useState(false);
  const { secondFactor, recoveryCodesLeft } = list;
  const change = async (isOn: boolean) => {
    setBusy(true);
    try {
      await prove(async (proof) => {
        if (isOn) setCodes((await turnOnSecondFactor(proof)).recoveryCodes);
        else {
          await turnOffSecondFactor(proof);
          say(t('Your password alone is now enough to log in.'));
        }
        await reload();
      });
    } catch (error) {
      say((error as Error).message, 'bad');
    } finally {
      setBusy(false);
    }
  };
  const replace = () =>
    prove(async (proof) => {
      setCodes((await replaceRecoveryCodes(proof)).recoveryCodes);
      await reload();
    });
  return (
    <Section title={t('Second factor')}>
      <Switch
        label={t('Ask for a passkey after my password')}
        hint={
          list.passkeys.length === 0
            ? t('Add a passkey first.')
            : rich(
                'Nobody can then log in with your password alone. Programs need a token, or <code>quire login</code>.',
                { code: (text) => <code>{text}</code> },
              )
        }
        checked={secondFactor}
        disabled={isBusy || list.passkeys.length === 0}
        onChange={(isOn) => void change(isOn)}
      />
      {secondFactor && (
        <div class={recoveryCodesLeft < 3 ? 'notice warn' : 'notice'}>
          <p>
            {t(
              'You have {count|{count} recovery code|{count} recovery codes} left. Each logs you in once if you have lost your passkeys.',
              { count: recoveryCodesLeft },
            )}
          </p>
          <Button kind="quiet" onClick={replace}>
            {t('New recovery codes')}
          </Button>
        </div>
      )}
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}

/** Shows new codes. They cannot be shown again, so the dialog stays until the person has saved them. */
function CodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [isSaved, setSaved] = useState(false);
  const text = `${codes.join('\n')}\n`;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    say(t('Recovery codes copied.'));
  };
  const file = () =>
    new Blob([`${t('Recovery codes for {host}. Each works once.', { host: location.host })}\n\n${text}`], {
      type: 'text/plain',
    });
  const close = () => (isSaved ? onClose() : say(t('Save the codes first, then tick the box.'), 'bad'));
  return (
    <Dialog title={t('Save your recovery codes')} onClose={close}>
      <p>
        {t(
          'If you lose your passkeys, one of these logs you in after your password. Each works once. You cannot see them again, and your earlier codes no longer work.',
        )}
      </p>
      <ul class="account-codes" aria-label={t('Recovery codes')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button kind="quiet" onClick={copy}>
          {t('Copy')}
        </Button>
        <Button kind="quiet" onClick={() => saveFile('quire-recovery-codes.txt', file())}>
          {t('Download')}
        </Button>
      </div>
      <div class="account-choices">
        <label>
          <input type="checkbox" checked={isSaved} onChange={() => setSaved(!isSaved)} />
          <span>{t('I have saved them')}</span>
        </label>
      </div>
      <div class="actions">
        <Button disabled={!isSaved} onClick={onClose}>
          {t('Done')}
        </Button>
      </div>
    </Dialog>
  );
}
