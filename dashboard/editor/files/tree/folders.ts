import { useEffect, useState } from 'preact/hooks';
import { parentFolders } from '../paths.ts';

/** Which folders are open. Those of the file that is shown open by themselves. */
export function useFolders(shown: string) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const reveal = (path: string) => setOpen((before) => new Set([...before, ...parentFolders(path)]));
  useEffect(() => reveal(shown), [shown]);
  const toggle = (folder: string, isOpen: boolean) => {
    const next = new Set(open);
    if (isOpen) next.add(folder);
    else next.delete(folder);
    setOpen(next);
  };
  return { open, reveal, toggle, isOpen: (folder: string) => open.has(folder) };
}
