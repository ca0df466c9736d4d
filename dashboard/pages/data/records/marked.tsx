import type { Mark } from '../../../../contract/data/records.ts';

/** Letters before what was found. A cell has room for few. */
const BEFORE = 16;

/** What a search has found in a column: in the field, or in fields inside of it. Undefined if it has found nothing there. */
export const findMarks = (marks: Mark[] | undefined, column: string): Mark[] | undefined => {
  const found = marks?.filter(({ field }) => field === column || field.startsWith(`${column}.`));
  return found?.length ? found : undefined;
};

/** The part of a text in which something was found. */
export function Marked({ marks }: { marks: Mark[] }) {
  return (
    <span
      class="data-text"
      title={marks.map(({ pieces }) => pieces.map(({ text }) => text).join('')).join('\n')}
    >
      {marks.map(({ field, pieces }, at) => (
        <span key={field}>
          {at > 0 && ' · '}
          {pieces.map(({ text, hit }, n) =>
            hit ? <mark key={n}>{text}</mark> : n === 0 ? shorten(text) : text,
          )}
        </span>
      ))}
    </span>
  );
}

/** The end of the text before a word, so that the word is seen. */
function shorten(text: string): string {
  const letters = [...text];
  return letters.length <= BEFORE ? text : `…${letters.slice(-BEFORE).join('')}`;
}
