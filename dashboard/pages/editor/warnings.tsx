import { Button, plural } from '../../ui/index.ts';
import type { EditedPage } from './work/edited-page.ts';

/** What may be wrong with the saved page. Each warning leads to its line. */
export function Warnings({
  work,
  goTo,
}: {
  work: EditedPage;
  goTo: (line: number, column?: number) => void;
}) {
  work.watch();
  const { warnings } = work;
  if (warnings.length === 0) return null;
  return (
    <section class="notice warn page-warnings" aria-label="Warnings">
      <header>
        <p role="status">
          <strong>Saved, with {plural(warnings.length, 'warning')}</strong>
        </p>
        <Button kind="bare" onClick={work.dismissWarnings}>
          Dismiss
        </Button>
      </header>
      <ul>
        {warnings.map(({ line, column, message }, at) => (
          <li key={at}>
            {line !== undefined && (
              <button type="button" onClick={() => goTo(line, column)}>
                Line {line}
              </button>
            )}
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
