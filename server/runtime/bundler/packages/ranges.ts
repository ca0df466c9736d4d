import { Range } from 'semver';

/** Long ranges take milliseconds to read. Those with more characters than this are read only in a thread. */
const MAX_LETTERS = 100;
/** How long ranges are read until other requests have a turn. */
const SLICE_MS = 5;

/** The ranges that packages name. Anyone can publish a package, so these texts are hostile. */
export class Ranges {
  private readonly known = new Map<string, Range | undefined>();

  async read(texts: string[]): Promise<void> {
    let began = performance.now();
    for (const text of texts) {
      if (this.known.has(text)) continue;
      this.known.set(text, parse(text));
      if (performance.now() - began < SLICE_MS) continue;
      await new Promise(setImmediate);
      began = performance.now();
    }
  }

  /** Whether a version is in a range. False for a range that was not read. */
  fits(version: string, text: string): boolean {
    return this.known.get(text)?.test(version) ?? false;
  }
}

function parse(text: string): Range | undefined {
  if (text.length > MAX_LETTERS) return undefined;
  try {
    return new Range(text);
  } catch {
    return undefined;
  }
}
