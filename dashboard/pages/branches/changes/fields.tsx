import { t } from '../../../texts/index.ts';
import { Badge } from '../../../ui/index.ts';
import type { Change } from './api.ts';

type Values = Record<string, unknown>;

/** Longer values are cut. */
const MAX_SHOWN = 300;

/** The values of the fields that differ: what they were, and what they are on the branch and on the page. */
export function Fields({ change }: { change: Change }) {
  const { fields = [], side } = change;
  const [base, branch, main] = [change.base, change.branch, change.main].map((content) =>
    parse(content?.text),
  );
  const columns: Array<[string, Values | undefined]> = [
    [t('At the start'), base],
    ...(side === 'main' ? [] : [[t('On the branch'), branch] as [string, Values | undefined]]),
    ...(side === 'branch' ? [] : [[t('On the page'), main] as [string, Values | undefined]]),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="branch-fields" tabIndex={0} aria-label={t('Fields that differ')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Field')}</th>
            {columns.map(([title]) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fields.map(({ name, conflict }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code> {conflict && <Badge kind="bad">{t('Conflict')}</Badge>}
              </th>
              {columns.map(([title, values]) => (
                <td key={title} dir="auto" data-title={title}>
                  {show(values, name)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function parse(text: string | null | undefined): Values | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Values) : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a field, whose name can lead into others: `fields.title`. */
function show(values: Values | undefined, name: string) {
  const value = Object.hasOwn(values ?? {}, name) ? values?.[name] : follow(values, name.split('.'));
  if (value === undefined) return <span class="faint">–</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function follow(values: unknown, names: string[]): unknown {
  let at = values;
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Values)[name];
  }
  return at;
}
