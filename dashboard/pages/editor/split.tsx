import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

const LEAST = 25;
const MOST = 75;
const STEP = 5;

/** Two parts beside each other with a divider to drag or to move by the arrow keys; on a phone one at a time. */
export function Split({
  names,
  parts,
}: {
  names: [string, string];
  parts: [ComponentChildren, ComponentChildren];
}) {
  const [share, setShare] = useState(50);
  const [isSecond, setSecond] = useState(false);
  const [isDragged, setDragged] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const move = (to: number) => setShare(Math.min(MOST, Math.max(LEAST, Math.round(to))));
  const drag = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    if (isDragged && box) move(((event.clientX - box.left) / box.width) * 100);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(share + step);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: two buttons are no form */}
      <div class="page-toggle page-sides" role="group" aria-label="Part">
        {names.map((name, side) => (
          <button
            key={name}
            type="button"
            aria-pressed={isSecond === (side === 1)}
            onClick={() => setSecond(side === 1)}
          >
            {name}
          </button>
        ))}
      </div>
      <div
        ref={element}
        class={`page-split ${isSecond ? 'second' : 'first'} ${isDragged ? 'dragged' : ''}`}
        style={{ '--share': `${share}%` }}
      >
        {parts[0]}
        {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved */}
        <div
          class="page-divider"
          role="separator"
          tabIndex={0}
          aria-label={`Width of ${names[0].toLowerCase()} and ${names[1].toLowerCase()}`}
          aria-orientation="vertical"
          aria-valuenow={share}
          aria-valuemin={LEAST}
          aria-valuemax={MOST}
          onKeyDown={press}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setDragged(true);
          }}
          onPointerMove={drag}
          onPointerUp={() => setDragged(false)}
          onPointerCancel={() => setDragged(false)}
        />
        {parts[1]}
      </div>
    </>
  );
}
