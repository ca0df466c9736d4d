declare const self: Worker;

/** A pause between requests, so that the server gets the processor. */
const PAUSE_MS = 20;

/** Another client, which sends small requests one after the other and records the longest wait. */
self.onmessage = async ({ data }: MessageEvent<{ urls: string[]; noted: SharedArrayBuffer }>) => {
  const noted = new Float64Array(data.noted);
  for (let turn = 0; ; turn++) {
    const url = data.urls[turn % data.urls.length] ?? '';
    const startedAt = performance.now();
    const response = await fetch(url);
    await response.arrayBuffer();
    noted[0] = Math.max(noted[0] ?? 0, performance.now() - startedAt);
    if (!response.ok) noted[1] = (noted[1] ?? 0) + 1;
    await Bun.sleep(PAUSE_MS);
  }
};
