import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { Button, ConfirmByTyping, Dialog, Section, say } from '../../ui/index.ts';
import { deletePage, forkPage, type PageDetail, patchPage, screenOf } from '../api.ts';

/** Copying the page, and deleting it. */
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
        <p>A fork is a page of its own with this text and these settings, without the data.</p>
        <Button kind="quiet" onClick={() => setForking(true)}>
          Fork this page
        </Button>
        <p>Deleting takes the page, all its versions and all its data, for good.</p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete this page
        </Button>
      </div>
      {isForking && <ForkDialog page={page} onClose={() => setForking(false)} />}
      {isAsking && (
        <ConfirmByTyping
          title={`Delete ${page.name}?`}
          phrase={page.slug}
          submit="Delete for good"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            The page, its versions, its data, its team and its files are deleted and cannot be brought back.
          </p>
        </ConfirmByTyping>
      )}
    </Section>
  );
}

/** Says before it is done who will see the copy: a page that is published has a copy that is. */
function ForkDialog({ page, onClose }: { page: PageDetail; onClose: () => void }) {
  const fork = async ({ isDraft }: { isDraft: boolean }) => {
    const copy = await forkPage(page.id);
    if (isDraft && copy.is_published) await patchPage(copy.id, { is_published: false });
    say(`${copy.name} is copied to /p/${copy.slug}${isDraft ? ', as a draft' : ''}.`);
    navigate(screenOf(copy.id));
  };
  return (
    <Dialog title={`Fork ${page.name}?`} onClose={onClose}>
      <p>
        The copy is called {page.name} too and gets an address of its own.{' '}
        {page.is_published
          ? 'Published at once, everybody who has the address can open it; a draft answers only to you and its team.'
          : 'It is a draft like this page, and answers only to you and its team.'}
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
