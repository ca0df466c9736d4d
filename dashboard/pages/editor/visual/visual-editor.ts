import { signal } from '@preact/signals';
import type { Editor } from '../../../editor/index.tsx';
import type { PreviewDocument } from '../preview/bundle.ts';
import type { FrameEditing } from '../preview/frame.ts';
import type { Editing } from '../preview/use-frame.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { isClicked } from './clicked.ts';
import { Connection, type Order } from './connection.ts';
import { LiveEdit } from './live-edit.ts';
import type { Kind, Message, Pick } from './messages.ts';
import { type Selection, toSelection } from './selection.ts';
import type { Change } from './source/change.ts';
import { DocumentMap, MAX_MAPPED, toSource } from './source/document-map.ts';
import type { TextRange } from './source/text-range.ts';
import { findChanges, mapAfter, type WantedChange } from './source/wanted.ts';
import { Steps } from './steps.ts';
import { listStyleOrders } from './style-orders.ts';
import { TypedText } from './typed-text.ts';

/** Changes of a color or an address in quick succession are one step. */
const STEP_MS = 800;
/** How long a click may keep the keyboard until it is known what it means. */
const CLICK_MS = 500;

/** Why something cannot be changed here. */
type Notice = 'changed' | 'large' | 'silent';

interface Surroundings {
  work: EditedPage;
  pageId: number;
  /** What the kinds are called, for the labels in the page. */
  words: Record<string, string>;
  /** Takes the keyboard back from the page. */
  takeFocus: () => void;
  onCode: (path: string, line: number, column: number) => void;
}

/**
 * Changes the source of a page while a person clicks and types in its preview. The preview names an element and a text;
 * which bytes that is, is decided here, from the source. Nothing is written where the source is not what was mapped.
 */
export class VisualEditor implements Editing {
  readonly selection = signal<Selection | undefined>(undefined);
  readonly isTyping = signal(false);
  readonly isTrying = signal(false);
  readonly notice = signal<Notice | undefined>(undefined);
  /** What the keyboard has moved to. */
  readonly at = signal<{ kind: Kind; text: string } | undefined>(undefined);
  readonly steps: Steps;
  readonly #revision = signal(0);
  /** The document in the frame, and the one that it shows next. */
  #shown: Connection | undefined;
  #latest: { path: string; map: DocumentMap } | undefined;
  #live: LiveEdit | undefined;
  #finishing: ReturnType<typeof setTimeout> | undefined;
  /** The person has pressed Enter on what the keyboard has moved to. */
  #isOpening = false;
  #handled: Promise<void> = Promise.resolve();
  #pickedAt = Number.NEGATIVE_INFINITY;
  readonly #typed = new TypedText(this);

  constructor(readonly surroundings: Surroundings) {
    this.steps = new Steps(surroundings.work);
  }

  get revision(): number {
    return this.#revision.value;
  }

  get path(): string {
    return this.#latest?.path ?? this.surroundings.work.open.previewed;
  }

  /** The source as it is mapped now. */
  get map(): DocumentMap | undefined {
    return this.#latest?.map;
  }

  /** The edit that is going on. */
  get live(): LiveEdit | undefined {
    return this.#live;
  }

  /** Whether the keyboard is in the page, and not in the card beside it. */
  get hasKeyboard(): boolean {
    return document.activeElement === this.#shown?.frame;
  }

