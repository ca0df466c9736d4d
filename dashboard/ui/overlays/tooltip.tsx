import { useEffect, useRef } from 'preact/hooks';
import { place } from './place.ts';

const DELAY_MS = 350;

/**
 * Shows the texts of `data-tip` attributes, when the pointer rests on their element or the keyboard focuses it. The
 * element needs a name of its own: a tooltip only shows it. `data-tip-side="beside"` puts it beside the element.
 */
export function Tooltips() {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownFor: HTMLElement | undefined;
    const hide = () => {
      clearTimeout(timer);
      shownFor = undefined;
      if (element.current?.matches(':popover-open')) element.current.hidePopover();
    };
    const show = (owner: HTMLElement) => {
      const tip = element.current;
      if (!tip || !owner.isConnected || !owner.dataset.tip) return;
      tip.textContent = owner.dataset.tip;
      tip.showPopover();
      place(tip, owner, owner.dataset.tipSide === 'beside' ? 'beside' : 'below');
    };
    const enter = (event: Event) => {
      // A finger does not rest on anything before it presses.
      if (event instanceof PointerEvent && event.pointerType === 'touch') return;
      const owner = (event.target as Element).closest?.<HTMLElement>('[data-tip]') ?? undefined;
      if (owner === shownFor) return;
      hide();
      if (!owner) return;
      const isFocus = event.type === 'focusin';
      if (isFocus && !(event.target as Element).matches(':focus-visible')) return;
      shownFor = owner;
      timer = setTimeout(show, isFocus ? 0 : DELAY_MS, owner);
    };
    const key = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener('pointerover', enter, { signal });
    document.addEventListener('focusin', enter, { signal });
    document.addEventListener('focusout', hide, { signal });
    document.addEventListener('pointerdown', hide, { signal });
    document.addEventListener('keydown', key, { signal });
    addEventListener('scroll', hide, { signal, capture: true, passive: true });
    return () => {
      stop.abort();
      hide();
    };
  }, []);
  return <div class="tooltip" popover="manual" aria-hidden="true" ref={element} />;
}
