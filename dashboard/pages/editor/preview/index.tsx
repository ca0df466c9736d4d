import { useEffect, useRef, useState } from 'preact/hooks';
import { INDEX_PATH } from '../../../../contract/rules/file-paths.ts';
import { Choice } from '../../../ui/index.ts';
import { type PageDetail, urlOf } from '../../api.ts';
import { readFile } from '../../files/api.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { bundlePreview } from './bundle.ts';
import { PreviewFrame } from './frame.ts';
import { keepFocus } from './keep-focus.ts';

/** A preview of the page, isolated from the dashboard. */
export function Preview({ page, work }: { page: PageDetail; work: EditedPage }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  work.watch();
  const isStalled = useFrame(place, page, work);
  const { previewed } = work.open;
  return (
    <section class="page-preview" aria-label="Preview">
      <header>
        <h2>{previewed === INDEX_PATH ? 'Preview' : `Preview of ${previewed}`}</h2>
        <Choice
          label="Preview width"
          value={isNarrow}
          options={[
            [true, 'Phone'],
            [false, 'Full'],
          ]}
          onChoose={setNarrow}
        />
      </header>
      <div class={`page-preview-place ${isNarrow ? 'narrow' : ''}`}>
        <div ref={place} />
      </div>
      <p class="hint" role="status">
        {isStalled
          ? 'The page does not finish loading. One of its scripts may never end. The preview restarts with your next change.'
          : 'Shows the page as a visitor who is not logged in. It is isolated from your account, and browser storage is not kept.'}
      </p>
    </section>
  );
}

/** Shows the current state of the page in a frame. Returns true if it does not finish loading. */
function useFrame(place: { current: HTMLElement | null }, page: PageDetail, work: EditedPage): boolean {
  const { id: pageId, slug, storageMode: mode } = page;
  const frame = useRef<PreviewFrame>(undefined);
  const [isStalled, setStalled] = useState(false);
  const read = useReader(pageId, work);
  useEffect(() => {
    if (!place.current) return;
    const made = new PreviewFrame(place.current, { pageId, slug, mode }, setStalled);
    const stopKeeping = keepFocus(place.current);
    frame.current = made;
    return () => {
      stopKeeping();
      made.remove();
    };
  }, [pageId, slug, mode]);

  const { known, settled, settledFiles } = work;
  const path = work.open.previewed;
  const html = settled.get(path) ?? known.textNow(path);
  const isPublic = canEveryoneSee(page);
  useEffect(() => {
    if (html === undefined || !work.isReady) return;
    let isOutdated = false;
    const source = {
      path,
      html: html.replaceAll('{{PAGE_ID}}', String(pageId)),
      unsaved: settledFiles,
      saved: known.files ?? new Map(),
      root: `${urlOf(page)}/`,
      isPublic,
      read,
    };
    bundlePreview(source).then(
      (document) => !isOutdated && frame.current?.show(document),
      // A file that cannot be read must not hide the rest.
      () => !isOutdated && frame.current?.show({ html: source.html, files: [] }),
    );
    return () => {
      isOutdated = true;
    };
  }, [path, html, work.isReady, settledFiles, known.files, isPublic, pageId, slug, mode]);
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
