import { me } from '../session.ts';
import { Skeleton } from '../ui/index.ts';
import { CreateScreen } from './create.tsx';
import { FunctionScreen } from './function.tsx';
import { ListScreen } from './list.tsx';
import { NEW } from './names.ts';

/** The screens of this area; `parts` is the address behind `/functions`. */
export function FunctionsScreens({ parts: [slug, part = '', detail = ''] }: { parts: string[] }) {
  if (slug === undefined) return <ListScreen />;
  if (slug === NEW) return <CreateScreen template={part} />;
  // What this browser keeps of a function is kept by person.
  if (!me.value) return <Skeleton lines={8} />;
  return <FunctionScreen key={slug} slug={slug} part={part} detail={detail} />;
}
