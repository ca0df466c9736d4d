import { type Signal, signal } from '@preact/signals';
import { MAIN_MODULE as MAIN } from '../../../contract/rules/function-names.ts';
import { affected, renamed } from '../../editor/files/index.ts';
import type { Editor } from '../../editor/index.tsx';
import type { SourceFault } from '../fault.ts';
import type { Sources } from './sources.ts';

/** What a dialog is open for. */
export type Asking = { kind: 'new'; folder: string } | { kind: 'rename' | 'delete'; path: string };

/** The modules of a function while they are edited. */
export class Modules {
  readonly sources: Signal<Sources>;
  /** The module that is shown. */
  readonly current = signal(MAIN);
  /** Those that have been shown. Each keeps its cursor and its undo history. */
  readonly opened = signal<readonly string[]>([MAIN]);
  readonly asking = signal<Asking | undefined>(undefined);
  private readonly editors = new Map<string, Editor>();
  private fault: SourceFault | undefined;

  constructor(
    first: Sources,
    /** Called after each change. */
    private readonly onChange: (sources: Sources) => void = () => {},
  ) {
    this.sources = signal(first);
  }

  paths(): string[] {
    return Object.keys(this.sources.value);
  }

  show(path: string): void {
    this.current.value = path;
    if (!this.opened.value.includes(path)) this.opened.value = [...this.opened.value, path];
  }

  change(path: string, text: string): void {
    const { value } = this.sources;
    if (value[path] !== undefined && value[path] !== text) this.set({ ...value, [path]: text });
  }

  create(path: string): void {
    this.set({ ...this.sources.value, [path]: '' });
    this.show(path);
  }

  /** Renames a module or a folder. */
  rename(from: string, to: string): void {
    const entries = Object.entries(this.sources.value);
    this.forget(affected(this.paths(), from));
    this.set(Object.fromEntries(entries.map(([path, text]) => [renamed(path, from, to), text])));
    this.opened.value = this.opened.value.map((path) => renamed(path, from, to));
    this.current.value = renamed(this.current.value, from, to);
  }

  /** Removes a module or a folder. */
  remove(path: string): void {
    const gone = new Set(affected(this.paths(), path));
    this.set(Object.fromEntries(Object.entries(this.sources.value).filter(([each]) => !gone.has(each))));
    this.closeMissing();
  }

  /** Replaces all modules. A person can undo it in each that stays. */
  replace(sources: Sources): void {
    this.clearFault();
    this.set(sources);
    this.closeMissing();
    for (const [path, editor] of this.editors) editor.setText(sources[path] ?? '');
  }

  attach(path: string, editor: Editor): void {
    this.editors.set(path, editor);
    this.markFault();
  }

  /** Opens the module that has the error, and marks its place. */
  showFault(fault: SourceFault): void {
    if (this.sources.value[fault.file] === undefined) return;
    this.fault = fault;
    this.show(fault.file);
    this.markFault();
  }

  clearFault(): void {
    this.fault = undefined;
    for (const editor of this.editors.values()) editor.mark([]);
  }

  /** An editor that is opened for the error is not ready yet. */
  private markFault(): void {
    const { fault } = this;
    const editor = fault && this.editors.get(fault.file);
    if (!editor) return;
    this.fault = undefined;
    editor.mark([fault]);
    // A hidden editor cannot get the focus, and it is shown only after the next render.
    setTimeout(() => editor.goTo(fault.line, fault.column));
  }

  private set(sources: Sources): void {
    this.sources.value = sources;
    this.onChange(sources);
  }

  private closeMissing(): void {
    const isThere = (path: string) => this.sources.value[path] !== undefined;
    this.forget(this.opened.value.filter((path) => !isThere(path)));
    this.opened.value = this.opened.value.filter(isThere);
    if (!isThere(this.current.value)) this.show(MAIN);
  }

  private forget(paths: string[]): void {
    for (const path of paths) this.editors.delete(path);
  }
}
