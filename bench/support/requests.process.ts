/** Requests that a process repeats until it is killed, `times` of them in parallel, one after the other. */
export interface RepeatedRequest {
  url: string;
  times: number;
  method?: string;
  headers?: Record<string, string>;
  /** `{unique}` in it differs in every request. */
  body?: string;
}

if (import.meta.main) {
  const requests: RepeatedRequest[] = JSON.parse(process.argv[2] ?? '[]');
  for (const request of requests) for (let at = 0; at < request.times; at++) void repeat(request);
}

async function repeat({ url, times: _, body, ...init }: RepeatedRequest): Promise<void> {
  for (;;) {
    await fetch(url, { ...init, body: body?.replace('{unique}', crypto.randomUUID()) })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
    await Bun.sleep(1);
  }
}
