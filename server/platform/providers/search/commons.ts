import { z } from 'zod';
import { VendorFailure } from '../failures.ts';
import type { FoundImage, ImageSearchProvider } from '../provider.ts';
import { fetchJson } from '../vendor-fetch.ts';
import { HttpsUrl, MAX_RESULTS_BYTES, Pixels, pageSizeFor, toSearchInit } from './found-image.ts';

const DEFAULT_URL = 'https://commons.wikimedia.org/w/api.php';

/** One of the widths that Wikimedia caches: https://www.mediawiki.org/wiki/Common_thumbnail_sizes */
const THUMBNAIL_WIDTH = 330;

/** If there are no results, there is no `query`, only `batchcomplete`. */
const Answer = z
  .object({ query: z.object({ pages: z.array(z.unknown()) }) })
  .or(z.object({ batchcomplete: z.literal(true), query: z.never().optional() }));

/** https://www.mediawiki.org/wiki/API:Imageinfo */
const Result = z.object({
  title: z.string(),
  /** The rank in the search results. The pages themselves come in any order. */
  index: z.number().catch(Number.MAX_SAFE_INTEGER),
  imageinfo: z.tuple([
    z.object({ thumburl: HttpsUrl, url: HttpsUrl, descriptionurl: HttpsUrl, width: Pixels, height: Pixels }),
  ]),
});

/** Searches Wikimedia Commons for pictures. */
export function createCommons(settings: { url: string | undefined; userAgent: string }): ImageSearchProvider {
  return {
    async search({ query, count, signal }) {
      const url = new URL(settings.url ?? DEFAULT_URL);
      const parameters = {
        action: 'query',
        format: 'json',
        formatversion: '2',
        generator: 'search',
        gsrsearch: `filetype:bitmap ${query}`,
        gsrnamespace: '6',
        gsrlimit: String(pageSizeFor(count)),
        prop: 'imageinfo',
        iiprop: 'url|size',
        iiurlwidth: String(THUMBNAIL_WIDTH),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const init = toSearchInit(settings, signal);
      const answer = Answer.safeParse(await fetchJson(url, init, MAX_RESULTS_BYTES));
      if (!answer.success) throw new VendorFailure("There are no results in the vendor's answer.");
      return (answer.data.query?.pages ?? [])
        .flatMap((page) => Result.safeParse(page).data ?? [])
        .sort((a, b) => a.index - b.index)
        .slice(0, count)
        .map(toFoundImage);
    },
  };
}

function toFoundImage({ title, imageinfo: [image] }: z.infer<typeof Result>): FoundImage {
  return {
    title: title.replace(/^File:/, '').replace(/\.[a-z]{3,4}$/i, ''),
    thumbnail: image.thumburl,
    original: image.url,
    source: 'Wikimedia Commons',
    link: image.descriptionurl,
    width: image.width,
    height: image.height,
  };
}
