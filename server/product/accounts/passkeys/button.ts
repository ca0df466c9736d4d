import { type Html, html, t } from '../../../platform/screens/index.ts';

/** The script of the button below. The screens work without it. */
export const PASSKEY_SCRIPT = '/assets/passkeys.js';

/** A button that the script shows if the browser has passkeys. */
export function passkeyButton(purpose: 'login' | 'second factor'): Html {
  const label = purpose === 'login' ? t('Log in with a passkey') : t('Continue with a passkey');
  return html`<div class="passkey" data-passkey="${purpose}" hidden>
<button type="button"${purpose === 'login' ? html` class="quiet"` : ''}>${label}</button>
<p class="error" role="alert" hidden></p>
</div>`;
}
