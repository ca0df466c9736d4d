import type { FunctionSummary } from '../../contract/functions/functions.ts';
import { Link } from '../router.tsx';
import { rich } from '../texts/index.ts';

/** What a function is for. The name of its page is a link, here or after it. */
export function Purpose({ item: { description, page } }: { item: FunctionSummary }) {
  const link = page && <PageLink page={page} />;
  if (description === '') return link;
  const at = page ? description.indexOf(page.name) : -1;
  if (!page || at < 0)
    return (
      <>
        <p class="faint">{description}</p>
        {link}
      </>
    );
  return (
    <p class="faint">
      {description.slice(0, at)}
      <Link href={`/pages/${page.id}`}>{page.name}</Link>
      {description.slice(at + page.name.length)}
    </p>
  );
}

/** The page that a function belongs to. */
export function PageLink({ page: { id, name } }: { page: NonNullable<FunctionSummary['page']> }) {
  const tags = { page: (text: string) => <Link href={`/pages/${id}`}>{text}</Link> };
  return <span class="faint fn-page">{rich('Belongs to <page>{name}</page>', tags, { name })}</span>;
}