  keeps(path: string, html: string): boolean {
    if (this.#latest?.path !== path) return false;
    return this.#live !== undefined || this.#latest.map.source === toSource(html);
  }

  mark(path: string, html: string): string {
    const source = toSource(html);
    const isLarge = source.length > MAX_MAPPED;
    this.notice.value = isLarge ? 'large' : undefined;
    this.#latest = isLarge ? undefined : { path, map: new DocumentMap(source) };
    return this.#latest?.map.mark() ?? html;
  }

  connect({ rewrite = (css) => css }: PreviewDocument): FrameEditing | undefined {
    const { map } = this;
    if (!map) return undefined;
    const connection = new Connection(map, rewrite);
    connection.send({ texts: map.listTexts(), words: this.surroundings.words });
    connection.send({ mode: this.isTrying.peek() ? 'use' : 'edit' });
    return { port: connection.far, onShown: (frame) => this.#show(connection, frame) };
  }

  /** A click in the page is always reported. Otherwise a script has taken the keyboard. */
  mayFocus = () =>
    this.isTrying.peek() ||
    this.isTyping.peek() ||
    this.#isOpening ||
    performance.now() - this.#pickedAt < CLICK_MS;

  close(): void {
    this.finish();
    this.#shown?.close();
  }

  send(order: Order): void {
    this.#shown?.send(order);
  }

  /** Lets the person use the page, or change it again. */
  setTrying(isTrying: boolean): void {
    this.clear();
    this.isTrying.value = isTrying;
    this.send({ mode: isTrying ? 'use' : 'edit' });
  }

  clear(): void {
    this.finish();
    this.selection.value = undefined;
    this.send({ unchoose: true });
  }

  /** Changes what the keyboard has moved to. */
  openChosen(): void {
    this.#isOpening = true;
    this.#shown?.frame?.focus();
    this.send({ open: true });
  }

  undo(): void {
    this.clear();
    this.steps.undo();
    this.#settle();
  }

  redo(): void {
    this.clear();
    this.steps.redo();
    this.#settle();
  }

  /** Shows the code of what is chosen. */
  goToCode(): void {
    const { map, path } = this;
    const id = this.selection.peek()?.id ?? 0;
    this.clear();
    const before = map?.source.slice(0, map.findOffset(id)) ?? '';
    const line = before.split('\n').length;
    this.surroundings.onCode(path, line, before.length - before.lastIndexOf('\n'));
  }

  /** Changes the source as a person wants it. Returns false if the source has become another one. */
  change(key: string, wanted: WantedChange): boolean {
    const live = this.startEdit(key);
    const changes = live && findChanges(live.base, wanted);
    return live && changes ? this.write(live, new Map([[this.path, changes]])) : this.#refuse();
  }

  /** Makes these changes instead of those that the edit has made so far. */
  write(live: LiveEdit, changes: ReadonlyMap<string, Change[]>): boolean {
    const next = mapAfter(live.base, changes.get(this.path) ?? []);
    if (!next || !live.update(changes) || !this.#latest) return this.#refuse();
    this.#latest.map = next;
    if (this.#shown) this.#shown.map = next;
    if (!live.range) this.#finishSoon();
    return true;
  }

  /** The edit that is going on, or a new one for something else. */
  startEdit(key: string, range?: TextRange): LiveEdit | undefined {
    if (this.#live?.key === key) return this.#live;
    this.finish();
    const { map, path } = this;
    // The code may have changed since the page was shown.
    if (map?.source !== this.#editor(path)?.source()) return undefined;
    this.#live = map && new LiveEdit(key, map, this.surroundings.work, range);
    return this.#live;
  }

  finish(): void {
    clearTimeout(this.#finishing);
    const live = this.#live;
    this.#live = undefined;
    if (this.isTyping.peek()) this.send({ stop: 'done' });
    this.isTyping.value = false;
    const changed = live?.finish() ?? [];
    if (changed.length > 0) this.steps.add(changed);
    if (live) this.#settle();
  }

  /** Shows the page from its source again. */
  reload(): void {
    this.finish();
    this.#latest = undefined;
    this.#settle();
  }

  /** Shows changed styles in the page, without loading it again. */
  rewriteStyles(before: DocumentMap): void {
    const { map } = this;
    for (const order of map ? listStyleOrders(before, map, this.#shown?.rewrite) : []) this.send(order);
  }

  #finishSoon(): void {
    clearTimeout(this.#finishing);
    this.#finishing = setTimeout(() => this.finish(), STEP_MS);
  }

  #settle(): void {
    this.surroundings.work.settle();
    this.#revision.value = this.#revision.peek() + 1;
  }

  #refuse(): false {
    this.notice.value = 'changed';
    this.clear();
    return false;
  }

  #editor = (path: string): Editor | undefined => this.surroundings.work.open.editor(path);

  #show(connection: Connection, frame: HTMLIFrameElement): void {
    if (this.isTyping.peek()) this.finish();
    this.#shown?.close();
    this.#shown = connection;
    const { picture } = this.selection.peek() ?? {};
    // The description of a new picture is what comes next.
    if (!picture || connection.map.tagName(picture.id) !== 'img') this.selection.value = undefined;
    connection.start(frame, {
      onMessage: (message) => {
        this.#handled = this.#handled.then(() => this.#handle(message, connection));
      },
      onSilent: (isSilent) => {
        if (isSilent) this.notice.value = 'silent';
        else if (this.notice.peek() === 'silent') this.notice.value = undefined;
      },
    });
    this.notice.value = undefined;
  }

  async #handle(message: Message, from: Connection): Promise<void> {
    if (from !== this.#shown || this.isTrying.peek()) return;
    if (message.kind === 'pick') this.#pickedAt = performance.now();
    if (message.kind === 'pick') return this.#pick(message.pick, from);
    if (message.kind === 'rect') this.#moveTo(message.rect);
    if (message.kind === 'at') this.at.value = message.at;
    if (message.kind === 'text') this.#typed.change(message.text);
    if (message.kind === 'end') this.#typed.end(message.how, message.text);
  }

  #moveTo(rect: Selection['rect']): void {
    const now = this.selection.peek();
    if (now) this.selection.value = { ...now, rect };
  }

  async #pick(pick: Pick, from: Connection): Promise<void> {
    const isOpening = this.#isOpening;
    this.#isOpening = false;
    const isWanted = pick.isKey ? isOpening : await isClicked(from.frame);
    const map = from.map;
    this.finish();
    // A click beside everything closes what is open.
    const isBeside = pick.kind === 'box' && this.selection.peek() !== undefined;
    if (!isWanted || isBeside || this.#editor(this.path)?.source() !== map.source) return this.#drop();
    const selection = toSelection(map, pick) ?? toSelection(map, { ...pick, kind: 'script' });
    if (!selection || (pick.kind === 'box' && selection.kind === 'script')) return this.#drop();
    const range =
      selection.kind === 'script' ? undefined : map.findText(pick.id, pick.index, pick.text, pick.isPre);
    if (pick.canType && range && this.startEdit('typed', range)) this.isTyping.value = true;
    else this.send({ stop: 'cancelled' });
    this.notice.value = undefined;
    this.selection.value = selection;
    if (!this.isTyping.peek()) this.surroundings.takeFocus();
  }

  #drop(): void {
    this.send({ stop: 'cancelled' });
    this.clear();
    this.surroundings.takeFocus();
  }
}
