import type { Editor, Fault } from '../../../editor/index.tsx';

/** What marks lines: the service when the page is saved, and the page when it runs in the preview. */
type Source = 'saved' | 'preview';

/** The marks of the lines of all files, from several sources. */
export class LineMarks {
  readonly #marks = new Map<Source, ReadonlyMap<string, Fault[]>>();

  constructor(private readonly findEditor: (path: string) => Editor | undefined) {}

  /** Replaces the marks of one source. */
  set(source: Source, marks: ReadonlyMap<string, Fault[]>): void {
    const before = this.#marks.get(source);
    this.#marks.set(source, marks);
    for (const path of new Set([...(before?.keys() ?? []), ...marks.keys()])) this.show(path);
  }

  /** For an editor that was just opened too. */
  show(path: string): void {
    this.findEditor(path)?.mark([...this.#marks.values()].flatMap((marks) => marks.get(path) ?? []));
  }
}
