import { useState } from 'preact/hooks';
import { me } from '../../session.ts';
import { Choice, Skeleton } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { CheckPane } from '../check/index.tsx';
import { Bar, Messages } from './bar.tsx';
import { ConflictDialog } from './conflict.tsx';
import { FilePanel } from './files/panel.tsx';
import { OpenFilesPane } from './open/index.tsx';
import { Preview } from './preview/index.tsx';
import { useSaveKey } from './save-key.ts';
import { Split } from './split.tsx';
import { Warnings } from './warnings.tsx';
import { useEditedPage } from './work/use-edited-page.ts';

interface EditorProps {
  page: PageDetail;
  onSaved: (page: PageDetail) => void;
}

/** The HTML and the files of a page, with a preview. */
export function EditorScreen(props: EditorProps) {
  // Drafts are stored per user, so the user must be known first.
  return me.value ? <PageEditor {...props} userId={me.value.id} /> : <Skeleton lines={8} />;
}

/** Three panes fit next to each other. */
const isWide = matchMedia('(width >= 85rem)').matches;

/** What a phone shows: one at a time. */
type Pane = 'files' | 'code' | 'result';

function PageEditor({ page, onSaved, userId }: EditorProps & { userId: number }) {
  const work = useEditedPage(page, userId, onSaved);
  /** How often the page was checked since the check was opened; 0 if it is not open. */
  const [checks, setChecks] = useState(0);
  const [pane, setPane] = useState<Pane>('code');
  const [showsFiles, setShowsFiles] = useState<boolean>();
  // Most pages are one document, which needs the room. An upload shows the files by itself.
  const hasFiles = showsFiles ?? (isWide || work.paths().length > 1);
  useSaveKey(work.save);
  const check = () => {
    setChecks(checks + 1);
    setPane('result');
  };
  const goTo = (line: number, column?: number) => {
    setPane('code');
    work.goTo(line, column);
  };
  const show = (path: string) => {
    setPane('code');
    work.show(path);
  };
  const result = checks > 0 ? 'Check' : 'Preview';
  return (
    <div class="page-editor">
      <Bar
        page={page}
        work={work}
        onCheck={check}
        hasFiles={hasFiles}
        onToggleFiles={() => setShowsFiles(!hasFiles)}
      />
      <Messages work={work} />
      <Warnings work={work} goTo={goTo} />
      <PaneChoice pane={pane} result={result} onChoose={setPane} />
      <div class={`page-work shows-${pane} ${hasFiles ? '' : 'without-files'}`}>
        <FilePanel pageId={page.id} work={work} onShow={show} />
        <Split
          label={`Width of code and ${result.toLowerCase()}`}
          parts={[
            <OpenFilesPane key="code" pageId={page.id} work={work} />,
            checks > 0 ? (
              <CheckPane
                key="check"
                page={page}
                checks={checks}
                isDirty={work.isDirty}
                goTo={goTo}
                onClose={() => setChecks(0)}
              />
            ) : (
              <Preview key="preview" page={page} work={work} />
            ),
          ]}
        />
      </div>
      {work.conflicts.length > 0 && <ConflictDialog work={work} />}
    </div>
  );
}

interface PaneProps {
  pane: Pane;
  /** The name of the last pane. */
  result: string;
  onChoose: (pane: Pane) => void;
}

function PaneChoice({ pane, result, onChoose }: PaneProps) {
  return (
    <Choice<Pane>
      class="page-sides"
      label="Pane"
      value={pane}
      options={[
        ['files', 'Files'],
        ['code', 'Code'],
        ['result', result],
      ]}
      onChoose={onChoose}
    />
  );
}
