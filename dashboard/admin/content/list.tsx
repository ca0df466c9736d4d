import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import {
  Badge,
  Button,
  type Column,
  Empty,
  formatMoment,
  type Loaded,
  Pager,
  Section,
  Select,
  Show,
  Skeleton,
  say,
  Table,
  TextField,
  useLoad,
  useSettled,
} from '../../ui/index.ts';
import type { AdminPage, ContentFilter } from '../api.ts';
import { Ask, AskWhy } from '../ask.tsx';

/** What pages and functions have in common here. */
export type Content = Pick<AdminPage, 'takenDown' | 'isOwnerBlocked'>;

/** What pages and functions are called. */
interface ContentTexts {
  count(count: number): string;
  search: string;
  noneFound: string;
  noneMatches: string;
  noneMade: string;
}

interface ContentListProps<Item extends Content, State extends string> {
  texts: ContentTexts;
  title: string;
  /** The username that the owner filter starts with. */
  owner: string;
  states: ReadonlyArray<readonly [State | '', string]>;
  read(
    filter: ContentFilter<State>,
    signal: AbortSignal,
  ): Promise<{ items: Item[]; total: number; limit: number }>;
  columns: Array<Column<Item>>;
  getKey(item: Item): string | number;
  getName(item: Item): string;
  takeDown(item: Item, reason: string): Promise<unknown>;
  restore(item: Item): Promise<unknown>;
  /** Says what happens when it is taken down, and who reads the reason. */
  sayTakeDown(item: Item): { meaning: string; hint: string };
  /** What else can be done with it. */
  more?(item: Item, reload: () => Promise<void>): ComponentChildren;
}

/** Everybody's pages, or functions: search, take down, restore. */
export function ContentList<Item extends Content, State extends string>(
  props: ContentListProps<Item, State>,
) {
  const { texts, title, states, columns, getKey, getName } = props;
  const search = useSearch(props.read, props.owner);
  const [down, setDown] = useState<Item>();
  const [back, setBack] = useState<Item>();
  const actions: Column<Item> = {
    title: t('Actions'),
    isActions: true,
    cell: (item) => (
      <>
        {item.takenDown ? (
          <Button
            kind="bare"
            label={t('Restore {name}', { name: getName(item) })}
            onClick={() => setBack(item)}
          >
            {t('Restore')}
          </Button>
        ) : (
          <Button
            kind="bare"
            label={t('Take down {name}', { name: getName(item) })}
            onClick={() => setDown(item)}
          >
            {t('Take down')}
          </Button>
        )}
        {props.more?.(item, search.loaded.reload)}
      </>
    ),
  };
  return (
    <Section title={title} {...(search.loaded.value && { hint: texts.count(search.loaded.value.total) })}>
      <Filters search={search} label={texts.search} states={states} />
      <Show loaded={search.loaded} skeleton={<Skeleton kind="rows" lines={10} />}>
        {({ items, total, limit }) =>
          items.length === 0 ? (
            <Empty title={texts.noneFound}>{search.isFiltered ? texts.noneMatches : texts.noneMade}</Empty>
          ) : (
            <>
              <div class="stacks admin-content">
                <Table caption={title} rows={items} getKey={getKey} columns={[...columns, actions]} />
              </div>
              {total > limit && (
                <Pager
                  {...{ limit, total, offset: search.offset }}
                  shown={items.length}
                  onMove={search.moveTo}
                />
              )}
            </>
          )
        }
      </Show>
      <ContentDialogs {...props} {...{ down, setDown, back, setBack }} reload={search.loaded.reload} />
    </Section>
  );
}

interface DialogsProps<Item> {
  getName(item: Item): string;
  takeDown(item: Item, reason: string): Promise<unknown>;
  restore(item: Item): Promise<unknown>;
  sayTakeDown(item: Item): { meaning: string; hint: string };
  down: Item | undefined;
  setDown(item: Item | undefined): void;
  back: Item | undefined;
  setBack(item: Item | undefined): void;
  reload(): Promise<void>;
}

