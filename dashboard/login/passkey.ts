import './screen-texts.ts';
import type { SaidFailure } from '../../contract/errors.ts';
import { sayMessage, t } from '../texts/index.ts';
import { explain, usePasskey, whyNoPasskeys } from '../webauthn.ts';

/** The passkey button of the login screens. Without this script it stays hidden. */

/** Asks for a new challenge for the browser's suggestions before the old one expires. */
const RENEW_MS = 9 * 60_000;

interface LoginResponse {
  isOk: boolean;
  body: Partial<SaidFailure> & { next?: string | null; link?: string };
}

async function send(path: string, body: object, signal?: AbortSignal): Promise<LoginResponse['body']> {
  const answer = await ask(path, body, signal).catch(() => {
    throw new Error(t('Cannot reach the server. Check your connection, then try again.'));
  });
  // The account is about to be deleted. The link leads to the screen that says so.
  if (!answer.isOk && answer.body.link) return { next: answer.body.link };
  if (!answer.isOk) throw new Error(sayMessage({ error: '', ...answer.body }));
  return answer.body;
}

async function ask(path: string, body: object, signal?: AbortSignal): Promise<LoginResponse> {
  const response = await fetch(path, {
    method: 'POST',
    ...(signal && { signal }),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { isOk: response.ok, body: await response.json() };
}

class PasskeyButton {
  readonly #button: HTMLButtonElement;
  readonly #error: HTMLElement;
  readonly #isSecond: boolean;
  #suggesting: AbortController | undefined;

  constructor(readonly box: HTMLElement) {
    this.#button = box.querySelector('button') as HTMLButtonElement;
    this.#error = box.querySelector('p') as HTMLElement;
    this.#isSecond = box.dataset.passkey === 'second factor';
  }

  start(): void {
    this.box.hidden = false;
    this.#button.addEventListener('click', () => void this.#press());
    if (!this.#isSecond) void this.#suggest();
  }

  async #press(): Promise<void> {
    this.#suggesting?.abort();
    this.#button.disabled = true;
    try {
      await this.#enter(await this.#choose());
    } catch (error) {
      this.#complain(error);
      if (!this.#isSecond) void this.#suggest();
    } finally {
      this.#button.disabled = false;
    }
  }

  /** Lets the browser offer passkeys where it offers usernames. */
  async #suggest(): Promise<void> {
    if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    const suggesting = new AbortController();
    this.#suggesting = suggesting;
    const renewing = setTimeout(() => {
      suggesting.abort();
      void this.#suggest();
    }, RENEW_MS);
    suggesting.signal.addEventListener('abort', () => clearTimeout(renewing));
    const how = { mediation: 'conditional', signal: suggesting.signal } as const;
    // Nobody has asked for this, so nobody hears that it does not work.
    const chosen = await this.#choose(how).catch(() => undefined);
    if (!chosen) return;
    try {
      await this.#enter(chosen);
    } catch (error) {
      this.#complain(error);
    }
  }

  async #choose(how?: Parameters<typeof usePasskey>[1]): Promise<unknown> {
    // Without the signal, the cookie of an abandoned request could replace the one of the next.
    const start = { secondFactor: this.#isSecond };
    const options = await send('/api/auth/passkey-login/options', start, how?.signal);
    return usePasskey(options, how);
  }

  async #enter(credential: unknown): Promise<void> {
    const { next } = await send('/api/auth/passkey-login', { credential });
    const wanted = document.querySelector<HTMLInputElement>('input[name=next]')?.value;
    location.assign(next ?? wanted ?? '/');
  }

  #complain(error: unknown): void {
    this.#error.textContent = explain(error);
    this.#error.hidden = false;
  }
}

const box = document.querySelector<HTMLElement>('[data-passkey]');
if (box && whyNoPasskeys() === undefined) new PasskeyButton(box).start();
