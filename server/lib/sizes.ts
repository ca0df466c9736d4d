/** Bytes, by the id of what has them. */
export type Sizes = Map<number, number>;

/** Reads what a query found that is grouped by `id`. PostgreSQL returns sums as texts. */
export function toSizes(rows: Array<{ id: number | null; bytes: number | string | null }>): Sizes {
  return new Map(rows.flatMap(({ id, bytes }) => (id === null ? [] : [[id, Number(bytes ?? 0)]])));
}

/** Adds up the sizes of the same things. */
export function addSizes(...all: Sizes[]): Sizes {
  const sums: Sizes = new Map();
  for (const sizes of all) for (const [id, bytes] of sizes) sums.set(id, (sums.get(id) ?? 0) + bytes);
  return sums;
}

/** The size of one of them. */
export const sizeAt = (sizes: Sizes, id: number): number => sizes.get(id) ?? 0;
