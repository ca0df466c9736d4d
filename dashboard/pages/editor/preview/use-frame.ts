import { useEffect, useRef, useState } from 'preact/hooks';
import { type PageDetail, toPageUrl } from '../../api.ts';
import { readFile } from '../../files/api.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { bundlePreview, type PreviewDocument } from './bundle.ts';
import type { PreviewConsole, Source } from './console.ts';
import { type FrameEditing, PreviewFrame } from './frame.ts';
import { keepFocus } from './keep-focus.ts';

/** How long it takes until it is known that somebody has clicked in the document. */
const CLICK_MS = 200;

/** Lets a person change the document in the frame. */
export interface Editing {
  /** True if the frame shows this text already, or if somebody types into it. */
  keeps(path: string, html: string): boolean;
  /** The document with marks on its elements. */
  mark(path: string, html: string): string;
  /** The connection to a document that was marked. */
  connect(document: PreviewDocument): FrameEditing | undefined;
  /** True if the frame may have the keyboard although nobody points at it. */
  mayFocus(): boolean;
  /** Another number when the frame may have to show another document. */
  revision: number;
}

interface FrameProps {
  page: PageDetail;
  work: EditedPage;
  console: PreviewConsole;
  /** Undefined until it is known. */
  session: string | null | undefined;
  editing?: Editing;
}

/** Shows the current state of the page in a frame. Returns true if it does not finish loading. */
export function useFrame(place: { current: HTMLElement | null }, props: FrameProps): boolean {
  const { page, work, console, session, editing } = props;
  const { id: pageId, slug, storageMode: mode } = page;
  const frame = useRef<PreviewFrame>(undefined);
  const source = useRef<Source>({ path: '', paths: [], scripts: [] });
  const [isStalled, setStalled] = useState(false);
  const shown = useRef<unknown[]>([]);
  const read = useReader(pageId, work);
  useEffect(() => {
    if (!place.current) return;
    const made = new PreviewFrame(place.current, { pageId, slug, mode }, setStalled, (reports, isNew) => {
      if (isNew) console.clear();
      console.add(reports, source.current);
    });
    const stopKeeping = keepFocus(place.current, () => editing?.mayFocus() ?? false, editing ? CLICK_MS : 0);
    frame.current = made;
    shown.current = [];
    return () => {
      stopKeeping();
      made.remove();
    };
  }, [pageId, slug, mode]);

  const { known, settled } = work;
  const path = work.open.previewed;
  const html = settled.all.get(path) ?? known.textNow(path);
  const isPublic = canEveryoneSee(page);
  const around = [path, work.isReady, settled.files, known.files, isPublic, session, pageId, slug, mode];
  useEffect(() => {
    if (html === undefined || !work.isReady || session === undefined) return;
    const isSame = around.every((each, index) => each === shown.current[index]);
    if (isSame && editing?.keeps(path, html)) return;
    shown.current = around;
    let isOutdated = false;
    const marked = editing?.mark(path, html) ?? html;
    const wanted = {
      path,
      html: marked.replaceAll('{{PAGE_ID}}', String(pageId)),
      unsaved: settled.files,
      saved: known.files ?? new Map(),
      root: `${toPageUrl(page)}/`,
      isPublic,
      read,
    };
    const show = (document: PreviewDocument) => {
      if (isOutdated) return;
      source.current = { path, paths: document.paths, scripts: document.scripts };
      frame.current?.show(document, session, editing?.connect(document));
    };
    // A file that cannot be read must not hide the rest.
    bundlePreview(wanted).then(show, () => show({ html: wanted.html, files: [], paths: [], scripts: [] }));
    return () => {
      isOutdated = true;
    };
  }, [...around, html, editing?.revision]);
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
