import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const DOCS_PATH = '/docs';
export const DOCS_FOLDER = join(import.meta.dir, '../../../docs');

/** A document, by its name: `pages`, or `decisions/0001-…`. */
export interface Document {
  href: string;
  title: string;
  /** Who it is for: the line below the title. */
  audience: string | undefined;
  markdown: string;
}

export interface Picture {
  /** Changes with the picture, so browsers can cache it. */
  href: string;
  hash: string;
  bytes: Uint8Array<ArrayBuffer>;
  width: number;
  height: number;
}

/** Everything that can be served. A file that is not listed here cannot be reached by any path. */
export interface Shelf {
  documents: Map<string, Document>;
  pictures: Map<string, Picture>;
}

/** The placeholder in the documents for this server's own URL. */
const EXAMPLE_URL = /http:\/\/localhost:3000(?!\d)/g;

/** Reads the folder once: `*.md`, `decisions/*.md` and `pictures/*.png`. */
export function fillShelf(folder: string, baseUrl: string): Shelf {
  const documents = new Map<string, Document>();
  for (const room of ['', 'decisions/']) {
    for (const file of namesIn(join(folder, room), '.md')) {
      const name = room + file.slice(0, -'.md'.length);
      const markdown = readFileSync(join(folder, room, file), 'utf8').replace(EXAMPLE_URL, baseUrl);
      documents.set(name, {
        href: `${DOCS_PATH}/${name}`,
        title: readTitle(markdown) ?? name,
        audience: room === '' ? readAudience(markdown) : DECISION_AUDIENCE,
        markdown,
      });
    }
  }
  const pictures = new Map<string, Picture>();
  for (const file of namesIn(join(folder, 'pictures'), '.png')) {
    pictures.set(file, readPicture(join(folder, 'pictures', file), `${DOCS_PATH}/pictures/${file}`));
  }
  return { documents, pictures };
}

function namesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map(({ name }) => name)
    .sort();
}

function readTitle(markdown: string): string | undefined {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '');
}

/** `*For page authors*`, below the title. */
export const AUDIENCE = /^(# .+\n\n)\*(For [^*\n]+)\*\n/;

/** Decisions need no line of their own. */
const DECISION_AUDIENCE = 'For people who change Quire';

const readAudience = (markdown: string) => AUDIENCE.exec(markdown)?.[2];

function readPicture(path: string, address: string): Picture {
  const bytes = new Uint8Array(readFileSync(path));
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  // PNG starts with its size: https://www.w3.org/TR/png-3/#11IHDR
  const header = new DataView(bytes.buffer);
  const [width, height] = [header.getUint32(16), header.getUint32(20)];
  return { href: `${address}?v=${hash}`, hash, bytes, width, height };
}
