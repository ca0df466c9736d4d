/**
 * Makes V8 collect all garbage and give free pages back to the machine, which it does before it refuses a buffer. It
 * always refuses this one: it is larger than the address space of a process.
 */
export function collectGarbage(): void {
  try {
    new ArrayBuffer(2 ** 49);
  } catch {
    // V8 always refuses the buffer.
  }
}
