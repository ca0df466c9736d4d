import { useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { Icon, IconButton, Section } from '../ui/index.ts';

/** The news are shown until somebody has read those of this release. */
const RELEASE = '0.1.0';
const KEY = 'news-read';

const NEWS = () => [
  [t('Gallery'), t('Show a page to everyone who comes to this server, in its settings.')],
  [t('Drafts'), t('Save a page without publishing it, look at it, and publish it later.')],
  [t('Analytics'), t('See how many people came, from where, and which errors they had.')],
  [t('Templates'), t('Start with a page that has its function, data and rules.')],
];

/** What is new in this release. */
export function News() {
  const [isRead, setRead] = useState(() => readBefore() === RELEASE);
  if (isRead) return null;
  const dismiss = () => {
    try {
      localStorage.setItem(KEY, RELEASE);
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
