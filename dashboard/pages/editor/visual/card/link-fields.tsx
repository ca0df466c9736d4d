import { t } from '../../../../texts/index.ts';
import { TextField } from '../../../../ui/index.ts';
import type { Selection } from '../selection.ts';
import type { VisualEditor } from '../visual-editor.ts';
import { toHref } from './address.ts';
import { useTyped } from './use-typed.ts';

const MAX_ADDRESS = 2_000;
const MAX_TEXT = 2_000;

interface LinkProps {
  visual: VisualEditor;
  link: NonNullable<Selection['link']>;
  hasText: boolean;
}

/** The text and the address of a link. */
export function LinkFields({ visual, link: { id, href, text }, hasText }: LinkProps) {
  const address = useTyped(href, (typed) => {
    const value = toHref(typed, visual.surroundings.work.paths());
    if (visual.change(`href-${id}`, { kind: 'attribute', id, name: 'href', value }))
      visual.send({ attribute: { id, name: 'href', value } });
  });
  const words = useTyped(text ?? '', (typed) => changeOnlyText(visual, id, typed));
  return (
    <div class="visual-fields">
      {hasText && text !== undefined && (
        <TextField label={t('Text')} value={words.value} onInput={words.onInput} maxLength={MAX_TEXT} />
      )}
      <TextField
        label={t('Address')}
        value={address.value}
        onInput={address.onInput}
        maxLength={MAX_ADDRESS}
        placeholder="https://"
      />
    </div>
  );
}

/** Changes the only text of an element from a field of the card. */
export function changeOnlyText(visual: VisualEditor, id: number, text: string): void {
  const live = visual.startEdit(`text-${id}`);
  const range = live?.base.findOnlyText(id);
  const before = visual.map?.findOnlyText(id)?.text;
  if (!range || before === undefined || text.trim() === '') return;
  if (visual.change(`text-${id}`, { kind: 'text', range, text }))
    visual.send({ text: { id, before, after: text } });
}
