import { pageUrl } from '../../../../contract/pages/pages.ts';
import type { PreviewLink } from '../../../../contract/pages/previews.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { Passes, Previewed } from '../model/passes.ts';

/** The path of previews below a page, before the token. No file of a page begins with `~`. */
export const PREVIEW_PATH = '~preview/';

interface LinksOptions {
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  pagesHost: string | undefined;
  passes: Passes;
}

/** Makes links with which anyone can see a draft or a version, on the host of the page, for some days. */
export class PreviewLinks {
  readonly #options: LinksOptions;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  make(page: PageRow, previewed: Previewed): PreviewLink {
    const { token, expiresAt } = this.#options.passes.makePreview(page, previewed);
    return {
      preview_url: `${this.#makeRoot(page)}/${PREVIEW_PATH}${token}/`,
      preview_expires_at: toTimestamp(expiresAt),
    };
  }

  #makeRoot({ id, slug }: PageRow): string {
    const { baseUrl, isolation, pagesHost } = this.#options;
    return isolation === 'origin'
      ? `${new URL(baseUrl).protocol}//p${id}.${pagesHost}`
      : pageUrl(baseUrl, slug);
  }
}
