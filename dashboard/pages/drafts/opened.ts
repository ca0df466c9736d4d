import { useEffect, useState } from 'preact/hooks';
import { useLoad } from '../../ui/index.ts';
import { type DraftDetail, getDraft, listDrafts } from './api.ts';
import { rememberDraft, rememberedDraft } from './remembered.ts';

/** What an editor starts with. */
interface Opened {
  /** Another one means another editor. */
  key: number;
  draft: DraftDetail | undefined;
}

/** The draft that was open in this browser the last time, if it still exists. Undefined until that is known. */
export function useOpenedDraft(pageId: number, userId: number, version: number) {
  const [opened, setOpened] = useState<Opened | undefined>(() =>
    rememberedDraft(userId, pageId) === undefined ? { key: 0, draft: undefined } : undefined,
  );
  useEffect(() => {
    const draft = rememberedDraft(userId, pageId);
    if (draft === undefined) return;
    const abort = new AbortController();
    getDraft(pageId, draft, abort.signal).then(
      (found) => setOpened({ key: 0, draft: found }),
      () => {
        if (abort.signal.aborted) return;
        rememberDraft(userId, pageId, undefined);
        setOpened({ key: 0, draft: undefined });
      },
    );
    return () => abort.abort();
  }, []);
  const drafts = useLoad((signal) => listDrafts(pageId, signal), [pageId, version]);
  return {
    opened,
    /** How many drafts the page had when it was last published. */
    draftCount: drafts.value?.length ?? 0,
    /** Edits the published page instead. The draft stays. */
    leaveDraft: () => {
      rememberDraft(userId, pageId, undefined);
      setOpened({ key: (opened?.key ?? 0) + 1, draft: undefined });
    },
  };
}
