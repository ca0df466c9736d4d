import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

const LEAST = 25;
const MOST = 75;
const STEP = 5;

/** Two panes with a divider that can be dragged or moved with the arrow keys. */
export function Split({ label, parts }: { label: string; parts: [ComponentChildren, ComponentChildren] }) {
  const [share, setShare] = useState(50);
  const [isDragged, setDragged] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const move = (to: number) => setShare(Math.min(MOST, Math.max(LEAST, Math.round(to))));
  const drag = (event: PointerEvent) => {
    const box = element.current?.getBoundingClientRect();
    if (isDragged && box) move(((event.clientX - box.left) / box.width) * 100);
  };
  return (
    <div ref={element} class={`page-split ${isDragged ? 'dragged' : ''}`} style={{ '--share': `${share}%` }}>
      {parts[0]}
      <Divider label={label} share={share} onMove={move} onDrag={drag} onDragging={setDragged} />
      {parts[1]}
    </div>
  );
}

interface DividerProps {
  label: string;
  share: number;
  onMove: (share: number) => void;
  onDrag: (event: PointerEvent) => void;
  onDragging: (isDragging: boolean) => void;
}

function Divider({ label, share, onMove, onDrag, onDragging }: DividerProps) {
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove(share + step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      class="page-divider"
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={share}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onDragging(true);
      }}
      onPointerMove={onDrag}
      onPointerUp={() => onDragging(false)}
      onPointerCancel={() => onDragging(false)}
    />
  );
}
