import type { Editor } from '../../../editor/index.tsx';
import { applyChanges, type Change, invertChanges } from './source/change.ts';

/**
 * A change that goes on while somebody types or drags. The code follows at once; in the end it is one step to undo.
 * Each change starts from the text as it was, and is refused if that text has become another one meanwhile.
 */
export class LiveChange {
  readonly base: string;
  #made: Change[] = [];
  #now: string;

  constructor(private readonly editor: Editor) {
    this.base = editor.source();
    this.#now = this.base;
  }

  get hasChanged(): boolean {
    return this.#now !== this.base;
  }

  /** Returns false if the text is not the one that the changes are for. */
  update(changes: Change[]): boolean {
    if (this.editor.source() !== this.#now) return false;
    const next = applyChanges(this.base, changes);
    if (next === this.#now) return true;
    this.editor.change(invertChanges(this.base, this.#made), false);
    this.editor.change(changes, false);
    this.#made = changes;
    this.#now = next;
    return true;
  }

  /** Makes what was changed one step. */
  finish(): void {
    if (!this.hasChanged || this.editor.source() !== this.#now) return;
    this.editor.change(invertChanges(this.base, this.#made), false);
    this.editor.change(this.#made, true);
  }
}
