import { LIVE_CHANNEL, LIVE_CREDENTIALS, LIVE_PROTOCOL } from '../../contract/live/limits.ts';
import { onWake } from '../data/wake.ts';
import type { Self } from '../self.ts';
import type { LiveChannel } from './channel.ts';
import { LiveTab } from './tab.ts';

/** Where a guest's browser keeps the secret behind its id. */
const GUEST_KEY = 'quire-live-guest';

let tab: LiveTab | undefined;

/** Joins a channel. The first one opens the connection of this tab. */
export function joinChannel(self: Self, name: string): LiveChannel {
  if (!LIVE_CHANNEL.test(name)) {
    throw new TypeError(
      `${JSON.stringify(name)} cannot be the name of a channel: use 1 to 64 letters, digits or _ . : -, and begin with a letter or digit.`,
    );
  }
  tab ??= new LiveTab({
    url: `${self.api.replace(/^http/, 'ws')}/live`,
    protocols: () => credentials(self),
    // A browser does not say why it could not open a WebSocket.
    askStatus: async () => (await fetch(`${self.api}/visitor`, { credentials: 'same-origin' })).status,
    onWake,
  });
  return tab.join(name);
}

/** The credentials of a page without cookies, and the secret of a guest. */
function credentials({ pagePass, pageSession }: Self): string[] {
  const shown = [LIVE_PROTOCOL, LIVE_CREDENTIALS.guest + guestSecret()];
  if (window.origin === 'null' && pageSession) shown.push(LIVE_CREDENTIALS.session + pageSession);
  if (pagePass) shown.push(LIVE_CREDENTIALS.pass + pagePass);
  return shown;
}

/** A secret that only this browser knows. The service makes the guest's id from it, which others see. */
function guestSecret(): string {
  const known = localStorage.getItem(GUEST_KEY);
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  try {
    localStorage.setItem(GUEST_KEY, made);
  } catch {
    // Storage is full or turned off: the visitor is a new guest each time.
  }
  return made;
}
