import { t } from '../../texts/index.ts';
import { Select } from '../fields.tsx';
import { Icon } from '../icons.tsx';
import type { View } from './list-place.ts';
import { SearchField } from './search-field.tsx';

interface Props<Order extends string, State extends string> {
  label: string;
  place: {
    query: string;
    order: Order;
    state: State | undefined;
    view: View;
    change: (
      changed: { query?: string; order?: Order; state?: State | undefined; view?: View },
      isTyping?: boolean,
    ) => void;
  };
  orders: ReadonlyArray<readonly [Order, string]>;
  states: ReadonlyArray<readonly [State, string]>;
  /** How many there are, in words. */
  count: string | undefined;
}

/** The search, the order, the filter and the view of a list. */
export function ListBar<Order extends string, State extends string>(props: Props<Order, State>) {
  const { label, place, orders, states, count } = props;
  const { query, order, state, view, change } = place;
  return (
    <div class="list-bar">
      <SearchField {...{ label }} value={query} onSearch={(typed) => change({ query: typed }, true)} />
      <Select
        label={t('State')}
        hideLabel
        value={(state ?? '') as State | ''}
        options={[['', t('All states')], ...states]}
        onChange={(chosen) => change({ state: chosen === '' ? undefined : chosen })}
      />
      <Select
        label={t('Order')}
        hideLabel
        value={order}
        options={orders}
        onChange={(chosen) => change({ order: chosen })}
      />
      <Views view={view} onChoose={(chosen) => change({ view: chosen })} />
      <p class="hint" role="status">
        {count}
      </p>
    </div>
  );
}

function Views({ view, onChoose }: { view: View; onChoose: (view: View) => void }) {
  const views = [
    ['cards', t('Cards'), 'cards'],
    ['list', t('List'), 'rows'],
  ] as const;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div class="list-views" role="group" aria-label={t('View')}>
      {views.map(([name, title, icon]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === view}
          aria-label={title}
          title={title}
          onClick={() => onChoose(name)}
        >
          <Icon name={icon} size={18} />
        </button>
      ))}
    </div>
  );
}
