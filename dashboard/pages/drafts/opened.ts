import { useEffect, useState } from 'preact/hooks';
import { useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { type DraftDetail, getDraft, listDrafts } from './api.ts';
import { rememberDraft, rememberedDraft } from './remembered.ts';

/** What an editor starts with. */
interface Opened {
  /** Another one means another editor. */
  key: number;
  draft: DraftDetail | undefined;
}

/**
 * The draft that was open in this browser the last time, if it still exists. A page that a builder has begun starts with
 * what the builder has written: its only version is empty. Undefined until that is known.
 */
export function useOpenedDraft({ id, is_published, versionCount }: PageDetail, userId: number) {
  const [isNew] = useState(() => !is_published && versionCount === 1);
  const [opened, setOpened] = useState<Opened | undefined>(() =>
    isNew || rememberedDraft(userId, id) !== undefined ? undefined : { key: 0, draft: undefined },
  );
  useEffect(() => {
    if (opened) return;
    const abort = new AbortController();
    findDraft(id, rememberedDraft(userId, id), abort.signal).then(
      (draft) => setOpened({ key: 0, draft }),
      () => {
        if (abort.signal.aborted) return;
        rememberDraft(userId, id, undefined);
        setOpened({ key: 0, draft: undefined });
      },
    );
    return () => abort.abort();
  }, []);
  const drafts = useLoad((signal) => listDrafts(id, signal), [id, versionCount]);
  return {
    opened,
    /** How many drafts the page had when it was last published. */
    draftCount: drafts.value?.length ?? 0,
    /** Edits the published page instead. The draft stays. */
    leaveDraft: () => {
      rememberDraft(userId, id, undefined);
      setOpened({ key: (opened?.key ?? 0) + 1, draft: undefined });
    },
  };
}

/** This draft, or else the newest one of the page. */
async function findDraft(
  pageId: number,
  remembered: number | undefined,
  signal: AbortSignal,
): Promise<DraftDetail | undefined> {
  const draft = remembered ?? (await listDrafts(pageId, signal))[0]?.id;
  return draft === undefined ? undefined : getDraft(pageId, draft, signal);
}
