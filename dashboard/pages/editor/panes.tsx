import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Choice, lazy, Skeleton } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { CheckPane } from '../check/index.tsx';
import { FilePanel } from './files/panel.tsx';
import { OpenFilesPane } from './open/index.tsx';
import { Preview } from './preview/index.tsx';
import { Split } from './split.tsx';
import { isPhone, type Mode, readMode, rememberMode } from './visual/mode.ts';
import type { EditedPage } from './work/edited-page.ts';

const VisualPane = lazy(
  () => import('./visual/index.tsx').then((file) => file.VisualPane),
  () => <Skeleton kind="page" />,
);

/** Three panes fit next to each other. */
const isWide = matchMedia('(width >= 85rem)').matches;

/** The page fills the window. Of the others, a phone shows one at a time. */
type Pane = 'page' | 'files' | 'code' | 'result';

/** Which panes of the editor are shown. */
export function usePanes(work: EditedPage, userId: number, pageId: number) {
  /** How often the page was checked since the check was opened; 0 if it is not open. */
  const [checks, setChecks] = useState(0);
  const [pane, setPane] = useState<Pane>(() => readMode(userId, pageId));
  const [showsFiles, setShowsFiles] = useState<boolean>();
  // Most pages are one document, which needs the room. An upload shows the files by itself.
  const hasFiles = showsFiles ?? (isWide || work.paths().length > 1);
  return {
    checks,
    pane,
    hasFiles,
    mode: (pane === 'page' ? 'page' : 'code') as Mode,
    choose: (next: Pane) => {
      setPane(next);
      if (!isPhone()) rememberMode(userId, pageId, next === 'page' ? 'page' : 'code');
    },
    toggleFiles: () => setShowsFiles(!hasFiles),
    check: () => {
      setChecks(checks + 1);
      setPane('result');
    },
    closeCheck: () => setChecks(0),
    goTo: (line: number, column?: number, path?: string) => {
      setPane('code');
      work.goTo(line, column, path);
    },
    show: (path: string) => {
      setPane('code');
      work.show(path);
    },
  };
}

interface PanesProps {
  page: PageDetail;
  work: EditedPage;
  panes: ReturnType<typeof usePanes>;
}

/** The files, the code, and the preview or the check of the page. */
export function Panes({ page, work, panes }: PanesProps) {
  const { checks, pane, hasFiles } = panes;
  return (
    <>
      <Choice<Pane>
        class="page-sides"
        label={t('Pane')}
        value={pane}
        options={[
          ['page', t('Page')],
          ['code', t('Code')],
          ['files', t('Files')],
          ...(checks > 0 ? [['result', t('Check')] as const] : []),
        ]}
        onChoose={panes.choose}
      />
      <div class={`page-work shows-${pane} ${hasFiles ? '' : 'without-files'}`}>
        <FilePanel pageId={page.id} work={work} onShow={panes.show} />
        <Split
          label={checks > 0 ? t('Width of code and check') : t('Width of code and preview')}
          parts={[
            <OpenFilesPane key="code" pageId={page.id} work={work} />,
            pane === 'page' ? (
              <VisualPane
                key="page"
                page={page}
                work={work}
                onCode={(path, line, column) => panes.goTo(line, column, path)}
              />
            ) : checks > 0 ? (
              <CheckPane
                key="check"
                page={page}
                checks={checks}
                isDirty={work.isDirty}
                goTo={panes.goTo}
                onClose={panes.closeCheck}
              />
            ) : (
              <Preview
                key="preview"
                page={page}
                work={work}
                onCheck={page.role === 'owner' ? panes.check : undefined}
                goTo={(path, line, column) => panes.goTo(line, column, path)}
              />
            ),
          ]}
        />
      </div>
    </>
  );
}
