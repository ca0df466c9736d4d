import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import { Button } from '../../../ui/index.ts';
import type { PageDetail } from '../../api.ts';
import { PreviewConsole } from '../preview/console.ts';
import { ConsoleStrip } from '../preview/console-strip.tsx';
import { usePreviewAs } from '../preview/preview-as.ts';
import { useFrame } from '../preview/use-frame.ts';
import type { EditedPage } from '../work/edited-page.ts';
import { VisualBar } from './bar.tsx';
import { Card } from './card/card.tsx';
import { ColorsPanel } from './colors-panel.tsx';
import { useVisualKeys } from './keys.ts';
import { VisualEditor } from './visual-editor.ts';

interface PaneProps {
  page: PageDetail;
  work: EditedPage;
  /** Shows a place in the code. */
  onCode: (path: string, line: number, column?: number) => void;
}

/** The page as visitors see it. What is clicked can be changed, and the code follows. */
export function VisualPane({ page, work, onCode }: PaneProps) {
  const place = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  const [hasColors, setColors] = useState(false);
  const [console] = useState(() => new PreviewConsole());
  const visual = useVisualEditor(page, work, pane, onCode);
  const { session } = usePreviewAs(page);
  work.watch();
  const isStalled = useFrame(place, { page, work, console, session, editing: visual });
  const press = useVisualKeys(visual);
  const selection = visual.selection.value;
  const hasErrors = console.faults().size > 0;
  return (
    <section class="page-visual" aria-label={t('Page')}>
      <VisualBar {...{ visual, work, isNarrow, hasColors }} onNarrow={setNarrow} onColors={setColors} />
      <div class={`page-preview-place ${isNarrow ? 'narrow' : ''}`}>
        <div
          ref={pane}
          class="visual-pane"
          role="application"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the page
          tabIndex={0}
          aria-label={t('The page. Arrow keys go from one part to the next, Enter changes it.')}
          onKeyDown={press}
        >
          <div ref={place} class="visual-frame" />
        </div>
        {hasColors ? (
          <ColorsPanel visual={visual} onClose={() => setColors(false)} />
        ) : (
          selection && <Card visual={visual} selection={selection} frame={pane} />
        )}
      </div>
      <Notices visual={visual} isStalled={isStalled} />
      {hasErrors && <ConsoleStrip console={console} goTo={onCode} />}
    </section>
  );
}

function useVisualEditor(
  page: PageDetail,
  work: EditedPage,
  pane: { current: HTMLElement | null },
  onCode: PaneProps['onCode'],
): VisualEditor {
  const latest = useRef(onCode);
  latest.current = onCode;
  const [visual] = useState(
    () =>
      new VisualEditor({
        work,
        pageId: page.id,
        words: {
          text: t('Text'),
          link: t('Link'),
          picture: t('Picture'),
          field: t('Field'),
          script: t('Written by a script'),
        },
        takeFocus: () => pane.current?.focus({ preventScroll: true }),
        onCode: (path, line, column) => latest.current(path, line, column),
      }),
  );
  useEffect(() => () => visual.close(), []);
  return visual;
}

/** What is wrong, and what the keyboard has moved to. */
function Notices({ visual, isStalled }: { visual: VisualEditor; isStalled: boolean }) {
  const notice = isStalled ? 'silent' : visual.notice.value;
  const at = visual.at.value;
  return (
    <>
      <p class="for-readers" aria-live="polite">
        {at && `${visual.surroundings.words[at.kind] ?? ''}: ${at.text}`}
      </p>
      <div class="visual-notice" role="status">
        {notice === 'changed' && <p>{t('The code has changed meanwhile. Click again to change this.')}</p>}
        {notice === 'large' && <p>{t('This page is too large to be changed here. Open the code.')}</p>}
        {notice === 'silent' && (
          <>
            <p>{t('The page does not answer. One of its scripts may never end, or has led elsewhere.')}</p>
            <Button kind="quiet" onClick={() => visual.reload()}>
              {t('Show it again')}
            </Button>
          </>
        )}
      </div>
    </>
  );
}
