import { useEffect, useRef, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { t } from '../../../texts/index.ts';
import { Button, Choice } from '../../../ui/index.ts';
import type { PageDetail } from '../../api.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { PreviewConsole } from './console.ts';
import { ConsoleStrip } from './console-strip.tsx';
import { listViewers, usePreviewAs, type Viewer } from './preview-as.ts';
import { useFrame } from './use-frame.ts';

interface PreviewProps {
  page: PageDetail;
  work: EditedPage;
  /** Opens the saved page in a browser on the server. Only its owner can. */
  onCheck: (() => void) | undefined;
  goTo: (path: string, line: number, column?: number) => void;
}

/** A preview of the page, isolated from the dashboard. */
export function Preview({ page, work, onCheck, goTo }: PreviewProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  const [console] = useState(() => new PreviewConsole());
  const { viewer, choose, session } = usePreviewAs(page);
  work.watch();
  const isStalled = useFrame(place, { page, work, console, session });
  const faults = console.faults();
  useEffect(() => work.marks.set('preview', faults), [console.entries.value]);
  const { previewed } = work.open;
  return (
    <section class="page-preview" aria-label={t('Preview')}>
      <header>
        <h2>{previewed === INDEX_PATH ? t('Preview') : t('Preview of {path}', { path: previewed })}</h2>
        <div class="actions">
          <ViewerChoice page={page} viewer={viewer} onChoose={choose} />
          <Choice
            label={t('Preview width')}
            value={isNarrow}
            options={[
              [true, t('Phone')],
              [false, t('Full')],
            ]}
            onChoose={setNarrow}
          />
          {onCheck && (
            <Button kind="bare" onClick={onCheck} title={t('Open the saved page in a browser on the server')}>
              {t('Check')}
            </Button>
          )}
        </div>
      </header>
      {viewer !== 'nobody' && (
        <p class="page-preview-who">
          {t('Scripts of this page act as you, on this page only: they can read and change its data.')}
        </p>
      )}
      <div class={`page-preview-place ${isNarrow ? 'narrow' : ''}`}>
        <div ref={place} />
      </div>
      <p class="hint" role="status">
        {isStalled &&
          t(
            'The page does not finish loading. One of its scripts may never end. The preview restarts with your next change.',
          )}
      </p>
      <ConsoleStrip console={console} goTo={goTo} />
    </section>
  );
}

interface ViewerProps {
  page: PageDetail;
  viewer: Viewer;
  onChoose: (viewer: Viewer) => void;
}

/** Whom the preview shows the page to. */
function ViewerChoice({ page, viewer, onChoose }: ViewerProps) {
  return (
    <label class="page-preview-as">
      <span>{t('As')}</span>
      <select
        aria-label={t('Show the page to')}
        value={viewer}
        onChange={({ currentTarget }) => onChoose(currentTarget.value as Viewer)}
      >
        {listViewers(page).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
