import { useEffect, useRef, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { t } from '../../../texts/index.ts';
import { Button, Choice } from '../../../ui/index.ts';
import { type PageDetail, toPageUrl } from '../../api.ts';
import { readFile } from '../../files/api.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { bundlePreview, type PreviewDocument } from './bundle.ts';
import { PreviewConsole, type Source } from './console.ts';
import { ConsoleStrip } from './console-strip.tsx';
import { PreviewFrame } from './frame.ts';
import { keepFocus } from './keep-focus.ts';
import { listViewers, usePreviewAs, type Viewer } from './preview-as.ts';

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

interface FrameProps {
  page: PageDetail;
  work: EditedPage;
  console: PreviewConsole;
  /** Undefined until it is known. */
  session: string | null | undefined;
}

/** Shows the current state of the page in a frame. Returns true if it does not finish loading. */
function useFrame(place: { current: HTMLElement | null }, { page, work, console, session }: FrameProps) {
  const { id: pageId, slug, storageMode: mode } = page;
  const frame = useRef<PreviewFrame>(undefined);
  const source = useRef<Source>({ path: '', paths: [], scripts: [] });
  const [isStalled, setStalled] = useState(false);
  const read = useReader(pageId, work);
  useEffect(() => {
    if (!place.current) return;
    const made = new PreviewFrame(place.current, { pageId, slug, mode }, setStalled, (reports, isNew) => {
      if (isNew) console.clear();
      console.add(reports, source.current);
    });
    const stopKeeping = keepFocus(place.current);
    frame.current = made;
    return () => {
      stopKeeping();
      made.remove();
    };
  }, [pageId, slug, mode]);

  const { known, settled } = work;
  const path = work.open.previewed;
  const html = settled.all.get(path) ?? known.textNow(path);
  const isPublic = canEveryoneSee(page);
  useEffect(() => {
    if (html === undefined || !work.isReady || session === undefined) return;
    let isOutdated = false;
    const wanted = {
      path,
      html: html.replaceAll('{{PAGE_ID}}', String(pageId)),
      unsaved: settled.files,
      saved: known.files ?? new Map(),
      root: `${toPageUrl(page)}/`,
      isPublic,
      read,
    };
    const show = (document: PreviewDocument) => {
      if (isOutdated) return;
      source.current = { path, paths: document.paths, scripts: document.scripts };
      frame.current?.show(document, session);
    };
    // A file that cannot be read must not hide the rest.
    bundlePreview(wanted).then(show, () => show({ html: wanted.html, files: [], paths: [], scripts: [] }));
    return () => {
      isOutdated = true;
    };
  }, [path, html, work.isReady, settled.files, known.files, isPublic, session, pageId, slug, mode]);
  return isStalled;
}

/** Others need a login or a password, which the frame does not have. */
const canEveryoneSee = ({ is_published, access }: PageDetail) =>
  is_published &&
  access.mode === 'public' &&
  (access.expires_at === undefined || Date.parse(access.expires_at) > Date.now());

/** Reads saved files, each only once. */
function useReader(pageId: number, work: EditedPage): (path: string) => Promise<Blob> {
  const kept = useRef(new Map<string, Promise<Blob>>());
  return (path) => {
    const key = `${path} ${work.known.stamp(path)}`;
    const reading = kept.current.get(key) ?? readFile(pageId, path);
    kept.current.set(key, reading);
    reading.catch(() => kept.current.delete(key));
    return reading;
  };
}
