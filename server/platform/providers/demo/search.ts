import { createHash } from 'node:crypto';
import type { ImageSearchProvider } from '../provider.ts';
import { drawPicture } from './drawing.ts';

const SIZE = { width: 640, height: 480 };

/** The name of a query's picture: `<16 hex digits of the query's hash>-<index>.png`. */
const NAME = /^([0-9a-f]{16})-([0-9]|1[0-9])\.png$/;

/** Returns pictures that are drawn when a browser requests their `demoImageUrl`. */
export function createDemoImageSearch(demoImageUrl: (name: string) => string): ImageSearchProvider {
  return {
    async search({ query, count }) {
      return Array.from({ length: count }, (_, index) => {
        const url = demoImageUrl(makeName(query, index));
        return {
          title: `${query} (demo picture ${index + 1})`,
          thumbnail: url,
          original: url,
          source: 'Quire demo',
          link: url,
          ...SIZE,
        };
      });
    },
  };
}

/** Draws the picture of a demo search result, as PNG. */
export function drawDemoImage(query: string, index: number): Promise<Uint8Array> {
  return drawPicture(makeName(query, index), SIZE);
}

/** Draws the picture with the name that `demoImageUrl` was called with. Undefined if the name is not valid. */
export async function drawDemoImageByName(name: string): Promise<Uint8Array | undefined> {
  return NAME.test(name) ? drawPicture(name, SIZE) : undefined;
}

function makeName(query: string, index: number): string {
  const hash = createHash('sha256').update(query.trim().toLowerCase()).digest('hex').slice(0, 16);
  return `${hash}-${index}.png`;
}
