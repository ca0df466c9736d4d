import { useEffect, useRef, useState } from 'preact/hooks';
import type { BuilderRun as Run } from '../../../../contract/agents/builder.ts';
import { t } from '../../../texts/index.ts';
import { Choice } from '../../../ui/index.ts';
import type { PageDetail } from '../../api.ts';
import { PreviewFrame } from '../../editor/preview/frame.ts';
import { isPhone } from '../../editor/visual/mode.ts';
import { GrowingFrame } from './growing-frame.ts';
import { hasContent } from './growing-html.ts';
import type { Saved } from './saved.ts';

type View = 'desktop' | 'phone';
/** A page that is shown for desktops is laid out at least this wide, and drawn smaller if there is less space. */
const DESKTOP_WIDTH = 1120;
const PHONE = { width: 390, height: 844 };

interface PreviewProps {
  page: PageDetail | undefined;
  run: Run | null | undefined;
  saved: Saved | undefined;
  isWorking: boolean;
}

/** The page as it is now: while it is written, piece by piece and without its scripts; then as visitors get it. */
export function StagePreview({ page, run, saved, isWorking }: PreviewProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<View>('desktop');
  const isShown = useDrawing(place, page, run, saved);
  const style = useLayout(canvas, view);
  return (
    <section class="builder-preview" aria-label={t('The page')}>
      <header>
        <Choice
          label={t('Preview width')}
          value={view}
          options={[
            ['desktop', t('Desktop')],
            ['phone', t('Phone')],
          ]}
          onChoose={setView}
        />
        {saved?.previewUrl && !isWorking && (
          <a class="builder-open" href={saved.previewUrl} target="_blank" rel="noopener">
            {t('Open the preview')}
          </a>
        )}
      </header>
      <div class={`builder-canvas ${view} ${isWorking ? 'working' : ''}`} ref={canvas}>
        <div class="builder-paper" ref={place} style={style} data-empty={!isShown} />
        {!isShown && <Blank isWorking={isWorking} />}
      </div>
    </section>
  );
}

/** Before there is anything to see: the outline of a page. */
function Blank({ isWorking }: { isWorking: boolean }) {
  return (
    <div class={`builder-blank ${isWorking ? 'working' : ''}`}>
      <div aria-hidden="true">
        <span />
        <span />
        <span />
        <span />
        <span />
      </div>
      <p>{isWorking ? t('Your page appears here while it is written.') : t('There is no page yet.')}</p>
    </div>
  );
}

/** Draws the document into the place. Returns true if there is something to see. */
function useDrawing(
  place: { current: HTMLElement | null },
  page: PageDetail | undefined,
  run: Run | null | undefined,
  saved: Saved | undefined,
): boolean {
  const growing = useRef<GrowingFrame>(undefined);
  const frame = useRef<PreviewFrame>(undefined);
  /** What the frame got last, and what it shows. */
  const given = useRef<Saved>(undefined);
  const drawn = useRef<Saved>(undefined);
  const [isShown, setShown] = useState(false);
  const { id: pageId, storageMode: mode } = page ?? {};
  const html = run?.html ?? null;
  const stopGrowing = () => {
    growing.current?.remove();
    growing.current = undefined;
  };
  useEffect(() => stopGrowing, []);

  useEffect(() => {
    if (!place.current || pageId === undefined || mode === undefined) return;
    const onReports = (_: unknown, isNew: boolean) => {
      if (!isNew) return;
      drawn.current = given.current;
      stopGrowing();
      setShown(true);
    };
    const target = { pageId, slug: page?.slug ?? '', mode };
    const made = new PreviewFrame(place.current, target, () => undefined, onReports);
    frame.current = made;
    return () => made.remove();
  }, [pageId, mode]);

  useEffect(() => {
    if (!place.current || html === null || !hasContent(html)) return;
    if (!growing.current?.write(html)) {
      stopGrowing();
      growing.current = new GrowingFrame(place.current);
      growing.current.write(html);
    }
    setShown(true);
  }, [html]);

  useEffect(() => {
    if (!saved) return;
    given.current = saved;
    frame.current?.show(saved.document, null);
  }, [saved, pageId, mode]);

  // What was written and not saved is gone when there is something that was.
  useEffect(() => {
    if (run?.state !== 'running' && html === null && drawn.current === saved) stopGrowing();
  }, [run?.state, html, saved]);
  return isShown;
}

/** The size of the page, and how much smaller it is drawn. */
function useLayout(canvas: { current: HTMLElement | null }, view: View): Record<string, string> {
  const [space, setSpace] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!canvas.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSpace({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(canvas.current);
    return () => observer.disconnect();
  }, []);
  if (space.width === 0 || isPhone()) return {};
  if (view === 'phone')
    return { width: `${PHONE.width}px`, height: `${Math.min(PHONE.height, space.height - 48)}px` };
  const width = Math.max(space.width, DESKTOP_WIDTH);
  const scale = space.width / width;
  return {
    width: `${width}px`,
    height: `${space.height / scale}px`,
    transform: `scale(${scale})`,
  };
}
