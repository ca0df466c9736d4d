import type { Signal } from '@preact/signals';
import type { LiveEdit } from './live-edit.ts';
import type { Selection } from './selection.ts';
import type { Change } from './source/change.ts';
import type { DocumentMap } from './source/document-map.ts';
import { findChanges } from './source/wanted.ts';

/** The editor of the page that is typed into. */
interface TypedEditor {
  readonly live: LiveEdit | undefined;
  readonly map: DocumentMap | undefined;
  readonly path: string;
  readonly hasKeyboard: boolean;
  readonly isTyping: Signal<boolean>;
  readonly selection: Signal<Selection | undefined>;
  readonly surroundings: { work: { save(): unknown }; takeFocus(): void };
  write(live: LiveEdit, changes: ReadonlyMap<string, Change[]>): boolean;
  finish(): void;
  clear(): void;
}

/** Takes what a person types into one text of the page. The page says what that is, and only that text changes. */
export class TypedText {
  constructor(private readonly editor: TypedEditor) {}

  change(text: string): void {
    const live = this.#find();
    if (!live?.range) return;
    const changes = findChanges(live.base, { kind: 'text', range: live.range, text });
    if (changes && !this.editor.write(live, new Map([[this.editor.path, changes]]))) return;
    this.#updateLink();
  }

  end(how: 'done' | 'cancelled' | 'save', text: string): void {
    const { editor } = this;
    const live = this.#find();
    if (!live) return;
    if (how === 'cancelled') editor.write(live, new Map([[editor.path, []]]));
    else this.change(text);
    editor.isTyping.value = false;
    editor.finish();
    // Otherwise the person has gone to the card beside it.
    if (editor.hasKeyboard) {
      editor.clear();
      editor.surroundings.takeFocus();
    }
    if (how === 'save') void editor.surroundings.work.save();
  }

  /** The edit of the text that is typed; undefined if none is. */
  #find(): LiveEdit | undefined {
    const { live, isTyping } = this.editor;
    return isTyping.peek() && live?.range ? live : undefined;
  }

  /** The field with the text of a link follows what is typed in the page. */
  #updateLink(): void {
    const { selection, map } = this.editor;
    const now = selection.peek();
    const text = now?.link && map?.findOnlyText(now.link.id)?.text;
    if (now?.link && text !== undefined) selection.value = { ...now, link: { ...now.link, text } };
  }
}
