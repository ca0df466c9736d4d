import { t } from '../../../../texts/index.ts';
import { TextField } from '../../../../ui/index.ts';
import type { Selection } from '../selection.ts';
import type { VisualEditor } from '../visual-editor.ts';
import { changeOnlyText } from './link-fields.tsx';
import { useTyped } from './use-typed.ts';

const MAX_TEXT = 500;

/** What a field or a button of a form says, and texts in drawings. */
export function FieldFields({ visual, selection }: { visual: VisualEditor; selection: Selection }) {
  const { field, id, text } = selection;
  const typed = useTyped(field?.value ?? text ?? '', (value) => {
    if (!field) return changeOnlyText(visual, id, value);
    const { name } = field;
    if (visual.change(`${name}-${id}`, { kind: 'attribute', id, name, value }))
      visual.send({ attribute: { id, name, value } });
  });
  const label = field?.name === 'placeholder' ? t('Hint in the empty field') : t('Text');
  return (
    <div class="visual-fields">
      <TextField label={label} value={typed.value} onInput={typed.onInput} maxLength={MAX_TEXT} />
    </div>
  );
}
