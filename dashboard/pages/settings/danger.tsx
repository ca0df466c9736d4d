import { useState } from 'preact/hooks';
import { navigate } from '../../router.tsx';
import { Button, ConfirmByTyping, Section, say } from '../../ui/index.ts';
import { deletePage, forkPage, type PageDetail, screenOf } from '../api.ts';

/** Copying the page, and deleting it. */
export function DangerSection({ page }: { page: PageDetail }) {
  const [isAsking, setAsking] = useState(false);
  const fork = async () => {
    const copy = await forkPage(page.id);
    say(`${copy.name} is copied to /p/${copy.slug}.`);
    navigate(screenOf(copy.id));
  };
  const remove = async () => {
    const { message } = await deletePage(page.id);
    say(message);
    navigate('/pages', { replace: true });
  };
  return (
    <Section title="Copy or delete">
      <div class="page-acts">
        <p>A fork is a page of its own with this text and these settings, without the data.</p>
        <Button kind="quiet" onClick={fork}>
          Fork this page
        </Button>
        <p>Deleting takes the page, all its versions and all its data, for good.</p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete this page
        </Button>
      </div>
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
