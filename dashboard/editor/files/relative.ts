/** The address of a file as another file refers to it: `../images/cat.png`. */
export function relativePath(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const parts = to.split('/');
  let shared = 0;
  while (shared < folders.length && shared < parts.length - 1 && folders[shared] === parts[shared]) shared++;
  const up = folders.slice(shared).map(() => '..');
  return [...up, ...parts.slice(shared).map(encodeURIComponent)].join('/');
}
