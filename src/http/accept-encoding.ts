export type Encoding = 'br' | 'gzip';

/** Clients send a handful of different headers; those are read once. */
const MAX_REMEMBERED = 100;
const MAX_REMEMBERED_LENGTH = 100;
const remembered = new Map<string, Encoding | undefined>();

/** The encoding that a client wants most, by the weights in its `Accept-Encoding`; undefined means none. */
export function chooseEncoding(header: string | null): Encoding | undefined {
  if (header === null) return undefined;
  const known = remembered.get(header);
  if (known !== undefined || remembered.has(header)) return known;
  const chosen = choose(header);
  if (remembered.size < MAX_REMEMBERED && header.length <= MAX_REMEMBERED_LENGTH) {
    remembered.set(header, chosen);
  }
  return chosen;
}

function choose(header: string): Encoding | undefined {
  const weights = readWeights(header);
  const weightOf = (name: string, unnamed: number) => weights.get(name) ?? weights.get('*') ?? unnamed;
  const br = weightOf('br', 0);
  const gzip = Math.max(weightOf('gzip', 0), weights.get('x-gzip') ?? 0);
  const best = Math.max(br, gzip);
  // Sending bytes as they are is always possible, and preferred only where the client says so.
  if (best === 0 || best < (weights.get('identity') ?? 0)) return undefined;
  return br === best ? 'br' : 'gzip';
}

/** Reads `name;q=0.5, …` in one pass. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';');
    const weight = parameters.map((text) => text.trim()).find((text) => /^q=/i.test(text));
    weights.set(name.trim().toLowerCase(), weight === undefined ? 1 : toWeight(weight.slice(2)));
  }
  return weights;
}

/** A weight that is not one means that the client does not want it: plain bytes are always understood. */
function toWeight(text: string): number {
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
