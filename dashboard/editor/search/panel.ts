import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  SearchQuery,
  search,
  setSearchQuery,
} from '@codemirror/search';
import { type EditorView, type Panel, runScopeHandlers, type ViewUpdate } from '@codemirror/view';
import { t } from '../../texts/index.ts';
import { formatNumber } from '../../ui/index.ts';
import { button, field, toggle } from './controls.ts';
import { countMatches, MAX_COUNTED } from './matches.ts';

/** A large text is not searched for its count at every key. */
const COUNT_AFTER_MS = 120;

/** Find and replace, in the look of the dashboard. */
export const searchPanel = () => search({ top: true, createPanel: (view) => new SearchPanel(view) });

class SearchPanel implements Panel {
  readonly dom = document.createElement('div');
  readonly top = true;
  private readonly find = field(t('Find'), 'search');
  private readonly replacement = field(t('Replace with'), 'replace');
  private readonly count = document.createElement('span');
  private readonly caseSensitive = toggle('Aa', t('Match case'));
  private readonly wholeWord = toggle('W', t('Match whole words'));
  private readonly regexp = toggle('.*', t('Use a regular expression'));
  private counting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly view: EditorView) {
    this.dom.className = 'find-panel';
    this.dom.setAttribute('role', 'search');
    this.dom.addEventListener('keydown', this.press);
    this.find.setAttribute('main-field', 'true');
    this.count.className = 'find-count';
    this.count.setAttribute('role', 'status');
    for (const each of [this.find, this.replacement]) each.addEventListener('input', this.commit);
    for (const each of this.options()) {
      each.addEventListener('click', () => {
        each.setAttribute('aria-pressed', String(each.getAttribute('aria-pressed') !== 'true'));
        this.commit();
      });
    }
    this.dom.append(this.findRow());
    if (!view.state.readOnly) this.dom.append(this.replaceRow());
    this.show(getSearchQuery(view.state));
  }

  mount(): void {
    this.find.select();
    this.scheduleCount();
  }

  destroy(): void {
    clearTimeout(this.counting);
  }

  update(update: ViewUpdate): void {
    for (const transaction of update.transactions) {
      for (const effect of transaction.effects) {
        if (effect.is(setSearchQuery) && !effect.value.eq(this.query())) this.show(effect.value);
      }
    }
    if (update.docChanged || update.selectionSet || update.transactions.some(({ effects }) => effects.length))
      this.scheduleCount();
  }

  private options(): HTMLButtonElement[] {
    return [this.caseSensitive, this.wholeWord, this.regexp];
  }

  private findRow(): HTMLElement {
    const row = document.createElement('div');
    const { view } = this;
    row.append(
      this.find,
      ...this.options(),
      this.count,
      button('↑', t('Previous match'), () => findPrevious(view)),
      button('↓', t('Next match'), () => findNext(view)),
      button('×', t('Close'), () => closeSearchPanel(view)),
    );
    return row;
  }

  private replaceRow(): HTMLElement {
    const row = document.createElement('div');
    const { view } = this;
    row.append(
      this.replacement,
      button(t('Replace'), t('Replace'), () => replaceNext(view)),
      button(t('Replace all'), t('Replace all'), () => replaceAll(view)),
    );
    return row;
  }

  private query(): SearchQuery {
    const isOn = (each: Element) => each.getAttribute('aria-pressed') === 'true';
    return new SearchQuery({
      search: this.find.value,
      replace: this.replacement.value,
      caseSensitive: isOn(this.caseSensitive),
      wholeWord: isOn(this.wholeWord),
      regexp: isOn(this.regexp),
      // What is typed is what is meant: \n finds a backslash, unless it is a regular expression.
      literal: true,
    });
  }

  private show(query: SearchQuery): void {
    this.find.value = query.search;
    this.replacement.value = query.replace;
    this.caseSensitive.setAttribute('aria-pressed', String(query.caseSensitive));
    this.wholeWord.setAttribute('aria-pressed', String(query.wholeWord));
    this.regexp.setAttribute('aria-pressed', String(query.regexp));
  }

  private readonly commit = () => {
    const query = this.query();
    if (!query.eq(getSearchQuery(this.view.state))) this.view.dispatch({ effects: setSearchQuery.of(query) });
  };

  private readonly press = (event: KeyboardEvent) => {
    if (runScopeHandlers(this.view, event, 'search-panel')) return event.preventDefault();
    if (event.key !== 'Enter') return;
    if (event.target === this.find) (event.shiftKey ? findPrevious : findNext)(this.view);
    else if (event.target === this.replacement) replaceNext(this.view);
    else return;
    event.preventDefault();
  };

  private scheduleCount(): void {
    clearTimeout(this.counting);
    this.counting = setTimeout(() => this.showCount(), COUNT_AFTER_MS);
  }

  private showCount(): void {
    const query = getSearchQuery(this.view.state);
    const isWrong = query.search !== '' && !query.valid;
    const { count, at, isMore } = countMatches(query, this.view.state);
    this.find.toggleAttribute('aria-invalid', isWrong);
    this.count.classList.toggle('none', isWrong || (query.search !== '' && count === 0));
    if (query.search === '') this.count.textContent = '';
    else if (isWrong) this.count.textContent = t('Not a regular expression');
    else if (isMore) this.count.textContent = t('{count}+ matches', { count: formatNumber(MAX_COUNTED) });
    else if (count === 0) this.count.textContent = t('No matches');
    else if (at > 0) this.count.textContent = t('{at} of {count}', { at, count });
    else this.count.textContent = t('{count|1 match|{count} matches}', { count });
  }
}
