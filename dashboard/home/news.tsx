import { useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { Icon, IconButton, Section } from '../ui/index.ts';

/** The news are shown until somebody has read these. */
const EDITION = '2';
const KEY = 'news-read';

const NEWS = () => [
  [t('Branches'), t('Try changes on a copy of everything, compare, and merge them.')],
  [t('History'), t('Go back to any moment, with records, files and functions.')],
  [t('Attack'), t('See what strangers can do with your page, before they do.')],
  [t('Repairs'), t('The builder mends errors of visitors on a copy and proves it.')],
  [t('Search'), t('Find words in the records of a collection, here and on your pages.')],
  [t('Say it'), t('Describe a page in your own words and watch it appear.')],
];

/** What is new. */
export function News() {
  const [isRead, setRead] = useState(() => readBefore() === EDITION);
  if (isRead) return null;
  const dismiss = () => {
    try {
      localStorage.setItem(KEY, EDITION);
    } catch {
      // A browser without storage shows them again.
    }
    setRead(true);
  };
  return (
    <div class="home-news">
      <Section title={t('What’s new')}>
        <IconButton icon="close" label={t('Dismiss the news')} onClick={dismiss} />
        <ul>
          {NEWS().map(([title, text]) => (
            <li key={title}>
              <Icon name="sparkle" />
              <span>
                <strong>{title}</strong> {text}
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

function readBefore(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
