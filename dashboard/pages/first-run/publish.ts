import type { FunctionList } from '../../../contract/functions.ts';
import { ApiError, api } from '../../api.ts';
import { type CreatedPage, createPage } from '../api.ts';

/** Publishes the starter: a page, and the function with a database that it calls. */

export const STEPS = [
  'Deploy a function with a database',
  'Publish the page',
  'Write the first note',
] as const;

/** The progress. A second attempt skips the steps that succeeded. */
export interface Progress {
  functionSlug?: string;
  page?: CreatedPage['page'];
  /** The number of completed steps. */
  done: number;
}

const MAX_ATTEMPTS = 5;

export async function publishStarter(
  before: Progress,
  username: string,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const { guestbookCode, guestbookHtml } = await import('../starters/index.ts');
  let progress = before;
  const go = (more: Partial<Progress>) => {
    progress = { ...progress, ...more };
    onProgress(progress);
  };

  const functionSlug = progress.functionSlug ?? (await deploy(guestbookCode, username));
  go({ functionSlug, done: 1 });
  const page =
    progress.page ??
    (await createPage({
      name: 'Guestbook',
      description: 'Leave a line for those who come after you.',
      html_content: guestbookHtml(functionSlug),
    }));
  go({ page, done: 2 });
  await api.post(`/api/functions/${functionSlug}`, {
    action: 'sign',
    name: username,
    text: 'The first page of this book.',
  });
  go({ done: 3 });
}

/** Function slugs are unique on the whole server, so the first choice may be taken. */
async function deploy(code: string, username: string): Promise<string> {
  const plain = `guestbook-${username.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
    .slice(0, 80)
    .replace(/-+$/, '');
  for (let attempt = 1; ; attempt++) {
    const slug = attempt === 1 ? plain : `${plain}-${Math.random().toString(36).slice(2, 8)}`;
    try {
      await api.post('/api/functions', {
        slug,
        code,
        displayName: 'Guestbook',
        description: 'Keeps the notes of the guestbook in a database.',
        enableDatabase: true,
      });
      return slug;
    } catch (error) {
      const isTaken = error instanceof ApiError && error.status === 409;
      if (!isTaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** True if the user has a function. */
export async function hasFunctions(username: string, signal: AbortSignal): Promise<boolean> {
  const { functions } = await api.get<FunctionList>('/api/functions?mine=true', {
    signal,
  });
  return functions.some(({ owner }) => owner === username);
}
