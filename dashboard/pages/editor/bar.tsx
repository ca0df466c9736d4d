import { useMemo } from 'preact/hooks';
import { INDEX_PATH } from '../../../contract/rules/file-paths.ts';
import { MAX_HTML_BYTES } from '../../../contract/rules/limits.ts';
import { Button, formatAgo, formatBytes, plural, say } from '../../ui/index.ts';
import { type PageDetail, urlOf } from '../api.ts';
import type { EditedPage } from './work/edited-page.ts';

interface BarProps {
  page: PageDetail;
  work: EditedPage;
  onCheck: () => void;
  hasFiles: boolean;
  onToggleFiles: () => void;
}

/** The state of the page, and what can be done with it. */
export function Bar({ page, work, onCheck, hasFiles, onToggleFiles }: BarProps) {
  work.watch();
  const copy = async () => {
    await navigator.clipboard.writeText(urlOf(page));
    say('URL copied.');
  };
  return (
    <div class="page-bar">
      <p class="page-state" role="status">
        {work.isDirty ? <strong>Unsaved changes</strong> : 'Saved'}
        {work.edits.size > 1 && ` in ${plural(work.edits.size, 'file')}`} · version {work.known.version} ·{' '}
        <Size work={work} />
      </p>
      <div class="actions">
        <Button kind="bare" class="page-files-toggle" onClick={onToggleFiles}>
          {hasFiles ? 'Hide files' : 'Show files'}
        </Button>
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

/** How large the HTML is, and the files, if there are any. */
function Size({ work }: { work: EditedPage }) {
  work.watch();
  const html = work.settled.get(INDEX_PATH) ?? work.known.html;
  const size = useMemo(() => new Blob([html]).size, [html]);
  const files = [...(work.known.files?.values() ?? [])];
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <>
      <span class={size > MAX_HTML_BYTES ? 'fault' : ''}>
        {formatBytes(size)} of {formatBytes(MAX_HTML_BYTES)}
      </span>
      {files.length > 0 && ` · ${plural(files.length, 'file')}, ${formatBytes(bytes)}`}
    </>
  );
}

export function Messages({ work }: { work: EditedPage }) {
  work.watch();
  const { failure } = work;
  const { restored } = work.edits;
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
          <Button kind="quiet" onClick={work.discardRestored}>
            Discard changes
          </Button>
        </div>
      )}
    </>
  );
}
