import { CreateScreen } from './create.tsx';
import { FunctionScreen } from './function.tsx';
import { ListScreen } from './list.tsx';
import { NEW } from './names.ts';

/** The screens of this area; `parts` is the address behind `/functions`. */
export function FunctionsScreens({ parts: [slug, part = '', detail = ''] }: { parts: string[] }) {
  if (slug === undefined) return <ListScreen />;
  if (slug === NEW) return <CreateScreen template={part} />;
  return <FunctionScreen key={slug} slug={slug} part={part} detail={detail} />;
}