function ContentDialogs<Item>(props: DialogsProps<Item>) {
  const { getName, takeDown, restore, sayTakeDown, down, setDown, back, setBack, reload } = props;
  if (down)
    return (
      <TakeDownDialog
        name={getName(down)}
        {...sayTakeDown(down)}
        takeDown={(reason) => takeDown(down, reason)}
        onClose={() => setDown(undefined)}
        reload={reload}
      />
    );
  if (!back) return null;
  return (
    <Ask
      title={t('Restore {name}', { name: getName(back) })}
      submit={t('Restore it')}
      onClose={() => setBack(undefined)}
      onConfirm={async () => {
        await restore(back);
        setBack(undefined);
        say(t('{name} is restored.', { name: getName(back) }));
        await reload();
      }}
    >
      <p>{t('It works again as before. The owner gets a notice.')}</p>
    </Ask>
  );
}

interface TakeDownProps {
  name: string;
  /** What happens, and who reads the reason. */
  meaning: string;
  hint: string;
  takeDown(reason: string): Promise<unknown>;
  onClose(): void;
  reload(): Promise<void>;
}

/** Asks why something is taken down, and does it. */
export function TakeDownDialog({ name, meaning, hint, takeDown, onClose, reload }: TakeDownProps) {
  return (
    <AskWhy
      title={t('Take down {name}', { name })}
      submit={t('Take it down')}
      hint={hint}
      onClose={onClose}
      onConfirm={async (reason) => {
        await takeDown(reason);
        onClose();
        say(t('{name} is taken down.', { name }));
        await reload();
      }}
    >
      <p>{meaning}</p>
    </AskWhy>
  );
}

interface Search<Value, State> {
  typed: string;
  setTyped(value: string): void;
  owner: string;
  setOwner(value: string): void;
  state: State | '';
  setState(value: State | ''): void;
  offset: number;
  moveTo(offset: number): void;
  isFiltered: boolean;
  loaded: Loaded<Value>;
}

function useSearch<Value, State extends string>(
  read: (filter: ContentFilter<State>, signal: AbortSignal) => Promise<Value>,
  firstOwner: string,
): Search<Value, State> {
  const [typed, setTyped] = useState('');
  const [owner, setOwner] = useState(firstOwner);
  const [state, setState] = useState<State | ''>('');
  const [position, setPosition] = useState({ key: '', offset: 0 });
  const q = useSettled(typed.trim());
  const ownerName = useSettled(owner.trim());
  const key = `${q}\n${ownerName}\n${state}`;
  const offset = position.key === key ? position.offset : 0;
  const loaded = useLoad((signal) => read({ q, owner: ownerName, state, offset }, signal), [key, offset]);
  return {
    ...{ typed, setTyped, owner, setOwner, state, setState, offset, loaded },
    moveTo: (next) => setPosition({ key, offset: next }),
    isFiltered: key !== '\n\n',
  };
}

interface FiltersProps<State extends string> {
  search: Search<unknown, State>;
  label: string;
  states: ReadonlyArray<readonly [State | '', string]>;
}

function Filters<State extends string>({ search, label, states }: FiltersProps<State>) {
  return (
    <div class="admin-filters">
      <TextField
        label={label}
        hideLabel
        type="search"
        placeholder={t('Name or slug')}
        value={search.typed}
        onInput={search.setTyped}
      />
      <TextField
        label={t('Owner')}
        hideLabel
        type="search"
        placeholder={t('Owner')}
        value={search.owner}
        onInput={search.setOwner}
      />
      <Select label={t('State')} hideLabel value={search.state} options={states} onChange={search.setState} />
    </div>
  );
}

/** Shows why nobody can see or call it. Otherwise shows the children. */
export function BlockState({
  item,
  children,
}: {
  item: Content;
  children: ComponentChildren;
}): ComponentChildren {
  if (item.takenDown)
    return (
      <div class="admin-name">
        <Badge kind="bad">{t('Taken down')}</Badge>
        <div class="faint" title={formatMoment(item.takenDown.at)}>
          {item.takenDown.reason}
        </div>
      </div>
    );
  return item.isOwnerBlocked ? <Badge kind="warn">{t('Owner blocked')}</Badge> : children;
}
