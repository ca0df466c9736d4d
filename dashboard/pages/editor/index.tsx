import { CodeEditor } from '../../editor/index.tsx';
import { me } from '../../session.ts';
import { Button, formatAgo, formatBytes, Skeleton, say } from '../../ui/index.ts';
import { addressOf, type PageDetail } from '../api.ts';
import { Conflict } from './conflict.tsx';
import { Preview } from './preview.tsx';
import { useSaveKey } from './save-key.ts';
import { Split } from './split.tsx';
import { MAX_BYTES, useDocument, type Work } from './use-document.ts';

interface EditorProps {
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
}

/** The document of a page, and beside it how it looks. */
export function EditorScreen(props: EditorProps) {
  // Drafts belong to a person, so it has to be known which.
  return me.value ? <Writing {...props} userId={me.value.id} /> : <Skeleton lines={8} />;
}

function Writing({ page, onSaved, userId }: EditorProps & { userId: number }) {
  const work = useDocument(page, userId, onSaved);
  useSaveKey(work.save);
  return (
    <div class="page-editor">
      <Bar page={page} work={work} />
      <Messages work={work} />
      <Split
        names={['Code', 'Preview']}
        parts={[
          <CodeEditor
            key="code"
            text={work.firstText}
            language="html"
            label="HTML of the page"
            onChange={work.change}
            onSave={work.save}
            onReady={work.attach}
          />,
          <Preview
            key="preview"
            html={work.settled}
            pageId={page.id}
            slug={page.slug}
            mode={page.storageMode}
          />,
        ]}
      />
      {work.conflict && <Conflict theirs={work.conflict} mine={work.text()} {...work} />}
    </div>
  );
}

function Bar({ page, work }: { page: PageDetail; work: Work }) {
  const copy = async () => {
    await navigator.clipboard.writeText(addressOf(page));
    say('Address copied.');
  };
  const isTooLarge = work.size > MAX_BYTES;
  return (
    <div class="page-bar">
      <p class="page-state" role="status">
        {work.isDirty ? <strong>Unsaved changes</strong> : 'Saved'} · version {work.version} ·{' '}
        <span class={isTooLarge ? 'fault' : ''}>
          {formatBytes(work.size)} of {formatBytes(MAX_BYTES)}
        </span>
      </p>
      <div class="actions">
        <Button kind="bare" onClick={copy}>
          Copy address
        </Button>
        <a class="button quiet" href={addressOf(page)} target="_blank" rel="noopener">
          Open page
        </a>
        <Button onClick={work.save} title="Ctrl-S or ⌘S">
          Save
        </Button>
      </div>
    </div>
  );
}

function Messages({ work: { failure, restored, discardRestored } }: { work: Work }) {
  return (
    <>
      {failure && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
        </div>
      )}
      {restored && (
        <div class="notice" role="status">
          <p>
            Your unsaved changes from {formatAgo(new Date(restored.at).toISOString())} are back. They were
            begun from version {restored.version}.
          </p>
          <Button kind="quiet" onClick={discardRestored}>
            Use the saved version
          </Button>
        </div>
      )}
    </>
  );
}
