import { drawSpark, HEIGHT, WIDTH } from './spark-path.ts';

interface Props {
  /** One number for each day; undefined while they are loaded. */
  values: number[] | undefined;
  /** What it shows, in words. */
  label: string;
}

/** A small chart of the last days. Without numbers it is a faint line, so that nothing moves. */
export function Spark({ values, label }: Props) {
  const path = drawSpark(values ?? []);
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      {path && (
        <>
          <path class="base" d={`M2 ${HEIGHT - 2}H${WIDTH - 2}`} />
          <path class="area" d={path.area} />
          <path class="line" d={path.line} />
          <circle class="last" cx={path.last[0]} cy={path.last[1]} r="2" />
        </>
      )}
    </svg>
  );
}
