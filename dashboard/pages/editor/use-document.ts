import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, isLoggedOut, isShownByNotice } from '../../api.ts';
import { type Draft, draftStorage } from '../../drafts.ts';
import type { Editor } from '../../editor/index.tsx';
import { guardLeaving } from '../../router.tsx';
import { formatBytes, say } from '../../ui/index.ts';
import { getPage, type PageDetail, patchPage, screenOf } from '../api.ts';

export const MAX_BYTES = 4 * 1024 * 1024;
/** The preview, the size and the draft follow the text after this pause. */
const SETTLE_MS = 400;

/** The HTML of a page while it is edited. */
export interface Work {
  /** The initial text of the editor. */
  firstText: string;
  /** The text, updated a moment after the last key. */
  settled: string;
  size: number;
  isDirty: boolean;
  /** The version that the text is based on. */
  version: number;
  /** A draft from an earlier session, until it is saved or discarded. */
  restored: Draft | undefined;
  /** Why the last attempt to save failed. */
  failure: Error | undefined;
  /** A version that someone else saved in the meantime. */
  conflict: PageDetail | undefined;
  text(): string;
  attach(editor: Editor): void;
  change(text: string): void;
  /** Saves a new version, unless someone else has saved one since the person loaded the page. */
  save(): Promise<void>;
  keepMine(): Promise<void>;
  takeTheirs(): void;
  goOn(): void;
  discardRestored(): void;
}

export function useDocument(page: PageDetail, userId: number, onSaved: (page: PageDetail) => void): Work {
  const drafts = useMemo(() => draftStorage(`${userId}-${page.id}`), [userId, page.id]);
  const [restored, setRestored] = useState(() => {
    const draft = drafts.read();
    return draft && draft.text !== page.html_content ? draft : undefined;
  });
  const [firstText] = useState(restored?.text ?? page.html_content);
  const [saved, setSaved] = useState({
    text: page.html_content,
    version: restored?.version ?? page.versionCount,
  });
  const [settled, setSettled] = useState(firstText);
  const [isDirty, setDirty] = useState(restored !== undefined);
  const [failure, setFailure] = useState<Error>();
  const [conflict, setConflict] = useState<PageDetail>();
  const now = useRef({ text: firstText, saved, isDirty, isSaving: false, isKept: true });
  const editor = useRef<Editor>(undefined);
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);

  function settle() {
    clearTimeout(settling.current);
    const { text, saved } = now.current;
    setSettled(text);
    if (text === saved.text) return drafts.discard();
    now.current.isKept = drafts.save({ text, version: saved.version, at: Date.now() });
  }

  function change(text: string) {
    now.current.text = text;
    markDirty();
    clearTimeout(settling.current);
    settling.current = setTimeout(settle, SETTLE_MS);
  }

  function markDirty() {
    now.current.isDirty = now.current.text !== now.current.saved.text;
    setDirty(now.current.isDirty);
  }

  /** Records what the service has stored. */
  function markSaved(text: string, version: number) {
    now.current.saved = { text, version };
    setSaved(now.current.saved);
    setConflict(undefined);
    setFailure(undefined);
    markDirty();
    settle();
    if (!now.current.isDirty) setRestored(undefined);
  }

  async function saveOver(version: number): Promise<void> {
    if (now.current.isSaving) return;
    const { text } = now.current;
    now.current.isSaving = true;
    setFailure(undefined);
    settle();
    try {
      await patchPage(page.id, { html_content: text, base_version: version });
      markSaved(text, version + 1);
      say(`Saved as version ${version + 1}.`);
      onSaved({
        ...page,
        html_content: text,
        versionCount: version + 1,
        updated_at: new Date().toISOString(),
      });
    } catch (error) {
      if (isConflict(error)) resolveConflict(await getPage(page.id), text);
      else throw error;
    } finally {
      now.current.isSaving = false;
    }
  }

  /** Someone else saved first. The person has to decide only if the texts differ. */
  function resolveConflict(theirs: PageDetail, mine: string) {
    if (theirs.html_content !== mine) return setConflict(theirs);
    markSaved(mine, theirs.versionCount);
    onSaved(theirs);
    say(`Version ${theirs.versionCount} already has this text.`);
  }

  function fail(error: Error) {
    const kept = now.current.isKept ? ' Your changes are stored in this browser.' : '';
    if (isShownByNotice(error)) return say(`Not saved.${kept}`, 'bad');
    setFailure(new Error(`Not saved. ${error.message}${kept}`));
  }

  /** The draft is kept for the other tabs of this page, and for the next login. */
  function wouldLose(to?: string): boolean {
    if (!now.current.isDirty) return false;
    settle();
    const home = screenOf(page.id);
    const isNear = to === undefined ? isLoggedOut.value : to === home || to.startsWith(`${home}/`);
    return !now.current.isKept || !isNear;
  }
  useEffect(() => guardLeaving(wouldLose), []);
  useEffect(() => {
    addEventListener('pagehide', settle);
    return () => {
      removeEventListener('pagehide', settle);
      settle();
    };
  }, []);

  const size = useMemo(() => new Blob([settled]).size, [settled]);
  return {
    firstText,
    settled,
    size,
    isDirty,
    version: saved.version,
    restored,
    failure,
    conflict,
    text: () => now.current.text,
    attach(made) {
      editor.current = made;
    },
    change,
    async save() {
      if (!now.current.isDirty) return say(`No changes: version ${saved.version} is saved.`);
      settle();
      const bytes = new Blob([now.current.text]).size;
      if (bytes === 0) return fail(new Error('The page is empty.'));
      if (bytes > MAX_BYTES)
        return fail(
          new Error(
            `The page is ${formatBytes(bytes - MAX_BYTES)} larger than the limit of ${formatBytes(MAX_BYTES)}.`,
          ),
        );
      await saveOver(now.current.saved.version).catch(fail);
    },
    keepMine: () => (conflict ? saveOver(conflict.versionCount) : Promise.resolve()),
    takeTheirs() {
      if (!conflict) return;
      editor.current?.setText(conflict.html_content);
      now.current.text = conflict.html_content;
      markSaved(conflict.html_content, conflict.versionCount);
      onSaved(conflict);
    },
    goOn: () => setConflict(undefined),
    discardRestored() {
      editor.current?.setText(page.html_content);
      now.current.text = page.html_content;
      markSaved(page.html_content, page.versionCount);
      setRestored(undefined);
    },
  };
}

const isConflict = (error: unknown) =>
  error instanceof ApiError && error.status === 409 && typeof error.body.currentVersion === 'number';
