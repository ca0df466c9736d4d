import { Link } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import {
  Badge,
  Button,
  Empty,
  formatAgo,
  formatMoment,
  formatNumber,
  Icon,
  ScreenHead,
  Show,
  Skeleton,
  useLoad,
} from '../ui/index.ts';
import { ListBar, Spark, useActivity, useListPlace } from '../ui/listing/index.ts';
import { type Failing, type FunctionItem, listFailing, listFunctions, readFunction } from './api.ts';
import { arrange, sumDays } from './arrange.ts';
import { BUILTIN, chooseName, NEW } from './names.ts';
import { Purpose } from './page-link.tsx';
import { TEMPLATES } from './templates.ts';

/** The user's functions. */
export function ListScreen() {
  const loaded = useLoad(listFunctions, []);
  return (
    <>
      <ScreenHead
        title={t('Functions')}
        actions={
          <Link class="button primary" href={`/functions/${NEW}`}>
            <Icon name="plus" /> {t('New function')}
          </Link>
        }
      />
      <Show loaded={loaded} skeleton={<Skeleton kind="rows" />}>
        {(functions) => (functions.length === 0 ? <Starters /> : <List functions={functions} />)}
      </Show>
      <Platform />
    </>
  );
}

function Starters() {
  return (
    <Empty
      icon="function"
      title={t('No functions yet')}
      action={TEMPLATES.map(({ name, title }) => (
        <Link key={name} class="button quiet" href={`/functions/${NEW}/${name}`}>
          {title}
        </Link>
      ))}
    >
      {t(
        'A function is JavaScript that runs on the server. It responds to calls from your pages or from anywhere, and can have a database. Start from a template:',
      )}
    </Empty>
  );
}

const ORDERS = ['name', 'updated', 'activity'] as const;
const STATES = ['public', 'private', 'taken_down'] as const;
type Order = (typeof ORDERS)[number];
type State = (typeof STATES)[number];
const ORDER_NAMES: ReadonlyArray<readonly [Order, string]> = [
  ['name', t('By name')],
  ['updated', t('Last changed')],
  ['activity', t('Most called')],
];
const STATE_NAMES: ReadonlyArray<readonly [State, string]> = [
  ['public', t('Public')],
  ['private', t('Private')],
  ['taken_down', t('Taken down')],
];

function List({ functions }: { functions: FunctionItem[] }) {
  const failing = useLoad(listFailing, []).value;
  const { calls } = useActivity();
  const place = useListPlace<Order, State>('functions', 'list', { orders: ORDERS, states: STATES });
  const found = arrange(functions, place, calls);
  const isFiltered = place.query !== '' || place.state !== undefined;
  return (
    <>
      <ListBar
        label={t('Search functions')}
        {...{ place, orders: ORDER_NAMES, states: STATE_NAMES }}
        count={
          isFiltered
            ? t('{done} of {total}', { done: found.length, total: functions.length })
            : t('{count|{count} function|{count} functions}', { count: functions.length })
        }
      />
      {found.length === 0 ? (
        <NothingFound query={place.query} onReset={() => place.change({ query: '', state: undefined })} />
      ) : (
        <ul class={place.view === 'cards' ? 'fn-list cards' : 'fn-list'}>
          {found.map((item) => (
            <Item
              key={item.slug}
              item={item}
              calls={calls.get(item.slug)}
              failing={failing?.find(({ slug }) => slug === item.slug)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function NothingFound({ query, onReset }: { query: string; onReset: () => void }) {
  return (
    <Empty
      icon="search"
      title={t('No functions found')}
      action={
        <Button kind="quiet" onClick={onReset}>
          {t('Show all functions')}
        </Button>
      }
    >
      {query
        ? t('None of your functions has “{words}” in its name or description.', { words: query })
        : t('None of your functions is in this state.')}
    </Empty>
  );
}

interface ItemProps {
  item: FunctionItem;
  calls: number[] | undefined;
  failing: Failing | undefined;
}

function Item({ item, calls, failing }: ItemProps) {
  const count = sumDays(calls);
  const label = t('{count|{shown} call|{shown} calls} in the last 14 days', {
    count,
    shown: formatNumber(count),
  });
  return (
    <li>
      <div>
        <div class="fn-title">
          <h2>
            <Link href={`/functions/${item.slug}`}>{chooseName(item)}</Link>
          </h2>
          {item.hasDatabase && <Badge>{t('Database')}</Badge>}
          {!item.isPublic && <Badge kind="warn">{t('Private')}</Badge>}
        </div>
        {item.displayName && <code>{item.slug}</code>}
        <Purpose item={item} />
        {item.takenDown && (
          <p class="fault">{t('Taken down: {reason}', { reason: item.takenDown.reason })}</p>
        )}
        {failing && (
          <p>
            <Link class="fault" href={`/functions/${item.slug}/logs`}>
              {t('{errors} of {calls|1 call|{calls} calls} failed in the last day', failing)}
            </Link>
          </p>
        )}
      </div>
      <div class="fn-marks">
        <Spark values={calls} label={label} />
        <time class="faint" dateTime={item.updatedAt} title={formatMoment(item.updatedAt)}>
          {t('Updated {ago}', { ago: formatAgo(item.updatedAt) })}
        </time>
      </div>
    </li>
  );
}

/** The built-in function, if this server has it. */
function Platform() {
  const { value } = useLoad((signal) => readFunction(BUILTIN, signal), []);
  if (!value) return null;
  return (
    <section class="fn-platform">
      <h2>{t('Built-in functions')}</h2>
      <ul class="fn-list">
        <li>
          <div>
            <h3>{t('Unfurl a URL')}</h3>
            <code>{value.slug}</code>
            <p class="faint">
              {t(
                'Fetches a web page and returns its title, description, picture and site, from its Open Graph tags.',
              )}{' '}
              {rich('Call it from a page: <code>await PageFunctions.unfurl(url)</code>.', {
                code: (text) => <code>{text}</code>,
              })}
            </p>
          </div>
          <div class="fn-marks">
            <Badge>{t('Built in')}</Badge>
          </div>
        </li>
      </ul>
    </section>
  );
}
