import { unifiedDiff } from '../../contract/rules/texts/unified-diff.ts';
import type { Paint } from './colours.ts';

/** A file before and after; undefined where there is none. */
export interface FilePair {
  /** The names in the two headings. */
  names: [before: string, after: string];
  before: string | undefined;
  after: string | undefined;
}

/** The difference of a file as `diff -u` writes it; empty if there is none. */
export async function diffFile({ names, before, after }: FilePair, paint: Paint): Promise<string[]> {
  const lines = await unifiedDiff(before ?? '', after ?? '', paint);
  const isSame = lines.length === 0 && (before === undefined) === (after === undefined);
  if (isSame) return [];
  const [old, now] = [
    before === undefined ? '/dev/null' : names[0],
    after === undefined ? '/dev/null' : names[1],
  ];
  return [paint.bold(`--- ${old}`), paint.bold(`+++ ${now}`), ...lines];
}
