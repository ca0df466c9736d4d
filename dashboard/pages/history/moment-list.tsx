import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, Icon } from '../../ui/index.ts';
import type { Moment } from './api.ts';
import {
  chooseIcon,
  formatClock,
  formatExact,
  groupByDay,
  listOthers,
  listPeople,
  sayMoment,
} from './words.ts';

interface ListProps {
  /** The latest first. */
  moments: Moment[];
  /** The index of the chosen moment; undefined for the present. */
  chosen: number | undefined;
  onChoose: (moment: Moment | undefined) => void;
  hasOlder: boolean;
  onOlder: () => Promise<void>;
}

/** Rows that are drawn at first, and those that each press on the button adds. */
const ROWS = 150;
/** Rows that Page Up and Page Down pass over. */
const PAGE = 10;

/** The moments by day, with what happened before each. Arrow keys move from one to the next. */
export function MomentList({ moments, chosen, onChoose, hasOlder, onOlder }: ListProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [rows, setRows] = useState(ROWS);
  const shown = moments.slice(0, Math.max(rows, (chosen ?? 0) + PAGE));
  const current = chosen === undefined ? `${id}-now` : `${id}-${moments[chosen]?.at}`;
  useEffect(() => showIn(list.current, document.getElementById(current)), [current]);
  const press = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, chosen === undefined ? -1 : chosen, moments.length);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onChoose(next < 0 ? undefined : moments[next]);
  };
  const click = ({ target }: MouseEvent) => {
    const row = (target as Element).closest<HTMLElement>('[role=option]');
    if (row) onChoose(moments.find(({ at }) => at === row.dataset.at));
  };
  const showMore = async () => {
    if (shown.length + ROWS > moments.length && hasOlder) await onOlder();
    setRows(shown.length + ROWS);
  };
  return (
    <div class="moment-list" ref={list}>
      <div
        role="listbox"
        tabIndex={0}
        aria-label={t('Moments')}
        aria-activedescendant={current}
        onKeyDown={press}
        onClick={click}
      >
        <div id={`${id}-now`} role="option" tabIndex={-1} class="moment" aria-selected={chosen === undefined}>
          <Icon name="clock" size={18} />
          <strong>{t('Now')}</strong>
        </div>
        <Days id={id} moments={shown} current={current} />
      </div>
      {(hasOlder || shown.length < moments.length) && (
        <Button kind="quiet" onClick={showMore}>
          {t('Show older ones')}
        </Button>
      )}
    </div>
  );
}

function Days({ id, moments, current }: { id: string; moments: Moment[]; current: string }) {
  return (
    <>
      {groupByDay(moments).map(({ day, moments: own }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <div key={day} role="group" aria-label={day}>
          <p class="moment-day" aria-hidden="true">
            {day}
          </p>
          {own.map((moment) => (
            <Row
              key={moment.at}
              id={`${id}-${moment.at}`}
              moment={moment}
              isChosen={current === `${id}-${moment.at}`}
            />
          ))}
        </div>
      ))}
    </>
  );
}

interface RowProps {
  id: string;
  moment: Moment;
  isChosen: boolean;
}

function Row({ id, moment, isChosen }: RowProps) {
  const others = listOthers(moment);
  const people = listPeople(moment);
  const isNamed = moment.name !== undefined;
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      class={`moment ${isNamed ? 'named' : ''}`}
      aria-selected={isChosen}
      data-at={moment.at}
    >
      <Icon name={chooseIcon(moment)} size={18} />
      <span class="moment-text">
        {isNamed ? <strong>{sayMoment(moment)}</strong> : <span>{sayMoment(moment)}</span>}
        {others.length > 0 && <span class="hint">{others.join(' ')}</span>}
        {people && <span class="hint">{people}</span>}
      </span>
      <time dateTime={moment.at} title={formatExact(moment.at)}>
        {formatClock(moment.at)}
      </time>
    </div>
  );
}

/** Scrolls the list, and nothing around it. */
function showIn(list: HTMLElement | null, row: HTMLElement | null): void {
  if (!list || !row) return;
  const [outer, inner] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top + inner.height;
  else if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom + inner.height;
}

/** The row that a key leads to; -1 is the present. */
function nextIndex(key: string, from: number, count: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + PAGE,
    PageUp: from - PAGE,
    Home: -1,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? undefined : Math.min(count - 1, Math.max(-1, next));
}
