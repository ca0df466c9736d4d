/** A record of a list, as JSON text. */
export interface Item {
  id: string;
  text: string;
}

/** How one list becomes another: first some records are removed, then others are put in their places, in order. */
export interface Differences {
  removed: string[];
  /** Each replaces the record with its id at its place, or is inserted there. */
  put: Array<{ at: number; item: Item }>;
}

export function findDifferences(before: Item[], after: Item[]): Differences {
  const places = new Map(before.map(({ id }, at) => [id, at]));
  const kept = findKept(after.map(({ id }) => places.get(id)));
  const stays = new Set(kept.map((at) => after[at]?.id));
  const removed = before.filter(({ id }) => !stays.has(id)).map(({ id }) => id);
  const put = [...after.entries()]
    .filter(([, { id, text }]) => !stays.has(id) || before[places.get(id) ?? -1]?.text !== text)
    .map(([at, item]) => ({ at, item }));
  return { removed, put };
}

/** The places of the longest rising sequence of numbers: the records that keep their order, as many as possible. */
function findKept(numbers: Array<number | undefined>): number[] {
  /** For each length, the place where the sequence of that length with the smallest end ends. */
  const ends: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const [at, number] of numbers.entries()) {
    if (number === undefined) continue;
    let length = ends.findIndex((end) => (numbers[end] as number) >= number);
    if (length < 0) length = ends.length;
    previous.set(at, ends[length - 1]);
    ends[length] = at;
  }
  const kept: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) kept.unshift(at);
  return kept;
}
