/** Fields that are remembered for a collection: as many as a schema can have indexes. */
const MAX_FIELDS = 8;
const MAX_COLLECTIONS = 1_000;

/**
 * Remembers by which fields large collections were read without an index, so that their owners can be told. It is
 * only a hint, so each node has its own, and a restart forgets it.
 */
export class SlowReads {
  /** By the id of the collection, both with the last read at the end. */
  readonly #fields = new Map<number, Set<string>>();

  note(collectionId: number, fields: string[]): void {
    const known = this.#fields.get(collectionId) ?? new Set();
    for (const field of fields) moveToEnd(known, field, () => known.add(field), MAX_FIELDS);
    moveToEnd(this.#fields, collectionId, () => this.#fields.set(collectionId, known), MAX_COLLECTIONS);
  }

  /** The fields, the last read first. Some may have an index by now. */
  list(collectionId: number): string[] {
    return [...(this.#fields.get(collectionId) ?? [])].reverse();
  }
}

function moveToEnd<Key>(
  list: { size: number; delete(key: Key): boolean; keys(): Iterator<Key> },
  key: Key,
  add: () => void,
  most: number,
): void {
  list.delete(key);
  add();
  const first = list.keys().next();
  if (list.size > most && !first.done) list.delete(first.value);
}
