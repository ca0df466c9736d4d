/** Which draft of a page the editor of this browser has open, so that it is there again after a reload. */

const toStorageKey = (userId: number, pageId: number) => `quire-open-draft-${userId}-${pageId}`;

export function rememberedDraft(userId: number, pageId: number): number | undefined {
  try {
    return Number(localStorage.getItem(toStorageKey(userId, pageId))) || undefined;
  } catch {
    return undefined;
  }
}

export function rememberDraft(userId: number, pageId: number, draft: number | undefined): void {
  try {
    if (draft === undefined) localStorage.removeItem(toStorageKey(userId, pageId));
    else localStorage.setItem(toStorageKey(userId, pageId), String(draft));
  } catch {
    // Storage is disabled: the next visit starts with the live version.
  }
}
