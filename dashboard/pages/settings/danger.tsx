import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { Button, ConfirmByTyping, Dialog, Section, say } from '../../ui/index.ts';
import { deletePage, forkPage, type PageDetail, patchPage, screenOf } from '../api.ts';

/** Forks and deletes the page. */
export function DangerSection({ page }: { page: PageDetail }) {
  const [isAsking, setAsking] = useState(false);
  const [isForking, setForking] = useState(false);
  const remove = async () => {
    const { message } = await deletePage(page.id);
    say(message);
    navigate('/pages', { replace: true });
  };
  return (
    <Section title="Copy or delete">
      <div class="page-acts">
        <p>A fork is a new page with the same HTML and settings, but without the data.</p>
        <Button kind="quiet" onClick={() => setForking(true)}>
          Fork this page
        </Button>
        <p>Permanently deletes the page, all its versions and all its data.</p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete this page
        </Button>
      </div>
      {isForking && <ForkDialog page={page} onClose={() => setForking(false)} />}
      {isAsking && (
        <ConfirmByTyping
          title={`Delete ${page.name}?`}
          phrase={page.slug}
          submit="Delete permanently"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            This deletes the page, its versions, its data, its team and its files. You cannot restore them.
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
    say(`Copied ${copy.name} to /p/${copy.slug}${isDraft ? ' as a draft' : ''}.`);
    navigate(screenOf(copy.id));
  };
  return (
    <Dialog title={`Fork ${page.name}?`} onClose={onClose}>
      <p>
        The copy has the same name and gets its own URL.{' '}
        {page.is_published
          ? 'If you publish it now, anyone with the URL can open it. Only you and its team can open a draft.'
          : 'It is a draft like this page: only you and its team can open it.'}
      </p>
      <div class="actions">
        {page.is_published && <Button onClick={() => fork({ isDraft: false })}>Fork and publish</Button>}
        <Button kind={page.is_published ? 'quiet' : 'primary'} onClick={() => fork({ isDraft: true })}>
          Fork as a draft
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
