import { t } from '../../../../texts/index.ts';
import { Icon } from '../../../../ui/index.ts';
import { findContrast, isHardToRead } from '../colors.ts';
import type { Selection } from '../selection.ts';
import type { VisualEditor } from '../visual-editor.ts';
import { Swatch } from './swatch.tsx';

/** The colors of what is chosen, and of what is behind it. */
export function ElementColors({ visual, selection }: { visual: VisualEditor; selection: Selection }) {
  const { color, background, behind, fontSize, isBold } = selection;
  const set = (name: 'color' | 'background', id: number, value: string) => {
    const property = name === 'color' ? 'color' : 'background-color';
    if (!visual.change(`${property}-${id}`, { kind: 'style', id, property, value })) return;
    visual.send({ style: { id, property, value } });
    visual.selection.value = { ...selection, [name]: { id, value } };
  };
  const contrast = color && findContrast(color.value, background?.value ?? behind);
  return (
    <>
      {contrast !== undefined && isHardToRead(contrast, fontSize, isBold) && (
        <span class="visual-contrast" role="status" title={t('Some people cannot read this well.')}>
          <Icon name="eye" size={15} />
          {t('Hard to read')}
        </span>
      )}
      {color && (
        <Swatch
          label={t('Text')}
          spoken={t('Color of the text')}
          value={color.value}
          onInput={(value) => set('color', color.id, value)}
        />
      )}
      {background && (
        <Swatch
          label={t('Background')}
          spoken={t('Color of the background')}
          value={background.value}
          onInput={(value) => set('background', background.id, value)}
        />
      )}
    </>
  );
}
