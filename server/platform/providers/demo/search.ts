import { createHash } from 'node:crypto';
import type { ImageSearchProvider } from '../provider.ts';
import { drawPicture } from './drawing.ts';

const SIZE = { width: 640, height: 480 };

/** A query's picture by name: `<16 hex digits of the query's hash>-<index>.png`. */
const NAME = /^([0-9a-f]{16})-([0-9]|1[0-9])\.png$/;

/** Finds pictures that are drawn when somebody looks at them, below the address that is passed in. */
export function createDemoImageSearch(demoImageUrl: (name: string) => string): ImageSearchProvider {
  return {
    async search({ query, count }) {
      return Array.from({ length: count }, (_, index) => {
        const url = demoImageUrl(nameOf(query, index));
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
  return drawPicture(nameOf(query, index), SIZE);
}

/** Draws it by the name that `demoImageUrl` was given, or nothing where that is no such name. */
export async function drawDemoImageByName(name: string): Promise<Uint8Array | undefined> {
  return NAME.test(name) ? drawPicture(name, SIZE) : undefined;
}

function nameOf(query: string, index: number): string {
  const hash = createHash('sha256').update(query.trim().toLowerCase()).digest('hex').slice(0, 16);
  return `${hash}-${index}.png`;
}
