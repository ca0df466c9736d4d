import { useMemo } from 'preact/hooks';
import { language, t } from '../../texts/index.ts';
import { IconButton } from '../../ui/index.ts';
import type { Moment } from './api.ts';
import { formatExact, sayMoment } from './words.ts';

interface TimeLineProps {
  /** The latest first. */
  moments: Moment[];
  /** The index of the chosen moment; undefined for the present. */
  chosen: number | undefined;
  onChoose: (moment: Moment | undefined) => void;
}

/** A slider over moments, from the oldest to the present. Every moment has the same width, however long ago it was. */
export function TimeLine({ moments, chosen, onChoose }: TimeLineProps) {
  const count = moments.length;
  const position = chosen === undefined ? count : count - 1 - chosen;
  const go = (next: number) => onChoose(next >= count ? undefined : moments[count - 1 - Math.max(0, next)]);
  const moment = chosen === undefined ? undefined : moments[chosen];
  return (
    <div class="time-line">
      <IconButton
        icon="chevron-left"
        label={t('Earlier')}
        disabled={position === 0}
        onClick={() => go(position - 1)}
      />
      <div class="time-track">
        <Bars moments={moments} chosen={chosen} />
        <input
          type="range"
          min={0}
          max={count}
          step={1}
          value={position}
          aria-label={t('Moment')}
          aria-valuetext={moment ? `${formatExact(moment.at)}: ${sayMoment(moment)}` : t('Now')}
          onInput={({ currentTarget }) => go(Number(currentTarget.value))}
        />
        <Days moments={moments} />
      </div>
      <IconButton
        icon="chevron-right"
        label={t('Later')}
        disabled={position === count}
        onClick={() => go(position + 1)}
      />
    </div>
  );
}

/** How much a moment changed. */
const weigh = ({ changes, causes }: Moment) =>
  changes.records + 12 * (causes.length - (changes.records > 0 ? 1 : 0));

const choosePaint = ({ name, changes }: Moment) =>
  name !== undefined
    ? 'named'
    : changes.page_version !== undefined || changes.functions.length > 0
      ? 'published'
      : '';

const LEAST_HEIGHT = 0.16;
/** The width of a bar is a part of its place, and of the whole line where there are few. */
const BAR = 0.7;
const WIDEST = 1 / 110;

function Bars({ moments, chosen }: Pick<TimeLineProps, 'moments' | 'chosen'>) {
  const count = moments.length;
  const bars = useMemo(() => {
    const highest = Math.log1p(Math.max(1, ...moments.map(weigh)));
    const width = Math.min(BAR, count * WIDEST);
    return moments.map((moment, index) => {
      const height = LEAST_HEIGHT + (1 - LEAST_HEIGHT) * (Math.log1p(weigh(moment)) / highest);
      const x = count - 1 - index - width / 2;
      return <rect key={moment.at} class={choosePaint(moment)} {...{ x, width, height }} y={1 - height} />;
    });
  }, [moments]);
  const at = chosen === undefined ? count : count - 1 - chosen;
  return (
    <svg viewBox={`0 0 ${count} 1`} preserveAspectRatio="none" aria-hidden="true">
      {bars}
      <line class="time-here" x1={at} x2={at} y1={0} y2={1} />
    </svg>
  );
}

const short = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
/** The least distance of two labels, as a part of the line, and where it is short. */
const APART = 0.17;
const APART_IF_SHORT = 0.4;

/** The first moment of days, where there is enough place, and the present. */
function Days({ moments }: Pick<TimeLineProps, 'moments'>) {
  const labels = useMemo(() => {
    const found: Array<{ text: string; part: number; isAlways: boolean }> = [];
    let day = '';
    for (const [index, { at }] of [...moments].reverse().entries()) {
      const text = short.format(new Date(at));
      if (text === day) continue;
      day = text;
      const part = index / moments.length;
      if (part > 1 - APART || part < (found.at(-1)?.part ?? -1) + APART) continue;
      const before = found.findLast((label) => label.isAlways)?.part ?? -1;
      const isAlways = part <= 1 - APART_IF_SHORT && part >= before + APART_IF_SHORT;
      found.push({ text, part, isAlways });
    }
    return found;
  }, [moments]);
  return (
    <div class="time-days" aria-hidden="true">
      {labels.map(({ text, part, isAlways }) => (
        <span
          key={part}
          class={`${part < 0.05 ? 'first' : ''} ${isAlways ? '' : 'if-long'}`}
          style={{ left: `${part * 100}%` }}
        >
          {text}
        </span>
      ))}
      <span class="present">{t('Now')}</span>
    </div>
  );
}
