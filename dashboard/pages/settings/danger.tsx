import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, ConfirmByTyping, Dialog, Section, say } from '../../ui/index.ts';
import { deletePage, forkPage, type PageDetail, patchPage, toPageScreen } from '../api.ts';

/** Forks and deletes the page. */
export function DangerSection({ page }: { page: PageDetail }) {
  const [isAsking, setAsking] = useState(false);
  const [isForking, setForking] = useState(false);
  const remove = async () => {
    await deletePage(page.id);
    say(t('The page and everything in it are deleted.'));
    navigate('/pages', { replace: true });
  };
  return (
    <Section id="delete" title={t('Copy or delete')}>
      <div class="page-acts">
        <p>{t('A fork is a new page with the same HTML and settings, but without the data.')}</p>
        <Button kind="quiet" onClick={() => setForking(true)}>
          {t('Fork this page')}
        </Button>
        <p>{t('Permanently deletes the page, all its versions and all its data.')}</p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          {t('Delete this page')}
        </Button>
      </div>
      {isForking && <ForkDialog page={page} onClose={() => setForking(false)} />}
      {isAsking && (
        <ConfirmByTyping
          title={t('Delete {name}?', { name: page.name })}
          phrase={page.slug}
          submit={t('Delete permanently')}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            {t(
              'This deletes the page, its versions, its data, its team and its files. You cannot restore them.',
            )}
          </p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

/** Says who will see the copy: the copy of a published page is published too. */
function ForkDialog({ page, onClose }: { page: PageDetail; onClose: () => void }) {
  const fork = async ({ isDraft }: { isDraft: boolean }) => {
    const copy = await forkPage(page.id);
    if (isDraft && copy.is_published) await patchPage(copy.id, { is_published: false });
    const { name, slug } = copy;
    say(
      isDraft
        ? t('Copied {name} to /p/{slug} as a draft.', { name, slug })
        : t('Copied {name} to /p/{slug}.', { name, slug }),
    );
    navigate(toPageScreen(copy.id));
  };
  return (
    <Dialog title={t('Fork {name}?', { name: page.name })} onClose={onClose}>
      <p>
        {page.is_published
          ? t(
              'The copy has the same name and gets its own URL. If you publish it now, anyone with the URL can open it. Only you and its team can open a draft.',
            )
          : t(
              'The copy has the same name and gets its own URL. It is a draft like this page: only you and its team can open it.',
            )}
      </p>
      <div class="actions">
        {page.is_published && (
          <Button onClick={() => fork({ isDraft: false })}>{t('Fork and publish')}</Button>
        )}
        <Button kind={page.is_published ? 'quiet' : 'primary'} onClick={() => fork({ isDraft: true })}>
          {t('Fork as a draft')}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </Dialog>
  );
}
