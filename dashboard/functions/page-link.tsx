import type { FunctionSummary } from '../../contract/functions/functions.ts';
import { Link } from '../router.tsx';
import { rich } from '../texts/index.ts';

/** The page that a function belongs to. */
export function PageLink({ page: { id, name } }: { page: NonNullable<FunctionSummary['page']> }) {
  const tags = { page: (text: string) => <Link href={`/pages/${id}`}>{text}</Link> };
  return <span class="faint fn-page">{rich('Belongs to <page>{name}</page>', tags, { name })}</span>;
}
