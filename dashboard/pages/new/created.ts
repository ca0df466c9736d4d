import { ApiError } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { me } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { say } from '../../ui/index.ts';
import { type CreatedPage, SHARE, toPageScreen } from '../api.ts';
import { openAsPage } from '../editor/visual/mode.ts';

type Page = CreatedPage['page'];

/**
 * Creates a page and shows it live, or in the editor if it is a draft; stays here if the person cancelled. Returns what
 * is wrong with its name. Throws any other error.
 */
export async function createAndOpen(
  create: () => Promise<Page | undefined>,
  { isPublished, template }: { isPublished: boolean; template: string },
): Promise<string | undefined> {
  try {
    const page = await create();
    if (page) open(page, isPublished ? `${SHARE}?template=${template}` : '');
    return undefined;
  } catch (error) {
    const detail = error instanceof ApiError && error.details.find(({ path }) => path === 'name');
    if (!detail) throw error;
    return t('The name {fault}.', { fault: detail.message });
  }
}

function open({ id, name }: Page, part: string): void {
  openAsPage(me.value?.id, id);
  if (part === '') say(t('Created {name}. Only you can see it.', { name }));
  navigate(toPageScreen(id, part));
}
