/** Load from this process, for requests that differ from each other. */

export type Send = (number: number) => Promise<Response>;

/** Sends over some connections, as fast as requests are answered. Returns how many were answered. */
export async function sendInTurn(
  send: Send,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let sent = 0;
  const connection = async () => {
    while (performance.now() < until) await expectOk(send(sent++));
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return sent;
}

/** How often requests leave. */
const TICK_MS = 10;

/** Sends so many requests a second, and waits for all answers. Returns how many it sent, and in how many seconds. */
export async function sendAtRate(
  send: Send,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<{ sent: number; tookSeconds: number }> {
  const startedAt = performance.now();
  const passed = () => (performance.now() - startedAt) / 1000;
  const waiting = new Set<Promise<void>>();
  let sent = 0;
  while (passed() < seconds) {
    for (const due = Math.floor(passed() * perSecond); sent < due; ) {
      const one = expectOk(send(sent++)).finally(() => waiting.delete(one));
      waiting.add(one);
    }
    await Bun.sleep(TICK_MS);
  }
  await Promise.all(waiting);
  return { sent, tookSeconds: passed() };
}

async function expectOk(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url} answered ${response.status} ${text}`);
}
