import { dlopen, FFIType, ptr } from 'bun:ffi';
import { CommandError } from '../../../cli/usage.ts';

/** The current folder, for relative paths. Ours are absolute. */
const AT_FDCWD = -100;
/** A flag of `renameat2`: neither path is ever missing. */
const RENAME_EXCHANGE = 2;

/** Exchanges two folders in one step, which the file system functions of Bun cannot do. */
export function exchange(one: string, other: string): void {
  const { int, pointer, u32 } = { int: FFIType.int, pointer: FFIType.ptr, u32: FFIType.u32 };
  const library = dlopen('libc.so.6', {
    renameat2: { args: [int, pointer, int, pointer, u32], returns: int },
  });
  const [a, b] = [one, other].map((path) => Buffer.from(`${path}\0`));
  const failed =
    a && b && library.symbols.renameat2(AT_FDCWD, ptr(a), AT_FDCWD, ptr(b), RENAME_EXCHANGE) !== 0;
  library.close();
  if (failed)
    throw new CommandError(
      `${other} could not be replaced, for example because it is a volume. The restored data is in ${one}: stop here, or move it yourself.`,
    );
}
