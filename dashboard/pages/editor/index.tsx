import { useMemo, useState } from 'preact/hooks';
import { MAX_HTML_BYTES } from '../../../contract/rules/limits.ts';
import { CodeEditor } from '../../editor/index.tsx';
import { me } from '../../session.ts';
import { Button, formatAgo, formatBytes, Skeleton, say } from '../../ui/index.ts';
import { type PageDetail, urlOf } from '../api.ts';
import { CheckPane } from '../check/index.tsx';
import { Conflict } from './conflict.tsx';
import type { PageDocument } from './page-document.ts';
import { Preview } from './preview.tsx';
import { useSaveKey } from './save-key.ts';
import { Split } from './split.tsx';
import { useDocument } from './use-document.ts';
import { Warnings } from './warnings.tsx';

interface EditorProps {
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
}

/** The HTML of a page, with a preview. */
export function EditorScreen(props: EditorProps) {
  // Drafts are stored per user, so the user must be known first.
  return me.value ? <PageEditor {...props} userId={me.value.id} /> : <Skeleton lines={8} />;
}

function PageEditor({ page, onSaved, userId }: EditorProps & { userId: number }) {
  const work = useDocument(page, userId, onSaved);
  /** How often the page was checked since the check was opened; 0 if it is not open. */
  const [checks, setChecks] = useState(0);
  const [isSecond, setSecond] = useState(false);
  useSaveKey(work.save);
  const check = () => {
    setChecks(checks + 1);
    setSecond(true);
  };
  const endCheck = () => setChecks(0);
  const goTo = (line: number, column?: number) => {
    setSecond(false);
    work.goTo(line, column);
  };
  return (
    <div class="page-editor">
      <Bar page={page} work={work} onCheck={check} />
      <Messages work={work} />
      <Warnings work={work} goTo={goTo} />
      <Split
        names={['Code', checks > 0 ? 'Check' : 'Preview']}
        isSecond={isSecond}
        onShow={setSecond}
        parts={[
          <CodeEditor
            key="code"
            text={work.firstText}
            language="html"
            label="Page HTML"
            onChange={work.change}
            onSave={work.save}
            onReady={work.attach}
          />,
          checks > 0 ? (
            <CheckPane
              key="check"
              page={page}
              checks={checks}
              isDirty={work.isDirty}
              goTo={goTo}
              onClose={endCheck}
            />
          ) : (
            <PagePreview key="preview" page={page} html={work.settled} />
          ),
        ]}
      />
      {work.conflict && (
        <Conflict
          theirs={work.conflict}
          mine={work.currentText()}
          keepMine={work.keepMine}
          takeTheirs={work.takeTheirs}
          goOn={work.goOn}
        />
      )}
    </div>
  );
}

function PagePreview({ page, html }: { page: PageDetail; html: string }) {
  return <Preview html={html} pageId={page.id} slug={page.slug} mode={page.storageMode} />;
}

function Bar({ page, work, onCheck }: { page: PageDetail; work: PageDocument; onCheck: () => void }) {
  const copy = async () => {
    await navigator.clipboard.writeText(urlOf(page));
    say('URL copied.');
  };
  const size = useMemo(() => new Blob([work.settled]).size, [work.settled]);
  const isTooLarge = size > MAX_HTML_BYTES;
  return (
    <div class="page-bar">
      <p class="page-state" role="status">
        {work.isDirty ? <strong>Unsaved changes</strong> : 'Saved'} · version {work.version} ·{' '}
        <span class={isTooLarge ? 'fault' : ''}>
          {formatBytes(size)} of {formatBytes(MAX_HTML_BYTES)}
        </span>
      </p>
      <div class="actions">
        <Button kind="bare" onClick={copy}>
          Copy URL
        </Button>
        <a class="button quiet" href={urlOf(page)} target="_blank" rel="noopener">
          Open page
        </a>
        <Button kind="quiet" onClick={onCheck} title="Open the saved page in a browser on the server">
          Check
        </Button>
        <Button onClick={work.save} title="Ctrl-S or ⌘S">
          Save
        </Button>
      </div>
    </div>
  );
}

function Messages({ work: { failure, restored, discardRestored } }: { work: PageDocument }) {
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
            Restored your unsaved changes from {formatAgo(new Date(restored.at).toISOString())}. They are
            based on version {restored.version}.
          </p>
          <Button kind="quiet" onClick={discardRestored}>
            Discard changes
          </Button>
        </div>
      )}
    </>
  );
}
