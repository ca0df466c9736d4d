let nextPort = 20_000 + Math.floor(Math.random() * 10_000);

/** The first of so many ports in a row that are free, below those that the kernel gives out by itself. */
export function takePorts(count: number): number {
  for (;;) {
    const first = nextPort;
    nextPort += count;
    if (nextPort > 32_000) nextPort = 20_000;
    if (Array.from({ length: count }, (_, index) => first + index).every(isFree)) return first;
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
