import type { EditedPage } from '../work/edited-page.ts';

/** One step in one file: how many steps its editor could undo afterwards. */
interface Step {
  path: string;
  depth: number;
}

/**
 * Undo and redo for what was changed by clicking, across files. What was typed into the code since then is undone first,
 * in the file that is shown.
 */
export class Steps {
  #done: Step[][] = [];
  #undone: Step[][] = [];

  constructor(private readonly work: EditedPage) {}

  /** Records that the editors of these files have one more step. */
  add(paths: string[]): void {
    const step = paths.flatMap((path) => {
      const editor = this.work.open.editor(path);
      return editor ? [{ path, depth: editor.steps().undo }] : [];
    });
    this.#done.push(step);
    this.#undone = [];
  }

  get canUndo(): boolean {
    return this.#done.length > 0 || (this.#shown?.steps().undo ?? 0) > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0 || (this.#shown?.steps().redo ?? 0) > 0;
  }

  undo(): void {
    // Steps that the code has undone itself are gone.
    while (this.#done.length > 0 && !this.#isBelow(this.#done.at(-1) ?? [])) this.#done.pop();
    const last = this.#done.at(-1);
    const isLast = last?.every(({ path, depth }) => this.#steps(path)?.undo === depth);
    if (!last || !isLast) {
      this.#shown?.undo();
      return;
    }
    this.#done.pop();
    for (const { path } of last) this.work.open.editor(path)?.undo();
    this.#undone.push(last);
  }

  redo(): void {
    const last = this.#undone.pop();
    const isNext = last?.every(({ path, depth }) => {
      const steps = this.#steps(path);
      return steps?.undo === depth - 1 && steps.redo > 0;
    });
    if (!last || !isNext) {
      this.#shown?.redo();
      return;
    }
    for (const { path } of last) this.work.open.editor(path)?.redo();
    this.#done.push(last);
  }

  #isBelow = (step: Step[]) => step.every(({ path, depth }) => (this.#steps(path)?.undo ?? 0) >= depth);

  #steps = (path: string) => this.work.open.editor(path)?.steps();

  get #shown() {
    return this.work.open.editor(this.work.open.previewed);
  }
}
