import { t } from '../../texts/index.ts';
import { type Frame, readStack } from './stack.ts';

export type ThrownLocation = NonNullable<Frame['place']> & { message: string };

export interface ThrownProps {
  stack: string;
  /** The modules that the editor can show. */
  files: readonly string[];
  /** Shows a place in the editor. */
  onShow: (place: ThrownLocation) => void;
}

/** What a function threw: the message, and the calls that led there, each with its line. */
export function Thrown({ stack, files, onShow }: ThrownProps) {
  const { message, frames } = readStack(stack, files);
  return (
    <section class="fn-thrown" aria-label={t('Exception')}>
      <h3 class="fn-label">{t('Exception')}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="fn-body fn-exception" tabIndex={0}>
        <p>{message}</p>
        {frames.length > 0 && (
          <ol>
            {frames.map((frame, at) => (
              <li key={at}>
                <FrameLine frame={frame} onShow={(place) => onShow({ ...place, message })} />
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  );
}

function FrameLine({
  frame: { text, place },
  onShow,
}: {
  frame: Frame;
  onShow: (place: NonNullable<Frame['place']>) => void;
}) {
  if (!place) return <span class="faint">{text}</span>;
  const { file, line } = place;
  return (
    <button
      type="button"
      class="link"
      title={t('Show line {line} of {file}', { line, file })}
      onClick={() => onShow(place)}
    >
      {text}
    </button>
  );
}
