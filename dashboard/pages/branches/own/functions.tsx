import { useState } from 'preact/hooks';
import { Link } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import { Badge, Button, Section, useLoad } from '../../../ui/index.ts';
import { type Branch, listSecrets } from '../api.ts';

type Copy = Branch['functions'][number];

/** Each shows its secrets, which takes two requests. */
const AT_ONCE = 10;

/** The copies of functions that the branch calls, and which of their secrets are empty. */
export function BranchFunctions({ branch }: { branch: Branch }) {
  const [shown, setShown] = useState(AT_ONCE);
  const { functions } = branch;
  return (
    <Section
      title={t('Functions')}
      hint={t('Copies with databases of their own. The branch calls them by the names that the page uses.')}
    >
      {functions.length === 0 ? (
        <p class="hint">{t('No function belongs to this branch.')}</p>
      ) : (
        <ul class="branch-list">
          {functions.slice(0, shown).map((copy) => (
            <Line key={copy.slug} copy={copy} />
          ))}
        </ul>
      )}
      {functions.length > shown && (
        <Button kind="quiet" onClick={() => setShown(shown + AT_ONCE)}>
          {t('Show more')}
        </Button>
      )}
    </Section>
  );
}

function Line({ copy: { name, slug } }: { copy: Copy }) {
  const secrets = useLoad(
    async (signal) => {
      const own = await listSecrets(slug, signal);
      // The function of the page may be gone.
      const wanted = name === slug ? own : await listSecrets(name, signal).catch(() => own);
      return { set: own, empty: wanted.filter((each) => !own.includes(each)) };
    },
    [slug, name],
  ).value;
  return (
    <li>
      <div>
        <p>
          <Link href={`/functions/${slug}`}>
            <strong>{name}</strong>
          </Link>{' '}
          {name !== slug && <code class="faint">{slug}</code>}
        </p>
        {secrets && secrets.empty.length > 0 && (
          <p>
            <Badge kind="warn">
              {t('{count|Empty secret|Empty secrets}', { count: secrets.empty.length })}
            </Badge>{' '}
            <code>{secrets.empty.join(', ')}</code>{' '}
            <Link href={`/functions/${slug}/secrets`}>{t('Set for this branch')}</Link>
          </p>
        )}
        {secrets && secrets.set.length > 0 && (
          <p class="hint">{t('Secrets that are set: {names}', { names: secrets.set.join(', ') })}</p>
        )}
      </div>
    </li>
  );
}
