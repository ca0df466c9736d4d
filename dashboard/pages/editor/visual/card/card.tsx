import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../../texts/index.ts';
import { Button, IconButton } from '../../../../ui/index.ts';
import { isPhone } from '../mode.ts';
import type { Selection } from '../selection.ts';
import type { VisualEditor } from '../visual-editor.ts';
import { ElementColors } from './element-colors.tsx';
import { FieldFields } from './field-fields.tsx';
import { LinkFields } from './link-fields.tsx';
import { PictureFields } from './picture-fields.tsx';
import { placeCard } from './place.ts';

interface CardProps {
  visual: VisualEditor;
  selection: Selection;
  /** The frame with the page, which the card is beside. */
  frame: { current: HTMLElement | null };
}

/** What can be changed of what is chosen. */
export function Card({ visual, selection, frame }: CardProps) {
  const card = useRef<HTMLElement>(null);
  const place = usePlace(card, frame, selection);
  useEscape(visual);
  return (
    <section
      ref={card}
      class={`visual-card ${selection.kind}`}
      aria-label={nameSelection(selection)}
      style={place && { left: `${place.left}px`, top: `${place.top}px` }}
    >
      <header>
        <h3>{nameSelection(selection)}</h3>
        <ElementColors visual={visual} selection={selection} />
        {selection.kind !== 'script' && (
          <IconButton icon="code" label={t('Show in the code')} onClick={() => visual.goToCode()} />
        )}
        <IconButton icon="check" label={t('Done')} onClick={() => visual.clear()} />
      </header>
      <Parts visual={visual} selection={selection} />
    </section>
  );
}

function Parts({ visual, selection }: Omit<CardProps, 'frame'>): ComponentChildren {
  const { kind, picture, link, field, text } = selection;
  if (kind === 'script') return <ByScript visual={visual} />;
  return (
    <>
      {picture && <PictureFields key={picture.id} visual={visual} picture={picture} />}
      {link && <LinkFields key={link.id} visual={visual} link={link} hasText={picture === undefined} />}
      {field && <FieldFields key={field.id} visual={visual} selection={selection} />}
      {text !== undefined && <FieldFields key={selection.id} visual={visual} selection={selection} />}
    </>
  );
}

function ByScript({ visual }: { visual: VisualEditor }) {
  return (
    <div class="visual-script">
      <p>{t('A script of the page writes this. You can change it in the code.')}</p>
      <Button kind="quiet" icon="code" onClick={() => visual.goToCode()}>
        {t('Open the code')}
      </Button>
    </div>
  );
}

function nameSelection({ kind, tag, field }: Selection): string {
  if (kind === 'script') return t('Written by a script');
  if (kind === 'picture') return t('Picture');
  if (kind === 'link') return t('Link');
  if (kind === 'field') return field?.name === 'value' ? t('Button') : t('Field');
  if (kind === 'box') return t('Area');
  if (/^h[1-6]$/.test(tag)) return t('Heading');
  return tag === 'button' ? t('Button') : t('Text');
}

/** Beside what is chosen. On phones, it is a sheet below the page. */
function usePlace(card: { current: HTMLElement | null }, frame: CardProps['frame'], selection: Selection) {
  const [place, setPlace] = useState<{ left: number; top: number }>();
  const { x, y, width, height } = selection.rect;
  useLayoutEffect(() => {
    const room = frame.current?.parentElement;
    if (!card.current || !frame.current || !room || isPhone()) return setPlace(undefined);
    const shift = frame.current.offsetLeft;
    const size = { width: card.current.offsetWidth, height: card.current.offsetHeight };
    const inRoom = { width: room.clientWidth, height: room.clientHeight };
    setPlace(placeCard({ x: x + shift, y, width, height }, size, inRoom));
  }, [x, y, width, height, selection.kind, selection.id]);
  return place;
}

/** Escape closes the card. In the page itself, it takes back what is typed. */
function useEscape(visual: VisualEditor): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      visual.clear();
      visual.surroundings.takeFocus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
