/** Which draft of a page the editor of this browser has open, so that it is there again after a reload. */

const nameOf = (userId: number, pageId: number) => `quire-open-draft-${userId}-${pageId}`;

export function rememberedDraft(userId: number, pageId: number): number | undefined {
  try {
    return Number(localStorage.getItem(nameOf(userId, pageId))) || undefined;
  } catch {
    return undefined;
  }
}

export function rememberDraft(userId: number, pageId: number, draft: number | undefined): void {
  try {
    if (draft === undefined) localStorage.removeItem(nameOf(userId, pageId));
    else localStorage.setItem(nameOf(userId, pageId), String(draft));
  } catch {
    // Storage is disabled: the next visit starts with the live version.
  }
}
