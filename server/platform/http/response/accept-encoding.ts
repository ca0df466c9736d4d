export type Encoding = 'br' | 'gzip';

/** The encoding a client prefers; undefined means no encoding. */
interface Wanted {
  /** On equal weights, the encoding that compresses better. */
  smallest: Encoding | undefined;
  /** On equal weights, the encoding that compresses faster. */
  quickest: Encoding | undefined;
}

const NOTHING: Wanted = { smallest: undefined, quickest: undefined };

/** Clients send only a handful of different headers, so each is parsed once. */
const MAX_REMEMBERED = 100;
const MAX_REMEMBERED_LENGTH = 100;
const remembered = new Map<string, Wanted>();

/** The encodings a client prefers, by the weights in its `Accept-Encoding`. */
export function wantedEncoding(header: string | null): Wanted {
  if (header === null) return NOTHING;
  const known = remembered.get(header);
  if (known) return known;
  const wanted = choose(header);
  if (remembered.size < MAX_REMEMBERED && header.length <= MAX_REMEMBERED_LENGTH) {
    remembered.set(header, wanted);
  }
  return wanted;
}

function choose(header: string): Wanted {
  const weights = readWeights(header);
  const readWeight = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const br = readWeight('br');
  const gzip = Math.max(readWeight('gzip'), weights.get('x-gzip') ?? 0);
  const best = Math.max(br, gzip);
  // Plain bytes are always acceptable, but preferred only if the client says so.
  if (best === 0 || best < (weights.get('identity') ?? 0)) return NOTHING;
  return { smallest: br === best ? 'br' : 'gzip', quickest: gzip === best ? 'gzip' : 'br' };
}

/** Parses `name;q=0.5, …` in one pass. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';');
    const weight = parameters.map((text) => text.trim()).find((text) => /^q=/i.test(text));
    weights.set(name.trim().toLowerCase(), weight === undefined ? 1 : toWeight(weight.slice(2)));
  }
  return weights;
}

/** An invalid weight counts as 0: plain bytes are always understood. */
function toWeight(text: string): number {
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
