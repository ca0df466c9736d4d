const [DOT, DIGIT_0] = [0x2e, 0x30];
/** All numbers of so many digits are exact. */
const MAX_ID_DIGITS = 15;

/** Reads the id in the host of a URL, which is between two places. */
export type HostMatcher = (url: string, hostAt: number, pathAt: number) => number | undefined;

/** Finds the page or function that a URL's host belongs to, if any: `<prefix><id>.<host>`. */
export function createHostMatcher(prefix: 'p' | 'f', host: string | undefined): HostMatcher {
  if (!host) return () => undefined;
  const name = host.replace(/:\d+$/, '').replaceAll('.', '\\.');
  const pattern = new RegExp(`^${prefix}([1-9]\\d{0,15})\\.${name}\\.?(:\\d+)?$`, 'i');
  return (url, hostAt, pathAt) => {
    // Compares the host as browsers write it, without a pattern.
    const dotAt = pathAt - host.length - 1;
    if (url.charCodeAt(dotAt) === DOT && url.startsWith(host, dotAt + 1)) {
      const id = readId(url, hostAt + prefix.length, dotAt);
      if (id !== undefined) return id;
    }
    const id = Number(pattern.exec(url.slice(hostAt, pathAt))?.[1] ?? 0);
    return id >= 1 && Number.isSafeInteger(id) ? id : undefined;
  };
}

/** The number between two places, if it is one that needs no closer look. */
function readId(url: string, from: number, to: number): number | undefined {
  if (to <= from || to - from > MAX_ID_DIGITS || url.charCodeAt(from) === DIGIT_0) return undefined;
  let id = 0;
  for (let at = from; at < to; at++) {
    const digit = url.charCodeAt(at) - DIGIT_0;
    if (digit < 0 || digit > 9) return undefined;
    id = id * 10 + digit;
  }
  return id;
}
