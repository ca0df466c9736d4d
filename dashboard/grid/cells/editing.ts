/** How cells are edited. Each kind of table says what a cell holds and how to save it. */

/** A cell as text, and the input that fits it. */
export interface CellDraft {
  kind: 'text' | 'number' | 'date' | 'choice';
  typed: string;
  /** The values of a `choice`, each with its label. */
  choices?: ReadonlyArray<readonly [string, string]>;
  isMono?: boolean;
  /** Whether the cell can become NULL. */
  canBeNull?: boolean;
}

export interface GridEditing<Row> {
  /** Undefined if the cell cannot be edited where it is. */
  draft: (row: Row, column: string) => CellDraft | undefined;
  /**
   * Saves what was typed; null is NULL. Throws an error to show, or an `EditConflict` if the cell has changed since the
   * row was read, unless `isForced`.
   */
  save: (row: Row, column: string, typed: string | null, isForced: boolean) => Promise<void>;
}

/** Somebody else has changed the cell in the meantime. */
export class EditConflict extends Error {
  constructor(readonly theirs: string) {
    super();
  }
}
