import { WINDOWS } from '../../../../contract/checks/page-check.ts';
import {
  MAX_PAGE_PICTURE_BYTES,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
} from '../../../../contract/pages/page-picture.ts';
import { pageUrl } from '../../../../contract/pages/pages.ts';
import { smallWebp } from '../../../platform/pictures/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { Browser, Visit } from '../../../runtime/browser/index.ts';
import { isOpen, refusalFor } from '../model/access-policy.ts';
import { findPage } from '../model/page-store.ts';
import { chooseOpening } from './opening.ts';

/** The wait while somebody else uses the browser: people go first. */
const BUSY_MS = 1_000;

interface Options {
  db: Db;
  browser: Pick<Browser, 'isIdle' | 'isAvailable' | 'visit'>;
  now: () => number;
  isOn: boolean;
  openingOptions: Parameters<typeof chooseOpening>[0];
}

/** Takes a picture of a page once, as it looks for somebody who is logged in nowhere, and keeps nothing. */
export function createPhotograph({ db, browser, now, isOn, openingOptions }: Options) {
  return async (pageId: number, signal: AbortSignal): Promise<Uint8Array | undefined> => {
    if (!isOn || !browser.isAvailable) return undefined;
    while (!browser.isIdle && !signal.aborted) await Bun.sleep(BUSY_MS);
    const page = await findPage(db, pageId);
    const opening = page && (await chooseForAll(page, openingOptions, now()));
    if (!page || !opening || signal.aborted) return undefined;
    const { screenshot } = await browser.visit({
      ...opening,
      ownerId: page.owner_id,
      window: WINDOWS.desktop,
      signal,
    });
    // The browser has run the page and may send anything, so the picture is encoded again.
    const size = { width: PICTURE_WIDTH, height: PICTURE_HEIGHT };
    return screenshot && smallWebp(screenshot, { ...size, maxBytes: MAX_PAGE_PICTURE_BYTES });
  };
}

/** How to open a page that everyone sees. Undefined for other pages. */
async function chooseForAll(
  page: PageRow,
  options: Options['openingOptions'],
  now: number,
): Promise<Pick<Visit, 'url' | 'domain' | 'intercept'> | undefined> {
  if (isOpen(page)) return chooseOpening(options, page);
  const refusal = await refusalFor(page, NOBODY, now);
  // An unclaimed page is refused to all, and shown in a frame below our bar. One that closes some day is open until then.
  const isShown = refusal === undefined || refusal === 'unclaimed';
  return isShown ? { url: pageUrl(options.baseUrl, page.slug) } : undefined;
}

const NOBODY = {
  isLoggedIn: false,
  role: async () => undefined,
  hasPass: () => false,
  isNamed: async () => false,
};
