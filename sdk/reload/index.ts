import { EventParser } from '../../contract/rules/event-stream.ts';
import { PREVIEW_HEADER } from '../../contract/rules/pages/preview-header.ts';

/** Loaded only in a tab that `quire dev` opened: reloads the page after each new version, and a draft after each save. */

const MARK = 'quire-dev';
const AGAIN_MS = 1_000;
/** Statuses that would be the same after another try. */
const FINAL = [401, 403, 404];

const url = `${document.currentScript?.dataset.url}/version-events`;
/** The version that this document was opened or reloaded for. A newer one can come before the stream is open. */
let shown = (history.state as { quireVersion?: number } | null)?.quireVersion ?? openedFor();
let isReloading = false;

function openedFor(): number | undefined {
  return Number(new URLSearchParams(location.search).get(MARK)) || undefined;
}

function take(version: number): void {
  shown ??= version;
  // While the page reloads, a newer version must not be noted: this document may be replaced by the one before it.
  if (version === shown || isReloading) return;
  isReloading = true;
  // Survives the reload, also on pages without storage.
  history.replaceState({ ...history.state, quireVersion: version }, '');
  location.reload();
}

/** Follows one stream until it ends. False if there is no point in another one. */
async function follow(): Promise<boolean> {
  const response = await window.fetch(url, { credentials: 'same-origin' });
  if (FINAL.includes(response.status)) return false;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser(({ data }) => data !== undefined && take(JSON.parse(data).version));
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return true;
    parser.push(value ?? '');
  }
}

async function followAll(): Promise<void> {
  while (await follow().catch(() => true)) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  console.info('Quire: log in as the owner of this page to see it reload after each push.');
}

/** Asks whether a draft has changed. Its address is the permission to see it, so no login is needed. */
async function askAgain(): Promise<void> {
  // The value that the last reload was for: a newer one can come before this document asks.
  let first = (history.state as { quirePreview?: string } | null)?.quirePreview;
  for (;;) {
    const response = await window
      .fetch(location.href, { method: 'HEAD', cache: 'no-store' })
      .catch(() => null);
    if (response && FINAL.includes(response.status)) return;
    const now = response?.headers.get(PREVIEW_HEADER) ?? undefined;
    first ??= now;
    if (now !== undefined && now !== first) {
      history.replaceState({ ...history.state, quirePreview: now }, '');
      return location.reload();
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Links to other documents of the page keep the mark, so that these reload too. */
document.addEventListener(
  'click',
  ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link?.protocol !== location.protocol || link.host !== location.host) return;
    if (link.hash && link.pathname === location.pathname) return;
    const query = new URLSearchParams(link.search);
    query.set(MARK, String(shown ?? ''));
    link.search = String(query);
  },
  { capture: true },
);

void (location.pathname.includes('/~preview/') ? askAgain() : followAll());
