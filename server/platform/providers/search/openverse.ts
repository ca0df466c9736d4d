import { z } from 'zod';
import { VendorFailure } from '../failures.ts';
import type { FoundImage, ImageSearchProvider } from '../provider.ts';
import { fetchJson } from '../vendor-fetch.ts';
import { HttpsUrl, MAX_RESULTS_BYTES, Pixels, pageSizeFor, toSearchInit } from './found-image.ts';

const DEFAULT_URL = 'https://api.openverse.org/v1/images/';

const Answer = z.object({ results: z.array(z.unknown()) });

/** https://api.openverse.org/v1/#tag/images/operation/images_search */
const Result = z.object({
  title: z.string().nullish(),
  /** Hosted by Openverse itself, so it loads even if the original is gone. */
  thumbnail: HttpsUrl,
  url: HttpsUrl,
  foreign_landing_url: HttpsUrl,
  source: z.string().nullish(),
  provider: z.string().nullish(),
  width: Pixels,
  height: Pixels,
});

/** Openly licensed pictures, found without a key. */
export function createOpenverse(settings: {
  url: string | undefined;
  userAgent: string;
}): ImageSearchProvider {
  return {
    async search({ query, count, signal }) {
      const url = new URL(settings.url ?? DEFAULT_URL);
      url.searchParams.set('q', query);
      url.searchParams.set('page_size', String(pageSizeFor(count)));
      const init = toSearchInit(settings, signal);
      const answer = Answer.safeParse(await fetchJson(url, init, MAX_RESULTS_BYTES));
      if (!answer.success) throw new VendorFailure("There are no results in the vendor's answer.");
      return answer.data.results.flatMap(toFoundImage).slice(0, count);
    },
  };
}

function toFoundImage(entry: unknown): FoundImage[] {
  const { data } = Result.safeParse(entry);
  if (!data) return [];
  const { title, thumbnail, url, foreign_landing_url, source, provider, width, height } = data;
  return [
    {
      title: title || 'Untitled',
      thumbnail,
      original: url,
      source: source || provider || 'Openverse',
      link: foreign_landing_url,
      width,
      height,
    },
  ];
}
