import { language } from '../../../platform/http/index.ts';
import { type Html, html, pickTexts, t } from '../../../sites/screens/index.ts';

/** The script of the passkey button. The screens work without it. */
export const PASSKEY_SCRIPT = '/assets/passkeys.js';

/** The texts that the script can show: its own, and messages of the endpoints that it calls. */
export const SCRIPT_TEXTS: readonly string[] = [
  'Canceled, or no passkey was found. Try again.',
  'Cannot reach the server. Check your connection, then try again.',
  'Passkeys do not work at this address.',
  'This account is suspended. Ask an administrator of this server.',
  'This device already has a passkey for this account.',
  'This login took too long or has ended. Log in again.',
  'This passkey was not accepted. Try again, or log in another way.',
  'This request for a passkey is too old or was already used. Try again.',
  'This account is suspended. Ask an administrator of this server. Reason: {reason}',
  'Too many failed attempts from your address. Try again {wait}.',
  'in {count|{count} second|{count} seconds}',
  'in {count|{count} minute|{count} minutes}',
  'in {count|{count} hour|{count} hours}',
];

/** A button that the script shows if the browser has passkeys. */
export function passkeyButton(purpose: 'login' | 'second factor'): Html {
  const label = purpose === 'login' ? t('Log in with a passkey') : t('Continue with a passkey');
  const texts = language() === 'en' ? '' : html` data-texts="${JSON.stringify(pickTexts(SCRIPT_TEXTS))}"`;
  return html`<div class="passkey" data-passkey="${purpose}"${texts} hidden>
<button type="button"${purpose === 'login' ? html` class="quiet"` : ''}>${label}</button>
<p class="error" role="alert" hidden></p>
</div>`;
}
