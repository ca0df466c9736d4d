import { escapeHtml } from '../../../../lib/text.ts';
import { decodePath, encodePath } from '../files/resolve.ts';
import { measure, type PreparedVariant, share } from '../prepared.ts';
import type { SentDocument } from '../send.ts';
import { readAttributes, walkTags } from './tags.ts';

/**
 * A document that is shown at an address in another folder than its own: a single-page app at the addresses of its
 * router, `200.html`, `404.html`, and what a rule of the page shows. A build with a relative base loads `./assets/app.js`,
 * which only a `<base>` leads to from there.
 */

/** Larger documents are sent as they are: the copy with the tag is made for each request, and is not compressed. */
const MAX_BYTES = 256 * 1024;
/** The first letters of `base`, `script`, `link` and `img`, and of elements whose content is text. */
const LETTERS = new Set([...'bsltixnp'].map((letter) => letter.charCodeAt(0)));
const LOADING: Record<string, string> = { script: 'src', link: 'href', img: 'src' };
/** A relative address of another file. An address such as `#part` is within the document. */
const RELATIVE = /^\s*(?![a-z][a-z0-9+.-]*:)[^\s/#?]/i;
/** The end of the tag of our own script. The page session is an attribute just before it. */
const SCRIPT_END = '></script>';

const known = new WeakMap<SentDocument, boolean>();

/** The document with the folder that its addresses begin in, or as it is if it does not need that. */
export async function withBase(document: SentDocument, folder: string): Promise<SentDocument> {
  const { body, size } = document.plain;
  if (size.bytes > MAX_BYTES || known.get(document) === false) return document;
  const bytes = body instanceof Blob ? await body.bytes() : body;
  const isNeeded = known.get(document) ?? isRelative(new TextDecoder().decode(bytes));
  known.set(document, isNeeded);
  if (!isNeeded) return document;
  const at = document.sessionAt + SCRIPT_END.length;
  const tag = Buffer.from(`<base href="${escapeHtml(folder)}">`);
  const variant = prepareOne(Buffer.concat([bytes.subarray(0, at), tag, bytes.subarray(at)]), size.ownerId);
  return { ...document, plain: variant, gzip: variant, br: variant, tag: variant.etag };
}

/** The folder of a document, if a path shows it from another one. `root` is the address of the page. */
export function findFolder(written: string, path: string, root: string): string | undefined {
  const asked = written.includes('/') ? (decodePath(written) ?? written) : '';
  const folder = cutName(path);
  return cutName(asked) === folder ? undefined : root + encodePath(folder);
}

const cutName = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

function prepareOne(bytes: Uint8Array<ArrayBuffer>, ownerId = 0): PreparedVariant {
  const body = share(bytes);
  const etag = `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { body, size: measure(body, ownerId), etag, encoding: undefined, responses: {} };
}

/** Whether a document loads something by a relative address, and does not say itself where these begin. */
function isRelative(html: string): boolean {
  let [hasBase, hasRelative] = [false, false];
  walkTags(
    html,
    (tag) => {
      hasBase ||= tag.name === 'base';
      const loading = LOADING[tag.name];
      if (loading === undefined || hasRelative) return;
      for (const { name, value } of readAttributes(html, tag))
        if (name === loading && RELATIVE.test(value)) hasRelative = true;
    },
    LETTERS,
  );
  return hasRelative && !hasBase;
}
