import { MAX_SEARCH } from '../../../contract/rules/limits.ts';

/** What a list of pages or functions shows, in the URL of its screen. */

export type View = 'cards' | 'list';

export interface ListPlace<Order extends string, State extends string> {
  query: string;
  order: Order;
  state: State | undefined;
  /** Undefined if the URL does not say it: then as the person had it last. */
  view: View | undefined;
}

/** What a list offers. The first order is the usual one. */
export interface Offered<Order extends string, State extends string> {
  orders: readonly [Order, ...Order[]];
  states: readonly State[];
}

export function readListPlace<Order extends string, State extends string>(
  address: string,
  { orders, states }: Offered<Order, State>,
): ListPlace<Order, State> {
  const given = new URLSearchParams(address);
  const view = given.get('view');
  return {
    query: given.get('q')?.slice(0, MAX_SEARCH) ?? '',
    order: orders.find((order) => order === given.get('sort')) ?? orders[0],
    state: states.find((state) => state === given.get('state')),
    view: view === 'cards' || view === 'list' ? view : undefined,
  };
}

export function writeListPlace<Order extends string, State extends string>(
  { query, order, state, view }: ListPlace<Order, State>,
  { orders }: Pick<Offered<Order, State>, 'orders'>,
): URLSearchParams {
  return new URLSearchParams({
    ...(query && { q: query.slice(0, MAX_SEARCH) }),
    ...(order !== orders[0] && { sort: order }),
    ...(state && { state }),
    ...(view && { view }),
  });
}
