import type { Cut, Input } from '../definition.ts';

/** Makes results shorter that are too long, at the end of an item or of a line. */

type Fits = (data: unknown) => boolean;
type Fields = Record<string, unknown>;

/** Keeps as many items of a list as fit. `next` says how to get the others, from the kept ones. */
export function cutList(list: string, next: (kept: Fields[], data: Fields, input: Input) => string) {
  return (data: Fields, input: Input, fits: Fits): Cut | undefined => {
    const items = data[list];
    if (!Array.isArray(items)) return undefined;
    const count = most(items.length, (kept) => fits({ ...data, [list]: items.slice(0, kept) }));
    if (count === 0) return undefined;
    const kept = items.slice(0, count);
    return {
      data: { ...data, [list]: kept },
      more: `These are ${count} of the ${items.length} found. ${next(kept, data, input)}`,
    };
  };
}

/** Continues a list after the items that were kept. */
export const continueWithOffset = (kept: Fields[], { offset = 0 }: Fields, input: Input) =>
  `Continue with offset=${Number(input.offset ?? offset) + kept.length}.`;

/** Keeps as many lines of a text in the result as fit. The text can be in an object of the result. */
export function cutLines(
  text: readonly [field: string] | readonly [object: string, field: string],
  tool: string,
) {
  return (data: Fields, input: Input, fits: Fits): Cut | undefined => {
    const [first, second] = text;
    const holder = (second === undefined ? data : data[first]) as Fields | undefined;
    const field = second ?? first;
    const whole = holder?.[field];
    if (typeof whole !== 'string') return undefined;
    const lines = whole.split('\n');
    const put = (kept: number): Fields => {
      const part = { ...holder, [field]: lines.slice(0, kept).join('\n') };
      return second === undefined ? part : { ...data, [first]: part };
    };
    const count = most(lines.length, (kept) => fits(put(kept)));
    // A line that is too long is read as a part of the JSON.
    if (count === 0) return undefined;
    const start = Number(input.from_line ?? 1);
    return {
      data: put(count),
      more: `These are lines ${start} to ${start + count - 1}. Continue with ${tool} and from_line=${start + count}.`,
    };
  };
}

/** The largest number up to a limit for which something holds. */
function most(limit: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
