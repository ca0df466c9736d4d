import { dlopen, FFIType, ptr } from 'bun:ffi';

/**
 * Runs inside a server (`--preload`) and records the longest time that its main thread worked without a pause, in CPU
 * time, so that other load on the machine does not count. The value is in a file that both sides map.
 */

const CLOCK_THREAD_CPUTIME_ID = 3;
const LOOK_EVERY_MS = 2;

const file = process.env.STALL_FILE;
// Threads of the server load this too.
if (file && Bun.isMainThread) watch(new Float64Array(Bun.mmap(file).buffer));

function watch(noted: Float64Array): void {
  const { symbols } = dlopen('libc.so.6', {
    clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  const time = new BigInt64Array(2);
  const place = ptr(time);
  const usedMs = () => {
    symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, place);
    return Number(time[0]) * 1_000 + Number(time[1]) / 1_000_000;
  };
  let last = usedMs();
  setInterval(() => {
    const now = usedMs();
    noted[0] = Math.max(noted[0] ?? 0, now - last);
    noted[1] = (noted[1] ?? 0) + 1;
    last = now;
  }, LOOK_EVERY_MS);
}
