import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CodeEditor, type LineChanges } from '../../editor/index.tsx';
import { formatMoment, Select, Show, Skeleton, useLoad } from '../../ui/index.ts';
import { getVersionText, type PageDetail, type Version } from '../api.ts';

type Against = 'before' | 'current';

interface ChangesProps {
  page: PageDetail;
  version: Version;
  /** The number of the current version. */
  current: number;
  actions: ComponentChildren;
}

/** What a version changed, or what restoring it would change. */
export function Changes({ page, version, current, actions }: ChangesProps) {
  const [against, setAgainst] = useState<Against>('before');
  const number = version.version;
  const other = against === 'current' ? current : number - 1;
  const loaded = useLoad(
    async (signal) => {
      const [text, original] = await Promise.all([
        getVersionText(page.id, number, signal),
        other === 0 ? '' : getVersionText(page.id, other, signal),
      ]);
      return { text, original, against };
    },
    [page.id, number, other, against],
  );
  return (
    <>
      <header class="page-version-head">
        <div>
          <h2>Version {number}</h2>
          <p class="hint">
            {formatMoment(version.createdAt)}
            {version.author && ` by ${version.author}`}
          </p>
        </div>
        <div class="actions">
          {!version.current && (
            <Select
              label="Compare with"
              hideLabel
              value={against}
              options={[
                ['before', 'Compare with previous version'],
                ['current', 'Compare with current version'],
              ]}
              onChange={setAgainst}
            />
          )}
          {actions}
        </div>
      </header>
      <Show loaded={loaded} skeleton={<Skeleton lines={10} />}>
        {(shown) => <Difference {...shown} number={number} />}
      </Show>
    </>
  );
}

interface DifferenceProps {
  text: string;
  original: string;
  against: Against;
  number: number;
}

function Difference({ text, original, against, number }: DifferenceProps) {
  const [changes, setChanges] = useState<LineChanges>();
  const what =
    against === 'current' ? `Restoring version ${number} would change` : `Version ${number} changed`;
  return (
    <>
      <p class="page-summary" role="status">
        {changes && <Summary what={what} {...changes} />}
      </p>
      <div class="page-diff tall">
        <CodeEditor
          key={`${number} ${against}`}
          text={text}
          original={original}
          language="html"
          label={what}
          isReadOnly
          onReady={(editor) => setChanges(editor.changes)}
        />
      </div>
    </>
  );
}

function Summary({ what, added, removed }: LineChanges & { what: string }) {
  if (added + removed === 0) return <>No changes</>;
  return (
    <>
      {what} <span class="added">+{added}</span> <span class="removed">−{removed}</span>{' '}
      {added + removed === 1 ? 'line' : 'lines'}
    </>
  );
}
