import { useEffect, useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import { IconButton, Skeleton } from '../../../ui/index.ts';
import { Swatch } from './card/swatch.tsx';
import { toHex } from './colors.ts';
import { listPageColors, setPageColor } from './page-colors.ts';
import type { PageColor } from './source/page-colors.ts';
import type { VisualEditor } from './visual-editor.ts';

/** The colors of the page. Each is changed wherever it is used. */
export function ColorsPanel({ visual, onClose }: { visual: VisualEditor; onClose: () => void }) {
  const [colors, setColors] = useState<PageColor[]>();
  const { revision } = visual;
  useEffect(() => {
    let isGone = false;
    listPageColors(visual).then((found) => !isGone && setColors(found));
    return () => {
      isGone = true;
    };
  }, [revision]);
  const set = (color: PageColor, value: string) => {
    if (!setPageColor(visual, color, value)) return;
    setColors(colors?.map((each) => (each.key === color.key ? { ...each, value } : each)));
  };
  return (
    <section class="visual-card colors" aria-label={t('Colors of the page')}>
      <header>
        <h3>{t('Colors of the page')}</h3>
        <IconButton icon="close" label={t('Close')} onClick={onClose} />
      </header>
      {!colors && <Skeleton lines={3} />}
      {colors?.length === 0 && <p class="hint">{t('This page names no colors.')}</p>}
      <ul>
        {colors?.map((color) => (
          <li key={color.key}>
            <Swatch
              isWide
              label={color.name ? nameProperty(color.name) : toHex(color.value)}
              value={color.value}
              note={noteOn(color)}
              onInput={(value) => set(color, value)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `--card-line` as a person would write it. */
function nameProperty(name: string): string {
  const words = name.replace(/^--/, '').replace(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function noteOn({ name, isDark, uses }: PageColor): string {
  if (isDark) return t('dark mode');
  return name ? '' : t('{count|used once|used {count} times}', { count: uses.length });
}
